package mesh

import "thermsim/stack"

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
