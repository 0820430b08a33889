package ic

import (
	"fmt"

	"thermsim/gpusolve/ops"
)

// Options say how a matrix is factorised.
type Options struct {
	Order int     // 0 or 1
	Shift float64 // share of its diagonal that is added to the matrix
	// Hints for executors that divide the work geometrically: columns of a tile along y and z, and levels between two messages to other tiles.
	// Zeros leave the choice to them.
	TileY, TileZ, Chunk int
}

// Factor is L and D in FP64 on a device.
type Factor interface {
	// Download copies the factor to the host, in natural order.
	Download() *Entries
	// Triangles rounds the factor to FP32, in the form that solves take. The factor may be released afterwards.
	Triangles() (Triangles, error)
	Release()
}

// Triangles is a factor ready for solves.
type Triangles interface {
	// Solve sets z = (L D L^T)^-1 r for FP32 vectors.
	Solve(z, r ops.Vector)
	Bytes() int64
	Release()
}

// Entries is a factor on the host. Off[n][c] is the entry of L that ties cell c to its lower neighbour at Neighbours[n]; it is zero where that lies outside
// the grid.
type Entries struct {
	NX, NY, NZ int
	Off        [][]float64
	Inverse    []float64 // 1/D
}

// Neighbours lists the lower neighbours that have an entry in L: 3 for order 0, 6 for order 1, as steps along x, y and z.
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
	NotPositive  MisfitReason = iota // D would not be positive
	WrapsAround                      // a coupling crosses the end of a row or plane
	NotSymmetric                     // of the whole matrix
	TooLarge                         // for the executor, the whole matrix
)

func (m *Misfit) Error() string {
	switch m.Reason {
	case NotPositive:
		return fmt.Sprintf("the pivot of cell (%d,%d,%d) is not positive", m.I, m.J, m.K)
	case WrapsAround:
		return fmt.Sprintf("cell (%d,%d,%d) at the end of a row or plane is coupled to the next one, so the matrix is not that of a grid", m.I, m.J, m.K)
	case TooLarge:
		return "the matrix has more rows than 2^31"
	}
	return "the matrix is not symmetric"
}
