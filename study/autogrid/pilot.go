package autogrid

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/study/converge"
)

// pilot contains the results of small solves with a family of grids: the grid of a scale with given planes, and grids
// with cells twice and half as wide, and twice and half as high.
type pilot struct {
	scale   float64
	planes  []int
	cells   [2]int    // of the grid and of the largest one.
	rise    float64   // K, largest rise.
	lateral float64   // K, error of that grid due to the widths of cells.
	height  float64   // K, error due to their heights.
	layers  []float64 // K, contributions of the layers to the latter.
}

// widths is the error due to the widths of cells at a scale, in K, assuming second order.
func (p *pilot) widths(scale float64) float64 {
	return p.lateral * (scale / p.scale) * (scale / p.scale)
}

// pilots solves on the processor, so that the temperatures are the same on every machine.
func (f *family) pilots(ctx context.Context, scale float64, planes []int, tol float64) (*pilot, error) {
	planes = evenPlanes(planes)
	p := &pilot{scale: scale, planes: planes}
	half, twice := scaled(planes, 1), scaled(planes, 4)
	v := &solves{ctx: ctx, tol: tol}
	base := v.maxima(f.on(scale, planes), &p.layers)
	p.cells[0] = v.cells
	wide, narrow := v.maxima(f.on(2*scale, planes), nil), v.maxima(f.on(scale/2, planes), nil)
	p.cells[1] = v.cells
	high, low := v.maxima(f.on(scale, half), nil), v.maxima(f.on(scale, twice), nil)
	if v.err != nil {
		return nil, v.err
	}
	p.rise = narrow[0] - coldest(f.s)
	p.lateral = errorOfMiddle(wide, base, narrow, tol)
	p.height = errorOfMiddle(high, base, low, tol)
	p.share()
	return p, nil
}

// solves runs solves until one fails.
type solves struct {
	ctx   context.Context
	tol   float64
	cells int // of the largest so far
	err   error
}

// maxima of the stack and its blocks in K: at cell centers, as in reports, and of parabolas through them. Centers miss
// a peak or not, depending on whether the number of cells across a source is even or odd, and this can hide the error
// of the scheme. layers, if not nil, receives the curvatures of the layers.
func (v *solves) maxima(s *stack.Stack, layers *[]float64) (maxima []float64) {
	if v.err != nil {
		return nil
	}
	m, err := mesh.Build(s)
	if err != nil {
		v.err = err
		return nil
	}
	v.cells = max(v.cells, m.Cells())
	sol, err := gpusolve.Steady(v.ctx, m, gpusolve.Options{Device: "cpu", Tol: v.tol})
	if err != nil {
		v.err = err
		return nil
	}
	defer sol.Close()
	switch {
	case v.ctx.Err() != nil:
		v.err = v.ctx.Err()
		return nil
	case sol.Status.Reason == solution.ReasonRunaway:
		v.err = fmt.Errorf("%w on %d x %d x %d cells: there is no steady state for choosing a grid; give the grid by "+
			"numbers of cells; 'thermsim steady' reports the largest power with a steady state", converge.ErrRunaway,
			m.NX(), m.NY(), m.NZ())
		return nil
	case !sol.Status.Converged:
		v.err = fmt.Errorf("%w: on %d x %d x %d cells the solve stopped with %s; give the grid by numbers of cells",
			converge.ErrNotConverged, m.NX(), m.NY(), m.NZ(), sol.Status.Reason)
		return nil
	}
	centers, peaks, err := converge.Maxima(m, sol.Field)
	maxima, v.err = append(centers, peaks...), err
	if layers != nil && v.err == nil {
		*layers, v.err = curvature(m, sol.Field)
	}
	return maxima
}

// errorOfMiddle is the largest error in K of the values on the middle one of three grids.
func errorOfMiddle(coarse, middle, fine []float64, tol float64) float64 {
	most := 0.0
	for i := range middle {
		most = max(most, errorFrom(middle[i]-coarse[i], fine[i]-middle[i], tol))
	}
	return most
}

// errorFrom is the error of the middle grid, from the changes to it and from it: Richardson's estimate for the observed
// order, at most 2, times 1.25 (see docs/guides/converge.md). Without an observed order, values oscillate or converge
// slowly, and order 1/2 is assumed.
func errorFrom(first, second, tol float64) float64 {
	const safety, most, least = 1.25, 4.0, 1.4 // ratios of changes for the orders 2 and 1/2
	ratio := first / second
	switch {
	case math.Abs(second) <= 2*tol:
		return math.Abs(second) + 2*tol
	case ratio >= least:
		// A second change that is smaller than the order allows is accidental.
		second = max(math.Abs(second), math.Abs(first)/most)
		ratio = min(ratio, most)
		return safety * second * ratio / (ratio - 1)
	}
	return max(2.5*math.Abs(second), math.Abs(first)/2)
}

// evenPlanes makes numbers of planes even, so that they can be halved; one stays one.
func evenPlanes(planes []int) []int {
	even := scaled(planes, 2)
	for l, n := range even {
		if n > 1 {
			even[l] += n % 2
		}
	}
	return even
}

// scaled multiplies numbers of planes by halves.
func scaled(planes []int, halves int) []int {
	out := make([]int, len(planes))
	for l, n := range planes {
		out[l] = max(1, n*halves/2)
	}
	return out
}

// share scales the layers' contributions to the observed error. Contributions of two layers can cancel there but not on
// another grid, so at least a tenth of their sum counts.
func (p *pilot) share() {
	sum := 0.0
	for _, e := range p.layers {
		sum += e
	}
	p.height = max(p.height, sum/10)
	for l := range p.layers {
		if sum > 0 {
			p.layers[l] *= p.height / sum
		}
	}
}

// coldest reference temperature of the boundaries, in K.
func coldest(s *stack.Stack) float64 {
	least, _, _ := s.References()
	if math.IsInf(least, 1) {
		return s.Ambient
	}
	return least
}

// curvature estimates for each layer the error in K of the temperatures at cell centers due to the change of the flux
// along z within a cell. If a flux q” in W/m2 enters a cell of height dz and q” + d leaves it, the parabola between
// differs from a straight line by
//
//	d dz / (8 kz).
//
// The estimate of the layer is the largest sum over one of its columns. Heated slices are excluded, because their
// height is given.
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

// slice reports whether plane k is the heated slice at a surface.
func slice(m *mesh.Mesh, k int) bool {
	l := m.Planes[k].Layer
	layer := &m.Stack.Layers[l]
	from, to := layer.HeatedPlanes()
	n := k - m.LayerPlanes[l][0]
	return layer.Planes() > layer.Cells && n >= from && n < to
}

// fluxes are the fluxes along z through the lower and upper faces of a plane of cells, in W/m2 upwards, and the
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

// throughFace fills the fluxes through the lower or upper face of the stack, next to plane k of cells.
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
