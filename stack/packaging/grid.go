package packaging

import (
	"math"
	"slices"
)

// Run of cells along an axis, as in the stack format.
type Run struct {
	To    float64
	Cells int
	Ratio float64 // of the last cell over the first
}

// Of the grid: cells across the smallest side of a die, and growth from cell to cell away from the dies.
const (
	acrossDie    = 12
	acrossBlock  = 4.0
	maxAcrossDie = 60.0

	growth   = 1.3
	coarsest = 0.05 // of the extent of the domain
	finest   = 1e-4 // likewise
)

// Grid divides both axes: fine over the dies, growing away from them, with lines on the edges of the body, the dies and
// the parts around them. block is the shortest side of a source in a die, 0 for none: it gets four cells, unless its
// die would get more than 60.
func (l *Layout) Grid(dies []Die, block float64) (x, y []Run) {
	fine := math.Inf(1)
	for _, d := range dies {
		side := min(d.Width, d.Height)
		if fine = min(fine, side/acrossDie); block > 0 {
			fine = min(fine, max(block/acrossBlock, side/maxAcrossDie))
		}
	}
	fine = max(fine, finest*max(l.Width, l.Height))
	var xs, ys []float64
	inner := [2][2]float64{{l.Width, 0}, {l.Height, 0}}
	span := func(axis int, low, high float64) {
		inner[axis] = [2]float64{min(inner[axis][0], low), max(inner[axis][1], high)}
	}
	for _, d := range dies {
		span(0, l.Body.X+d.X, l.Body.X+d.X+d.Width)
		span(1, l.Body.Y+d.Y, l.Body.Y+d.Y+d.Height)
	}
	for _, y := range l.Layers {
		for _, p := range y.Parts {
			xs = append(xs, p.X, p.X+p.Width)
			ys = append(ys, p.Y, p.Y+p.Height)
		}
	}
	if l.Sink.Width > 0 {
		xs = append(xs, l.Sink.X, l.Sink.X+l.Sink.Width)
		ys = append(ys, l.Sink.Y, l.Sink.Y+l.Sink.Height)
	}
	return runs(xs, l.Width, inner[0], fine), runs(ys, l.Height, inner[1], fine)
}

// runs divide an axis at lines: cells of the fine size between the ends of inner, growing ones beyond.
func runs(lines []float64, length float64, inner [2]float64, fine float64) []Run {
	lines = append(lines, 0, length)
	slices.Sort(lines)
	same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-7*length }
	lines = slices.CompactFunc(lines, same)
	lines[len(lines)-1] = length
	var left, middle, right []Run
	first := 0
	for first+1 < len(lines) && lines[first+1] <= inner[0]+1e-7*length {
		first++
	}
	size := fine
	for i := first; i > 0; i-- { // outwards to the west
		r := grow(lines[i]-lines[i-1], &size, coarsest*length)
		left = append(left, Run{lines[i], r.Cells, 1 / r.Ratio})
	}
	slices.Reverse(left)
	size = fine
	for i := first; i+1 < len(lines); i++ {
		gap := lines[i+1] - lines[i]
		if lines[i] < inner[1]-1e-7*length {
			middle = append(middle, Run{lines[i+1], max(1, int(math.Ceil(gap/fine*(1-1e-9)))), 1})
			continue
		}
		r := grow(gap, &size, coarsest*length)
		right = append(right, Run{lines[i+1], r.Cells, r.Ratio})
	}
	return append(append(left, middle...), right...)
}

// grow fills a gap with cells that grow from *size, and sets *size to that of the last one.
func grow(gap float64, size *float64, most float64) Run {
	n, sum, next := 0, 0.0, *size
	for sum < gap*(1-1e-9) {
		next = min(next*growth, most)
		sum += next
		n++
	}
	n = max(1, n)
	ratio := 1.0
	if n > 1 {
		ratio = math.Pow(growth, float64(n-1))
		ratio = min(ratio, max(1, most / *size))
	}
	*size = last(gap, n, ratio)
	return Run{0, n, ratio}
}

// last is the size of the last of n cells in a gap that grow by a ratio in all.
func last(gap float64, n int, ratio float64) float64 {
	if n == 1 {
		return gap
	}
	q := math.Pow(ratio, 1/float64(n-1))
	sum := 0.0
	for i := range n {
		sum += math.Pow(q, float64(i))
	}
	return gap / sum * ratio
}
