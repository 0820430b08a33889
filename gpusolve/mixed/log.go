package mixed

import "fmt"

// PrecisionLog tells what a Solver did in all of its solves.
type PrecisionLog struct {
	Mode        string
	Solves      int
	Early, Late int // iterations in each stage; fixed modes have late ones only
	Switches    int // solves that changed from the early stage to the late one
	Last        Switch
}

// Switch is the change from the early to the late stage of a solve.
type Switch struct {
	Iteration int // how many were done
	Reason    SwitchReason
	// Norms of the recursive and the true residual and of their difference, W. At iteration 0 there is no recursive one yet.
	Recursive, True, Gap float64
}

// SwitchReason is which of the conditions of equation 14 held first.
type SwitchReason string

// The conditions.
const (
	NearEnd  SwitchReason = "the residual is below the root of the tolerance"
	Slow     SwitchReason = "the true residual falls too slowly"
	Drifting SwitchReason = "the true residual drifts from the recursive one"
)

func (l *PrecisionLog) note(s Switch) {
	l.Switches++
	l.Last = s
}

// PrecisionLog of all solves so far.
func (c *Solver) PrecisionLog() PrecisionLog { return c.log }

// Details describes the precision and the last switch, for people.
func (c *Solver) Details() string {
	l := c.log
	text := "precision " + l.Mode
	if l.Switches == 0 {
		return text
	}
	last := fmt.Sprintf("to FP64 after %d iterations as %s (recursive %.2g W, true %.2g W, gap %.2g W)", l.Last.Iteration, l.Last.Reason, l.Last.Recursive, l.Last.True, l.Last.Gap)
	if l.Solves == 1 {
		return text + ", " + last
	}
	return fmt.Sprintf("%s, %d of %d solves went to FP64 (%d iterations before, %d behind), the last %s", text, l.Switches, l.Solves, l.Early, l.Late, last)
}
