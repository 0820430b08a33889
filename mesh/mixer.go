package mesh

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Cells that edges of rectangles cut are divided into stripes. Later rectangles override earlier ones, and the visible
// edges divide the cell into stripes along x, each with its materials in series in either half of the cell; the stripes
// conduct in parallel. The same applies along y, and along z the areas conduct in parallel. This is exact if all edges
// are parallel. Otherwise it is the lower of the two bounds of such a network: no heat passes between stripes within
// half a cell.

// mixed computes the properties of a cell from its parts: stripes along x, stripes along y, and areas. own are the
// properties of the cell's materials.
func mixed(parts []Part, alongX, alongY int, own []Material) (m Material) {
	m.Half[west], m.Half[east] = sideBySide(parts[:alongX], own, 0)
	m.Half[south], m.Half[north] = sideBySide(parts[alongX:alongX+alongY], own, 1)
	m.K[0] = 2 / (1/m.Half[west] + 1/m.Half[east])
	m.K[1] = 2 / (1/m.Half[south] + 1/m.Half[north])
	for _, p := range parts[alongX+alongY:] {
		m.K[2] += float64(p.Low * own[p.Place].K[2])
		m.C += float64(p.Low * own[p.Place].C)
	}
	return m
}

// mixed computes the properties of the mixer's cell.
func (x *mixer) mixed(palette []Material) Material {
	x.own = x.own[:0]
	for _, m := range x.materials {
		x.own = append(x.own, palette[m])
	}
	clearGas(x.parts[:x.alongX], x.own, 0)
	clearGas(x.parts[x.alongX:x.alongX+x.alongY], x.own, 1)
	return mixed(x.parts, x.alongX, x.alongY, x.own)
}

// decide gives a cell that contains open space to it or to the largest other material, whichever covers more. In a
// mixture, open space would connect what lies above each other past the solids between. It reports whether one material
// remains, the first one.
func (x *mixer) decide(open int) (one bool) {
	at := slices.Index(x.materials, uint32(open))
	if at < 0 || open < 0 {
		return len(x.materials) == 1
	}
	largest, share := -1, 0.0
	for _, p := range x.parts[x.alongX+x.alongY:] {
		if int(p.Place) == at && p.Low >= 0.5 {
			x.materials = append(x.materials[:0], uint32(open))
			return true
		}
		if int(p.Place) != at && p.Low > share {
			largest, share = int(p.Place), p.Low
		}
	}
	x.materials[at] = x.materials[largest]
	return !slices.ContainsFunc(x.materials, func(m uint32) bool { return m != x.materials[0] })
}

// gas is the smallest ratio of a solid's conductivity to that of a gas next to it.
const gas = 300

// clearGas moves gas from the half of a cell with more solid to the other half. The cell then has the temperature of
// the solid, whose heat otherwise passes half a cell of gas on the way to the same solid in the next cell. The
// resistance of each stripe remains.
func clearGas(stripes []Part, own []Material, axis int) {
	var total [2]float64 // of the halves, the conductivities weighted by volume
	eachStripe(stripes, func(stripe []Part, across float64) {
		for _, p := range stripe {
			total[0] += across * p.Low * own[p.Place].K[axis]
			total[1] += across * p.High * own[p.Place].K[axis]
		}
	})
	part := (total[0] - total[1]) / (total[0] + total[1])
	part *= 2 - math.Abs(part)
	eachStripe(stripes, func(stripe []Part, _ float64) {
		best := 0.0
		for n := range stripe {
			if p := &stripe[n]; part > 0 && p.Low > 0 || part < 0 && p.High > 0 {
				best = max(best, own[p.Place].K[axis])
			}
		}
		for n := range stripe {
			p := &stripe[n]
			ratio := gas * slices.Max(own[p.Place].K[:]) / best
			moved := part * max(0, 1-math.Pow(ratio, 4))
			if part < 0 {
				moved *= p.High
			} else {
				moved *= p.Low
			}
			p.Low -= moved
			p.High += moved
		}
	})
}

// eachStripe calls f with the parts and the share of each stripe.
func eachStripe(stripes []Part, f func(parts []Part, across float64)) {
	first := 0
	for n := range stripes {
		if across := stripes[n].Across; across != 0 {
			f(stripes[first:n+1], across)
			first = n + 1
		}
	}
}

// sideBySide is the conductivity of parallel stripes in either half.
func sideBySide(stripes []Part, own []Material, axis int) (low, high float64) {
	eachStripe(stripes, func(stripe []Part, across float64) {
		inLow, inHigh := 0.0, 0.0 // resistivities of the stripe
		for n := range stripe {
			p := &stripe[n]
			k := own[p.Place].K[axis]
			inLow += p.Low / k
			inHigh += p.High / k
		}
		low += across / inLow
		high += across / inHigh
	})
	return low, high
}

// mixer finds the parts of a cell.
type mixer struct {
	rects          []rect // the topmost first
	base           uint32
	materials      []uint32   // the visible ones
	own            []Material // their properties
	parts          []Part
	alongX, alongY int // parts of stripes

	places       map[uint32]int32
	edges        [2][]float64 // of all rectangles and of the cell, without duplicates
	begins, ends []int32      // rectangles sorted by their beginning across an axis, and by their end
	active       []int32      // rectangles in a stripe, the topmost first
	signature    uint64       // of the active ones
	gaps         []span       // uncovered parts of a stripe
	area         []float64    // by place
	low, high    []float64    // of a stripe, by place
	seen         []int32      // materials visible in a stripe
	stripes      []stripe     // along an axis
	steps        int          // remaining
}

// rect is a rectangle over part of a cell.
type rect struct {
	over uint32
	run  uint32 // number of the run of rectangles of one material, in which the order is irrelevant
	at   [2]span
}

// stripe identifies the rectangles in a stripe, and its parts.
type stripe struct {
	signature  uint64
	first, end int
}

// span is an interval of a cell's width or depth.
type span struct{ lo, hi float64 }

func spanOf(v interval) span { return span{float64(v.lo), float64(v.hi)} }

// mostWork bounds the work for a cell: rectangles in stripes, moved gaps, and stored parts. 1,000 rectangles need less,
// however they overlap. If more rectangles exceed the bound, the cell is sampled along lines, one at a random position
// in each 1024th of its width and depth. The shares are then accurate to a few percent of the cell, also for rectangles
// on a regular pitch.
const (
	mostWork = 50_000_000
	lines    = 1024
)

// mix computes the parts of rects over base, and reports whether it had to sample along lines.
func (x *mixer) mix(base uint32) (rough bool) {
	x.base = base
	for n := range x.rects[1:] {
		r := &x.rects[n+1]
		if r.run = x.rects[n].run; r.over != x.rects[n].over {
			r.run++
		}
	}
	x.merge()
	if rough = !x.divided(mostWork); rough {
		x.sample()
		x.divided(math.MaxInt)
	}
	for n, share := range x.area {
		x.parts = append(x.parts, Part{Place: int32(n), Low: share})
	}
	return rough
}

// merge merges edges across each axis that differ only by rounding.
func (x *mixer) merge() {
	for axis := range x.edges {
		edges := append(x.edges[axis][:0], 0, 1)
		for n := range x.rects {
			at := &x.rects[n].at[axis]
			edges = append(edges, at.lo, at.hi)
		}
		slices.Sort(edges)
		kept := edges[:1]
		for _, e := range edges[1:] {
			if e-kept[len(kept)-1] > rounding {
				kept = append(kept, e)
			}
		}
		kept[len(kept)-1] = 1
		x.edges[axis] = kept
		merged := func(v float64) float64 {
			n, found := slices.BinarySearch(kept, v)
			switch {
			case found:
				return v
			case 1-v <= rounding:
				return 1
			}
			return kept[n-1]
		}
		for n := range x.rects {
			at := &x.rects[n].at[axis]
			at.lo, at.hi = merged(at.lo), merged(at.hi)
		}
	}
}

// sample moves the edges so that each rectangle covers the share of an axis that corresponds to its number of lines.
func (x *mixer) sample() {
	for axis := range x.edges {
		var at [lines]float64
		x.edges[axis] = append(x.edges[axis][:0], 0)
		for n := range at {
			at[n] = (float64(n) + float64(scrambled(uint64(2*n+axis))>>11)*0x1p-53) / lines
			x.edges[axis] = append(x.edges[axis], float64(n+1)/lines)
		}
		below := func(v float64) float64 { return float64(sort.SearchFloat64s(at[:], v)) / lines }
		for n := range x.rects {
			r := &x.rects[n].at[axis]
			r.lo, r.hi = below(r.lo), below(r.hi)
		}
	}
}

// divided computes the stripes along both axes, and reports whether the given number of steps was sufficient.
func (x *mixer) divided(steps int) bool {
	if x.places == nil {
		x.places = map[uint32]int32{}
	}
	clear(x.places)
	x.materials, x.area, x.low, x.high, x.parts, x.steps = x.materials[:0], x.area[:0], x.low[:0], x.high[:0],
		x.parts[:0], steps
	x.divide(0)
	x.alongX = len(x.parts)
	x.divide(1)
	x.alongY = len(x.parts) - x.alongX
	return x.steps > 0
}

// divide adds the parts of the stripes along an axis.
func (x *mixer) divide(axis int) {
	across := 1 - axis
	x.begins, x.ends, x.active, x.stripes, x.signature = x.begins[:0], x.ends[:0], x.active[:0], x.stripes[:0], 0
	for n := range x.rects {
		if at := &x.rects[n].at; at[0].lo < at[0].hi && at[1].lo < at[1].hi {
			x.begins = append(x.begins, int32(n))
			x.ends = append(x.ends, int32(n))
		}
	}
	slices.SortFunc(x.begins, func(a, b int32) int {
		return cmp.Compare(x.rects[a].at[across].lo, x.rects[b].at[across].lo)
	})
	slices.SortFunc(x.ends, func(a, b int32) int {
		return cmp.Compare(x.rects[a].at[across].hi, x.rects[b].at[across].hi)
	})
	begin, end := 0, 0
	edges := x.edges[across]
	for n, from := range edges[:len(edges)-1] {
		if x.steps -= 1 + len(x.active)/64; x.steps <= 0 {
			return
		}
		for ; end < len(x.ends) && x.rects[x.ends[end]].at[across].hi == from; end++ {
			at, _ := slices.BinarySearch(x.active, x.ends[end])
			x.active = slices.Delete(x.active, at, at+1)
			x.signature -= x.rects[x.ends[end]].mark(axis)
		}
		for ; begin < len(x.begins) && x.rects[x.begins[begin]].at[across].lo == from; begin++ {
			at, _ := slices.BinarySearch(x.active, x.begins[begin])
			x.active = slices.Insert(x.active, at, x.begins[begin])
			x.signature += x.rects[x.begins[begin]].mark(axis)
		}
		x.add(axis, edges[n+1]-from)
	}
}

// mark is a hash of a rectangle's extent in a stripe. The sum of the marks identifies a stripe by 64 scrambled bits.
func (r *rect) mark(axis int) uint64 {
	mark := scrambled(uint64(r.run) ^ math.Float64bits(r.at[axis].lo))
	return scrambled(mark ^ math.Float64bits(r.at[axis].hi))
}

// scrambled is a step of SplitMix64.
func scrambled(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// add creates the parts of a stripe, or widens an equal stripe.
func (x *mixer) add(axis int, across float64) {
	recent := x.stripes[max(0, len(x.stripes)-32):]
	for n := len(recent) - 1; n >= 0; n-- {
		if recent[n].signature == x.signature {
			x.widen(axis, recent[n], across)
			return
		}
	}
	first := len(x.parts)
	x.look(axis)
	x.list()
	made := stripe{x.signature, first, len(x.parts)}
	for n := len(recent) - 1; n >= 0; n-- {
		if old := recent[n]; alikeParts(x.parts[old.first:old.end], x.parts[first:]) {
			x.parts = x.parts[:first]
			made.first, made.end = old.first, old.end
			break
		}
	}
	x.stripes = append(x.stripes, made)
	x.widen(axis, made, across)
}

// widen adds the width of a repeated stripe.
func (x *mixer) widen(axis int, s stripe, across float64) {
	parts := x.parts[s.first:s.end]
	parts[len(parts)-1].Across += across
	if axis == 0 {
		for _, p := range parts {
			x.area[p.Place] += across * (p.Low + p.High) / 2
		}
	}
}

// look computes the visible materials of a stripe, from the topmost rectangle down.
func (x *mixer) look(axis int) {
	x.seen = x.seen[:0]
	x.gaps = append(x.gaps[:0], span{0, 1})
	for n := 0; n < len(x.active) && len(x.gaps) > 0 && x.steps > 0; n++ {
		x.steps -= 1 + len(x.gaps)/32
		r := &x.rects[x.active[n]]
		x.show(r.over, r.at[axis])
	}
	if len(x.gaps) > 0 {
		x.show(x.base, span{0, 1})
	}
}

// show assigns the gaps within a span to a material.
func (x *mixer) show(material uint32, at span) {
	first := sort.Search(len(x.gaps), func(n int) bool { return x.gaps[n].hi > at.lo })
	end := first
	low, high := 0.0, 0.0
	for ; end < len(x.gaps) && x.gaps[end].lo < at.hi; end++ {
		lo, hi := max(x.gaps[end].lo, at.lo), min(x.gaps[end].hi, at.hi)
		low += 2 * max(0, min(hi, 0.5)-lo)
		high += 2 * max(0, hi-max(lo, 0.5))
	}
	if first == end {
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

// place is the number of a visible material.
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

// list creates parts for the visible materials of a stripe.
func (x *mixer) list() {
	slices.Sort(x.seen)
	x.steps -= 8 * len(x.seen)
	for _, place := range x.seen {
		x.parts = append(x.parts, Part{Place: place, Low: x.low[place], High: x.high[place]})
		x.low[place], x.high[place] = 0, 0
	}
}

// alikeParts reports whether stripes have the same parts except for rounding.
func alikeParts(a, b []Part) bool {
	same := func(v, w float64) bool { return math.Abs(v-w) <= rounding }
	return slices.EqualFunc(a, b, func(p, q Part) bool {
		return p.Place == q.Place && same(p.Low, q.Low) && same(p.High, q.High)
	})
}

// interval is the covered part of a cell's width or depth, from 0 to 1. With FP32, cells that differ only by rounding
// share a mixture.
type interval struct{ lo, hi float32 }

// rounding is the distance up to which edges in a cell count as equal: that of equal coordinates in FP32.
const rounding = 1e-6

func (v interval) whole() bool { return v.lo == 0 && v.hi == 1 }

func (v interval) length() float64 { return float64(v.hi) - float64(v.lo) }

// covers reports whether the interval contains another.
func (v interval) covers(w interval) bool { return v.lo <= w.lo+rounding && w.hi <= v.hi+rounding }

// and is the union of two intervals, false if there is a gap between them.
func (v interval) and(w interval) (interval, bool) {
	return interval{min(v.lo, w.lo), max(v.hi, w.hi)}, max(v.lo, w.lo) <= min(v.hi, w.hi)+rounding
}
