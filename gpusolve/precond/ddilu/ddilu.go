// Package ddilu preconditions with incomplete factors of small diagonal blocks: the matrix without its couplings
// between blocks, each block factored by itself without fill, (I + L) D (I + U), and solved by one block of a GPU's
// threads in fast memory ("Fine-grained domain decomposition", arXiv 2508.04917). Blocks are bricks of a grid, or parts
// of a graph. See docs/explanation/ddilu.md.
package ddilu

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"errors"
	"fmt"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/sparse"
)

// Keys are the method's settings.
func Keys() []precond.Key {
	return []precond.Key{
		{Name: "rows", Kind: precond.Integer, Default: "0", Min: 0, Max: 1 << 30, Doc: "rows of a block at most; 0 " +
			"for what suits the device's fast memory, 2000 to 8000"},
		{Name: "parallel", Kind: precond.Word, Default: "vertices", Words: []string{"vertices", "edges"},
			Doc: "a thread for each row, or for each entry with atomic sums on a GPU, which do not give the " +
				"same bits twice"},
		{Name: "form", Kind: precond.Word, Default: "shared", Words: []string{"shared", "spin", "global", "levels"},
			Doc: "for comparison: threads that wait for rows instead of levels, vectors outside shared memory, or " +
				"the whole grid as one block with a launch for each level"},
		{Name: "precision", Kind: precond.Word, Default: "fp32", Words: []string{"fp32", "fp64"},
			Doc: "of the factor that is kept and of the arithmetic of its solves"},
		{Name: "shift", Kind: precond.Number, Default: "0", Min: 0, Max: 1e6, Doc: "makes the diagonal so much " +
			"larger, relatively, before it is factored"},
	}
}

// Preconditioner solves with the blocks' factors.
type Preconditioner struct {
	factor  Factor
	details string
}

var _ precond.Preconditioner = (*Preconditioner)(nil)

// New factors the matrix of s: by bricks where it is a grid's, else by parts that grow breadth-first. Of a symmetric
// matrix the preconditioner is symmetric and positive definite, so conjugate gradients may use it.
func New(s ops.Operator, set precond.Settings) (*Preconditioner, error) {
	device, err := on(s)
	if err != nil {
		return nil, err
	}
	d, beside, err := ops.NearDiagonals(s)
	p := new(Preconditioner)
	if way := traversal(set); double(set) && way != ByVertices {
		return nil, fmt.Errorf("%w: ddilu solves in FP64 with parallel=vertices and form=shared alone, not by %v; "+
			"leave precision, or parallel and form, away", precond.ErrRefused, way)
	}
	rows := set.Int("rows")
	if rows == 0 {
		rows = device.brickRows(double(set))
	}
	if _, mesh := s.(ops.System); err != nil && (mesh || s.Err() != nil) {
		return nil, err
	}
	if err != nil { // given by rows
		return p, p.graph(device, s, rows, set)
	}
	defer d.Release()
	if err := p.grid(device, d, rows, set); err != nil {
		return nil, err
	}
	if beside > 0 {
		p.details += fmt.Sprintf(", without %d entries between planes two apart", beside)
	}
	return p, nil
}

// grid factors by bricks.
func (p *Preconditioner) grid(device operations, d ops.Diagonals, rows int, set precond.Settings) error {
	way := traversal(set)
	nx, ny, nz := d.Shape()
	shape := [3]int{nx, ny, nz}
	cut := Cut{Cells: shape, Shift: set.Float("shift"), Way: way, Double: double(set)}
	if way != ByLaunches {
		cut.Cells = brickOf(shape, rows)
	}
	factor, err := device.factorBricks(d, cut)
	if err != nil {
		return explain(err, func(row int) string {
			return fmt.Sprintf("cell (%d, %d, %d)", row%nx, row/nx%ny, row/(nx*ny))
		})
	}
	p.factor = factor
	count := 1
	for a, n := range shape {
		count *= (n + cut.Cells[a] - 1) / cut.Cells[a]
	}
	p.details = fmt.Sprintf("%d bricks of %dx%dx%d, %.1f %% of the couplings dropped", count, cut.Cells[0],
		cut.Cells[1], cut.Cells[2],
		100*Dropped(shape, cut.Cells))
	if count == 1 {
		p.details = "one brick, no couplings dropped"
	}
	p.details += describe(way) + precision(set)
	return nil
}

// graph factors by parts.
func (p *Preconditioner) graph(device operations, s ops.Operator, rows int, set precond.Settings) error {
	way := traversal(set)
	if way != ByVertices && way != ByEdges {
		return fmt.Errorf("%w: form=%v of ddilu is for matrices of grids; leave form away", precond.ErrRefused, way)
	}
	forms, err := ops.FormsOf(s)
	if err != nil {
		return err
	}
	form, err := forms.Rows()
	if err != nil {
		return err
	}
	defer form.Release()
	a := form.Download()
	part, parts := grow(a, rows)
	_, skew := a.Asymmetric()
	p.factor, err = factorParts(device, a, part, parts,
		PartOptions{Shift: set.Float("shift"), Symmetric: !skew, Way: way, Double: double(set)})
	if err != nil {
		return explain(err, func(row int) string { return fmt.Sprintf("row %d (counted from 1)", row+1) })
	}
	p.details = fmt.Sprintf("%d parts of up to %d rows, %.1f %% of the couplings dropped", parts, rows,
		100*droppedBetween(a, part))
	if parts == 1 {
		p.details = "one part, no couplings dropped"
	}
	p.details += describe(way) + precision(set)
	return nil
}

// factorParts cuts a matrix, sorts its rows by levels, and factors it.
func factorParts(device operations, a *sparse.CSR, part []int32, parts int, how PartOptions) (Factor, error) {
	m, err := cutOut(a, part, parts)
	if err != nil {
		return nil, err
	}
	lower, upper, err := device.levels(m)
	if err != nil {
		return nil, err
	}
	return device.factorParts(m.sorted(lower, upper), how)
}

// droppedBetween is the share of a matrix's couplings that lie between parts.
func droppedBetween(a *sparse.CSR, part []int32) float64 {
	lost, couplings := 0, a.Entries()-a.N()
	for r := range a.N() {
		cols, _ := a.Row(r)
		for _, c := range cols {
			if part[c] != part[r] {
				lost++
			}
		}
	}
	if couplings <= 0 {
		return 0
	}
	return float64(lost) / float64(couplings)
}

// double asks for FP64.
func double(set precond.Settings) bool { return set.Text("precision") == "fp64" }

func precision(set precond.Settings) string {
	if double(set) {
		return ", FP64"
	}
	return ""
}

// explain adds the place and what to do to a refused pivot.
func explain(err error, place func(row int) string) error {
	var bad *BadPivot
	if !errors.As(err, &bad) {
		return err
	}
	return fmt.Errorf("%w: ddilu meets a pivot it cannot use in %s; raise the diagonal with ddilu:shift=0.01, or "+
		"choose another preconditioner",
		precond.ErrRefused, place(bad.Row))
}

func traversal(set precond.Settings) Traversal {
	switch form := set.Text("form"); {
	case form == "spin":
		return BySpinning
	case form == "global":
		return ByMemory
	case form == "levels":
		return ByLaunches
	case set.Text("parallel") == "edges":
		return ByEdges
	}
	return ByVertices
}

func describe(way Traversal) string {
	switch way {
	case ByVertices:
		return ""
	case ByEdges:
		return ", edges in parallel (not reproducible)"
	}
	return ", form " + way.String()
}

// Name is "ddilu".
func (p *Preconditioner) Name() string { return "ddilu" }

// Details says how the matrix was cut.
func (p *Preconditioner) Details() string { return p.details }

// Apply sets z = M^-1 r.
func (p *Preconditioner) Apply(z, r ops.Vector) { p.factor.Solve(z, r) }

// Bytes is the memory of the factor.
func (p *Preconditioner) Bytes() int64 { return p.factor.Bytes() }
