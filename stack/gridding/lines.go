// Package gridding divides the axes of a stack: with lines on the edges of sources and regions, and cells that grow
// away from them. Its default grid depends on the stack file alone.
package gridding

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"thermsim/stack"
)

// spare is the fraction of a cell that may be missing in a stretch, whose cells are then larger.
const spare = 0.15

// Axis divides the stretches between lines into cells that are scale times as large as those of the first grid. Every
// line is a face.
func (l *Lines) Axis(scale float64) stack.Axis {
	sizes, caps := slices.Clone(l.at), slices.Clone(l.cap)
	for k := range sizes {
		sizes[k] *= scale
	}
	for k := range caps {
		caps[k] *= scale
	}
	grow := l.slope * scale
	l.settle(sizes, caps, grow)
	var a stack.Axis
	for k := range caps {
		p := l.profile(k, sizes, caps, grow)
		a.Segments = appendRuns(a.Segments, l.X[k], l.X[k+1], facesOf(&p))
	}
	for _, s := range a.Segments {
		a.Cells += s.Cells
	}
	if even(&a) {
		a.Segments = nil
	}
	return a
}

func (l *Lines) profile(k int, sizes, caps []float64, grow float64) profile {
	return profile{l.X[k+1] - l.X[k], sizes[k], sizes[k+1], caps[k], grow}
}

// settle adapts the neighbors of stretches whose cells are smaller than allowed, because the number of cells is an
// integer.
func (l *Lines) settle(sizes, caps []float64, grow float64) {
	const rounds, flat, close = 8, 1.3, 0.95
	tighten(l.X, sizes, caps, grow) // stretches with removed lines have the limit of their narrowest part
	for range rounds {
		changed := false
		for k := range caps {
			p := l.profile(k, sizes, caps, grow)
			n := count(&p)
			part := p.cells() / float64(n)
			if part > close {
				continue
			}
			_, _, top := p.pieces()
			if n == 1 || top < flat*min(p.low, p.high) {
				caps[k] = min(caps[k], p.length/float64(n))
			} else {
				sizes[k], sizes[k+1] = sizes[k]*math.Sqrt(part), sizes[k+1]*math.Sqrt(part)
			}
			changed = true
		}
		if !changed {
			return
		}
		tighten(l.X, sizes, caps, grow)
	}
}

// count is the number of cells of a stretch.
func count(p *profile) int { return max(1, int(math.Ceil(p.cells()-spare))) }

// facesOf are the faces of a stretch from its lower end, without the first.
func facesOf(p *profile) []float64 {
	n := count(p)
	total := p.cells()
	faces := make([]float64, n)
	for i := range n - 1 {
		faces[i] = p.position(total * float64(i+1) / float64(n))
	}
	faces[n-1] = p.length
	return faces
}

// appendRuns writes faces as runs of cells with a constant size ratio, within the limit of stack files.
func appendRuns(segments []stack.Segment, from, to float64, faces []float64) []stack.Segment {
	const (
		alike    = 1e-9
		steepest = stack.SteepestSegment * (1 - alike)
	)
	size := func(i int) float64 {
		if i == 0 {
			return faces[0]
		}
		return faces[i] - faces[i-1]
	}
	for first := 0; first < len(faces); {
		last := first
		for last+1 < len(faces) {
			q := size(last+1) / size(last)
			if last > first && math.Abs(q-size(first+1)/size(first)) > alike*q {
				break
			}
			if whole := size(last+1) / size(first); !(whole <= steepest && whole >= 1/steepest) {
				break
			}
			last++
		}
		if last == first+1 && last+1 < len(faces) {
			last = first // two cells always form a run and could hide a longer one after them
		}
		seg := stack.Segment{To: from + faces[last], Cells: last - first + 1, Ratio: 1}
		if q := size(last) / size(first); math.Abs(q-1) > alike {
			seg.Ratio = q
		}
		if last+1 == len(faces) {
			seg.To = to
		}
		segments = append(segments, seg)
		first = last + 1
	}
	return segments
}

// even reports whether all cells of an axis have the same size.
func even(a *stack.Axis) bool {
	width, from := a.Segments[len(a.Segments)-1].To/float64(a.Cells), 0.0
	for _, s := range a.Segments {
		if s.Ratio != 1 || math.Abs((s.To-from)/float64(s.Cells)-width) > 1e-9*width {
			return false
		}
		from = s.To
	}
	return true
}

// profile is the cell size between two lines: it grows from both ends by slope per m, up to a limit.
//
//	h(x) = min(low + slope x, cap, high + slope (length - x))
type profile struct {
	length, low, high, cap, slope float64
}

// pieces are the ends of the growing, constant and shrinking part, and the largest size.
func (p *profile) pieces() (rise, fall, top float64) {
	rise, fall, top = (p.cap-p.low)/p.slope, p.length-(p.cap-p.high)/p.slope, p.cap
	if rise > fall {
		rise = min(max((p.high-p.low+p.slope*p.length)/(2*p.slope), 0), p.length)
		fall, top = rise, p.low+p.slope*rise
	}
	return rise, fall, top
}

// cells is the number of cells, with a fraction: the integral of dx/h.
func (p *profile) cells() float64 {
	rise, fall, top := p.pieces()
	return (math.Log(top/p.low)+math.Log(top/p.high))/p.slope + (fall-rise)/top
}

// position is where the integral of dx/h from the lower end is u. Within the growing and the shrinking part, equal
// steps of u give geometric sizes.
func (p *profile) position(u float64) float64 {
	rise, fall, top := p.pieces()
	up := math.Log(top/p.low) / p.slope
	even := (fall - rise) / top
	switch {
	case u <= up:
		return p.low * math.Expm1(u*p.slope) / p.slope
	case u <= up+even:
		return rise + (u-up)*top
	}
	down := math.Log(top/p.high) / p.slope
	return p.length - p.high*math.Expm1((up+even+down-u)*p.slope)/p.slope
}

const (
	// slope is the increase of the cell size per m in the first grid of a family. It scales with the cells: at half the
	// size, neighboring cells grow by a factor of 1.4 at most.
	slope = 0.8
	// apart is the minimum distance of lines, as a fraction of a cell of the first grid.
	apart = 0.25
)

// Lines divide an axis and limit the cell size: cap[k] between x[k] and x[k+1], and at[k] on line k.
type Lines struct {
	X       []float64
	at, cap []float64
	slope   float64
	Snapped int // edges with a line
	Passed  int // edges too close to another edge
}

// LinesOf creates lines on the edges of spans. floor is the smallest size limit.
func LinesOf(spans []Span, floor float64) Lines { return linesOf(spans, floor, slope) }

func linesOf(spans []Span, floor, slope float64) Lines {
	l := edgesOf(spans)
	l.slope = slope
	l.limit(spans, floor)
	for k := range l.at {
		l.at[k] = math.Inf(1)
	}
	tighten(l.X, l.at, l.cap, slope)
	return l.thinned(spans)
}

// edgesOf lists all edges, ascending.
func edgesOf(spans []Span) Lines {
	var l Lines
	for _, s := range spans {
		l.X = append(l.X, s.Lo, s.Hi)
	}
	slices.Sort(l.X)
	l.X = slices.Compact(l.X)
	l.at, l.cap = make([]float64, len(l.X)), make([]float64, len(l.X)-1)
	return l
}

// limit sets the size limits. Spans are applied in the order of their sizes, and each stretch keeps its first limit;
// free[k] leads to the next stretch without one.
func (l *Lines) limit(spans []Span, floor float64) {
	free := make([]int, len(l.X))
	for k := range free {
		free[k] = k
	}
	next := func(k int) int {
		for free[k] != k {
			free[k] = free[free[k]]
			k = free[k]
		}
		return k
	}
	bySize := slices.Clone(spans)
	slices.SortStableFunc(bySize, func(a, b Span) int { return cmp.Compare(a.Size, b.Size) })
	for _, s := range bySize {
		end := sort.SearchFloat64s(l.X, s.Hi)
		for k := next(sort.SearchFloat64s(l.X, s.Lo)); k < end; k = next(k) {
			l.cap[k] = max(s.Size, floor)
			free[k] = k + 1
		}
	}
}

// tighten limits the sizes on lines by the adjacent limits and by the growth from line to line.
func tighten(x, at, cap []float64, slope float64) {
	for k := range cap {
		at[k], at[k+1] = min(at[k], cap[k]), min(at[k+1], cap[k])
	}
	for k := range cap {
		at[k+1] = min(at[k+1], at[k]+slope*(x[k+1]-x[k]))
	}
	for k := len(cap) - 1; k >= 0; k-- {
		at[k] = min(at[k], at[k+1]+slope*(x[k+1]-x[k]))
	}
}

// thinned removes lines that are too close to lines of lower rank or with smaller cells.
func (l *Lines) thinned(spans []Span) Lines {
	ranks := make([]rank, len(l.X))
	for k := range ranks {
		ranks[k] = quietEdge
	}
	for _, s := range spans {
		for _, x := range []float64{s.Lo, s.Hi} {
			k := sort.SearchFloat64s(l.X, x)
			ranks[k] = min(ranks[k], s.rank)
		}
	}
	order := make([]int, len(l.X))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(ranks[a], ranks[b]), cmp.Compare(l.at[a], l.at[b]))
	})
	var kept []int
	for _, k := range order {
		at := sort.SearchInts(kept, k)
		room := apart * l.at[k]
		if at > 0 && l.X[k]-l.X[kept[at-1]] < room || at < len(kept) && l.X[kept[at]]-l.X[k] < room {
			continue
		}
		kept = slices.Insert(kept, at, k)
	}
	return l.only(kept)
}

// only keeps the given lines.
func (l *Lines) only(kept []int) Lines {
	out := Lines{slope: l.slope, Snapped: len(kept), Passed: len(l.X) - len(kept)}
	for n, k := range kept {
		out.X, out.at = append(out.X, l.X[k]), append(out.at, l.at[k])
		if n+1 == len(kept) {
			break
		}
		smallest := math.Inf(1)
		for i := k; i < kept[n+1]; i++ {
			smallest = min(smallest, l.cap[i])
		}
		out.cap = append(out.cap, smallest)
	}
	return out
}

// Position of x on an axis with these faces, in cells from its beginning.
func Position(faces []float64, x float64) float64 {
	n := min(max(sort.SearchFloat64s(faces, x), 1), len(faces)-1)
	return float64(n-1) + (x-faces[n-1])/(faces[n]-faces[n-1])
}
