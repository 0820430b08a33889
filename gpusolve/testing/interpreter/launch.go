package interpreter

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"thermsim/gpusolve/cuda/cudriver"
)

// launch is one kernel being executed.
type launch struct {
	machine  *Machine
	kernel   *kernel
	grid     [3]uint32
	block    [3]uint32
	threads  uint32 // per block
	params   []byte
	shared   int64 // bytes per block
	random   *rand.Rand
	races    bool
	fault    *fault
	executed int64
	changed  int64 // executed when something last changed
	pages    []*page
	history
}

// progress notes that something has changed: the kernel does not hang.
func (r *launch) progress() { r.changed = r.executed }

// describe names a place in memory.
func (w *warp) describe(p *page, off uint64) string {
	switch {
	case p.owner != nil:
		return fmt.Sprintf("%#x, byte offset %d of %s", p.base+off, p.base+off-p.owner.base, p.owner)
	case p == w.block.shared:
		return fmt.Sprintf("offset %d of shared memory", off)
	}
	return fmt.Sprintf("offset %d of local memory", off%((w.run.kernel.localBytes+15)&^15))
}

func (r *launch) takeShared() *page {
	if n := len(r.pages); n > 0 {
		p := r.pages[n-1]
		r.pages = r.pages[:n-1]
		p.forget()
		return p
	}
	return newPage(0, uint64(r.shared), nil)
}

// resident is how many blocks can be on the device at a time: at most 2048 threads, 32 blocks and 96 KiB of shared
// memory per multiprocessor.
func (r *launch) resident() int {
	perSM := min(32, max(1, 2048/int((r.threads+31)/32*32)))
	if r.shared > 0 {
		perSM = max(1, min(perSM, int(sharedPerSM/r.shared)))
	}
	return perSM * r.machine.options.SMs
}

// A few blocks are interleaved at a time. The others wait, as they may on a GPU, until those have ended or do not get
// on.
const window = 4

// execute runs all blocks to their end. Warps take turns in an order drawn from the seed; all resident blocks get turns
// for ever, so kernels whose blocks wait for each other get on if they would on a GPU.
func (r *launch) execute() {
	total := int(r.grid[0]) * int(r.grid[1]) * int(r.grid[2])
	limit := r.resident()
	var ready []*warp
	next, active, turns, clock := 0, 0, 0, 0
	start := func() {
		b := r.newBlock(next)
		next++
		active++
		turns = 0
		for _, w := range b.warps {
			w.start()
			ready = append(ready, w)
		}
	}
	for r.fault == nil {
		for next < total && active < min(window, limit) {
			start()
		}
		if turns > 16*len(ready)+64 && next < total && active < limit {
			start()
		}
		if len(ready) == 0 {
			return
		}
		k := r.random.IntN(len(ready))
		w := ready[k]
		turns++
		clock++
		if d := r.machine.options.Delay; d > 0 {
			if w.asleep > clock {
				continue
			}
			if r.random.IntN(8) == 0 {
				w.asleep = clock + r.random.IntN(d)
				continue
			}
		}
		if w.state == warpReady {
			r.executed += int64(w.advance(1 + r.random.IntN(400)))
		} else {
			r.executed++
		}
		if w.state == warpDone {
			ready[k] = ready[len(ready)-1]
			ready = ready[:len(ready)-1]
			if w.block.left == 0 {
				r.pages = append(r.pages, w.block.shared)
				active--
				turns = 0
			}
		}
		r.watch(ready, total-next, limit)
	}
}

// watch reports kernels that hang or exceed the budget.
func (r *launch) watch(ready []*warp, unstarted, limit int) {
	o := r.machine.options
	stalled := r.executed-r.changed > o.StallLimit
	if r.fault != nil || !stalled && r.executed <= o.MaxInstructions || len(ready) == 0 {
		return
	}
	what := fmt.Sprintf("the launch has used its budget of %d warp instructions", o.MaxInstructions)
	if stalled {
		what = fmt.Sprintf("no progress: %d warp instructions in which no memory changed, no barrier opened and no "+
			"thread ended; the threads wait for ever", o.StallLimit)
	}
	w := ready[0]
	for _, o := range ready {
		if o.state == warpReady {
			w = o
			break
		}
	}
	g := w.groups[0]
	r.fault = w.fault(cudriver.LaunchFailed, bits.TrailingZeros32(g.lanes), int(g.pc), what)
	for i, o := range ready {
		if i == 8 {
			r.fault.more = append(r.fault.more, fmt.Sprintf("and %d more warps", len(ready)-i))
			break
		}
		for _, g := range o.groups {
			r.fault.more = append(r.fault.more,
				fmt.Sprintf("lanes %#08x of %s", g.lanes, o.location(bits.TrailingZeros32(g.lanes), int(g.pc))))
		}
	}
	if unstarted > 0 {
		r.fault.more = append(r.fault.more, fmt.Sprintf("%d blocks have not begun: at most %d are resident at a time",
			unstarted, limit))
	}
}
