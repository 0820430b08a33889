package mesh

import "thermsim/stack"

// Drive is the boundary condition of face f at cell (i, j, k), which lies on it.
func (m *Mesh) Drive(f stack.Face, i, j, k int) Drive {
	if p := m.Patched[f]; p != nil {
		return p.Cells[p.at(i, j, k)]
	}
	return m.drives[f]
}

// newDrive is a boundary condition that applies to an area in m2.
func newDrive(b *stack.Boundary, area float64) Drive {
	d := Drive{Resistance: -1, Temperature: b.Temperature, Flux: b.Inflow()}
	if r, ok := b.SurfaceResistance(area); ok {
		d.Resistance = r
	}
	return d
}

// Exchanges reports whether a face can transfer heat.
func (m *Mesh) Exchanges(f stack.Face) bool {
	if m.Patched[f] != nil {
		return true
	}
	d := m.drives[f]
	return d.Driven() || d.Flux != 0
}

// Heats reports whether a face can bring heat into a stack at ambient temperature.
func (m *Mesh) Heats(f stack.Face) bool {
	if m.Patched[f] != nil {
		return true
	}
	d := m.drives[f]
	return d.Flux != 0 || d.Driven() && (d.Temperature != m.Stack.Ambient || m.Stack.Boundary[f].TemperatureDependent())
}

// FaceResistance is the resistance between a face's surface and its reference temperature, in m2K/W. It is the typical
// value if it is temperature-dependent, and the mean for a face with patches: area divided by the sum of the cells'
// conductances. ok is false for faces without a reference temperature.
func (m *Mesh) FaceResistance(f stack.Face) (r float64, ok bool) {
	if p := m.Patched[f]; p != nil {
		return p.mean, p.mean >= 0
	}
	d := m.drives[f]
	return d.Resistance, d.Driven()
}

// FaceArea is the area of a face in m2.
func (m *Mesh) FaceArea(f stack.Face) float64 {
	size := m.Stack.FaceSize(f)
	return size[0] * size[1]
}

// CellFaceArea is the area in m2 that cell (i, j, k) has on face f.
func (m *Mesh) CellFaceArea(f stack.Face, i, j, k int) float64 {
	switch f {
	case stack.Bottom, stack.Top:
		return m.DX(i) * m.DY(j)
	case stack.West, stack.East:
		return m.DY(j) * m.DZ(k)
	}
	return m.DX(i) * m.DZ(k)
}

// faceLaw is the law of a face with a temperature-dependent coefficient, nil for others.
func (m *Mesh) faceLaw(f stack.Face) *FaceLaw {
	if m.Laws == nil || !m.Laws.Faces[f].TemperatureDependent {
		return nil
	}
	return &m.Laws.Faces[f]
}

// FaceCells calls visit with the cells (i, j, k) on face f in the planes from planes[0] to planes[1]-1.
func (m *Mesh) FaceCells(f stack.Face, planes [2]int, visit func(i, j, k int)) {
	first, end := m.faceRange(f, planes)
	for k := first[2]; k < end[2]; k++ {
		for j := first[1]; j < end[1]; j++ {
			for i := first[0]; i < end[0]; i++ {
				visit(i, j, k)
			}
		}
	}
}

// faceRange is the half-open range of the cells on a face along x, y and z.
func (m *Mesh) faceRange(f stack.Face, planes [2]int) (first, end [3]int) {
	first, end = [3]int{0, 0, planes[0]}, [3]int{m.NX(), m.NY(), planes[1]}
	axis := f.Across()
	if f.High() {
		first[axis] = max(first[axis], [3]int{m.NX(), m.NY(), m.NZ()}[axis]-1)
	} else {
		end[axis] = min(end[axis], 1)
	}
	return first, end
}

// OnFace reports whether cell (i, j, k) lies on a face.
func (m *Mesh) OnFace(f stack.Face, i, j, k int) bool {
	switch f {
	case stack.Bottom:
		return k == 0
	case stack.Top:
		return k == m.NZ()-1
	case stack.West:
		return i == 0
	case stack.East:
		return i == m.NX()-1
	case stack.South:
		return j == 0
	}
	return j == m.NY()-1
}

// OnOneFace reports whether a cell lies on a single face.
func (m *Mesh) OnOneFace(i, j, k int) bool {
	faces := 0
	for f := range stack.Face(stack.NumFaces) {
		if m.OnFace(f, i, j, k) {
			faces++
		}
	}
	return faces == 1
}

// HeldFaceConductance is the conductance in W/K between the center of cell (i, j, k) and the temperature of face f as
// executors store it; 0 if the cell does not lie on f, or f has no reference temperature.
//
// Executors round the conductance to every face to FP32. The ground of a row of A is their sum over the faces of the
// cell, in the order of stack.Face and rounded after each addition.
//
// The conductances in b and in the heat through the faces must add up to exactly this ground. Otherwise b - A x = 0 is
// not the heat balance. If a face with 10 W/(m2 K) meets a fixed temperature behind 3e6 W/(m2 K), rounding of the sum
// changes the heat through the smaller conductance by 1 %, at any tolerance. Therefore the largest conductance of a
// cell is the ground minus the others. This changes it by a few roundings only, and the others keep their values.
func (m *Mesh) HeldFaceConductance(f stack.Face, i, j, k int) float64 {
	c := m.At(i, j, k)
	held, _ := m.heldFaceConductance(f, i, j, k, func(e stack.Face) float64 { return m.faceConductance(e, i, j, k, c) })
	return held
}

// heldFaceConductance is HeldFaceConductance for given conductances of a cell to its faces. It also returns the face's
// part of the ground, in FP32 as executors add it up.
func (m *Mesh) heldFaceConductance(f stack.Face, i, j, k int, conductance func(stack.Face) float64) (held float64,
	part float32) {
	var g [stack.NumFaces]float32
	ground, largest := float32(0), f
	for e := range stack.Face(stack.NumFaces) {
		if !m.OnFace(e, i, j, k) {
			continue
		}
		g[e] = float32(conductance(e))
		ground += g[e]
		if g[e] > g[largest] || g[e] == g[largest] && e < largest {
			largest = e
		}
	}
	if f != largest {
		return float64(g[f]), g[f]
	}
	rest := float64(ground)
	for e, v := range g {
		if stack.Face(e) != largest {
			rest -= float64(v)
		}
	}
	return rest, g[f]
}
