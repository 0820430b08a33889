package interpreter

import "math/bits"

// The race detector keeps, for every piece of memory, a stamp of the last write and one of the reads since. A stamp
// names who made the access and when, in terms of segments: a segment is what a warp does between two of its
// synchronisations. Segments are numbered through all launches, so a stamp from an earlier launch is known by its
// number, and nothing has to be cleared.
//
//	bits 30-63 segment   25-29 lane   23-24 level   21-22 strength   0-20 instruction
type stamp uint64

// A stamp represents one access, several of a warp or block that are not ordered among themselves, or a set of stamps.
type level uint8

const (
	byThread level = iota
	byWarp         // at least two lanes of the warp in this segment
	byBlock        // threads of at least two warps of the block between two barriers
	bySet          // lane and instruction number the set
)

// strength says with what an access may conflict without being a race: strong accesses (volatile, relaxed, acquire,
// release, atomic) do not race with each other, if each is in the other's scope.
type strength uint8

const (
	weak strength = iota
	strongInBlock
	strong
)

const (
	segmentShift  = 30
	laneShift     = 25
	levelShift    = 23
	strengthShift = 21
	pcMask        = 1<<strengthShift - 1
)

func (s stamp) segment() uint64    { return uint64(s) >> segmentShift }
func (s stamp) lane() int          { return int(s>>laneShift) & 31 }
func (s stamp) level() level       { return level(s >> levelShift & 3) }
func (s stamp) strength() strength { return strength(s >> strengthShift & 3) }
func (s stamp) pc() int            { return int(s & pcMask) }
func (s stamp) set() int           { return s.lane()<<strengthShift | s.pc() }

// same reports whether two stamps are of one thread in one segment; o must be byThread.
func (s stamp) same(o stamp) bool { return (s^o)>>levelShift == 0 }

func (s stamp) with(l level, k strength) stamp {
	const cleared = 3<<levelShift | 3<<strengthShift
	return s&^cleared | stamp(l)<<levelShift | stamp(k)<<strengthShift
}

func setStamp(segment uint64, set int, k strength) stamp {
	return stamp(segment<<segmentShift|uint64(set>>strengthShift)<<laneShift|uint64(set&pcMask)).with(bySet, k)
}

// shadow holds the stamps of a page, one pair for every 1<<shift bytes. The size follows the first access and is
// refined when a smaller one comes.
type shadow struct {
	shift         uint8
	writes, reads []stamp
}

func newShadow(size uint64, shift uint8) *shadow {
	n := (size + 1<<shift - 1) >> shift
	return &shadow{shift: shift, writes: make([]stamp, n), reads: make([]stamp, n)}
}

// refine gives every piece's stamps to its parts.
func (r *launch) refine(p *page, shift uint8) {
	old := p.races
	p.races = newShadow(p.size, shift)
	split := func(to, from []stamp) {
		for i := range to {
			s := from[i>>(old.shift-shift)]
			if s.level() == bySet && s.segment() >= r.firstSegment {
				r.sets = append(r.sets, append([]stamp(nil), r.sets[s.set()]...))
				s = setStamp(s.segment(), len(r.sets)-1, s.strength())
			}
			to[i] = s
		}
	}
	split(p.races.writes, old.writes)
	split(p.races.reads, old.reads)
}

// shadowOf is the page's shadow, fine enough for elements of that size.
func (r *launch) shadowOf(p *page, size uint64) *shadow {
	shift := uint8(bits.TrailingZeros64(size))
	switch {
	case p.races == nil:
		p.races = newShadow(p.size, shift)
	case p.races.shift > shift:
		r.refine(p, shift)
	}
	return p.races
}

// segment is what a warp does between two synchronisations.
type segment struct {
	block    int32
	warp     int32
	barriers uint32 // the block's barriers before
	syncs    uint32 // the warp's own barriers before
	releases uint32 // what its lanes have released before
}

// history is the part of a launch that the race detector keeps.
type history struct {
	firstSegment uint64
	segments     []segment
	sets         [][]stamp
	flags        map[uint64]*flag // by address
}

// stamp makes the stamp of an access by a lane at the current instruction.
func (w *warp) stamp(lane int, k strength) stamp {
	if w.clock.segment == 0 {
		m := w.run.machine
		w.clock.segment = m.segments
		m.segments++
		w.run.segments = append(w.run.segments, segment{int32(w.block.index), int32(w.index), w.block.clock.barriers,
			w.clock.syncs, w.clock.releases})
	}
	return stamp(w.clock.segment<<segmentShift|uint64(lane)<<laneShift|uint64(w.pc)&pcMask) | stamp(k)<<strengthShift
}

func (r *launch) segmentOf(s stamp) *segment { return &r.segments[s.segment()-r.firstSegment] }
