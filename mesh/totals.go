package mesh

import "thermsim/stack"

// GroundConductance is the conductance in W/K between the outermost cells and the temperatures of the faces.
func (m *Mesh) GroundConductance() float64 {
	nx, ny, nz := m.NX(), m.NY(), m.NZ()
	g := 0.0
	for j := range ny {
		for i := range nx {
			g += m.FaceConductance(stack.Bottom, i, j, 0) + m.FaceConductance(stack.Top, i, j, nz-1)
		}
	}
	for k := range nz {
		for j := range ny {
			g += m.FaceConductance(stack.West, 0, j, k) + m.FaceConductance(stack.East, nx-1, j, k)
		}
		for i := range nx {
			g += m.FaceConductance(stack.South, i, 0, k) + m.FaceConductance(stack.North, i, ny-1, k)
		}
	}
	return g
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
