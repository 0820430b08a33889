package ilu

import (
	"fmt"
	"slices"

	"thermsim/gpusolve/ops"
)

// Options say how a matrix is factorised.
type Options struct {
	Order int     // 0 or 1
	Shift float64 // share of its diagonal that is added to the matrix
	// Double keeps the triangles in FP64 and solves in it.
	Double bool
	// Hints for executors that divide the work geometrically: columns of a tile along y and z, and levels between two
	// messages to other tiles. Zeros leave the choice to them.
	TileY, TileZ, Chunk int
	Form                Form // on a GPU
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
	Bytes() int64
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
