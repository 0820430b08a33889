package ddilu

import "math"

// Bricks chooses into which bricks of at most rows cells a grid is cut: those that drop the fewest couplings, with a little said for few levels, whole pieces of
// cache lines, and little overhang at the ends. Grids of fewer rows are one brick.
func Bricks(shape [3]int, rows int) [3]int {
	best, cheapest := [3]int{1, 1, 1}, math.Inf(1)
	for _, bz := range lengths(shape[2], rows) {
		for _, by := range lengths(shape[1], rows/bz) {
			for _, bx := range lengths(shape[0], rows/(bz*by)) {
				b := [3]int{bx, by, bz}
				if bx > 1 && (bx+bx%2)*by*bz > rows && b != shape {
					continue // executors keep lines an even number of values apart
				}
				if c := cost(shape, b); c < cheapest {
					best, cheapest = b, c
				}
			}
		}
	}
	return best
}

// lengths are the edges that cut n cells evenly, up to a limit.
func lengths(n, limit int) []int {
	var all []int
	for pieces := 1; pieces <= n; pieces++ {
		l := (n + pieces - 1) / pieces
		if len(all) > 0 && all[len(all)-1] == l {
			pieces = (n + l - 2) / max(1, l-1) // the fewest pieces that are shorter
			if l == 1 {
				break
			}
			l = (n + pieces - 1) / pieces
		}
		if l <= limit && l <= 512 || l == 1 {
			all = append(all, l)
		}
	}
	return all
}

// Weights of the cost beside the couplings dropped per row: of levels per row, of the rows beyond the grid's ends per row, of lines that are no whole pieces of
// cache lines. They only break near ties between shapes that drop about as many couplings.
const (
	levelWeight    = 0.5
	overhangWeight = 0.3
	lineWeight     = 0.02
)

func cost(shape, b [3]int) float64 {
	rows, padded := 1.0, 1.0
	for a, n := range shape {
		rows *= float64(n)
		padded *= float64((n + b[a] - 1) / b[a] * b[a])
	}
	c := Dropped(shape, b)*3 + overhangWeight*(padded/rows-1)
	c += levelWeight * float64(b[0]+b[1]+b[2]-2) / float64(b[0]*b[1]*b[2])
	if b[0]%8 != 0 && b[0] < shape[0] {
		c += lineWeight
	}
	return c
}

// Dropped is the share of a grid's couplings that lie between bricks.
func Dropped(shape, b [3]int) float64 {
	all, lost := 0.0, 0.0
	for a, n := range shape {
		others := 1.0
		for o, m := range shape {
			if o != a {
				others *= float64(m)
			}
		}
		all += float64(n-1) * others
		lost += float64((n+b[a]-1)/b[a]-1) * others
	}
	if all == 0 {
		return 0
	}
	return lost / all
}
