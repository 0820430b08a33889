package report

import (
	"fmt"
	"strings"

	"thermsim/gpusolve/solution"
)

// SteppingSummary tells how steps in time followed the temperatures.
type SteppingSummary struct {
	Method        string  `json:"method"`          // TR-BDF2
	TolK          float64 `json:"tol_K"`           // largest error of a step that was allowed
	LargestErrorK float64 `json:"largest_error_K"` // estimate of the largest error of a step
	Steps         int     `json:"steps"`           // steps taken
	Rejected      int     `json:"rejected"`        // steps tried again, shorter
	Solves        int     `json:"solves"`          // systems solved
	// times that the operator was set up, for another length of the steps
	Setups       int     `json:"setups"`
	PowerChanges int     `json:"power_changes"` // changes of the power, at which steps end
	ShortestS    float64 `json:"shortest_s"`    // shortest step
	LongestS     float64 `json:"longest_s"`     // longest step
	PeakK        float64 `json:"peak_K"`        // hottest cell at the end of any step, whether it was written or not
	PeakS        float64 `json:"peak_s"`        // time of that
	// How far the end is from the steady state, and whether that is close enough; absent where nobody asked.
	SteadyRestK float64 `json:"steady_rest_K,omitempty"`
	Steady      bool    `json:"steady,omitempty"` // the run ended close enough
	// Of a periodic state: its period, how many periods were stepped to find it, and the largest difference between the
	// ends of the one that is shown.
	PeriodS  float64 `json:"period_s,omitempty"`
	Periods  int     `json:"periods,omitempty"`   // stepped to find it
	ClosureK float64 `json:"closure_K,omitempty"` // largest difference between the ends of the one that is shown
}

func summariseStepping(s *solution.Stepping) *SteppingSummary {
	if s == nil {
		return nil
	}
	return &SteppingSummary{
		Method: s.Method, TolK: s.TolK, LargestErrorK: s.LargestErrorK, Steps: s.Steps, Rejected: s.Rejected,
		Solves: s.Solves, Setups: s.Setups,
		PowerChanges: s.Changes, ShortestS: s.ShortestS, LongestS: s.LongestS, PeakK: s.PeakK, PeakS: s.PeakS,
		SteadyRestK: s.RestK, Steady: s.Steady, PeriodS: s.Period, Periods: s.Periods, ClosureK: s.ClosureK,
	}
}

// parts are what people read of it.
func (s *SteppingSummary) parts() []string {
	lengths := seconds(s.ShortestS)
	if s.LongestS > s.ShortestS {
		lengths += " to " + seconds(s.LongestS)
	}
	parts := []string{
		fmt.Sprintf("%s, %d steps of %s", s.Method, s.Steps, lengths), fmt.Sprintf("%d tried again", s.Rejected),
		fmt.Sprintf("%d solves", s.Solves), fmt.Sprintf("%d set-ups", s.Setups),
		fmt.Sprintf("largest error of a step %s K of %s K", significant(s.LargestErrorK, 2), significant(s.TolK, 2)),
	}
	if s.PeriodS > 0 {
		parts = append(parts, fmt.Sprintf("periodic state of %s after %d periods", seconds(s.PeriodS), s.Periods),
			fmt.Sprintf("its ends %s K apart", relative(s.ClosureK)))
	}
	if s.SteadyRestK > 0 {
		parts = append(parts, fmt.Sprintf("%s K from the steady state", significant(s.SteadyRestK, 2)))
	}
	return parts
}

func (s *SteppingSummary) text() string { return strings.Join(s.parts(), ", ") }
