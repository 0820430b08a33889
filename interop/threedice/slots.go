package threedice

import (
	"fmt"
	"math"

	"thermsim/interop/importer"
)

// quotient is slot over step as 3D-ICE divides them (stack_description_parser.y of 4.0): both are multiplied by ten
// until they are whole in FP64, and become 32-bit unsigned integers, whose whole quotient it takes. Rounding of
// decimals makes those factors of ten many more than the digits that were written. What does not fit 32 bits is
// undefined in C; on x86-64 the lower 32 bits of the whole number are left.
type quotient struct {
	slot, step         float64 // whole
	slotKept, stepKept uint32
}

func divide(slot, step float64) quotient {
	for slot != math.Trunc(slot) || step != math.Trunc(step) {
		slot *= 10
		step *= 10
	}
	return quotient{slot, step, keep32(slot), keep32(step)}
}

// keep32 is a whole number as a 32-bit integer of C on x86-64. Out of the range of 64 bits the conversion gives 2^63,
// of which nothing is left.
func keep32(v float64) uint32 {
	if v >= 1<<63 {
		return 0
	}
	return uint32(int64(v))
}

// overflows tells that one of the numbers does not fit 32 bits.
func (q quotient) overflows() bool { return math.Max(q.slot, q.step) > math.MaxUint32 }

// steps in a slot, 0 where 3D-ICE divides by zero: here, or in the remainder by it that tells whether a slot is over.
func (q quotient) steps() int {
	if q.stepKept == 0 {
		return 0
	}
	return int(q.slotKept / q.stepKept)
}

// stepsMeant is how many whole steps a slot holds.
func stepsMeant(slot, step float64) int {
	return max(1, int(math.Min(math.Floor(slot/step*(1+1e-9)), math.MaxInt32)))
}

// stepsPerSlot is how many steps there are in a slot: 3D-ICE's number, but where an overflow of its arithmetic made it
// and is not to be emulated.
func (c *converter) stepsPerSlot() int {
	s := c.project.solver
	q, meant := divide(s.slot.value, s.step.value), stepsMeant(s.slot.value, s.step.value)
	there := q.steps()
	if there == 0 || there == meant || q.overflows() && !c.Emulates(cutSlot(s, there)) {
		return meant
	}
	return there
}

// tellOverflow warns where 3D-ICE's number of steps per slot is none that the project means.
func (c *converter) tellOverflow() {
	s := c.project.solver
	q, meant := divide(s.slot.value, s.step.value), stepsMeant(s.slot.value, s.step.value)
	there := q.steps()
	if !q.overflows() || there == meant {
		return
	}
	does := fmt.Sprintf("3D-ICE makes %s per slot", count(there, "step"))
	if there == 0 {
		does = "3D-ICE divides by zero and ends"
	}
	here := fmt.Sprintf("%d here", meant)
	if there > 0 {
		here += " unless --compat asks for 3D-ICE's"
	}
	c.Note(importer.Warning, s.slot.pos, "slot %s over step %s overflows 32 bits in 3D-ICE: it divides %.0f by %.0f, "+
		"of which %d and %d are left; %s, %s",
		s.slot.text, s.step.text, q.slot, q.step, q.slotKept, q.stepKept, does, here)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func cutSlot(s *solver, there int) importer.Deviation {
	return importer.Deviation{
		Name: "cut-slot", Pos: s.slot.pos, Field: true,
		What: fmt.Sprintf("3D-ICE makes %s of %s s in a slot of %s s, so that a slot lasts %s s", count(there, "step"),
			s.step.text, s.slot.text,
			short(float64(there)*s.step.value)),
		Instead: "powers change at the ends of the slots, inside a step where they fall there",
	}
}

// slotLength is the length of a slot in s.
func (c *converter) slotLength() float64 {
	s := c.project.solver
	exact := s.slot.value / s.step.value
	there := divide(s.slot.value, s.step.value).steps()
	if there == 0 || math.Abs(exact-float64(there)) <= 1e-9*exact {
		return s.slot.value
	}
	if c.Emulates(cutSlot(s, there)) {
		return float64(there) * s.step.value
	}
	return s.slot.value
}
