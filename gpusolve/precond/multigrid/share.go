package multigrid

import (
	"fmt"
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/mesh"
)

// Share is that of the plan for a mesh.
func Share(m *mesh.Mesh, ranks, exchange int) (p ops.Partition, levels int, err error) {
	return Choose(m).Share(m.NX(), m.NY(), ranks, exchange)
}

// Share divides the rows of a grid of nx x ny columns among ranks, and says how many grids of its hierarchy they share:
// those where sharing the work saves more than two exchanges cost, which take as long as a cycle on so many columns.
// Borders lie where cells of the first grid that is not shared begin, so that all finer ones are divided there as well.
func (plan Plan) Share(nx, ny, ranks, exchange int) (p ops.Partition, levels int, err error) {
	p.NX = nx
	starts := [][]int{make([]int, ny)} // of each grid, the first row of the finest in each of its rows
	for j := range ny {
		starts[0][j] = j
	}
	columns := []int{nx * ny}
	best := math.Inf(1)
	for _, c := range plan.Coarsenings {
		nx = c.X.Coarse(nx)
		starts = append(starts, coarseStarts(starts[len(starts)-1], c.Y))
		columns = append(columns, nx*len(starts[len(starts)-1]))
	}
	for shared := 1; shared < len(starts); shared++ {
		borders := evenly(starts[shared], ny, ranks)
		if _, least := spread(starts[shared-1], borders); least < ops.Ghosts {
			break
		}
		cost := float64(exchange * shared)
		for l, n := range columns {
			if l < shared {
				most, _ := spread(starts[l], borders)
				cost += float64(n) * float64(most+2*ops.Ghosts) / float64(len(starts[l]))
			} else {
				cost += float64(n)
			}
		}
		if cost < best {
			best, levels, p = cost, shared, ops.Partition{NX: p.NX, Borders: borders}
		}
	}
	if levels == 0 {
		return p, 0, fmt.Errorf("%w: %d ranks cannot share a grid of %d rows (y): each needs %d rows or more that "+
			"coarser grids keep together; take fewer ranks or a finer grid",
			precond.ErrRefused, ranks, ny, ops.Ghosts)
	}
	return p, levels, nil
}

// coarseStarts are the starts of the coarse rows.
func coarseStarts(fine []int, c Pairing) []int {
	if c.Parent == nil {
		return fine
	}
	var coarse []int
	for j, at := range fine {
		if j == 0 || c.Parent[j] != c.Parent[j-1] {
			coarse = append(coarse, at)
		}
	}
	return coarse
}

// evenly places the borders at those starts that divide n rows best.
func evenly(starts []int, n, ranks int) []int {
	borders := make([]int, 1, ranks+1)
	at := 0
	for r := 1; r < ranks; r++ {
		target := float64(r) * float64(n) / float64(ranks)
		for at+1 < len(starts) && math.Abs(float64(starts[at+1])-target) <= math.Abs(float64(starts[at])-target) {
			at++
		}
		borders = append(borders, starts[at])
	}
	return append(borders, n)
}

// spread is the largest and the smallest number of starts between borders.
func spread(starts, borders []int) (most, least int) {
	least = len(starts)
	j := 0
	for _, end := range borders[1:] {
		first := j
		for j < len(starts) && starts[j] < end {
			j++
		}
		most, least = max(most, j-first), min(least, j-first)
	}
	return most, least
}

// coarseRows is the partition of the next level.
func coarseRows(fine ops.Partition, c Coarsening) ops.Partition {
	p := ops.Partition{NX: c.X.Coarse(fine.NX), Borders: fine.Borders}
	if c.Y.Parent == nil {
		return p
	}
	p.Borders = make([]int, len(fine.Borders))
	for r, j := range fine.Borders[:len(fine.Borders)-1] {
		p.Borders[r] = int(c.Y.Parent[j])
	}
	p.Borders[len(p.Borders)-1] = c.Y.Coarse(fine.NY())
	return p
}

// slabOf is the part of a pairing of rows that a rank holds. Pairs that the end of the slab divides are in ghost rows
// that nobody interpolates.
func slabOf(y Pairing, fine, coarse ops.Partition, rank int) Pairing {
	if y.Parent == nil {
		return y
	}
	from, to := fine.Held(rank)
	first, end := coarse.Held(rank)
	s := Pairing{Parent: make([]int32, to-from), Far: y.Far[from:to], Cells: end - first}
	for j := range s.Parent {
		s.Parent[j] = y.Parent[from+j] - int32(first)
	}
	return s
}
