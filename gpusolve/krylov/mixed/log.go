package mixed

import (
	"fmt"

	"thermsim/gpusolve/solution"
)

// PrecisionLog of all solves so far.
func (c *Solver) PrecisionLog() solution.PrecisionLog { return c.log }

// Details describes the precision and the last switch, for people.
func (c *Solver) Details() string {
	l := c.log
	text := "precision " + l.Mode
	if l.Switches == 0 {
		return text
	}
	last := fmt.Sprintf("to FP64 after %d iterations as %s (recursive %.2g W, true %.2g W, gap %.2g W)",
		l.Last.Iteration, l.Last.Reason, l.Last.Recursive, l.Last.True, l.Last.Gap)
	if l.Solves == 1 {
		return text + ", " + last
	}
	return fmt.Sprintf("%s, %d of %d solves went to FP64 (%d iterations before, %d behind), the last %s", text,
		l.Switches, l.Solves, l.Early, l.Late, last)
}
