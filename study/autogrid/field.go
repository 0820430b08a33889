package autogrid

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

const (
	// slope is the increase of the cell size per m in the first grid of a family. It shrinks with the cells: with half
	// of them the sizes of neighbours grow by a factor of 1.4 at most.
	slope = 0.8
	// apart is the part of a cell of the first grid by which lines keep apart.
	apart = 0.25
)

// lines are where an axis is divided, and how large cells may be: at most cap[k] between x[k] and x[k+1], and at[k] on
// line k.
type lines struct {
	x, at, cap []float64
	snapped    int // edges that a line lies on
	passed     int // edges too close to another one
}

// linesOf places lines on the edges of spans. No cell need be smaller than floor.
func linesOf(spans []span, floor float64) lines {
	l := edgesOf(spans)
	l.limit(spans, floor)
	for k := range l.at {
		l.at[k] = math.Inf(1)
	}
	tighten(l.x, l.at, l.cap, slope)
	return l.thinned(spans)
}

// edgesOf lists all edges, ascending.
func edgesOf(spans []span) lines {
	var l lines
	for _, s := range spans {
		l.x = append(l.x, s.lo, s.hi)
	}
	slices.Sort(l.x)
	l.x = slices.Compact(l.x)
	l.at, l.cap = make([]float64, len(l.x)), make([]float64, len(l.x)-1)
	return l
}

// limit sets the caps. Spans paint in the order of their sizes, and each stretch keeps its first colour; free[k] leads
// to the next one without.
func (l *lines) limit(spans []span, floor float64) {
	free := make([]int, len(l.x))
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
	slices.SortStableFunc(bySize, func(a, b span) int { return cmp.Compare(a.size, b.size) })
	for _, s := range bySize {
		end := sort.SearchFloat64s(l.x, s.hi)
		for k := next(sort.SearchFloat64s(l.x, s.lo)); k < end; k = next(k) {
			l.cap[k] = max(s.size, floor)
			free[k] = k + 1
		}
	}
}

// tighten limits the sizes on lines by the caps beside them and by what they may grow from line to line.
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

// thinned leaves out lines that lie too close to others of lower rank, or of smaller cells.
func (l *lines) thinned(spans []span) lines {
	ranks := make([]rank, len(l.x))
	for k := range ranks {
		ranks[k] = quietEdge
	}
	for _, s := range spans {
		for _, x := range []float64{s.lo, s.hi} {
			k := sort.SearchFloat64s(l.x, x)
			ranks[k] = min(ranks[k], s.rank)
		}
	}
	order := make([]int, len(l.x))
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
		if at > 0 && l.x[k]-l.x[kept[at-1]] < room || at < len(kept) && l.x[kept[at]]-l.x[k] < room {
			continue
		}
		kept = slices.Insert(kept, at, k)
	}
	return l.only(kept)
}

// only keeps the given lines.
func (l *lines) only(kept []int) lines {
	out := lines{snapped: len(kept), passed: len(l.x) - len(kept)}
	for n, k := range kept {
		out.x, out.at = append(out.x, l.x[k]), append(out.at, l.at[k])
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
