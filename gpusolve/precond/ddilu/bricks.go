package ddilu

import "math"

// brickOf chooses into which bricks of at most rows cells a grid is cut: those that drop the fewest couplings, with a
// little said for few levels, whole pieces of cache lines, and little overhang at the ends. Grids of fewer rows are one
// brick.
func brickOf(shape [3]int, rows int) [3]int {
	if padded(shape) <= rows {
		return shape
	}
	best, cheapest := [3]int{1, 1, 1}, math.Inf(1)
	for _, bz := range lengths(shape[2], rows) {
		for _, by := range lengths(shape[1], rows/bz) {
			for _, bx := range lengths(shape[0], rows/(bz*by)) {
				b := [3]int{bx, by, bz}
				if padded(b) > rows && b != [3]int{1, 1, 1} {
					continue
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

// padded is the size of a brick whose lines are whole quads: GPUs take four cells at a step.
func padded(b [3]int) int { return (b[0] + 3) / 4 * 4 * b[1] * b[2] }

// layout is that of bricks.cu for a brick: values between lines, between planes, and in all. A single brick that
// launches go through keeps the grid's own; other lines are whole quads, and planes are off each other's banks.
func layout(cells [3]int, way Traversal) (pitch, plane, rows int64) {
	pitch = int64(cells[0])
	if way != ByLaunches {
		pitch = (pitch + 3) &^ 3
	}
	plane = pitch * int64(cells[1])
	if way != ByLaunches && (plane-pitch)/4%2 == 0 {
		plane += 4
	}
	return pitch, plane, (plane*int64(cells[2]) + 3) &^ 3
}

// Weights of the terms of the cost other than the couplings dropped per row. They are for steps per row (a step of
// every line takes four cells), unused memory, more lines than a block has threads, and lines that are not whole parts
// of cache lines.
const (
	stepWeight  = 1.0
	emptyWeight = 0.3
	linesWeight = 0.1
	pieceWeight = 0.02
	threads     = 256
)

func cost(shape, b [3]int) float64 {
	rows, kept := 1.0, float64(padded(b))
	for a, n := range shape {
		rows *= float64(n)
		kept *= float64((n + b[a] - 1) / b[a])
	}
	c := 3*Dropped(shape, b) + emptyWeight*(kept/rows-1)
	c += stepWeight * float64((b[0]+3)/4+b[1]+b[2]-2) / float64(b[0]*b[1]*b[2])
	if b[1]*b[2] > threads {
		c += linesWeight
	}
	if b[0]%8 != 0 && b[0] < shape[0] {
		c += pieceWeight
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
