package bench

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
)

// reference is a solution to the attainable accuracy.
type reference struct {
	key    string
	field  []float64 // K
	status solution.Status
}

// attainable is below the accuracy of arithmetic, so that a solve ends at its rounding errors.
const attainable = 1e-17

// prepare solves a job's system to the attainable accuracy with the default method, unless it is the stored reference.
func (b *Bench) prepare(ctx context.Context, j job) error {
	key := j.key()
	if b.exact.key == key {
		return nil
	}
	b.doing("%s, reference solution", j.system.name)
	b.exact = reference{}
	j.method, j.rule = methods.Names()[0], gpusolve.Options{RTol: attainable}
	s, err := j.run(ctx, b)
	if err != nil {
		s.Close()
		return err
	}
	defer s.Close()
	if s.Status.Reason == solution.ReasonRunaway {
		return fmt.Errorf("%w: %s has no steady state; lower the power or the leakage, or cool better",
			gpusolve.ErrRunaway, j.system.name)
	}
	if !s.Status.Converged && s.Status.Reason != solution.ReasonStagnation {
		return fmt.Errorf("%s: the reference solution did not converge: %s, ||b - A x|| = %.3g W; please report "+
			"this bug",
			j.system.name, s.Status.Reason, s.Status.ResidualW)
	}
	field, err := j.mesh.ReadField(s.Field)
	b.exact = reference{key, field, s.Status}
	return err
}

// distance is the largest difference from the reference in K: NaN without a reference, infinite if the field is not
// finite.
func (r *reference) distance(j job, f solution.Field) (float64, error) {
	if r.key != j.key() {
		return math.NaN(), nil
	}
	field, err := j.mesh.ReadField(f)
	if err != nil {
		return math.NaN(), err
	}
	worst := 0.0
	for c, v := range field {
		if d := math.Abs(v - r.field[c]); !(d <= worst) {
			worst = d
			if math.IsNaN(d) {
				return math.Inf(1), nil
			}
		}
	}
	return worst, nil
}

// layerMeans is a field with one value per layer and cell: the mean temperature in K over the layer's height.
type layerMeans struct {
	stack  *stack.Stack
	mesh   *mesh.Mesh
	layers [][]float64
}

// fineLimit is the maximum size of a reference, as a multiple of the largest measured grid.
const fineLimit = 12

// refinement of the reference along x and y: 4, or 2 if that is too large.
func (b *Bench) refinement(grid [2]int) int {
	if 16*grid[0]*grid[1]*finePlanes > fineLimit*b.limit() {
		return 2
	}
	return 4
}

// finePlanes is the number of planes of the reference: two in each of six thin layers, 5, 3, 10 and 25 in the others.
const finePlanes = 55

// refineLayers sets the number of cells along z in thin layers to thin, and their height in thick layers to at most um.
func refineLayers(s *stack.Stack, thin int, um float64) {
	for i := range s.Layers {
		l := &s.Layers[i]
		l.Cells = thin
		if l.Thickness > 50e-6 {
			l.Cells = int(math.Ceil(l.Thickness*1e6/um - 1e-9))
		}
	}
}

// solveFine solves a floorplan to attainable accuracy on a grid finer than the largest one: by factor along x and y,
// and also along z. It averages the field over the cells of each grid.
func (b *Bench) solveFine(ctx context.Context, name string, largest [2]int, factor int, grids [][2]int) ([]layerMeans,
	error) {
	nx, ny := factor*largest[0], factor*largest[1]
	s, err := loadFloorplan(name, [2]int{nx, ny})
	if err != nil {
		return nil, err
	}
	refineLayers(s, 2, 40)
	m, err := built(s)
	if err != nil {
		return nil, err
	}
	for _, g := range grids {
		if nx%g[0] != 0 || ny%g[1] != 0 {
			return nil, fmt.Errorf("%w: grids of %dx%d and %dx%d cells cannot be compared; use sizes that divide "+
				"the largest", gpusolve.ErrOption, g[0], g[1], largest[0], largest[1])
		}
	}
	j := job{mesh: m, rule: gpusolve.Options{Tol: 1e-6}}
	solution, err := j.run(ctx, b)
	if err != nil {
		solution.Close()
		return nil, err
	}
	defer solution.Close()
	out := newMeans(s, grids)
	return out, averageLayers(out, grids, m, solution.Field)
}

// newMeans allocates the layers of a stack on each grid.
func newMeans(s *stack.Stack, grids [][2]int) []layerMeans {
	out := make([]layerMeans, len(grids))
	for i, g := range grids {
		out[i].stack = s
		out[i].layers = make([][]float64, len(s.Layers))
		for l := range out[i].layers {
			out[i].layers[l] = make([]float64, g[0]*g[1])
		}
	}
	return out
}

// averageLayers computes the means over layers and over the cells of coarser grids.
func averageLayers(out []layerMeans, grids [][2]int, m *mesh.Mesh, f solution.Field) error {
	nx, ny := m.NX(), m.NY()
	plane := make([]float64, nx*ny)
	for l, span := range m.LayerPlanes {
		for k := span[0]; k < span[1]; k++ {
			if err := f.Plane(k, plane); err != nil {
				return err
			}
			for i, g := range grids {
				average(out[i].layers[l], g, plane, nx, ny, 1/float64(span[1]-span[0]))
			}
		}
	}
	return nil
}

// average adds the weighted means over coarse cells.
func average(coarse []float64, g [2]int, fine []float64, nx, ny int, weight float64) {
	bx, by := nx/g[0], ny/g[1]
	weight /= float64(bx * by)
	for j := range ny {
		to := coarse[j/by*g[0]:][:g[0]]
		for i, v := range fine[j*nx:][:nx] {
			to[i/bx] += weight * v
		}
	}
}

// difference of two fields.
type difference struct {
	layerMeans    // absolute differences
	largest, mean float64
	worst         int // the layer of the largest
}

// setErrors sets the errors of a floorplan: over all layers, and in the heated layer of the upper die.
func (r *Row) setErrors(d difference) {
	r.MaxAEK, r.MAEK = Number(d.largest), Number(d.mean)
	top := -1
	for l := range d.stack.Layers {
		if len(d.stack.Layers[l].Powers) > 0 {
			top = l
		}
	}
	if top < 0 {
		return
	}
	largest, sum := 0.0, 0.0
	for _, v := range d.layers[top] {
		largest, sum = max(largest, math.Abs(v)), sum+math.Abs(v)
	}
	r.TopMaxAEK, r.TopMAEK = Number(largest), Number(sum/float64(len(d.layers[top])))
}

// newDifference compares a field with the expected one, cell by cell.
func newDifference(have, want layerMeans) difference {
	d := difference{layerMeans: layerMeans{stack: have.stack, mesh: have.mesh}}
	cells := 0
	for l, values := range have.layers {
		excess := make([]float64, len(values))
		for i, v := range values {
			excess[i] = v - want.layers[l][i]
			abs := math.Abs(excess[i])
			d.mean += abs
			if !(abs <= d.largest) {
				d.largest, d.worst = abs, l
			}
		}
		d.layers = append(d.layers, excess)
		cells += len(values)
	}
	d.mean /= float64(cells)
	return d
}
