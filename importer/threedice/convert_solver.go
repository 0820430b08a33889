package threedice

import (
	"fmt"
	"math"

	"thermsim/importer"
	"thermsim/stack"
)

// solver sets step, number of steps and initial temperature.
func (c *converter) solver() {
	s := c.project.solver
	c.stack.Transient.Initial = s.initial.value
	if !s.transient {
		return
	}
	steps := float64(c.slots) * c.slotLength() / s.step.value
	const most = 1e9
	if !(steps <= most) {
		c.Faults.Add(s.step.pos, "", "%d slots of %s s in steps of %s s are more than %g steps", c.slots, s.slot.text, s.step.text, most)
		return
	}
	c.stack.Transient.Dt = s.step.value
	c.stack.Transient.Steps = max(1, int(math.Round(steps)))
	c.comments.Transient = []string{fmt.Sprintf("%d slots of %s s (%s)", c.slots, s.slot.text, place(s.pos))}
}

// stepsPerSlot is how many steps 3D-ICE makes in a slot: the whole part of the quotient, after both times have been multiplied by ten until
// they are whole.
func stepsPerSlot(slot, step float64) int {
	for i := 0; (slot != math.Trunc(slot) || step != math.Trunc(step)) && i < 40; i++ {
		slot *= 10
		step *= 10
	}
	if step < 1 || slot/step > math.MaxInt32 {
		return 1
	}
	return max(1, int(math.Trunc(slot)/math.Trunc(step)))
}

// slotLength is the length of a slot in s.
func (c *converter) slotLength() float64 {
	s := c.project.solver
	exact := s.slot.value / s.step.value
	whole := stepsPerSlot(s.slot.value, s.step.value)
	if math.Abs(exact-float64(whole)) <= 1e-9*exact {
		return s.slot.value
	}
	if c.Emulates(importer.Deviation{
		Name: "cut-slot", Pos: s.slot.pos, Field: true,
		What:    fmt.Sprintf("3D-ICE makes %d steps of %s s in a slot of %s s, so that a slot lasts %s s", whole, s.step.text, s.slot.text, short(float64(whole)*s.step.value)),
		Instead: "powers change at the ends of the slots, inside a step where they fall there",
	}) {
		return float64(whole) * s.step.value
	}
	return s.slot.value
}

// slotTimes is a trace with a row for every slot and no blocks yet.
func (c *converter) slotTimes() *stack.Trace {
	length := c.slotLength()
	t := &stack.Trace{End: float64(c.slots) * length, Watts: make([][]float64, c.slots), Times: make([]float64, c.slots)}
	for i := range t.Times {
		t.Times[i] = float64(i) * length
	}
	return t
}
