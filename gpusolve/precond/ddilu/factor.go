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
	// Double keeps the factor in FP64 and solves in it, ByVertices.
	Double bool
}

// Factor is a block incomplete factorisation on a device: the matrix without its couplings between blocks, each block
// factored by itself as (I + L) D (I + U) with the pattern of the matrix. Entries are computed in FP64 and kept in
// FP32, or as they are.
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
