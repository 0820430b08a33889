package autogrid

import (
	"math"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
)

// curvature tells for each layer how far, in K, temperatures at the centres of its cells may be off because the flux
// along z changes within a cell. Where a flux q” in W/m2 enters a cell of height dz and q” + d leaves it, the parabola
// between differs from a straight line by
//
//	d dz / (8 kz)
//
// and the layer's figure is the largest sum over one of its columns. Heated slices are left out: their height is given.
func curvature(m *mesh.Mesh, field gpusolve.Field) ([]float64, error) {
	columns := m.NX() * m.NY()
	v := &fluxes{m: m, below: make([]float64, columns), above: make([]float64, columns), here: make([]float64, columns),
		next: make([]float64, columns)}
	sums := make([]float64, columns)
	out := make([]float64, len(m.Stack.Layers))
	if err := field.Plane(0, v.here); err != nil {
		return nil, err
	}
	v.throughFace(stack.Bottom, 0, v.below)
	for k := range m.NZ() {
		if k+1 < m.NZ() {
			if err := field.Plane(k+1, v.next); err != nil {
				return nil, err
			}
			v.throughPlane(k, v.above)
		} else {
			v.throughFace(stack.Top, k, v.above)
		}
		l := m.Planes[k].Layer
		if k == m.LayerPlanes[l][0] {
			clear(sums)
		}
		if !slice(m, k) {
			for c := range sums {
				sums[c] += math.Abs(v.above[c]-v.below[c]) * m.DZ(k) / (8 * m.At(c%m.NX(), c/m.NX(), k).K[2])
				out[l] = max(out[l], sums[c])
			}
		}
		v.below, v.above = v.above, v.below
		v.here, v.next = v.next, v.here
	}
	return out, nil
}

// slice says whether plane k is the heated slice at a surface.
func slice(m *mesh.Mesh, k int) bool {
	l := m.Planes[k].Layer
	layer := &m.Stack.Layers[l]
	from, to := layer.HeatedPlanes()
	n := k - m.LayerPlanes[l][0]
	return layer.Planes() > layer.Cells && n >= from && n < to
}

// fluxes are those along z through the lower and the upper faces of a plane of cells, in W/m2 upwards, and the
// temperatures of two planes in K.
type fluxes struct {
	m                        *mesh.Mesh
	below, above, here, next []float64
}

// throughPlane fills the fluxes from plane k, whose temperatures are here, to the next.
func (v *fluxes) throughPlane(k int, flux []float64) {
	nx := v.m.NX()
	for j := range v.m.NY() {
		row := flux[j*nx : (j+1)*nx]
		v.m.CouplingZ(k, j, row)
		for i := range row {
			c := j*nx + i
			row[i] *= (v.here[c] - v.next[c]) / (v.m.DX(i) * v.m.DY(j))
		}
	}
}

// throughFace fills the fluxes through the lower or the upper face of the stack, beside which plane k lies.
func (v *fluxes) throughFace(f stack.Face, k int, flux []float64) {
	nx := v.m.NX()
	sign := 1.0
	if f == stack.Bottom {
		sign = -1
	}
	for c := range flux {
		i, j := c%nx, c/nx
		d := v.m.Drive(f, i, j, k)
		flux[c] = sign * (v.m.FaceConductance(f, i, j, k)*(v.here[c]-d.Temperature)/(v.m.DX(i)*v.m.DY(j)) - d.Flux)
	}
}
