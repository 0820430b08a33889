package mesh

import "thermsim/stack"

// The discretisation around coolant. A film of coefficient h stands for half a cell of coolant, with the resistance 1/h:
//
//	resolved channel, towards a side wall    dy dz / (1/h_side + dx/2k)         likewise towards the cells below and above
//	along a channel                          k_f dx dz / dy                     conduction in the coolant, nothing with central differences
//
// In a porous cavity of height H and porosity e with the floor b (where layer below, walls and coolant meet, in a point without capacity) the three
// conductances that meet there are eliminated from it:
//
//	below  a = dx dy / (dz/2k + R")     walls  w = (1-e) k_w dx dy / (H/2)     coolant  c = h_bottom dx dy
//	below-walls a w / s,   below-coolant a c / s,   walls-coolant w c / s,     s = a + w + c
//
// and likewise at the ceiling. Below and coolant, and walls and the layer above, are two planes apart: CouplingFar. Laterally walls of channels conduct
// along the flow with the share 1-e, pins do not conduct, and coolant conducts along the flow with the share e, none of it with central differences.

// coolX sets the couplings along x in the planes of a cavity.
func (m *Mesh) coolX(k, j int, dst []float64) {
	c := m.Planes[k].Cavity
	if c == nil {
		return
	}
	for i := range m.NX() - 1 {
		dst[i] = m.coolLateral(c, k, i, j, i+1, j, dst[i])
	}
}

// coolY is the same along y.
func (m *Mesh) coolY(k, j int, dst []float64) {
	c := m.Planes[k].Cavity
	if c == nil {
		return
	}
	for i := range dst {
		dst[i] = m.coolLateral(c, k, i, j, i, j+1, dst[i])
	}
}

// coolLateral is the coupling of two neighbours in a plane of a cavity; solid is what it would be of solids.
func (m *Mesh) coolLateral(c *Cavity, k, i0, j0, i1, j1 int, solid float64) float64 {
	axis := 0
	if j1 != j0 {
		axis = 1
	}
	height := m.Stack.Layers[c.Layer].Thickness
	size := [2][2]float64{{m.DX(i0), m.DY(j0)}, {m.DX(i1), m.DY(j1)}}
	area := height * size[0][1-axis]
	distance := (size[0][axis] + size[1][axis]) / 2
	if c.Wall != c.Fluid { // porous
		share, conductivity := 1-c.Of.Porosity(), m.At(i0, j0, k).K[axis]
		if k == c.Fluid {
			share, conductivity = c.Of.Porosity(), c.AlongFlow()
		}
		if axis != c.Along || k == c.Wall && c.Of.Pins != nil {
			return 0
		}
		return share * conductivity * area / distance
	}
	switch a, b := c.Wet(i0, j0), c.Wet(i1, j1); {
	case !a && !b:
		return solid
	case a && b && axis == c.Along:
		return c.AlongFlow() * area / distance
	case a && b:
		return 0 // two channels side by side are kept apart by the validation
	case a:
		return area / (1/c.Films(i0, j0).Side + m.halfSolid(axis, 1, i1, j1, k))
	default:
		return area / (1/c.Films(i1, j1).Side + m.halfSolid(axis, 0, i0, j0, k))
	}
}

// halfSolid is the resistance from the centre of a wall's cell to its side towards the coolant: its lower side where upper is 1.
func (m *Mesh) halfSolid(axis, upper, i, j, k int) float64 {
	c := m.At(i, j, k)
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

// joint is where a porous cavity meets the layer beside it: the conductances per area of that layer, of the walls and of the coolant.
type joint struct{ solid, walls, coolant float64 }

// pair is the coupling of two of them.
func (t joint) pair(a, b float64) float64 { return a * b / (t.solid + t.walls + t.coolant) }

// jointBelow is that at the floor of a porous cavity.
func (m *Mesh) jointBelow(c *Cavity, i, j int) joint {
	k := c.Wall - 1
	r := m.DZ(k)/(2*m.At(i, j, k).K[2]) + m.Planes[k].ContactAbove
	return joint{1 / r, m.wallHalf(c, i, j), c.Films(i, j).Bottom}
}

// jointAbove is that at the ceiling.
func (m *Mesh) jointAbove(c *Cavity, i, j int) joint {
	k := c.Fluid + 1
	r := m.DZ(k)/(2*m.At(i, j, k).K[2]) + m.Planes[c.Fluid].ContactAbove
	return joint{1 / r, m.wallHalf(c, i, j), c.Films(i, j).Top}
}

// wallHalf is the conductance per area of half the height of the walls.
func (m *Mesh) wallHalf(c *Cavity, i, j int) float64 {
	return (1 - c.Of.Porosity()) * m.At(i, j, c.Wall).K[2] / (m.Stack.Layers[c.Layer].Thickness / 2)
}

// coolZ sets the couplings along z of planes k and k+1 where one of them belongs to a cavity.
func (m *Mesh) coolZ(k, j int, dst []float64) {
	lower, upper := m.Planes[k].Cavity, m.Planes[k+1].Cavity
	if lower == nil && upper == nil {
		return
	}
	dy := m.DY(j)
	for i := range dst {
		area := m.DX(i) * dy
		switch {
		case lower != nil && lower == upper:
			b, a := m.jointBelow(lower, i, j), m.jointAbove(lower, i, j)
			dst[i] = area * (b.pair(b.walls, b.coolant) + a.pair(a.walls, a.coolant))
		case upper != nil && upper.Wall != upper.Fluid:
			b := m.jointBelow(upper, i, j)
			dst[i] = area * b.pair(b.solid, b.walls)
		case lower != nil && lower.Wall != lower.Fluid:
			a := m.jointAbove(lower, i, j)
			dst[i] = area * a.pair(a.solid, a.coolant)
		default:
			dst[i] = area / (m.halfResistance(stack.Top, i, j, k) + m.Planes[k].ContactAbove + m.halfResistance(stack.Bottom, i, j, k+1))
		}
	}
}

// CouplingFar fills the conductances between planes k and k+2 of row j; false, and nothing done, where there are none.
func (m *Mesh) CouplingFar(k, j int, dst []float64) bool {
	if k+2 >= m.NZ() {
		return false
	}
	dy := m.DY(j)
	if c := m.Planes[k+2].Cavity; c != nil && c.Wall != c.Fluid && c.Fluid == k+2 {
		for i := range dst {
			b := m.jointBelow(c, i, j)
			dst[i] = m.DX(i) * dy * b.pair(b.solid, b.coolant)
		}
		return true
	}
	if c := m.Planes[k].Cavity; c != nil && c.Wall != c.Fluid && c.Wall == k {
		for i := range dst {
			a := m.jointAbove(c, i, j)
			dst[i] = m.DX(i) * dy * a.pair(a.solid, a.walls)
		}
		return true
	}
	return false
}

// coolCapacity sets the heat capacities in the planes of a cavity, in J/K.
func (m *Mesh) coolCapacity(k, j int, dst []float64) {
	c := m.Planes[k].Cavity
	if c == nil {
		return
	}
	area := m.DY(j) * m.Stack.Layers[c.Layer].Thickness
	for i := range dst {
		volume := area * m.DX(i)
		switch {
		case c.Wall == c.Fluid && c.Wet(i, j):
			dst[i] = c.Of.Fluid.C * volume
		case c.Wall == c.Fluid:
		case k == c.Fluid:
			dst[i] = c.Of.Fluid.C * c.Of.Porosity() * volume
		default:
			dst[i] = m.At(i, j, k).C * (1 - c.Of.Porosity()) * volume
		}
	}
}

// noWay is a resistance in m2K/W that lets nothing through, for the sides of coolant that heat does not pass. It is finite, so that temperatures between the
// centres of two such cells are the mean.
const noWay = 1e30

// coolHalf is the resistance from the middle of a cell of coolant, or of the walls of a porous cavity, to a side, in m2K/W; false of other cells. Coolant
// has no side of the domain: it enters and leaves there.
func (m *Mesh) coolHalf(f stack.Face, i, j, k int) (r float64, ok bool) {
	c := m.Planes[k].Cavity
	vertical := f == stack.Bottom || f == stack.Top
	across := c != nil && (f == stack.West || f == stack.East) == (c.Along == 1)
	switch {
	case c == nil || c.Wall == c.Fluid && !c.Wet(i, j):
		return 0, false
	case k != c.Fluid && vertical:
		return 1 / m.wallHalf(c, i, j), true
	case f == stack.Bottom:
		return 1 / c.Films(i, j).Bottom, true
	case f == stack.Top:
		return 1 / c.Films(i, j).Top, true
	case c.Wall == c.Fluid && across && !m.OnFace(f, i, j, k):
		return 1 / c.Films(i, j).Side, true
	}
	return noWay, true
}
