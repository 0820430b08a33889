package ddilu

import (
	"fmt"

	"thermsim/gpusolve/ops"
)

// Cut says how a grid is cut and solved.
type Cut struct {
	Cells [3]int    // of a brick along x, y and z; those at the far ends of the grid may be smaller
	Shift float64   // the diagonal is multiplied by 1 + Shift first
	Way   Traversal // the way that solves will take
}

// Factor is a block incomplete factorisation on a device: the matrix without its couplings between blocks, each block factored by itself as
// (I + L) D (I + U) with the pattern of the matrix. Entries are computed in FP64 and kept in FP32.
type Factor interface {
	// Solve sets z = M^-1 r for FP32 vectors.
	Solve(z, r ops.Vector)
	Bytes() int64 // memory it takes
	Release()
}

// Traversal is the way through a factor. Executors that know one way only take any for that.
type Traversal int

// The ways. Each gives the same z but for rounding; ByEdges not always the same bits.
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
	return fmt.Sprintf("the incomplete factorisation meets a pivot in row %d (counted from 0) that is not positive, zero or no number", e.Row)
}

// PartFactors is a block incomplete factorisation of a matrix by rows. Rows are renumbered: part p has the rows from First[p] to First[p+1], sorted by
// their levels in L. All that is said of a part's rows counts from its first one.
type PartFactors struct {
	First        []int32 // parts + 1
	Row          []int32 // the matrix's row of each renumbered one
	Lower, Upper Triangle
	UpperOrder   []int32   // each part's rows sorted by their levels in U
	Inverse      []float32 // 1 / D
}

// Triangle holds the entries of L or U beside the unit diagonal, by renumbered rows, and its levels: a row depends on rows of lower levels alone.
type Triangle struct {
	RowPtr []int64
	Col    []int32
	Val    []float32
	// Level[First[p]+l] is where level l of part p begins in the part's rows (of U: in its UpperOrder), Level[First[p+1]-1] where the last one ends.
	First, Level []int32
}
