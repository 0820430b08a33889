package ops

import "fmt"

// Incomplete is a Space that factorises grids' matrices incompletely: A + Shift diag(A) ~ L D L^T, where L has a unit diagonal, D is diagonal, and L has
// entries for level Order of fill alone. Elimination is in natural order, whatever the order in which an executor does it.
//
// Order 0 is the star of the matrix itself. Order 1 adds what elimination of the star's neighbours fills in: the diamond of 13 points. The pattern
// is that of the grid: couplings that happen to be zero count as entries.
type Incomplete interface {
	// Factorise computes L and D in FP64. A *Misfit error says which cell stands in the way.
	Factorise(a Diagonals, how Incompleteness) (IncompleteFactor, error)
	// Triangles rounds a factor to FP32, in the form that solves take. The factor may be released afterwards.
	Triangles(f IncompleteFactor) (Triangles, error)
	// SolveTriangles sets z = (L D L^T)^-1 r for FP32 vectors.
	SolveTriangles(t Triangles, z, r Vector)
}

// Incompleteness says how a matrix is factorised.
type Incompleteness struct {
	Order int     // 0 or 1
	Shift float64 // share of its diagonal that is added to the matrix
	// Hints for executors that divide the work geometrically: columns of a tile along y and z, and levels between two messages to other tiles.
	// Zeros leave the choice to them.
	TileY, TileZ, Chunk int
}

// IncompleteFactor is L and D on a device.
type IncompleteFactor interface {
	// Download copies the factor to the host, in natural order.
	Download() *FactorEntries
	Release()
}

// Triangles is a factor ready for solves.
type Triangles interface {
	Bytes() int64
	Release()
}

// FactorEntries is a factor on the host. Off[n][c] is the entry of L that ties cell c to its lower neighbour at Neighbours[n]; it is zero where that lies outside
// the grid.
type FactorEntries struct {
	NX, NY, NZ int
	Off        [][]float64
	Inverse    []float64 // 1/D
}

// IncompleteNeighbours lists the lower neighbours that have an entry in L: 3 for order 0, 6 for order 1, as steps along x, y and z.
func IncompleteNeighbours(order int) [][3]int {
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

// Squeezed returns the shape of a grid without its directions of a single cell, which move to the end, and which of the directions x, y, z
// the first and second then are. Offsets between neighbours stay the same.
func Squeezed(nx, ny, nz int) (shape [3]int, from [3]int) {
	n := 0
	for d, l := range [3]int{nx, ny, nz} {
		if l > 1 {
			shape[n], from[n] = l, d
			n++
		}
	}
	for d, l := range [3]int{nx, ny, nz} {
		if l <= 1 {
			shape[n], from[n] = l, d
			n++
		}
	}
	return shape, from
}
