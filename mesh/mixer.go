package mesh

import (
	"slices"
	"sort"
)

// Cells that edges of rectangles cut are made of stripes. Later rectangles lie over earlier ones, and the edges of what is seen divide the cell into stripes along
// x, each with its materials in series in either half of the cell; the stripes conduct side by side. Along y alike, and along z the areas conduct side by
// side. For edges that all run one way this is exact. Otherwise it is the lower of the two bounds of such a network: no heat passes between stripes within half a cell.

// Part is a material in a stripe of a cell, or in the whole of it.
type Part struct {
	Material, Place int32 // Place is the number of the material among those of the cell
	// Low and High are its share of the stripe's west and east half, or south and north. Of the whole cell Low is the share.
	Low, High float64
	// Across is the stripe's share of the cell's depth or width at the last part of a stripe, and 0 at those before it.
	Across float64
}

// mixed is what a cell is made of whose parts are areas, then stripes along x, then along y; own are the cell's materials by themselves.
func mixed(parts []Part, areas, alongX int, own []Material) (m Material) {
	for n := range parts[:areas] {
		p := &parts[n]
		m.K[2] += float64(p.Low * own[n].K[2])
		m.C += float64(p.Low * own[n].C)
	}
	stripes := parts[areas:]
	m.Half[west], m.Half[east] = sideBySide(stripes[:alongX], own, 0)
	m.Half[south], m.Half[north] = sideBySide(stripes[alongX:], own, 1)
	m.K[0] = 2 / (1/m.Half[west] + 1/m.Half[east])
	m.K[1] = 2 / (1/m.Half[south] + 1/m.Half[north])
	return m
}

// sideBySide is what the halves of stripes conduct.
func sideBySide(stripes []Part, own []Material, axis int) (low, high float64) {
	inLow, inHigh := 0.0, 0.0 // resistivities of the stripe
	for n := range stripes {
		p := &stripes[n]
		k := own[p.Place].K[axis]
		inLow += p.Low / k
		inHigh += p.High / k
		if p.Across != 0 {
			low += p.Across / inLow
			high += p.Across / inHigh
			inLow, inHigh = 0, 0
		}
	}
	return low, high
}

// mixer finds the parts of a cell.
type mixer struct {
	rects     []rect // the topmost first
	base      uint32
	materials []uint32 // that are seen
	parts     []Part
	areas     int // parts that are areas
	alongX    int // parts of stripes along x

	places    map[uint32]int32
	edges     [2][]float64 // of all rectangles, and those of the cell, without doubles
	order     []int32      // of the rectangles as they begin
	active    []int32      // rectangles that lie in a stripe, the topmost first
	gaps      []span       // of a stripe that nothing covers yet
	area      []float64    // by place
	low, high []float64    // of a stripe, by place
	seen      []int32      // places that a stripe shows
	stripes   []int        // the first parts of those along an axis
}

// rect is a rectangle over part of a cell.
type rect struct {
	over uint32
	at   [2]span
}

// span is an interval of a cell's width or depth.
type span struct{ lo, hi float64 }

func spanOf(v interval) span { return span{float64(v.lo), float64(v.hi)} }

// mostWork bounds the stripes that the rectangles of a cell cover, each counted for itself. No 3,000 rectangles get there. Where more of them cross that much, edges
// closer than coarse become one.
const (
	mostWork = 20_000_000
	coarse   = 1.0 / 1024
)

// mix finds the parts that rects over base make.
func (x *mixer) mix(base uint32) {
	if x.places == nil {
		x.places = map[uint32]int32{}
	}
	clear(x.places)
	x.base, x.materials, x.area, x.low, x.high = base, x.materials[:0], x.area[:0], x.low[:0], x.high[:0]
	for axis := range x.edges {
		x.merge(axis, rounding)
	}
	for axis := range x.edges {
		if x.work(axis) > mostWork {
			x.merge(axis, coarse)
		}
	}
	x.parts = x.parts[:0]
	x.divide(0)
	x.alongX = len(x.parts)
	x.divide(1)
	x.areas = len(x.materials)
	x.parts = slices.Insert(x.parts, 0, make([]Part, x.areas)...)
	for n := range x.parts[:x.areas] {
		x.parts[n] = Part{Place: int32(n), Low: x.area[n]}
	}
}

// merge makes one of the edges across an axis that are closer than a distance.
func (x *mixer) merge(axis int, distance float64) {
	edges := append(x.edges[axis][:0], 0, 1)
	for n := range x.rects {
		at := &x.rects[n].at[axis]
		edges = append(edges, at.lo, at.hi)
	}
	slices.Sort(edges)
	kept := edges[:1]
	for _, e := range edges[1:] {
		if e-kept[len(kept)-1] > distance {
			kept = append(kept, e)
		}
	}
	kept[len(kept)-1] = 1
	x.edges[axis] = kept
	merged := func(v float64) float64 {
		if 1-v <= distance {
			return 1
		}
		return kept[x.edge(axis, v)]
	}
	for n := range x.rects {
		at := &x.rects[n].at[axis]
		at.lo, at.hi = merged(at.lo), merged(at.hi)
	}
}

// edge is the number of the last edge that is not above v.
func (x *mixer) edge(axis int, v float64) int {
	n, found := slices.BinarySearch(x.edges[axis], v)
	if !found {
		n--
	}
	return n
}

// work counts the stripes between edges across an axis that the rectangles cover.
func (x *mixer) work(axis int) (stripes int) {
	for n := range x.rects {
		at := x.rects[n].at[axis]
		stripes += x.edge(axis, at.hi) - x.edge(axis, at.lo)
	}
	return stripes
}

// divide adds the parts of the stripes along an axis.
func (x *mixer) divide(axis int) {
	across := 1 - axis
	x.order, x.active, x.stripes = x.order[:0], x.active[:0], x.stripes[:0]
	for n := range x.rects {
		x.order = append(x.order, int32(n))
	}
	begins := func(n int32) float64 { return x.rects[n].at[across].lo }
	slices.SortFunc(x.order, func(a, b int32) int {
		switch u, v := begins(a), begins(b); {
		case u < v:
			return -1
		case u > v:
			return 1
		}
		return 0
	})
	next := 0
	edges := x.edges[across]
	for n, end := range edges[1:] {
		begin := edges[n]
		for ; next < len(x.order) && begins(x.order[next]) == begin; next++ {
			at, _ := slices.BinarySearch(x.active, x.order[next])
			x.active = slices.Insert(x.active, at, x.order[next])
		}
		x.look(axis, begin)
		x.add(axis, end-begin)
	}
}

// look finds what a stripe shows from an edge on: what the topmost rectangle covers, what the next leaves, and so on.
func (x *mixer) look(axis int, begin float64) {
	x.seen = x.seen[:0]
	x.gaps = append(x.gaps[:0], span{0, 1})
	kept := x.active[:0]
	n := 0
	for ; n < len(x.active) && len(x.gaps) > 0; n++ {
		r := &x.rects[x.active[n]]
		if r.at[1-axis].hi <= begin {
			continue
		}
		kept = append(kept, x.active[n])
		x.show(r.over, r.at[axis])
	}
	x.active = append(kept, x.active[n:]...)
	if len(x.gaps) > 0 {
		x.show(x.base, span{0, 1})
	}
}

// show gives the gaps within a span to a material.
func (x *mixer) show(material uint32, at span) {
	first := sort.Search(len(x.gaps), func(n int) bool { return x.gaps[n].hi > at.lo })
	end := first
	low, high := 0.0, 0.0
	for ; end < len(x.gaps) && x.gaps[end].lo < at.hi; end++ {
		lo, hi := max(x.gaps[end].lo, at.lo), min(x.gaps[end].hi, at.hi)
		low += 2 * max(0, min(hi, 0.5)-lo)
		high += 2 * max(0, hi-max(lo, 0.5))
	}
	if first == end || at.lo == at.hi {
		return
	}
	place := x.place(material)
	if x.low[place] == 0 && x.high[place] == 0 {
		x.seen = append(x.seen, place)
	}
	x.low[place] += low
	x.high[place] += high
	var left [2]span
	n := 0
	if g := x.gaps[first]; g.lo < at.lo {
		left[n] = span{g.lo, at.lo}
		n++
	}
	if g := x.gaps[end-1]; g.hi > at.hi {
		left[n] = span{at.hi, g.hi}
		n++
	}
	x.gaps = slices.Replace(x.gaps, first, end, left[:n]...)
}

// place is the number of a material that is seen.
func (x *mixer) place(material uint32) int32 {
	n, ok := x.places[material]
	if !ok {
		n = int32(len(x.materials))
		x.places[material] = n
		x.materials = append(x.materials, material)
		x.area, x.low, x.high = append(x.area, 0), append(x.low, 0), append(x.high, 0)
	}
	return n
}

// add makes parts of what a stripe shows, or widens one with the same.
func (x *mixer) add(axis int, across float64) {
	slices.Sort(x.seen)
	first := len(x.parts)
	for n, place := range x.seen {
		p := Part{Place: place, Low: x.low[place], High: x.high[place]}
		x.low[place], x.high[place] = 0, 0
		if axis == 0 {
			x.area[place] += across * (p.Low + p.High) / 2
		}
		if n == len(x.seen)-1 {
			p.Across = across
		}
		x.parts = append(x.parts, p)
	}
	const nearby = 32 // stripes that are looked at
	for n := len(x.stripes) - 1; n >= max(0, len(x.stripes)-nearby); n-- {
		if other := x.parts[x.stripes[n]:first]; alikeParts(other, x.parts[first:]) {
			other[len(x.seen)-1].Across += across
			x.parts = x.parts[:first]
			return
		}
	}
	x.stripes = append(x.stripes, first)
}

// alikeParts says whether parts begin with a stripe but for its width.
func alikeParts(parts, stripe []Part) bool {
	same := func(a, b float64) bool { return a-b <= rounding && b-a <= rounding }
	if len(parts) < len(stripe) {
		return false
	}
	for n, p := range stripe {
		if q := parts[n]; p.Place != q.Place || !same(p.Low, q.Low) || !same(p.High, q.High) || (p.Across != 0) != (q.Across != 0) {
			return false
		}
	}
	return true
}
