package interpreter

import (
	"math/bits"
	"slices"
	"strings"

	"thermsim/gpusolve/testing/interpreter/asm"
)

// PTX has as many registers as results: thousands in a large kernel, 256 bytes of each for a warp. Registers that are
// never in use together share a vector, so that a warp's vectors stay in the processor's caches. A thread follows one
// path through the program, and lanes touch their own elements alone, so the paths of one thread say what is in use,
// whatever other lanes do.

// assign gives registers their vectors: first those that may be read before anything is written, which are cleared for
// each warp.
func assign(e *asm.Entry) (slots []int, vectors, zeroed int) {
	spans, early := lifetimes(e)
	slots = make([]int, len(e.Registers))
	var order []int
	for r, s := range spans {
		switch {
		case early.has(r):
			slots[r] = zeroed
			zeroed++
		case s.to >= 0:
			order = append(order, r)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return spans[a].from - spans[b].from })
	vectors = zeroed
	var active, free []int // active registers by the end of their spans
	for _, r := range order {
		for len(active) > 0 && spans[active[0]].to < spans[r].from {
			free = append(free, slots[active[0]])
			active = active[1:]
		}
		if n := len(free); n > 0 {
			slots[r], free = free[n-1], free[:n-1]
		} else {
			slots[r] = vectors
			vectors++
		}
		at, _ := slices.BinarySearchFunc(active, spans[r].to, func(a, to int) int { return spans[a].to - to })
		active = slices.Insert(active, at, r)
	}
	return slots, vectors, zeroed
}

// span is where a register is in use. Instruction n reads at 2n and writes at 2n+1, so a result may take the place of
// an argument.
type span struct{ from, to int }

func (s *span) cover(at int) {
	if s.to < 0 {
		*s = span{at, at}
		return
	}
	s.from, s.to = min(s.from, at), max(s.to, at)
}

type registerSet []uint64

func (s registerSet) has(r int) bool { return s[r>>6]>>(r&63)&1 != 0 }
func (s registerSet) add(r int)      { s[r>>6] |= 1 << (r & 63) }
func (s registerSet) remove(r int)   { s[r>>6] &^= 1 << (r & 63) }

func (s registerSet) each(f func(r int)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			f(i<<6 | bits.TrailingZeros64(word))
		}
	}
}

// lifetimes finds the span of each register, to = -1 for none, and the registers in use at the entry. It analyzes the
// liveness of basic blocks (Aho et al., Compilers, 2nd edition, section 9.2.5).
func lifetimes(e *asm.Entry) (spans []span, early registerSet) {
	words := (len(e.Registers) + 63) / 64
	spans = make([]span, len(e.Registers))
	for r := range spans {
		spans[r].to = -1
	}
	if len(e.Code) == 0 {
		return spans, make(registerSet, words)
	}
	starts := blockStarts(e)
	blockAt := make(map[int]int, len(starts))
	for b, pc := range starts {
		blockAt[pc] = b
	}
	in := make([]registerSet, len(starts))
	for b := range in {
		in[b] = make(registerSet, words)
	}
	end := func(b int) int {
		if b+1 < len(starts) {
			return starts[b+1]
		}
		return len(e.Code)
	}
	after := func(b int) registerSet { // in use behind block b
		live := make(registerSet, words)
		join := func(next int) {
			for i, word := range in[next] {
				live[i] |= word
			}
		}
		last := &e.Code[end(b)-1]
		jump := isJump(last)
		if jump {
			if next, ok := blockAt[last.Args[0].Target]; ok {
				join(next)
			}
		}
		if b+1 < len(starts) && (last.Guard >= 0 || !jump && !ends(last)) {
			join(b + 1)
		}
		return live
	}
	for changed := true; changed; {
		changed = false
		for b := len(starts) - 1; b >= 0; b-- {
			live := after(b)
			for pc := end(b) - 1; pc >= starts[b]; pc-- {
				visit(&e.Code[pc], live.remove, live.add)
			}
			if !slices.Equal(live, in[b]) {
				in[b], changed = live, true
			}
		}
	}
	for b, pc := range starts {
		live := after(b)
		in[b].each(func(r int) { spans[r].cover(2 * pc) })
		live.each(func(r int) { spans[r].cover(2*end(b) - 1) })
		for pc := starts[b]; pc < end(b); pc++ {
			in := &e.Code[pc]
			written := func(r int) { spans[r].cover(2*pc + 1) }
			operands(in, written, func(r int) { spans[r].cover(2 * pc) })
		}
	}
	return spans, in[0]
}

func isJump(in *asm.Instruction) bool {
	return (in.Opcode == "bra" || in.Opcode == "bra.uni") && len(in.Args) == 1
}

func ends(in *asm.Instruction) bool {
	root, _, _ := strings.Cut(in.Opcode, ".")
	return root == "ret" || root == "exit"
}

// blockStarts are the first instructions of the basic blocks.
func blockStarts(e *asm.Entry) []int {
	starts := []int{0}
	for pc := range e.Code {
		in := &e.Code[pc]
		jump := isJump(in)
		if jump && in.Args[0].Target < len(e.Code) {
			starts = append(starts, in.Args[0].Target)
		}
		if (jump || ends(in)) && pc+1 < len(e.Code) {
			starts = append(starts, pc+1)
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// visit passes the registers that an instruction overwrites, and then those that it reads. Under a guard the old value
// may stay.
func visit(in *asm.Instruction, overwrites, reads func(r int)) {
	if in.Guard >= 0 {
		overwrites = func(int) {}
	}
	operands(in, overwrites, func(int) {})
	operands(in, func(int) {}, reads)
}

// operands calls written and read for the registers of an instruction. All but a few write their first operand.
func operands(in *asm.Instruction, written, read func(r int)) {
	root, mods, _ := strings.Cut(in.Opcode, ".")
	result := true
	switch root {
	case "st", "red", "bra", "membar", "fence", "nanosleep":
		result = false
	case "bar", "barrier":
		result = strings.Contains(mods, "red.")
	}
	for n, o := range in.Args {
		each := read
		if n == 0 && result {
			each = written
		}
		for _, part := range elements(o) {
			switch {
			case part.Kind == asm.RegisterOperand:
				each(part.Index)
			case part.Kind == asm.AddressOperand && part.Index >= 0:
				read(part.Index)
			}
		}
	}
}

// elements gives the operands of a vector, or the one operand.
func elements(o asm.Operand) []asm.Operand {
	if o.Kind == asm.VectorOperand {
		return o.Vector
	}
	return []asm.Operand{o}
}
