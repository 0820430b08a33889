package interpreter

import (
	"fmt"
	"math"
	"math/bits"

	"thermsim/gpusolve/cuda/cudriver"
)

type groupState uint8

const (
	running   groupState = iota
	meeting              // at a rendezvous, for other lanes of the warp
	atBarrier            // at a barrier, for other lanes of the warp
)

// group is a set of a warp's lanes that stand at the same instruction.
type group struct {
	pc    int32
	lanes uint32
	state groupState
}

type warpState uint8

const (
	warpReady warpState = iota
	warpWaiting
	warpDone
)

// warp is 32 threads of a block. Every thread has another position in the program, as on hardware since Volta;
// threads at the same instruction run it together.
type warp struct {
	registers
	run    *launch
	block  *block
	index  int
	state  warpState
	alive  uint32
	groups []group
	pc     int32 // of the instruction being executed
	local  *page
	odd    bool // run another group than the one with the lowest pc, next time
	asleep int  // until this turn: see Options.Delay
	clock  warpClock
}

func (w *warp) thread(lane int) uint32 { return uint32(w.index*warpSize + lane) }

func (w *warp) threadAt(lane int) [3]uint32 {
	t, b := w.thread(lane), w.run.block
	return [3]uint32{t % b[0], t / b[0] % b[1], t / b[0] / b[1]}
}

// start gives the warp its registers.
func (w *warp) start() {
	k := w.run.kernel
	if n := len(k.pool); n > 0 {
		w.registers, k.pool = k.pool[n-1], k.pool[:n-1]
		clear(w.r[:k.zeroed])
		clear(w.p)
	} else {
		w.registers = registers{make([]vec, k.vectors), make([]uint32, k.predicates)}
		for _, c := range k.constants {
			for l := range w.r[c.slot] {
				w.r[c.slot][l] = c.bits
			}
		}
	}
	for _, s := range k.specials {
		for l := range w.r[s.slot] {
			w.r[s.slot][l] = s.fill(w, l)
		}
	}
	w.groups = append(w.groups[:0], group{lanes: w.alive})
}

func (w *warp) finish() {
	w.state = warpDone
	w.run.kernel.pool = append(w.run.kernel.pool, w.registers)
	w.registers, w.local = registers{}, nil
}

// pick chooses a group that can run and moves it to the front. Lowest place in the program first: lanes that took
// different ways meet again behind them. Now and then another one, so that lanes that wait for each other get on.
func (w *warp) pick() bool {
	best, count := -1, 0
	for i, g := range w.groups {
		if g.state != running {
			continue
		}
		count++
		if best < 0 || g.pc < w.groups[best].pc {
			best = i
		}
	}
	if best < 0 {
		return false
	}
	if w.odd && count > 1 {
		for skip := w.run.random.IntN(count); ; best = (best + 1) % len(w.groups) {
			if w.groups[best].state == running {
				if skip == 0 {
					break
				}
				skip--
			}
		}
	}
	w.groups[0], w.groups[best] = w.groups[best], w.groups[0]
	// Join what stands at the same place.
	g := &w.groups[0]
	for i := 1; i < len(w.groups); {
		if o := w.groups[i]; o.state == running && o.pc == g.pc {
			g.lanes |= o.lanes
			w.drop(i)
			continue
		}
		i++
	}
	return true
}

func (w *warp) drop(i int) {
	n := len(w.groups) - 1
	w.groups[i] = w.groups[n]
	w.groups = w.groups[:n]
}

// limit is the nearest instruction behind pc where another group of lanes waits to go on.
func (w *warp) limit(pc int32) int32 {
	out := int32(math.MaxInt32)
	for _, g := range w.groups[1:] {
		if g.state == running && g.pc > pc && g.pc < out {
			out = g.pc
		}
	}
	return out
}

// advance runs the warp for at most n instructions, less if it has to wait. It returns how many it ran.
func (w *warp) advance(n int) int {
	left := n
	for left > 0 && w.state == warpReady && w.run.fault == nil {
		if !w.pick() {
			w.blocked()
			left--
			continue
		}
		left = w.runGroup(left)
	}
	w.odd = left <= 0 && len(w.groups) > 1 && w.run.random.IntN(2) == 0
	return n - left
}

// runGroup runs the first group until it has to make way for another.
func (w *warp) runGroup(left int) int {
	code := w.run.kernel.code
	pc, lanes := w.groups[0].pc, w.groups[0].lanes
	limit := w.limit(pc)
	for left > 0 {
		in := &code[pc]
		m := lanes
		if in.guard >= 0 {
			if in.guardIs {
				m &= w.p[in.guard]
			} else {
				m &^= w.p[in.guard]
			}
		}
		left--
		switch in.kind {
		case kindStep:
			if m != 0 {
				w.pc = pc
				in.step(w, m)
				if w.run.fault != nil {
					return left
				}
			}
			pc++
		case kindBranch:
			switch m {
			case 0:
				pc++
			case lanes:
				pc = in.target
				limit = w.limit(pc)
			default:
				w.groups = append(w.groups, group{pc: pc + 1, lanes: lanes &^ m})
				w.groups[0] = group{pc: in.target, lanes: m}
				return left
			}
		default:
			if m != lanes && m != 0 {
				w.groups = append(w.groups, group{pc: pc + 1, lanes: lanes &^ m})
			}
			if m == 0 {
				pc++
				break
			}
			w.pc = pc
			w.groups[0] = group{pc: pc, lanes: m}
			w.stop(in)
			return left
		}
		if pc >= limit {
			break
		}
	}
	w.groups[0] = group{pc: pc, lanes: lanes}
	return left
}

// stop deals with an instruction at which the first group's lanes end or wait.
func (w *warp) stop(in *instr) {
	g := w.groups[0]
	switch in.kind {
	case kindExit:
		w.alive &^= g.lanes
		w.drop(0)
		w.run.progress()
		w.block.exited(w, g)
		if w.alive == 0 {
			w.finish()
		}
		return
	case kindBarrier:
		w.gather(atBarrier)
		if w.groups[0].lanes == w.alive {
			w.state = warpWaiting
			w.block.arrive(w)
		}
	case kindRendezvous:
		w.gather(meeting)
		w.meet(in)
	}
}

// gather joins the first group with the lanes that wait at the same instruction already.
func (w *warp) gather(s groupState) {
	g := &w.groups[0]
	g.state = s
	for i := 1; i < len(w.groups); {
		if o := w.groups[i]; o.state == s && o.pc == g.pc {
			g.lanes |= o.lanes
			w.drop(i)
			continue
		}
		i++
	}
}

// meet executes a shuffle, vote or warp barrier once all lanes of its masks are there. Lanes that have ended are not
// waited for.
func (w *warp) meet(in *instr) {
	lanes := w.groups[0].lanes
	for k := lanes; k != 0; {
		l := bits.TrailingZeros32(k) & 31
		mask := in.members(w, l)
		if mask>>l&1 == 0 {
			w.raise(cudriver.LaunchFailed, l, "lane %d executes an instruction whose mask %#x does not name it", l,
				mask)
			return
		}
		if mask&w.alive&^lanes != 0 {
			return // wait
		}
		k &^= mask
	}
	for k := lanes; k != 0; {
		l := bits.TrailingZeros32(k) & 31
		mask := in.members(w, l) & w.alive
		for o := mask; o != 0 && !in.uniform; o &= o - 1 {
			if other := bits.TrailingZeros32(o) & 31; in.members(w, other)&w.alive != mask {
				w.raise(cudriver.LaunchFailed, l, "lanes %d and %d give different masks", l, other)
				return
			}
		}
		in.step(w, mask)
		if w.run.fault != nil {
			return
		}
		k &^= mask
	}
	w.groups[0].state = running
	w.groups[0].pc++
}

// blocked reports lanes that wait for others which will never come: all lanes of the warp wait, at different places.
func (w *warp) blocked() {
	for i, g := range w.groups {
		if g.state != meeting {
			continue
		}
		// The lanes it waited for may have ended since.
		w.groups[0], w.groups[i] = w.groups[i], w.groups[0]
		w.pc = g.pc
		w.meet(&w.run.kernel.code[g.pc])
		if w.run.fault != nil || w.groups[0].state == running {
			return
		}
	}
	var waits []string
	for _, g := range w.groups {
		waits = append(waits,
			fmt.Sprintf("lanes %#08x wait at %s", g.lanes, w.location(bits.TrailingZeros32(g.lanes), int(g.pc))))
	}
	if gone := w.block.lanes(w) &^ w.alive; gone != 0 {
		waits = append(waits, fmt.Sprintf("lanes %#08x have ended", gone))
	}
	g := w.groups[0]
	what := "divergent shuffle, vote or warp barrier: lanes of the warp wait at different instructions"
	if g.state == atBarrier {
		what = "divergent barrier: lanes of the warp wait at different instructions"
	}
	f := w.fault(cudriver.LaunchFailed, bits.TrailingZeros32(g.lanes), int(g.pc), what)
	f.more = waits
	w.run.fault = f
}

// setPredicate writes one bit per lane of m.
func (w *warp) setPredicate(p int, m, value uint32) { w.p[p] = w.p[p]&^m | value&m }
