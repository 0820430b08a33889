package ops

import "errors"

// Cholesky holds the operations of the parac preconditioner: an approximate factor G D G^T of a symmetric, diagonally dominant matrix whose
// off-diagonals are not positive, with the matrix as its expectation.
type Cholesky interface {
	// EliminateRandomly builds the factor. The rows may be released afterwards. Order, seed and matrix alone decide on the factor, not the device
	// and not timing.
	EliminateRandomly(a Rows, how Elimination) (CholeskyFactor, error)
	// SolveCholesky sets z = (G D G^T)^-1 r for FP32 vectors; z = 0 for an unknown without a pivot.
	SolveCholesky(f CholeskyFactor, z, r Vector)
}

// ErrUnsuitable marks matrices that the elimination is not made for.
var ErrUnsuitable = errors.New("parac takes symmetric, diagonally dominant matrices without positive off-diagonals")

// ErrPositive marks those that Elimination.Cover is for.
var ErrPositive = errors.New("off-diagonals must not be positive")

// EliminationOrder says which unknown goes first.
type EliminationOrder int

// The orders. ByEntries sorts by the number of entries in the row, with ties in random order.
const (
	AnyOrder      EliminationOrder = iota // what suits the device: MinimumDegree on the processor, ByEntries on a GPU
	MinimumDegree                         // approximate minimum degree
	ByEntries
	RandomOrder
)

func (o EliminationOrder) String() string {
	return [...]string{"auto", "amd", "nnz", "random"}[o]
}

// Elimination are the choices of a factorisation.
type Elimination struct {
	Order EliminationOrder
	Seed  uint64
	// Room scales the first guess of the memory that sizes unknown in advance take, 1 when 0. What turns out too small is taken larger, from the
	// start.
	Room float64
	// Cover eliminates the matrix's double cover (sparse.CSR.DoubleCover), which has no positive off-diagonals. Solves are of the matrix's own size,
	// report and entries of the cover.
	Cover bool
}

// CholeskyFactor is a factor on a device.
type CholeskyFactor interface {
	Report() CholeskyReport
	// Download copies it to the host.
	Download() *CholeskyEntries
	Bytes() int64
	Release()
}

// CholeskyReport describes a factor.
type CholeskyReport struct {
	Order   EliminationOrder // never AnyOrder
	Entries int64            // of G below the diagonal
	Fill    float64          // 2 nnz(G) / nnz(A), both with their diagonals
	Depth   int              // levels of the triangular solves: their critical path
	Tree    int              // height of the elimination tree
	Retries int              // how often memory had to grow
	Factor  float64          // s, ordering and elimination
	Sort    float64          // s, from there to what the triangular solves read
}

// CholeskyEntries is a factor on the host. Its unknowns are sorted by level and by row within a level, so that G is lower triangular.
type CholeskyEntries struct {
	Row    []int32 // row of the matrix, by place in the factor
	Level  []int32 // likewise
	First  []int64 // columns of G below the diagonal: entries First[c] to First[c+1]
	At     []int32 // places of the entries
	Share  []float32
	Begin  []int64 // rows of G left of the diagonal
	Col    []int32
	Weight []float32
	Pivot  []float64 // D
}
