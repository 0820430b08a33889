// Package converge estimates the discretization error of a grid. It solves a stack on three grids, each twice as fine
// as the previous one along x, y and z, and computes the observed order of convergence, Richardson's extrapolation and
// an uncertainty for every maximum.
package converge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
)

// Quantity is a temperature that is evaluated on all grids.
type Quantity struct {
	Kind         string // "stack", "block" or "probe"
	Layer, Block string // of a block
	Probe        string
	Estimate     // in K
}

// Grid is one of the three.
type Grid struct{ NX, NY, NZ int }

// Study is the result. Its first quantity is the maximum of the stack.
type Study struct {
	Grids      [3]Grid
	Quantities []Quantity
}

// Run solves a stack on its grid and on two finer ones. The error of each solve, options.Tol in K, should be well below
// the changes between grids. build creates the mesh of a refined stack and can reject one that is too large; level
// counts from 0.
func Run(ctx context.Context, s *stack.Stack, options gpusolve.Options,
	build func(level int, s *stack.Stack) (*mesh.Mesh, error)) (*Study, error) {
	stacks := [3]*stack.Stack{s}
	for level := 1; level < 3; level++ {
		var err error
		if stacks[level], err = Refine(stacks[level-1]); err != nil {
			return nil, err
		}
	}
	var study Study
	var values [3][]float64
	// The finest grid first, so that a mesh that is too large is reported before any solve.
	for level := 2; level >= 0; level-- {
		m, err := build(level, stacks[level])
		if err != nil {
			return nil, err
		}
		study.Grids[level] = Grid{m.NX(), m.NY(), m.NZ()}
		if values[level], err = measure(ctx, m, options); err != nil {
			return nil, err
		}
	}
	study.Quantities = quantities(s)
	for n := range study.Quantities {
		study.Quantities[n].Estimate = Judge(values[0][n], values[1][n], values[2][n], options.Tol)
	}
	return &study, nil
}

// quantities lists the quantities in the order of measure.
func quantities(s *stack.Stack) []Quantity {
	all := []Quantity{{Kind: "stack"}}
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			for _, b := range s.Layers[l].Powers[p].Blocks {
				all = append(all, Quantity{Kind: "block", Layer: s.Layers[l].Name, Block: b.Name})
			}
		}
	}
	for _, p := range s.Probes {
		all = append(all, Quantity{Kind: "probe", Probe: p.Name})
	}
	return all
}

// ErrNotConverged reports a solve that did not reach its tolerance, so that its values are useless for a study.
var ErrNotConverged = errors.New("not converged")

// ErrRunaway reports a stack whose leakage has no steady state.
var ErrRunaway = errors.New("thermal runaway")

// measure solves one grid: the maximum of the stack, of every block, and the probes, in K.
func measure(ctx context.Context, m *mesh.Mesh, options gpusolve.Options) ([]float64, error) {
	if d := m.Stack.Solver.Device; d != "" {
		options.Device = d // build may have selected a device
	}
	sol, err := gpusolve.Steady(ctx, m, options)
	if err != nil {
		return nil, err
	}
	defer sol.Close()
	if !sol.Status.Converged {
		if sol.Status.Reason == solution.ReasonRunaway {
			return nil, fmt.Errorf("%w on %d x %d x %d cells: there is no steady state; 'thermsim "+
				"steady' reports the largest power that has one", ErrRunaway, m.NX(), m.NY(), m.NZ())
		}
		return nil, fmt.Errorf("%w: on %d x %d x %d cells the solve stopped with %s; choose another preconditioner "+
			"or a larger tolerance", ErrNotConverged, m.NX(), m.NY(), m.NZ(), sol.Status.Reason)
	}
	around := map[[2]int]float64{} // cells around the probes, K
	var terms []mesh.Term
	for _, p := range m.Stack.Probes {
		terms = append(terms, m.SampleAt(p.X, p.Y, p.Z, p.Side).Terms...)
	}
	_, values, err := maxima(m, sol.Field, func(k int, plane []float64) {
		for _, t := range terms {
			if t.Plane == k {
				around[[2]int{k, t.Cell}] = plane[t.Cell]
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for n := range m.Stack.Probes {
		values = append(values, m.AtProbe(&m.Stack.Probes[n], around))
	}
	return values, nil
}

// Refine is the stack on a grid with every cell split in two along x, y and z. Graded cells are split in their own
// ratio, so that the sizes stay graded and every face remains.
func Refine(s *stack.Stack) (*stack.Stack, error) { return RefineAlong(s, true, true) }

// RefineAlong is Refine along x and y, or along z, or both, or neither.
func RefineAlong(s *stack.Stack, lateral, height bool) (*stack.Stack, error) {
	fine := *s
	if lateral {
		fine.Grid = stack.Grid{X: halved(s.Grid.X), Y: halved(s.Grid.Y)}
	}
	fine.Layers = slices.Clone(s.Layers)
	for i := range fine.Layers {
		if height && fine.Layers[i].Coolant == nil { // a cavity has one cell over its height
			fine.Layers[i].Cells *= 2
		}
	}
	if err := stack.Validate(&fine); err != nil {
		return nil, fmt.Errorf("cannot refine the grid: %w", err)
	}
	return &fine, nil
}

func halved(a stack.Axis) stack.Axis {
	a.Cells *= 2
	a.Segments = slices.Clone(a.Segments)
	for i := range a.Segments {
		seg := &a.Segments[i]
		if seg.Cells > 1 {
			// Sizes grow by q = ratio^(1/(n-1)) from cell to cell, and by sqrt(q) from half to half.
			seg.Ratio = math.Pow(seg.Ratio, float64(2*seg.Cells-1)/float64(2*(seg.Cells-1)))
		} else {
			seg.Ratio = 1
		}
		seg.Cells *= 2
	}
	return a
}

// Estimate is the estimate of the exact value of a quantity from three grids, each twice as fine as the previous one.
type Estimate struct {
	Values [3]float64 // coarse, middle, fine
	// Order is the observed order of convergence; NaN if the values do not converge monotonically.
	Order float64
	// Extrapolated is Richardson's value for zero cell size, or the finest value if there is no order.
	Extrapolated float64
	// Uncertainty, half the width of the interval around Extrapolated in which the exact value is expected.
	Uncertainty float64
}

// Bounds on the order of an extrapolation: the scheme is of second order, and first order occurs where edges of sources
// and materials cut cells.
const (
	minOrder = 0.5
	maxOrder = 2
)

// Judge computes an estimate; noise is the error of the solves in each value. The method follows P. J. Roache, J.
// Fluids Eng. 116, 405 (1994), and L. Eca and M. Hoekstra, J. Comput. Phys. 262, 104 (2014). e1 is the change from
// coarse to middle, e2 that from middle to fine.
//
//	p = log2(e1/e2),   exact = fine + e2 / (2^p - 1),   uncertainty = 1.25 |e2| / (2^p - 1)
//
// An order above 2 is considered accidental: the extrapolation uses 2, and the uncertainty covers both changes. Below
// 1/2, and if the values oscillate or diverge, the uncertainty is three times the larger change.
func Judge(coarse, middle, fine, noise float64) Estimate {
	e := Estimate{Values: [3]float64{coarse, middle, fine}, Order: math.NaN(), Extrapolated: fine}
	first, second := middle-coarse, fine-middle
	larger := max(math.Abs(first), math.Abs(second))
	if larger <= 4*noise {
		e.Uncertainty = larger + 2*noise
		return e
	}
	if second == 0 || first/second <= 1 {
		e.Uncertainty = 3*larger + 2*noise
		return e
	}
	e.Order = math.Log2(first / second)
	if e.Order < minOrder {
		e.Uncertainty = 3*larger + 2*noise
		return e
	}
	step := second / (math.Exp2(min(e.Order, maxOrder)) - 1)
	e.Extrapolated += step
	e.Uncertainty = 1.25*math.Abs(step) + 2*noise
	if e.Order > maxOrder+0.1 {
		e.Uncertainty = max(e.Uncertainty, 1.25*larger)
	}
	return e
}
