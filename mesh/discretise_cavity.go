package mesh

import "thermsim/stack"

// The discretization around coolant. Heat transfer with a coefficient h replaces conduction through half a coolant
// cell; its resistance is 1/h.
//
//	resolved channel, towards a side wall    dy dz / (1/h_side + dx/2k)    likewise to the cells below and above
//	along a channel                          k_f dx dz / dy                nothing with central differences
//
// A porous cavity has the height H and the porosity e. At its floor, the layer below, walls and coolant meet in a node
// without capacity, which is eliminated from the three conductances.
//
//	below  a = dx dy / (dz/2k + R")     walls  w = (1-e) k_w dx dy / (H/2)     coolant  c = h_bottom dx dy
//	below-walls a w / s,   below-coolant a c / s,   walls-coolant w c / s,     s = a + w + c
//
// The same applies at the ceiling. The layer below and the coolant, and the walls and the layer above, are two planes
// apart: see CouplingFar. Along the flow, channel walls and the solid of a porous medium conduct with the share 1-e,
// and coolant with the share e unless differences are central. Pins do not conduct laterally, and there is no
// conduction across the flow.
//
// For a temperature-dependent material, k in these resistances is evaluated at the temperature of the solid's cell. The
// coolant's properties are those at the inlet.

// Solids returns the properties of the solid in a cell of the mesh.
type Solids func(i, j, k int) Material

// solids are those of the palette.
func (m *Mesh) solids(i, j, k int) Material { return *m.At(i, j, k) }

// CoolX sets the couplings along x in a plane of a cavity, all except the last entry. Like its siblings, it does
// nothing in other planes.
func (m *Mesh) CoolX(of Solids, k, j int, dst []float64) {
	c := m.Planes[k].Cavity
	if c == nil {
		return
	}
	for i := range m.NX() - 1 {
		dst[i] = m.coolLateral(c, of, k, i, j, i+1, j)
	}
}

// CoolY sets those along y, of a row that is not the last.
func (m *Mesh) CoolY(of Solids, k, j int, dst []float64) {
	c := m.Planes[k].Cavity
	if c == nil {
		return
	}
	for i := range dst {
		dst[i] = m.coolLateral(c, of, k, i, j, i, j+1)
	}
}

// coolLateral is the coupling of two neighbors in a plane of a cavity.
func (m *Mesh) coolLateral(c *Cavity, of Solids, k, i0, j0, i1, j1 int) float64 {
	axis := 0
	if j1 != j0 {
		axis = 1
	}
	height := m.Stack.Layers[c.Layer].Thickness
	size := [2][2]float64{{m.DX(i0), m.DY(j0)}, {m.DX(i1), m.DY(j1)}}
	area := height * size[0][1-axis]
	distance := (size[0][axis] + size[1][axis]) / 2
	lower := func() float64 { return m.halfSolid(of, axis, 0, i0, j0, k) }
	upper := func() float64 { return m.halfSolid(of, axis, 1, i1, j1, k) }
	if c.Wall != c.Fluid { // porous
		switch {
		case axis != c.Along || k == c.Wall && c.Of.Pins != nil:
			return 0
		case k == c.Fluid:
			return c.Of.Porosity() * c.AlongFlow() * area / distance
		}
		return (1 - c.Of.Porosity()) * area / (lower() + upper())
	}
	switch a, b := c.Wet(i0, j0), c.Wet(i1, j1); {
	case !a && !b:
		return area / (lower() + upper())
	case a && b: // along the flow: walls separate channels
		return c.AlongFlow() * area / distance
	case a:
		return area / (1/c.WallH(i0, j0).Side + upper())
	default:
		return area / (1/c.WallH(i1, j1).Side + lower())
	}
}

// halfSolid is the resistance from the center of a wall's cell to a side: its lower side where upper is 1.
func (m *Mesh) halfSolid(of Solids, axis, upper, i, j, k int) float64 {
	c := of(i, j, k)
	if axis == 0 {
		return m.DX(i) / (2 * c.Half[[2]int{east, west}[upper]])
	}
	return m.DY(j) / (2 * c.Half[[2]int{north, south}[upper]])
}

// AlongFlow is the conductivity of the coolant along the flow in W/(m K).
func (c *Cavity) AlongFlow() float64 {
	if c.Of.Central {
		return 0
	}
	return c.Of.Fluid.K
}

// joint is the interface of a porous cavity and the adjacent layer: the conductances per area of that layer, of the
// walls and of the coolant.
type joint struct{ solid, walls, coolant float64 }

// pair is the coupling of two of them.
func (t joint) pair(a, b float64) float64 { return a * b / (t.solid + t.walls + t.coolant) }

// joint is that at the floor or the ceiling of a porous cavity.
func (m *Mesh) joint(c *Cavity, of Solids, i, j int, ceiling bool) joint {
	solid, contact, h := c.Wall-1, c.Wall-1, c.WallH(i, j).Bottom
	if ceiling {
		solid, contact, h = c.Fluid+1, c.Fluid, c.WallH(i, j).Top
	}
	r := m.DZ(solid)/(2*of(i, j, solid).K[2]) + m.Planes[contact].ContactAbove
	return joint{1 / r, m.wallHalf(c, of(i, j, c.Wall).K[2]), h}
}

// wallHalf is the conductance per area of half the height of walls of a conductivity.
func (m *Mesh) wallHalf(c *Cavity, conductivity float64) float64 {
	return (1 - c.Of.Porosity()) * conductivity / (m.Stack.Layers[c.Layer].Thickness / 2)
}

// CoolZ sets the couplings along z of planes k and k+1 if one of them belongs to a cavity.
func (m *Mesh) CoolZ(of Solids, k, j int, dst []float64) {
	lower, upper := m.Planes[k].Cavity, m.Planes[k+1].Cavity
	if lower == nil && upper == nil {
		return
	}
	dy := m.DY(j)
	for i := range dst {
		area := m.DX(i) * dy
		switch {
		case lower != nil && lower == upper:
			b, a := m.joint(lower, of, i, j, false), m.joint(lower, of, i, j, true)
			dst[i] = area * (b.pair(b.walls, b.coolant) + a.pair(a.walls, a.coolant))
		case upper != nil && upper.Wall != upper.Fluid:
			b := m.joint(upper, of, i, j, false)
			dst[i] = area * b.pair(b.solid, b.walls)
		case lower != nil && lower.Wall != lower.Fluid:
			a := m.joint(lower, of, i, j, true)
			dst[i] = area * a.pair(a.solid, a.coolant)
		default:
			under, over := of(i, j, k), of(i, j, k+1)
			dst[i] = area / (m.halfOf(stack.Top, i, j, k, &under) + m.Planes[k].ContactAbove +
				m.halfOf(stack.Bottom, i, j, k+1, &over))
		}
	}
}

// CouplingFar fills the conductances between planes k and k+2 of row j. It returns false, and leaves dst unchanged, if
// there are none.
func (m *Mesh) CouplingFar(k, j int, dst []float64) bool { return m.CoolFar(m.solids, k, j, dst) }

// CoolFar is CouplingFar with other solids.
func (m *Mesh) CoolFar(of Solids, k, j int, dst []float64) bool {
	if k+2 >= m.NZ() {
		return false
	}
	dy := m.DY(j)
	if c := m.Planes[k+2].Cavity; c != nil && c.Wall != c.Fluid && c.Fluid == k+2 {
		for i := range dst {
			b := m.joint(c, of, i, j, false)
			dst[i] = m.DX(i) * dy * b.pair(b.solid, b.coolant)
		}
		return true
	}
	if c := m.Planes[k].Cavity; c != nil && c.Wall != c.Fluid && c.Wall == k {
		for i := range dst {
			a := m.joint(c, of, i, j, true)
			dst[i] = m.DX(i) * dy * a.pair(a.solid, a.walls)
		}
		return true
	}
	return false
}

// CoolCapacity sets the heat capacities in a plane of a cavity, in J/K.
func (m *Mesh) CoolCapacity(of Solids, k, j int, dst []float64) {
	c := m.Planes[k].Cavity
	if c == nil {
		return
	}
	height := m.Stack.Layers[c.Layer].Thickness
	for i := range dst {
		volume := m.DY(j) * height * m.DX(i)
		switch {
		case c.Wall == c.Fluid && c.Wet(i, j):
			dst[i] = c.Of.Fluid.C * volume
		case c.Wall == c.Fluid:
			dst[i] = of(i, j, k).C * (m.DY(j) * m.DZ(k)) * m.DX(i)
		case k == c.Fluid:
			dst[i] = c.Of.Fluid.C * c.Of.Porosity() * volume
		default:
			dst[i] = of(i, j, k).C * (1 - c.Of.Porosity()) * volume
		}
	}
}

// Flows reports whether a cell contains coolant, and thus no solid.
func (m *Mesh) Flows(i, j, k int) bool {
	c := m.Planes[k].Cavity
	return c != nil && k == c.Fluid && c.Wet(i, j)
}

// insulating is the resistance in m2K/W of adiabatic sides of coolant cells. It is finite, so that the temperature
// between the centers of two such cells is their mean.
const insulating = 1e30

// coolHalf is the resistance from the center of a coolant cell, or of a wall cell of a porous cavity, to a side, in
// m2K/W; false for other cells. At the domain boundary, coolant enters and leaves, so no such side conducts. own are
// the properties of walls.
func (m *Mesh) coolHalf(f stack.Face, i, j, k int, own *Material) (r float64, ok bool) {
	c := m.Planes[k].Cavity
	vertical := f == stack.Bottom || f == stack.Top
	across := c != nil && (f == stack.West || f == stack.East) == (c.Along == 1)
	switch {
	case c == nil || c.Wall == c.Fluid && !c.Wet(i, j):
		return 0, false
	case k != c.Fluid && vertical:
		return 1 / m.wallHalf(c, own.K[2]), true
	case f == stack.Bottom:
		return 1 / c.WallH(i, j).Bottom, true
	case f == stack.Top:
		return 1 / c.WallH(i, j).Top, true
	case c.Wall == c.Fluid && across && !m.OnFace(f, i, j, k):
		return 1 / c.WallH(i, j).Side, true
	}
	return insulating, true
}
