// Package ilu preconditions with incomplete factors L D U of a grid's matrix, in natural order: level 0 or 1 of fill.
// Of a symmetric matrix they are the Cholesky factors L D L^T.
//
// The triangular solves go along wavefronts; see docs/explanation/ilu.md for what that costs on flat grids. Kernels is
// their GPU side, made of ilu.cu.
package ilu

//go:generate go run thermsim/tools/ptxgen/gen -I ../../cuda/kernels

import (
	"errors"
	"fmt"
	"slices"

	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

type incomplete struct {
	name      string
	triangles Triangles
	details   string
}

var _ precond.Preconditioner = (*incomplete)(nil)

// New factorises the system's matrix.
func New(s ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	return factored("ilu", s, set)
}

// NewCholesky factorises the system's matrix, which must be symmetric.
func NewCholesky(s ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	if !s.Symmetric() {
		return nil,
			fmt.Errorf("%w: incomplete Cholesky factors need a symmetric matrix, and this one is not; choose ilu",
				precond.ErrRefused)
	}
	return factored("ic", s, set)
}

func factored(name string, s ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	how := Options{Order: set.Int("order"), Shift: set.Float("shift"), Double: set.Text("precision") == "fp64",
		Form: FormOf(set.Text("form"))}
	if how.Double && how.Form != ByTiles {
		return nil, fmt.Errorf("%w: form=%s solves in FP32; leave form or precision away", precond.ErrRefused,
			set.Text("form"))
	}
	a, beside, err := ops.NearDiagonals(s)
	if err != nil {
		if s.Err() == nil {
			err = fmt.Errorf("%w: %w", precond.ErrRefused, err)
		}
		return nil, err
	}
	defer a.Release()
	f, err := Factorise(s, a, how)
	if err != nil {
		return nil, explain(err, how)
	}
	defer f.Release()
	t, err := f.Triangles()
	if err != nil {
		return nil, err
	}
	details := fmt.Sprintf("order %d", how.Order)
	if how.Shift > 0 {
		details += fmt.Sprintf(", shift %g", how.Shift)
	}
	if beside > 0 {
		details += fmt.Sprintf(", without %d entries between planes two apart", beside)
	}
	if how.Double {
		details += ", FP64"
	}
	if how.Form != ByTiles {
		details += ", form " + set.Text("form")
	}
	return &incomplete{name, t, details}, nil
}

// explain adds what to do about a matrix that has no factor.
func explain(err error, how Options) error {
	var m *Misfit
	if !errors.As(err, &m) {
		return err
	}
	remedy := "choose another preconditioner"
	if m.Reason == NotPositive || m.Reason == NoPivot {
		remedy = fmt.Sprintf("add a share of the diagonal with shift=%g, or choose another preconditioner",
			max(0.001, 4*how.Shift))
	}
	return fmt.Errorf("%w: incomplete factorisation of order %d: %w; %s", precond.ErrRefused, how.Order, m, remedy)
}

func (p *incomplete) Name() string    { return p.name }
func (p *incomplete) Details() string { return p.details }

func (p *incomplete) Apply(z, r ops.Vector) { p.triangles.Solve(z, r) }

// Definition of the method.
func Definition() method.Definition {
	return method.Definition{
		Name: "ilu", Doc: "incomplete LU factors of grids' matrices, symmetric or not",
		Keys: append(Keys(), method.SolverKey()), New: New, Memory: Memory, Most: method.Always32, General: true,
	}
}

// DefinitionOfCholesky is that of ic, the same factors for conjugate gradients, which need a symmetric matrix and
// positive pivots.
func DefinitionOfCholesky() method.Definition {
	return method.Definition{Name: "ic", Doc: "incomplete Cholesky factors of grids' matrices", Keys: Keys(),
		New: NewCholesky, Memory: Memory, Most: method.Always32}
}

// Keys are the settings of both.
func Keys() []precond.Key {
	return []precond.Key{
		{Name: "order", Kind: precond.Integer, Default: "1", Min: 0, Max: 1, Doc: "level of fill: 0 keeps the " +
			"matrix's own pattern, 1 adds six diagonals"},
		{Name: "shift", Kind: precond.Number, Default: "0", Min: 0, Max: 10, Doc: "share of the diagonal that is " +
			"added before the factorisation"},
		{Name: "precision", Kind: precond.Word, Default: "fp32", Words: []string{"fp32", "fp64"},
			Doc: "of the factor and of the arithmetic of its solves"},
		{Name: "form", Kind: precond.Word, Default: "tiles", Words: forms,
			Doc: "for comparison on a GPU, in FP32: tiles with a message at every level, with two groups of threads " +
				"a row, in natural order, or a launch for each level"},
	}
}

// Options say how a matrix is factorised.
type Options struct {
	Order int     // 0 or 1
	Shift float64 // share of its diagonal that is added to the matrix
	// Double keeps the triangles in FP64 and solves in it.
	Double bool
	// Hints for executors that divide the work geometrically: columns of a tile along y and z. Zeros leave them the
	// choice.
	TileY, TileZ int
	Form         Form // on a GPU
}

// Factor is L, D and U in FP64 on a device.
type Factor interface {
	// Download copies the factor to the host, in natural order.
	Download() *Entries
	// Triangles gives the factor the form that solves take, rounded to FP32 unless Options.Double asked for more. The
	// factor is only good for Release afterwards.
	Triangles() (Triangles, error)
	Release()
}

// Triangles is a factor ready for solves.
type Triangles interface {
	// Solve sets z = (L D U)^-1 r for FP32 vectors.
	Solve(z, r ops.Vector)
	Release()
}

// Entries is a factor on the host. Lower[n][c] is the entry of L that ties cell c to its lower neighbour at
// Neighbours[n], in row c, and Upper[n][c] the one of U, in column c; both are zero where that lies outside the grid.
// Of a symmetric matrix they are the same slices.
type Entries struct {
	NX, NY, NZ   int
	Lower, Upper [][]float64
	Inverse      []float64 // 1/D
}

// Neighbours lists the lower neighbours that have an entry in L, or in U the other way: 3 for order 0, 6 for order 1,
// as steps along x, y and z.
func Neighbours(order int) [][3]int {
	all := [][3]int{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {1, -1, 0}, {1, 0, -1}, {0, 1, -1}}
	if order == 0 {
		return all[:3]
	}
	return all
}

// Misfit says that a matrix has no incomplete factor, and where.
type Misfit struct {
	I, J, K int // the cell, counted from 0
	Reason  MisfitReason
}

// MisfitReason is one of the following.
type MisfitReason int

// The reasons.
const (
	NotPositive MisfitReason = iota // D of a symmetric matrix would not be positive
	NoPivot                         // D of another would be zero or beyond FP64
	WrapsAround                     // a coupling crosses the end of a row or plane
	TooLarge                        // for the executor, the whole matrix
)

func (m *Misfit) Error() string {
	switch m.Reason {
	case NotPositive:
		return fmt.Sprintf("the pivot of cell (%d,%d,%d) is not positive", m.I, m.J, m.K)
	case NoPivot:
		return fmt.Sprintf("the pivot of cell (%d,%d,%d) is zero or beyond the range of FP64", m.I, m.J, m.K)
	case WrapsAround:
		return fmt.Sprintf("cell (%d,%d,%d) at the end of a row or plane is coupled to the next one, so the matrix "+
			"is not that of a grid", m.I, m.J, m.K)
	}
	return "the matrix has more rows than 2^31"
}

// badPivot is the reason that a pivot cannot be used.
func badPivot(symmetric bool) MisfitReason {
	if symmetric {
		return NotPositive
	}
	return NoPivot
}

// Form is a way through the triangles on a GPU. A processor has one.
type Form int

// The forms. All but the first are there to compare with.
const (
	ByTiles Form = iota // the method's own (docs/explanation/ilu.md)
	// tiles with a message at every level and neighbours' values read in memory, laid out by levels
	ByFlags
	ByGroups       // the same, where Order is 1 with two groups of threads for the two halves of a row
	InNaturalOrder // as ByFlags, laid out in natural order
	ByLaunches     // a launch for each level of the grid, in natural order
)

// forms are the names of the forms in settings.
var forms = []string{"tiles", "flags", "groups", "natural", "levels"}

// FormOf finds a form by its name.
func FormOf(name string) Form { return Form(slices.Index(forms, name)) }

// Factorise computes A + Shift diag(A) ~ L D U in FP64 where the operator s lives, a being its matrix or another of the
// same shape. L and U have unit diagonals, D is diagonal, and L and U have entries for level Order of fill alone; U is
// L^T where A is symmetric. Elimination is in natural order, whatever the order in which an executor does it. A *Misfit
// error says which cell stands in the way.
//
// Order 0 is the star of the matrix itself. Order 1 adds what elimination of the star's neighbours fills in: the
// diamond of 13 points. The pattern is that of the grid: couplings that happen to be zero count as entries.
func Factorise(s ops.Operator, a ops.Diagonals, how Options) (Factor, error) {
	on, err := precond.On(s, "ilu", onHost, onGPU)
	if err != nil {
		return nil, err
	}
	return on.factorise(a, how)
}

// operations are those of the method where an operator lives.
type operations interface {
	factorise(a ops.Diagonals, how Options) (Factor, error)
}

// Memory counts the matrix by diagonals, the factor in FP64 with its diagonal, and the triangles in FP32 with a field
// between the two solves; only the triangles stay. Those of FP64 are the factor itself.
func Memory(s precond.Shape, set precond.Settings) precond.Need {
	off := int64(3) // diagonals of L, and of U where that is another
	if set.Int("order") == 1 {
		off = 6
	}
	if !s.Symmetric {
		off *= 2
	}
	factor, triangles := 8*(off+1)*s.Unknowns, 4*(off+2)*s.Unknowns
	if set.Text("precision") == "fp64" {
		triangles = factor + 8*s.Unknowns
		factor = 0
	}
	if s.GPU {
		triangles += plans * (int64(s.NY)*int64(s.NZ) + 64)
	}
	return precond.Need{SetUp: s.Diagonals() + factor + triangles, Held: triangles}
}

// plans bounds the plan and the states of tiles, in bytes per row of the grid.
const plans = 8
