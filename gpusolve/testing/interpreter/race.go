package interpreter

import (
	"fmt"

	"thermsim/gpusolve/cuda/cudriver"
)

func (a *access) strength() strength {
	switch {
	case !a.strong:
		return weak
	case a.blockly:
		return strongInBlock
	}
	return strong
}

// first is the oldest segment whose stamps on a page matter.
func (w *warp) first(p *page) uint64 {
	if p == w.block.shared {
		return w.block.clock.firstSegment
	}
	return w.run.firstSegment
}

// onRead looks for unordered writes and notes the read.
func (w *warp) onRead(a *access, p *page, off uint64, lane int) bool {
	if p == w.local {
		return true
	}
	sh := w.run.shadowOf(p, a.size)
	first, me := w.first(p), w.stamp(lane, a.strength())
	for g := off >> sh.shift; g <= (off+a.width-1)>>sh.shift; g++ {
		if s := sh.writes[g]; s.segment() >= first {
			if a.readOnly {
				w.reportRace(a, p, off, lane, clash{s, "write",
					"read through the non-coherent cache (ld.global.nc) of memory written in the same launch"})
				return false
			}
			if !s.same(me) && w.conflict(s, me, lane) {
				w.reportRace(a, p, off, lane, clash{s, "write", "data race: read"})
				return false
			}
		}
		switch r := sh.reads[g]; {
		case r.segment() < first:
			sh.reads[g] = me
		case r.same(me):
			sh.reads[g] = min(r, me) // the weaker one
		default:
			sh.reads[g] = w.merge(r, me, lane)
		}
	}
	if a.strong {
		w.observe(a, p, off, lane)
	}
	return true
}

// onWrite looks for unordered reads and writes and notes the write.
func (w *warp) onWrite(a *access, p *page, off uint64, lane int) bool {
	if p == w.local {
		return true
	}
	if !w.noteWrite(a, p, off, lane, "write") {
		return false
	}
	if a.strong {
		w.publish(a, p, off, lane, false)
	}
	return true
}

// onAtomic treats an atomic operation as a strong write.
func (w *warp) onAtomic(a *access, p *page, off uint64, lane int) bool {
	if p == w.local {
		return true
	}
	if !w.noteWrite(a, p, off, lane, "atomic operation") {
		return false
	}
	w.observe(a, p, off, lane)
	w.publish(a, p, off, lane, true)
	return true
}

func (w *warp) noteWrite(a *access, p *page, off uint64, lane int, what string) bool {
	sh := w.run.shadowOf(p, a.size)
	first, me := w.first(p), w.stamp(lane, a.strength())
	for g := off >> sh.shift; g <= (off+a.width-1)>>sh.shift; g++ {
		if r := sh.reads[g]; r.segment() >= first && !r.same(me) && w.conflict(r, me, lane) {
			w.reportRace(a, p, off, lane, clash{r, "read", "data race: " + what})
			return false
		}
		s := sh.writes[g]
		switch {
		case s.segment() < first || s.same(me) && a.strong == (s.strength() != weak):
			sh.writes[g] = me
		case !s.same(me) && w.conflict(s, me, lane):
			w.reportRace(a, p, off, lane, clash{s, "write", "data race: " + what})
			return false
		default:
			sh.writes[g] = w.merge(s, me, lane)
		}
	}
	return true
}

// conflict reports whether accesses of one stamp and the one just made race: they are not ordered and not both strong.
func (w *warp) conflict(s, me stamp, lane int) bool {
	if s.level() == bySet {
		for _, e := range w.run.sets[s.set()] {
			if !e.same(me) && w.conflict(e, me, lane) {
				return true
			}
		}
		return false
	}
	weakest := min(s.strength(), me.strength())
	if weakest == strong || weakest == strongInBlock && int(w.run.segmentOf(s).block) == w.block.index {
		return false
	}
	return !w.ordered(s, lane)
}

// merge gives the stamp for the accesses of s and, after them, the one just made.
func (w *warp) merge(s, me stamp, lane int) stamp {
	k := min(s.strength(), me.strength())
	if s.level() == bySet {
		set := w.run.sets[s.set()]
		mine := int32(w.block.index)
		for i := len(set) - 1; i >= 0; i-- {
			if set[i].same(me) {
				set[i] = set[i].with(byThread, min(set[i].strength(), me.strength()))
				return s.with(bySet, k)
			}
			if w.run.segmentOf(set[i]).block == mine {
				set[i] = w.merge(set[i], me, lane)
				return s.with(bySet, k)
			}
		}
		w.run.sets[s.set()] = append(set, me)
		return s.with(bySet, k)
	}
	g := w.run.segmentOf(s)
	mine := int(g.block) == w.block.index
	switch {
	case s.same(me):
		return me.with(byThread, k)
	case mine && s.level() == byBlock && g.barriers == w.block.clock.barriers:
		return s.with(byBlock, k)
	case s.level() == byWarp && s.segment() == me.segment():
		return s.with(byWarp, k)
	case w.ordered(s, lane):
		return me
	case mine && s.level() != byBlock && int(g.warp) == w.index && g.syncs == w.clock.syncs:
		return stamp(me.segment()<<segmentShift) | s&(31<<laneShift|pcMask) | stamp(byWarp)<<levelShift |
			stamp(k)<<strengthShift
	case mine:
		return s.with(byBlock, k)
	}
	w.run.sets = append(w.run.sets, []stamp{s, me})
	return setStamp(me.segment(), len(w.run.sets)-1, k)
}

func (w *warp) flagKey(p *page, off uint64) uint64 {
	if p == w.block.shared {
		return sharedWindow + uint64(w.block.index)<<20 + off
	}
	return p.base + off
}

// observe is the reading half of synchronisation.
func (w *warp) observe(a *access, p *page, off uint64, lane int) {
	f := w.run.flags[w.flagKey(p, off)]
	if f == nil || len(f.releases) == 0 {
		return
	}
	seen := f.releases[:len(f.releases):len(f.releases)]
	if a.acquire {
		w.acquire(lane, seen)
		return
	}
	c := w.laneClock(lane)
	for i, old := range c.pending {
		if old[0] != seen[0] { // of another flag, or of an earlier value
			continue
		}
		if len(old) < len(seen) {
			c.pending[i] = seen
		}
		return
	}
	c.pending = append(c.pending, seen)
}

// publish is the writing half: a release, or a relaxed write after a fence. An atomic operation carries on the releases
// before it, a plain write ends them.
func (w *warp) publish(a *access, p *page, off uint64, lane int, carryOn bool) {
	key := w.flagKey(p, off)
	f := w.run.flags[key]
	if f != nil && !carryOn {
		f.releases = nil
	}
	var rel *release
	if a.release {
		rel = w.snapshot(lane, a.blockly)
	} else if w.clock.lanes != nil {
		rel = w.clock.lanes[lane].fence
	}
	if rel == nil {
		return
	}
	if f == nil {
		f = &flag{}
		w.run.flags[key] = f
	}
	f.releases = append(f.releases, rel)
}

// clash is an access of a kind with an earlier one of another.
type clash struct {
	with        stamp
	other, what string
}

// reportRace raises the fault of two accesses that no barrier, fence or atomic operation orders.
func (w *warp) reportRace(a *access, p *page, off uint64, lane int, c clash) {
	s := c.with
	w.raise(cudriver.LaunchFailed, lane, "%s of %d bytes at %s", c.what, a.width, w.describe(p, off))
	for s.level() == bySet {
		next := stamp(0)
		for _, e := range w.run.sets[s.set()] {
			if !w.ordered(e, lane) {
				next = e
				break
			}
		}
		s = next
	}
	g := w.run.segmentOf(s)
	in := &w.run.kernel.code[s.pc()]
	t := uint32(g.warp)*warpSize + uint32(s.lane())
	b, gx, gy := w.run.block, uint32(w.run.grid[0]), uint32(w.run.grid[1])
	at := uint32(g.block)
	who := fmt.Sprintf("thread (%d,%d,%d)", t%b[0], t/b[0]%b[1], t/b[0]/b[1])
	if s.level() != byThread {
		who += " and others"
	}
	w.run.fault.more = append(w.run.fault.more,
		fmt.Sprintf("the other access is a %s by block (%d,%d,%d), %s, ptx line %d (%s), with nothing between that "+
			"orders them",
			c.other, at%gx, at/gx%gy, at/gx/gy, who, in.line, in.opcode))
}
