package report

import (
	"fmt"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/report/summary"
)

// Judgement is how far the field of a run that is compared can be relied on.
type Judgement struct {
	Converged      bool   `json:"converged"`
	Reason         string `json:"reason"`
	NonFiniteCells int    `json:"non_finite_cells"`
	caveat         string
}

// judge lists what speaks against the runs, and against their differences, over so many cells in all.
func (c *Comparison) judge(runs [2]*Run, sums [2]*summary.Summary, cells int) {
	c.Doubts = []string{}
	for n, s := range sums {
		c.Runs[n] = Judgement{s.Solver.Converged, s.Solver.Reason, s.Temperature.NonFiniteCells, s.Caveat()}
		name := [2]string{c.First, c.Second}[n]
		how, why := strings.ToLower(s.Caveat()), s.Doubt()
		switch e, limit := &s.Energy, solution.ImbalanceLimit(runs[n].Mesh, runs[n].Solution); {
		case s.Solver.Reason == solution.ReasonImbalance || why == "" && !(e.ImbalanceRel <= limit):
			c.Runs[n].caveat = "NOT CONVERGED"
			c.Doubts = append(c.Doubts,
				fmt.Sprintf("%s: the energy balance is off by %.2g of the heat flow, above the limit of %.2g", name,
					e.ImbalanceRel, limit))
		case why == how && why != "":
			c.Doubts = append(c.Doubts, fmt.Sprintf("%s was %s", name, how))
		case why != "":
			c.Doubts = append(c.Doubts, fmt.Sprintf("%s: %s (%s)", name, how, why))
		}
	}
	if n := c.All.Skipped; n > 0 {
		c.Doubts = append(c.Doubts,
			fmt.Sprintf("%d of %d cells are not compared: one of the fields has no finite temperature there", n, cells))
	}
}

// Caveat is what a reader must know before the differences, in capitals; empty where nothing speaks against them. What
// did not converge counts more than what was interrupted.
func (c *Comparison) Caveat() string {
	worst := ""
	for _, r := range c.Runs {
		if worst == "" || worst == "INTERRUPTED" && r.caveat != "" {
			worst = r.caveat
		}
	}
	if worst == "" && c.All.Skipped > 0 {
		return "NOT ALL COMPARED"
	}
	return worst
}
