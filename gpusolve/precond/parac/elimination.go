package parac

import (
	"errors"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// operations are those of the method on a device.
type operations interface {
	// eliminate builds the factor of a matrix. Its rows may be released afterwards. Order, seed and matrix alone decide
	// on the factor, not the device and not timing.
	eliminate(a ops.Rows, how choices) (factor, error)
}

// factor is G D G^T on a device: an approximate factor of a symmetric, diagonally dominant matrix whose off-diagonals
// are not positive, with the matrix as its expectation.
type factor interface {
	// solve sets z = (G D G^T)^-1 r for FP32 vectors; z = 0 for an unknown without a pivot.
	solve(z, r ops.Vector)
	report() Report
	// eliminated tells the order of the elimination, for the next one; nil where it costs little to find.
	eliminated() *elimOrder
	// download copies it to the host.
	download() *entries
	// release gives its memory back before the space goes.
	release()
}

// on has the operations of the device that an operator lives on.
func on(a ops.Operator) (operations, error) { return precond.On(a, "parac", onHost, onGPU) }

// errUnsuitable marks matrices that the elimination is not made for.
var errUnsuitable = errors.New("parac takes symmetric, diagonally dominant matrices without positive off-diagonals")

// errPositive marks those that choices.cover is for.
var errPositive = errors.New("off-diagonals must not be positive")

// Order says which unknown goes first.
type Order int

// The orders. ByEntries sorts by the number of entries in the row, with ties in random order.
const (
	AnyOrder      Order = iota // what suits the device: MinimumDegree on the processor, ByEntries on a GPU
	MinimumDegree              // approximate minimum degree
	ByEntries
	RandomOrder
)

func (o Order) String() string {
	return [...]string{"auto", "amd", "nnz", "random"}[o]
}

// choices of a factorisation.
type choices struct {
	order Order
	seed  uint64
	// room scales the first guess of the memory that sizes unknown in advance take, 1 when 0. What turns out too small
	// is taken larger, from the start.
	room float64
	// cover eliminates the matrix's double cover (sparse.CSR.DoubleCover), which has no positive off-diagonals. Solves
	// are of the matrix's own size, report and entries of the cover.
	cover bool
	// former is the order of an earlier elimination with these choices; nil where there was none.
	former *elimOrder
}

// Report describes a factor.
type Report struct {
	Order    Order   // never AnyOrder
	Entries  int64   // of G below the diagonal
	Fill     float64 // 2 nnz(G) / nnz(A), both with their diagonals
	Depth    int     // levels of the triangular solves: their critical path
	Tree     int     // height of the elimination tree
	Longest  int     // entries of the longest column of G, where the processor counted them
	Retries  int     // how often memory had to grow
	Factor   float64 // s, ordering and elimination
	Ordering float64 // s, of Factor: the order, where the processor finds it
	Sort     float64 // s, from there to what the triangular solves read
}

// entries of a factor on the host. Its unknowns are sorted by level and by row within a level, so that G is lower
// triangular.
type entries struct {
	row    []int32 // row of the matrix, by place in the factor
	level  []int32 // likewise
	first  []int64 // columns of G below the diagonal: entries first[c] to first[c+1]
	at     []int32 // places of the entries
	share  []float32
	begin  []int64 // rows of G left of the diagonal
	col    []int32
	weight []float32
	pivot  []float64 // D
}

// Ground is summed in fixed point, which makes the sum independent of the order: in units of 2^(exponent-63+headroom),
// where 2^exponent is above the diagonal of the matrix. headroom doublings of the diagonal fit, at first.
const headroom = 10
