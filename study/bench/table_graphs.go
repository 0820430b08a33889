package bench

import (
	"context"
	"fmt"
	"slices"

	"thermsim/gpusolve"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/sparse/graphs"
)

// networks is an additional table: matrices other than stacks, with the methods that need no geometry.
func networks() Table {
	return Table{
		Name: "graphs", Title: "Networks that are not grids, and Poisson problems on cubes",
		About: []string{
			"Networks of package gpusolve/sparse/graphs; normally distributed right-hand sides; stops at ||b - A " +
				"x||2 <= 1e-6 ||b||2, the true residual in FP64.",
			"Poisson problems: uniform, 1 everywhere; weak and strong along z, 0.01 and 1000 there and 1 along x and " +
				"y; random cubes, 9 cells a side of 1 or 1e5; checkerboard, 9 cells a side of 1 and 1e7.",
			"Those of the ParAC paper: anisotropic, 1 along x and 1e-4 along y and z; checkered, cubes of 3 cells a " +
				"side of 1e7 and 1, couplings that of the lower cell.",
			"setup is the copy of the matrix to the device, factorization and hierarchy; times are medians " +
				"after a warm-up.",
		},
		Columns: []Column{columnNetwork, columnSize, columnMethod, columnIterations, columnSetup, columnSolve,
			columnTotal, columnBytes, columnNote},
		run: func(ctx context.Context, b *Bench) error {
			for _, n := range b.networks() {
				if err := b.network(ctx, n); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

var (
	columnNetwork = Column{"network", 21, true, func(r *Row) string { return r.Case }}
	columnSize    = Column{"unknowns", 10, false, func(r *Row) string { return fmt.Sprint(r.Cells) }}
)

// networkRTol is the relative tolerance of network solves.
const networkRTol = 1e-6

// networkSeed is the seed of the right-hand sides.
const networkSeed = 3

// networkMethods are the methods that need no geometry, and none for comparison.
var networkMethods = [...]string{"cmg", "parac", "none"}

// networkCase is a matrix to solve.
type networkCase struct {
	name  string
	build func() (*matrix.Matrix, error)
}

// networks lists the matrices: about a million unknowns each, and 243^3 for the Poisson problems, or fewer on the
// processor.
func (b *Bench) networks() []networkCase {
	size, side := 1_000_000, 243
	if b.kind == "cpu" {
		size, side = 100_000, 64
	}
	limit := b.limit()
	if len(b.Grids) > 0 {
		limit = b.Grids[0][0] * b.Grids[0][1] * floorplanLayers
	}
	size = min(size, limit)
	for side*side*side > limit {
		side--
	}
	var all []networkCase
	for _, f := range graphs.All() {
		all = append(all, networkCase{f.Name, func() (*matrix.Matrix, error) {
			return matrix.New(f.Build(size, 1), matrix.Shape{})
		}})
	}
	for _, c := range graphs.AllCoefficients() {
		all = append(all, networkCase{"Poisson " + c.String(), func() (*matrix.Matrix, error) {
			d := graphs.Poisson(side, c)
			return &matrix.Matrix{Diagonals: d, Symmetric: true, Dominant: true, Entries: 7*d.N() - 6*side*side}, nil
		}})
	}
	return all
}

// network measures all suitable methods on one matrix.
func (b *Bench) network(ctx context.Context, n networkCase) error {
	b.doing("%s", n.name)
	a, err := n.build()
	if err != nil {
		return err
	}
	source := graphs.Source(a.N(), networkSeed)
	for _, method := range b.Methods {
		if name, _ := precond.Split(method); !slices.Contains(networkMethods[:], name) {
			continue
		}
		row, err := b.measureMatrix(ctx, n.name, a, source, method)
		if err != nil {
			return err
		}
		b.add(row)
	}
	return nil
}

// measureMatrix runs a solve once for warm-up and then for the median. Failures of a method are recorded in the row;
// the error is that of the context.
func (b *Bench) measureMatrix(ctx context.Context, name string, a *matrix.Matrix, source []float64,
	method string) (Row, error) {
	b.doing("%s, %s", name, method)
	row := newRow()
	row.Case, row.Cells, row.Method = name, a.N(), method
	limited, _, cancel := b.limitRow(ctx)
	defer cancel()
	var all times
	for n := range b.Runs + 1 {
		s, err := matrix.Solve(limited, a, source,
			gpusolve.Options{Executor: b.dev, Preconditioner: method, RTol: networkRTol, MaxIter: b.MaxIter})
		if stop, failed := b.ended(ctx, limited, &row, err); stop {
			return row, failed
		}
		row.Runs = max(1, n)
		row.setStatus(&s.Status, s.Memory)
		if n == 1 {
			all = times{} // the first one only warmed up
		}
		all.addSolve(s.Timing)
		if !row.Converged {
			break
		}
	}
	all.set(&row)
	return row, nil
}
