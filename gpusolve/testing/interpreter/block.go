package interpreter

import (
	"math/bits"

	"thermsim/gpusolve/cuda/cudriver"
)

// block is a thread block being executed.
type block struct {
	run      *launch
	index    int
	at       [3]uint32
	warps    []*warp
	left     int // warps that have not ended
	waiting  int // warps at the barrier
	shared   *page
	anyEnded *warp // a warp of which some thread has ended
	endedAt  int32
	clock    blockClock
}

func (r *launch) newBlock(index int) *block {
	gx, gy := int(r.grid[0]), int(r.grid[1])
	b := &block{run: r, index: index,
		at: [3]uint32{uint32(index % gx), uint32(index / gx % gy), uint32(index / gx / gy)}}
	b.shared = r.takeShared()
	threads := int(r.threads)
	for first := 0; first < threads; first += warpSize {
		w := &warp{run: r, block: b, index: len(b.warps)}
		w.alive = b.lanes(w)
		b.warps = append(b.warps, w)
	}
	b.left = len(b.warps)
	r.startClocks(b)
	return b
}

// lanes are the threads a warp begins with: the last warp of a block may be short.
func (b *block) lanes(w *warp) uint32 {
	if n := int(b.run.threads) - w.index*warpSize; n < warpSize {
		return 1<<n - 1
	}
	return allLanes
}

// exited notes that threads have ended; no thread may wait for them afterwards.
func (b *block) exited(w *warp, g group) {
	if b.anyEnded == nil {
		b.anyEnded, b.endedAt = w, g.pc
	}
	if w.alive == 0 {
		b.left--
	}
	for _, o := range b.warps {
		for _, h := range o.groups {
			if h.state == atBarrier {
				b.divergent(o, h, w.location(bits.TrailingZeros32(g.lanes), int(g.pc))+" has ended")
				return
			}
		}
	}
}

// arrive counts a warp that reached a barrier with all its lanes, and opens the barrier when it is the last.
func (b *block) arrive(w *warp) {
	g := w.groups[0]
	if b.anyEnded != nil {
		b.divergent(w, g, b.anyEnded.location(0, int(b.endedAt))+" has ended, or a thread of its warp")
		return
	}
	for _, o := range b.warps {
		if o.state == warpWaiting && o.groups[0].pc != g.pc {
			b.divergent(w, g, o.location(0, int(o.groups[0].pc))+" waits at another barrier")
			return
		}
	}
	b.waiting++
	if b.waiting < len(b.warps) {
		return
	}
	b.waiting = 0
	b.open(b.run.kernel.code[g.pc].barrier)
	b.run.progress()
}

func (b *block) divergent(w *warp, g group, other string) {
	f := w.fault(cudriver.LaunchFailed, bits.TrailingZeros32(g.lanes), int(g.pc), "divergent barrier: not all "+
		"threads of the block reach it")
	f.more = []string{other}
	if b.run.fault == nil {
		b.run.fault = f
	}
}

// open lets all warps go on, with the result of a reduction over the block.
func (b *block) open(bar *barrier) {
	count, threads := 0, 0
	if bar.reduce != "" {
		for _, w := range b.warps {
			count += bits.OnesCount32(bar.input(w) & w.alive)
			threads += bits.OnesCount32(w.alive)
		}
	}
	for _, w := range b.warps {
		switch bar.reduce {
		case "popc":
			for l := range w.r[bar.result] {
				w.r[bar.result][l] = uint64(count)
			}
		case "and":
			w.setPredicate(bar.result, allLanes, maskOf(count == threads))
		case "or":
			w.setPredicate(bar.result, allLanes, maskOf(count > 0))
		}
		w.state = warpReady
		w.groups[0].state = running
		w.groups[0].pc++
	}
	b.passBarrier()
}

func maskOf(v bool) uint32 {
	if v {
		return allLanes
	}
	return 0
}
