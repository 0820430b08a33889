package threedice

import (
	"fmt"
	"math"

	"thermsim/stack"
)

// compatTol is the tolerance in K with --compat: 3D-ICE's direct solver leaves rounding errors, and T files have twelve
// decimals. Smaller tolerances reach the same attainable accuracy and take longer.
const compatTol = 1e-9

// solver sets step, number of steps and initial temperature.
func (c *converter) solver() {
	s := c.project.solver
	c.Stack.Transient.Initial = s.initial.value
	if c.Request.Compat {
		c.Stack.Solver.Tol = compatTol
	}
	if !s.transient {
		return
	}
	c.warnOfOverflow()
	steps := float64(c.slots) * c.slotLength() / s.step.value
	const most = 1e9
	if !(steps <= most) {
		c.Faults.Add(s.step.pos, "", "%d slots of %s s in steps of %s s are more than %g steps", c.slots, s.slot.text,
			s.step.text, most)
		return
	}
	c.Stack.Transient.Dt = s.step.value
	c.Stack.Transient.Steps = max(1, int(math.Round(steps)))
	c.Comments.Transient = []string{fmt.Sprintf("%d slots of %s s (%s)", c.slots, s.slot.text, line(s.pos))}
}

// slotTimes is a trace with a row for every slot and no blocks yet.
func (c *converter) slotTimes() *stack.Trace {
	length := c.slotLength()
	t := &stack.Trace{End: float64(c.slots) * length, Watts: make([][]float64, c.slots),
		Times: make([]float64, c.slots)}
	for i := range t.Times {
		t.Times[i] = float64(i) * length
	}
	return t
}
