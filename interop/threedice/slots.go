package threedice

import (
	"fmt"
	"math"

	"thermsim/interop/importer"
)

// quotient is slot over step as 3D-ICE divides them (stack_description_parser.y of 4.0): both are multiplied by ten
// until they are whole in FP64 and then converted to 32-bit unsigned integers, whose quotient is truncated. Rounding of
// decimals makes those factors of ten many more than the written digits. The conversion of numbers beyond 32 bits is
// undefined in C; on x86-64 it keeps the lower 32 bits.
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

// keep32 is a whole number as a 32-bit integer of C on x86-64. Beyond 64 bits the conversion gives 2^63, whose lower 32
// bits are 0.
func keep32(v float64) uint32 {
	if v >= 1<<63 {
		return 0
	}
	return uint32(int64(v))
}

// overflows reports whether one of the numbers does not fit 32 bits.
func (q quotient) overflows() bool { return math.Max(q.slot, q.step) > math.MaxUint32 }

// steps in a slot, 0 if 3D-ICE divides by zero: here, or in the remainder by it that detects the end of a slot.
func (q quotient) steps() int {
	if q.stepKept == 0 {
		return 0
	}
	return int(q.slotKept / q.stepKept)
}

// wholeSteps is the number of whole steps in a slot.
func wholeSteps(slot, step float64) int {
	return max(1, int(math.Min(math.Floor(slot/step*(1+1e-9)), math.MaxInt32)))
}

// stepsPerSlot is the number of steps in a slot: 3D-ICE's, unless it results from an overflow that is not to be
// emulated.
func (c *converter) stepsPerSlot() int {
	s := c.project.solver
	q, intended := divide(s.slot.value, s.step.value), wholeSteps(s.slot.value, s.step.value)
	theirs := q.steps()
	if theirs == 0 || theirs == intended || q.overflows() && !c.Emulates(cutSlot(s, theirs)) {
		return intended
	}
	return theirs
}

// warnOfOverflow warns if 3D-ICE's number of steps per slot results from an overflow.
func (c *converter) warnOfOverflow() {
	s := c.project.solver
	q, intended := divide(s.slot.value, s.step.value), wholeSteps(s.slot.value, s.step.value)
	theirs := q.steps()
	if !q.overflows() || theirs == intended {
		return
	}
	effect := fmt.Sprintf("3D-ICE makes %s per slot, %d here unless --compat is given", importer.Plural(theirs, "step"),
		intended)
	if theirs == 0 {
		effect = fmt.Sprintf("3D-ICE divides by zero and ends, %d here", intended)
	}
	c.Note(importer.Warning, s.slot.pos, "slot %s over step %s overflows 32 bits in 3D-ICE: it divides %.0f by %.0f, "+
		"of which %d and %d remain; %s", s.slot.text, s.step.text, q.slot, q.step, q.slotKept, q.stepKept, effect)
}

func cutSlot(s *solver, theirs int) importer.Deviation {
	return importer.Deviation{
		Name: "cut-slot", Pos: s.slot.pos, Field: true,
		What: fmt.Sprintf("3D-ICE makes %s of %s s in a slot of %s s, so that a slot lasts %s s",
			importer.Plural(theirs, "step"), s.step.text, s.slot.text, short(float64(theirs)*s.step.value)),
		Instead: "powers change at the ends of the slots, inside a step if necessary",
	}
}

// slotLength is the length of a slot in s.
func (c *converter) slotLength() float64 {
	s := c.project.solver
	exact := s.slot.value / s.step.value
	theirs := divide(s.slot.value, s.step.value).steps()
	if theirs == 0 || math.Abs(exact-float64(theirs)) <= 1e-9*exact {
		return s.slot.value
	}
	if c.Emulates(cutSlot(s, theirs)) {
		return float64(theirs) * s.step.value
	}
	return s.slot.value
}
