package interpreter

import "math/bits"

// knowledge is what happened before a thread's next step elsewhere: a vector clock, kept at three grains so that a
// barrier costs one entry and not one per thread. It is shared once made, and never changed then.
type knowledge struct {
	blocks  map[int32]uint32  // all accesses of the block before that many barriers
	warps   map[uint64]uint32 // all accesses of the warp before that many warp barriers
	threads map[uint64]uint32 // the thread's accesses up to that many releases of its warp
}

func warpKey(block, warp int32) uint64 { return uint64(uint32(block))<<5 | uint64(warp) }

func threadKey(block, warp int32, lane int) uint64 { return warpKey(block, warp)<<5 | uint64(lane) }

func newKnowledge() *knowledge {
	return &knowledge{map[int32]uint32{}, map[uint64]uint32{}, map[uint64]uint32{}}
}

func raise[K comparable](m map[K]uint32, k K, v uint32) {
	if old, ok := m[k]; !ok || old < v {
		m[k] = v
	}
}

// add joins o into k, which is not shared yet.
func (k *knowledge) add(o *knowledge) {
	if o == nil {
		return
	}
	for b, v := range o.blocks {
		raise(k.blocks, b, v)
	}
	for w, v := range o.warps {
		raise(k.warps, w, v)
	}
	for t, v := range o.threads {
		raise(k.threads, t, v)
	}
}

// covers reports whether all accesses of a segment by the lanes are known. The thread entries hold releases: an access
// of segment s is covered by a release that came after it, and so by a count of at least s.releases.
func (k *knowledge) covers(s *segment, lanes uint32) bool {
	if k == nil {
		return false
	}
	if k.blocks[s.block] > s.barriers || k.warps[warpKey(s.block, s.warp)] > s.syncs {
		return true
	}
	if len(k.threads) == 0 {
		return false
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		if v, ok := k.threads[threadKey(s.block, s.warp, bits.TrailingZeros32(lanes))]; !ok || v < s.releases {
			return false
		}
	}
	return true
}

// release is what a thread makes known by a fence or release.
type release struct {
	at          segment // of the thread
	lane        int
	blockly     bool // scope .cta: only for threads of the same block
	base, extra *knowledge
}

func (k *knowledge) learn(rel *release) {
	s := rel.at
	raise(k.blocks, s.block, s.barriers)
	raise(k.warps, warpKey(s.block, s.warp), s.syncs)
	raise(k.threads, threadKey(s.block, s.warp, rel.lane), s.releases)
	k.add(rel.base)
	k.add(rel.extra)
}

// flag is a piece of memory written by strong accesses that carry releases.
type flag struct{ releases []*release }

// blockClock is what all threads of a block know since their last barrier.
type blockClock struct {
	barriers     uint32
	firstSegment uint64 // at the start: older stamps in the block's shared memory are of other blocks
	known        *knowledge
}

// warpClock is what the threads of a warp know beyond that.
type warpClock struct {
	segment  uint64 // 0: the next access begins a new one
	syncs    uint32
	releases uint32
	lanes    *[warpSize]laneClock // nil while no lane has anything
}

type laneClock struct {
	extra   *knowledge   // learnt since the block's last barrier
	pending [][]*release // seen by relaxed reads; an acquire once a fence follows
	fence   *release     // of the last fence; a relaxed write passes it on
}

func (r *launch) startClocks(b *block) {
	if r.flags == nil {
		r.firstSegment = r.machine.segments
		r.flags = map[uint64]*flag{}
	}
	b.clock.firstSegment = r.machine.segments
}

func (w *warp) laneClock(lane int) *laneClock {
	if w.clock.lanes == nil {
		w.clock.lanes = new([warpSize]laneClock)
	}
	return &w.clock.lanes[lane]
}

// snapshot makes a release of all that a lane has done and knows. What it does afterwards belongs to a new segment.
func (w *warp) snapshot(lane int, blockly bool) *release {
	rel := &release{at: segment{int32(w.block.index), int32(w.index), w.block.clock.barriers, w.clock.syncs,
		w.clock.releases}, lane: lane, blockly: blockly, base: w.block.clock.known}
	if w.clock.lanes != nil {
		rel.extra = w.clock.lanes[lane].extra
	}
	w.clock.releases++
	w.clock.segment = 0
	return rel
}

// acquire lets a lane learn releases.
func (w *warp) acquire(lane int, lists ...[]*release) {
	c := w.laneClock(lane)
	k := newKnowledge()
	k.add(c.extra)
	for _, list := range lists {
		for _, rel := range list {
			if !rel.blockly || int(rel.at.block) == w.block.index {
				k.learn(rel)
			}
		}
	}
	c.extra = k
}

// onFence makes the lanes' relaxed reads before it acquires, and their relaxed writes after it releases.
func (w *warp) onFence(m uint32, blockly bool) {
	for ; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & 31
		c := w.laneClock(l)
		if len(c.pending) > 0 {
			w.acquire(l, c.pending...)
			c.pending = nil
		}
		c.fence = w.snapshot(l, blockly)
	}
}

// passBarrier orders everything the block has done before everything it does next.
func (b *block) passBarrier() {
	b.clock.barriers++
	var k *knowledge
	for _, w := range b.warps {
		w.clock.segment = 0
		if w.clock.lanes == nil {
			continue
		}
		for l := range w.clock.lanes {
			c := &w.clock.lanes[l]
			if c.extra == nil {
				continue
			}
			if k == nil {
				k = newKnowledge()
				k.add(b.clock.known)
			}
			k.add(c.extra)
			c.extra = nil
		}
	}
	if k != nil {
		b.clock.known = k
	}
}

// syncLanes is the warp's barrier: the same among some lanes.
func (w *warp) syncLanes(m uint32) {
	if !w.run.races {
		return
	}
	k := newKnowledge()
	for o := m; o != 0; o &= o - 1 {
		l := bits.TrailingZeros32(o) & 31
		raise(k.threads, threadKey(int32(w.block.index), int32(w.index), l), w.clock.releases)
		if w.clock.lanes != nil {
			k.add(w.clock.lanes[l].extra)
		}
	}
	w.clock.segment = 0
	w.clock.releases++
	if m == w.alive {
		w.clock.syncs++
		clear(k.threads)
		if w.clock.lanes == nil {
			return
		}
		for o := m; o != 0; o &= o - 1 { // what the lanes learnt elsewhere
			k.add(w.clock.lanes[bits.TrailingZeros32(o)&31].extra)
		}
	}
	for o := m; o != 0; o &= o - 1 {
		w.laneClock(bits.TrailingZeros32(o) & 31).extra = k
	}
}

// ordered reports whether the accesses of a stamp of this launch happened before the lane's next step.
func (w *warp) ordered(s stamp, lane int) bool {
	if s.level() == bySet {
		for _, e := range w.run.sets[s.set()] {
			if !w.ordered(e, lane) {
				return false
			}
		}
		return true
	}
	g := w.run.segmentOf(s)
	mine := int(g.block) == w.block.index
	lanes := uint32(allLanes)
	if s.level() == byThread {
		lanes = 1 << s.lane()
		if mine && int(g.warp) == w.index && s.lane() == lane {
			return true
		}
	}
	if mine && (g.barriers < w.block.clock.barriers || s.level() != byBlock && int(g.warp) == w.index &&
		g.syncs < w.clock.syncs) {
		return true
	}
	if s.level() == byBlock {
		return w.knowsBlock(g, lane)
	}
	return w.block.clock.known.covers(g, lanes) || w.clock.lanes != nil && w.clock.lanes[lane].extra.covers(g, lanes)
}

// knowsBlock reports whether the lane knows what all warps of the segment's block had done by then: by a barrier of
// theirs, or by releases of all threads. The stamp says only that some of them accessed the memory, so releases of the
// segment's own count are required from all.
func (w *warp) knowsBlock(g *segment, lane int) bool {
	for _, k := range []*knowledge{w.block.clock.known, w.extra(lane)} {
		if k == nil {
			continue
		}
		if k.blocks[g.block] > g.barriers {
			return true
		}
		all := len(k.threads) > 0
		for t := 0; all && t < int(w.run.threads); t++ {
			_, all = k.threads[threadKey(g.block, int32(t/warpSize), t%warpSize)]
		}
		if all {
			return true
		}
	}
	return false
}

func (w *warp) extra(lane int) *knowledge {
	if w.clock.lanes == nil {
		return nil
	}
	return w.clock.lanes[lane].extra
}
