// Package ddilu preconditions with incomplete factors of small diagonal blocks ("Fine-grained domain decomposition",
// arXiv 2508.04917). Couplings between blocks are dropped. Each block is factored separately without fill, as (I + L) D
// (I + U), and solved by one block of a GPU's threads in fast memory. Blocks are bricks of a grid, or parts of a graph.
// See docs/explanation/ddilu.md.
package ddilu

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"errors"
	"fmt"

	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/sparse/partition"
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
		{Name: "shift", Kind: precond.Number, Default: "0", Min: 0, Max: 1e6, Doc: "makes the diagonal this share " +
			"larger, relatively, before it is factored"},
	}
}

// Preconditioner solves with the blocks' factors.
type Preconditioner struct {
	factor  Factor
	details string
}

var _ precond.Preconditioner = (*Preconditioner)(nil)

// New factors the matrix of s: by bricks where it is a grid's, else by parts of its graph. Of a symmetric
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
		cut.Cells[1], cut.Cells[2], 100*Dropped(shape, cut.Cells))
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
	part, parts := partition.Divide(a, rows)
	m, err := cutOut(a, part, parts)
	dropped := 0.0
	if err == nil {
		dropped = m.dropped(a)
		p.factor, err = factorParts(device, m,
			PartOptions{Shift: set.Float("shift"), Symmetric: s.Symmetric(), Way: way, Double: double(set)})
	}
	if err != nil {
		return explain(err, func(row int) string { return fmt.Sprintf("row %d (counted from 1)", row+1) })
	}
	p.details = fmt.Sprintf("%d parts of up to %d rows, %.1f %% of the couplings dropped", parts, rows,
		100*dropped)
	if parts == 1 {
		p.details = "one part, no couplings dropped"
	}
	p.details += describe(way) + precision(set)
	return nil
}

// factorParts sorts the rows of a cut matrix by levels and factors it.
func factorParts(device operations, m *PartMatrix, how PartOptions) (Factor, error) {
	lower, upper, err := device.levels(m)
	if err != nil {
		return nil, err
	}
	return device.factorParts(m.sorted(lower, upper), how)
}

// double asks for FP64.
func double(set precond.Settings) bool { return set.Text("precision") == "fp64" }

func precision(set precond.Settings) string {
	if double(set) {
		return ", FP64"
	}
	return ""
}

// explain adds the location and what to do to a refused pivot.
func explain(err error, describe func(row int) string) error {
	var bad *BadPivot
	if !errors.As(err, &bad) {
		return err
	}
	return fmt.Errorf("%w: ddilu meets a pivot it cannot use in %s; raise the diagonal with ddilu:shift=0.01, or "+
		"choose another preconditioner",
		precond.ErrRefused, describe(bad.Row))
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

func (p *Preconditioner) Name() string { return "ddilu" }

func (p *Preconditioner) Details() string { return p.details }

func (p *Preconditioner) Apply(z, r ops.Vector) { p.factor.Solve(z, r) }

// Definition of the method.
func Definition() method.Definition {
	return method.Definition{
		Name: "ddilu", Doc: "incomplete factors of small bricks or parts, each solved in fast memory",
		Keys: append(Keys(), method.SolverKey()),
		New: func(a ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
			return method.Made(New(a, set))
		},
		Memory: Memory, Most: method.Always32, General: true,
	}
}

// Cut says how a grid is cut and solved.
type Cut struct {
	Cells [3]int    // of a brick along x, y and z; those at the far ends of the grid may be smaller
	Shift float64   // the diagonal is multiplied by 1 + Shift first
	Way   Traversal // the way that solves will take
	// Double keeps the factor in FP64 and solves in it, ByVertices.
	Double bool
}

// Factor is a block incomplete factorisation on a device: the matrix without its couplings between blocks, each block
// factored by itself as (I + L) D (I + U) with the pattern of the matrix. Entries are computed in FP64 and kept in
// FP32, or as they are.
type Factor interface {
	// Solve sets z = M^-1 r for FP32 vectors.
	Solve(z, r ops.Vector)
	Release()
}

// Traversal is the way through a factor. Executors that know one way only take any for that.
type Traversal int

// The ways. Each gives the same z except for rounding; ByEdges not always the same bits.
const (
	ByVertices Traversal = iota // level by level, a thread a row, in fast memory
	ByEdges                     // level by level, a thread an entry, added atomically in fast memory
	BySpinning                  // a thread a row that waits for the rows it needs, in fast memory
	ByMemory                    // as ByVertices, with the vector in device memory
	ByLaunches                  // for a single brick: one launch a level of the whole grid
)

func (t Traversal) String() string {
	return [...]string{"vertices", "edges", "spin", "global", "levels"}[t]
}

// BadPivot refuses a matrix: incomplete factorisation met a pivot that it cannot use.
type BadPivot struct{ Row int }

func (e *BadPivot) Error() string {
	return fmt.Sprintf("the incomplete factorisation meets a pivot in row %d (counted from 0) that is not positive, "+
		"zero or no number", e.Row)
}

// PartOptions say how a cut matrix is factored.
type PartOptions struct {
	Shift     float64   // the diagonal is multiplied by 1 + Shift first
	Symmetric bool      // pivots must be positive
	Way       Traversal // ByVertices or ByEdges
	Double    bool      // entries and solves in FP64
}

// operations are those of the method where an operator lives.
type operations interface {
	// brickRows is the number of rows of a brick that suits the device: several blocks' vectors and factors in its fast
	// memory at a time.
	brickRows(double bool) int
	// factorBricks factors the matrix of a grid. A pivot that is not positive, or zero where d is not symmetric, is a
	// *BadPivot.
	factorBricks(d ops.Diagonals, c Cut) (Factor, error)
	// levels finds the levels of a cut matrix's rows in L and in U; rows stand in the matrix's order.
	levels(m *PartMatrix) (lower, upper []int32, err error)
	// factorParts factors a cut matrix whose rows are sorted, which it may change. A pivot that cannot be used is a
	// *BadPivot.
	factorParts(m *PartMatrix, how PartOptions) (Factor, error)
}

// on finds the operations on an operator.
func on(s ops.Operator) (operations, error) { return precond.On(s, "ddilu", onHost, onGPU) }

// Memory counts the factor by diagonals, in FP32 or FP64, the pivots in FP64 and the matrix by diagonals; on a GPU rows
// and planes of bricks are padded. Matrices by rows are factored on the processor, by parts.
func Memory(s precond.Shape, set precond.Settings) precond.Need {
	if !s.Grid() {
		return partsMemory(s, set)
	}
	planes := int64(4)
	if !s.Symmetric {
		planes = 7
	}
	rows := s.Unknowns
	if s.GPU {
		rows = paddedRows(s, set)
	}
	width := int64(4)
	if double(set) {
		width = 8
	}
	held := width * planes * rows
	if !s.GPU && double(set) {
		held += width * rows
	}
	if s.GPU && set.Text("form") == "global" {
		held += 4 * rows
	}
	return precond.Need{SetUp: s.Diagonals() + held + 8*rows, Held: held}
}

// brickRows is what a brick holds where the device has not said.
const brickRows = 4096

// paddedRows counts the rows of all bricks as a GPU lays them out: lines of whole quads, planes off each other's banks.
func paddedRows(s precond.Shape, set precond.Settings) int64 {
	shape := [3]int{s.NX, s.NY, s.NZ}
	cells := shape
	if traversal(set) != ByLaunches {
		rows := set.Int("rows")
		if rows == 0 {
			rows = brickRows
			if double(set) {
				rows /= 2
			}
		}
		cells = brickOf(shape, rows)
	}
	count := int64(1)
	for a, n := range shape {
		count *= int64((n + cells[a] - 1) / cells[a])
	}
	_, _, rows := layout(cells, traversal(set))
	return count * rows
}

// partsMemory is for a matrix by rows: entries of L and U with their columns, with their rows where edges are added,
// and some numbers per row. During setup the entries of the parts are also held in FP64, on a processor twice.
func partsMemory(s precond.Shape, set precond.Settings) precond.Need {
	entry := int64(8)
	if double(set) {
		entry = 12
	}
	if s.GPU && traversal(set) == ByEdges {
		entry += 4
	}
	held := entry*s.Entries + 52*s.Unknowns
	if s.GPU {
		return precond.Need{SetUp: held + 12*s.Entries + 16*s.Unknowns, Held: held}
	}
	return precond.Need{SetUp: held + 24*s.Entries + 80*s.Unknowns, Held: held}
}
