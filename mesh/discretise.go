package mesh

import (
	"math"

	"thermsim/stack"
)

// The finite-volume discretization, row by row in FP64. Executors round the stored values.
//
//	Along x, W/K:  dy dz / (dx_i/2kx_i + dx_{i+1}/2kx_{i+1}). Along y likewise.
//	Along z:       dx dy / (dz_k/2kz_k + R" + dz_{k+1}/2kz_{k+1}).
//	To a face:     dx dy / (R"_face + dz/2kz).
//
// The conductivities along x and y are those of the adjacent halves of cells. R" is the contact resistance in m2K/W,
// and R"_face is 1/h. PatchedFace gives the last formula for a face with patches.
//
// Every function fills dst (length nx) for row j of plane k.

// CouplingX fills the conductances between cells i and i+1; the last entry is 0.
func (m *Mesh) CouplingX(k, j int, dst []float64) {
	area := m.DY(j) * m.DZ(k)
	nx := m.NX()
	own := m.At(0, j, k)
	for i := range nx - 1 {
		next := m.At(i+1, j, k)
		dst[i] = area / (m.DX(i)/(2*own.Half[east]) + m.DX(i+1)/(2*next.Half[west]))
		own = next
	}
	dst[nx-1] = 0
	m.CoolX(m.solids, k, j, dst)
}

// CouplingY fills the conductances between rows j and j+1; all 0 in the last row.
func (m *Mesh) CouplingY(k, j int, dst []float64) {
	if j == m.NY()-1 {
		clear(dst)
		return
	}
	dz, dy, dy1 := m.DZ(k), m.DY(j), m.DY(j+1)
	for i := range dst {
		dst[i] = m.DX(i) * dz / (dy/(2*m.At(i, j, k).Half[north]) + dy1/(2*m.At(i, j+1, k).Half[south]))
	}
	m.CoolY(m.solids, k, j, dst)
}

// CouplingZ fills the conductances between planes k and k+1; all 0 in the top plane.
func (m *Mesh) CouplingZ(k, j int, dst []float64) {
	if k == m.NZ()-1 {
		clear(dst)
		return
	}
	dy, dz, dz1, contact := m.DY(j), m.DZ(k), m.DZ(k+1), m.Planes[k].ContactAbove
	for i := range dst {
		dst[i] = m.DX(i) * dy / (dz/(2*m.At(i, j, k).K[2]) + contact + dz1/(2*m.At(i, j, k+1).K[2]))
	}
	m.CoolZ(m.solids, k, j, dst)
}

// Capacity fills the heat capacities of the cells in J/K.
func (m *Mesh) Capacity(k, j int, dst []float64) {
	area := m.DY(j) * m.DZ(k)
	for i := range dst {
		dst[i] = m.At(i, j, k).C * area * m.DX(i)
	}
	m.CoolCapacity(m.solids, k, j, dst)
}

// FaceConductance is the conductance in W/K between the center of cell (i, j, k), which lies on face f, and the face's
// temperature.
func (m *Mesh) FaceConductance(f stack.Face, i, j, k int) float64 {
	return m.faceConductance(f, i, j, k, m.At(i, j, k))
}

func (m *Mesh) faceConductance(f stack.Face, i, j, k int, c *Material) float64 {
	d := m.Drive(f, i, j, k)
	half := m.halfOf(f, i, j, k, c)
	if !d.Driven() || half >= insulating {
		return 0
	}
	return m.CellFaceArea(f, i, j, k) / (d.Resistance + half)
}

// halfResistance is the resistance between the center of cell (i, j, k) and its side in the direction of face f, in
// m2K/W.
func (m *Mesh) halfResistance(f stack.Face, i, j, k int) float64 {
	c := m.At(i, j, k)
	if m.warm != nil {
		if kelvin, ok := m.warm(k, j*m.NX()+i); ok {
			w := m.Laws.Warm(m.EntryAt(i, j, k), kelvin, kelvin)
			c = &w
		}
	}
	return m.halfOf(f, i, j, k, c)
}

// halfOf is halfResistance for a cell with the properties of c.
func (m *Mesh) halfOf(f stack.Face, i, j, k int, c *Material) float64 {
	if r, ok := m.coolHalf(f, i, j, k, c); ok {
		return r
	}
	switch f.Across() {
	case 0:
		return m.DX(i) / (2 * c.Half[f-stack.West])
	case 1:
		return m.DY(j) / (2 * c.Half[f-stack.West])
	}
	return m.DZ(k) / (2 * c.K[2])
}

// Grounded reports whether the stack is connected to a fixed temperature; otherwise a steady state does not exist.
func (m *Mesh) Grounded() bool {
	if m.Cooled() {
		return true // the inlet temperature is fixed
	}
	for f := range stack.Face(stack.NumFaces) {
		if _, ok := m.FaceResistance(f); ok {
			return true
		}
	}
	return false
}

// GroundConductance is the sum of all columns of A in W/K: the conductance between the outermost cells and the face
// temperatures, and the heat that the coolant carries out per kelvin at its outlets.
func (m *Mesh) GroundConductance() float64 {
	g := 0.0
	for f := range stack.Face(stack.NumFaces) {
		if !m.Exchanges(f) {
			continue
		}
		for k := range m.NZ() {
			g += m.groundOfPlane(f, k)
		}
	}
	for _, c := range m.Cavities {
		for _, heat := range c.Heat {
			g += heat
		}
	}
	return g
}

// groundOfPlane is the conductance of face f in plane k. Without patches and coolant, the conductance per area depends
// on the material only.
func (m *Mesh) groundOfPlane(f stack.Face, k int) float64 {
	g, planes := 0.0, [2]int{k, k + 1}
	first, end := m.faceRange(f, planes)
	p := &m.Planes[k]
	switch {
	case first[2] >= end[2]:
	case p.Cavity != nil || m.Patched[f] != nil:
		m.FaceCells(f, planes, func(i, j, k int) { g += m.FaceConductance(f, i, j, k) })
	case p.Index == nil:
		width, depth := m.X[end[0]]-m.X[first[0]], m.Y[end[1]]-m.Y[first[1]]
		g = m.FaceConductance(f, first[0], first[1], k) * (width / m.DX(first[0])) * (depth / m.DY(first[1]))
	default:
		conductance := m.FaceConductances(f, k)
		m.FaceCells(f, planes, func(i, j, k int) { g += conductance(i, j) })
	}
	return g
}

// FaceConductances returns FaceConductance for the cells of plane k that lie on face f. Without patches and coolant,
// the conductance per area depends on the material only.
func (m *Mesh) FaceConductances(f stack.Face, k int) func(i, j int) float64 {
	first, end := m.faceRange(f, [2]int{k, k + 1})
	cells := (end[0] - first[0]) * (end[1] - first[1]) * (end[2] - first[2])
	if m.Planes[k].Cavity != nil || m.Patched[f] != nil || cells < len(m.Palette) {
		return func(i, j int) float64 { return m.FaceConductance(f, i, j, k) }
	}
	resistance := make([]float64, len(m.Palette))
	for id := range resistance {
		half := m.halfOf(f, first[0], first[1], k, &m.Palette[id])
		if resistance[id] = m.drives[f].Resistance + half; !m.drives[f].Driven() || half >= insulating {
			resistance[id] = math.Inf(1)
		}
	}
	return func(i, j int) float64 { return m.CellFaceArea(f, i, j, k) / resistance[m.EntryAt(i, j, k)] }
}

// HeatCapacity of the stack in J/K.
func (m *Mesh) HeatCapacity() float64 {
	capacity := 0.0
	row := make([]float64, m.NX())
	for k := range m.NZ() {
		for j := range m.NY() {
			m.Capacity(k, j, row)
			for _, c := range row {
				capacity += c
			}
		}
	}
	return capacity
}
