package mesh

import "thermsim/stack"

// Drive is what face f does to cell (i, j, k), which lies on it.
func (m *Mesh) Drive(f stack.Face, i, j, k int) Drive {
	if p := m.Patched[f]; p != nil {
		return p.drive(p.at(i, j, k))
	}
	return m.driveOf(f)
}

// driveOf is what a face without patches does to each of its cells.
func (m *Mesh) driveOf(f stack.Face) Drive {
	b := &m.Stack.Boundary[f]
	d := Drive{Resistance: -1, Temperature: b.Temperature}
	if r, driven := m.wholeResistance(f); driven {
		d.Resistance = r
	} else if b.Kind == stack.HeatFlux {
		d.Flux = b.Flux
	}
	return d
}

// Exchanges says whether heat may pass a face.
func (m *Mesh) Exchanges(f stack.Face) bool {
	if m.Patched[f] != nil {
		return true
	}
	d := m.driveOf(f)
	return d.Driven() || d.Flux != 0
}

// Heats says whether a face brings heat into a stack at its ambient temperature, or may.
func (m *Mesh) Heats(f stack.Face) bool {
	if m.Patched[f] != nil {
		return true
	}
	d := m.driveOf(f)
	return d.Flux != 0 || d.Driven() && (d.Temperature != m.Stack.Ambient || m.Stack.Boundary[f].Follows())
}

// FaceResistance is the resistance between a face's surface and the temperature it refers to, in m2K/W, the typical one
// where it follows the temperature, and the mean one where the face has patches: its area over the sum of its cells'
// conductances. ok is false for faces that no temperature drives.
func (m *Mesh) FaceResistance(f stack.Face) (r float64, ok bool) {
	if p := m.Patched[f]; p != nil {
		return p.mean, p.mean >= 0
	}
	return m.wholeResistance(f)
}

// wholeResistance is that of a face without patches.
func (m *Mesh) wholeResistance(f stack.Face) (r float64, ok bool) {
	b := &m.Stack.Boundary[f]
	switch b.Kind {
	case stack.Convective:
		if law := m.faceLaw(f); law != nil {
			return 1 / law.Typical, true
		}
		return 1 / b.H, b.H > 0
	case stack.FixedTemperature:
		return 0, true
	case stack.LumpedResistance:
		return b.Resistance * m.FaceArea(f), true
	}
	return 0, false
}

// FaceArea is the area of a face in m2.
func (m *Mesh) FaceArea(f stack.Face) float64 {
	switch f {
	case stack.Bottom, stack.Top:
		return m.Stack.Size[0] * m.Stack.Size[1]
	case stack.West, stack.East:
		return m.Stack.Size[1] * m.Stack.Height()
	}
	return m.Stack.Size[0] * m.Stack.Height()
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

// faceLaw is that of a face whose coefficient follows the temperature, nil for others.
func (m *Mesh) faceLaw(f stack.Face) *FaceLaw {
	if m.Laws == nil || !m.Laws.Faces[f].Follows {
		return nil
	}
	return &m.Laws.Faces[f]
}

// OnFace says whether cell (i, j, k) lies on face f.
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

// HeldFaceConductance is the conductance in W/K between the centre of cell (i, j, k) and the temperature of face f as
// executors hold it; 0 where the cell does not lie on f, or no temperature drives f.
//
// Executors round the conductance to every face to FP32, and then their sum over the faces of a cell, the ground of its
// row of A:
//
//	ground = fl(fl(g1) + fl(g2) + ...)        in the order of stack.Face
//
// What a face brings into b, and what leaves through it, must be formed with conductances that add up to that very
// ground, or b - A x = 0 is not the balance of heat: where 10 W/(m2 K) lies beside a fixed temperature behind 3e6 W/(m2
// K), rounding of the sum moves 1 % of what passes the smaller one, at any tolerance. So the largest conductance of a
// cell is what is left of the ground after the others; that changes it by no more than a few roundings of its own, and
// the others keep theirs.
func (m *Mesh) HeldFaceConductance(f stack.Face, i, j, k int) float64 {
	c := m.At(i, j, k)
	held, _ := m.heldFaceConductance(f, i, j, k, func(e stack.Face) float64 { return m.faceConductance(e, i, j, k, c) })
	return held
}

// heldFaceConductance is HeldFaceConductance with the conductances of a cell to its faces, beside the face's part of
// the ground, in FP32 as executors add it up.
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
