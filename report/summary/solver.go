package summary

import (
	"fmt"
	"math"
	"strings"

	"thermsim/report/quantity"
)

// Leakage is the state of temperature-dependent power; in a transient at its end.
type Leakage struct {
	PowerW float64 `json:"power_W"` // total leakage
	// Loop gain of small temperature rises, see docs/guides/leakage.md; null if unknown.
	LoopGain float64 `json:"loop_gain"`
	At       Place   `json:"at"`               // leaking cell with the largest rise in the eigenvector
	Runaway  bool    `json:"runaway"`          // the verdict, exit status 6
	TimeS    float64 `json:"time_s,omitempty"` // of a transient's runaway; absent otherwise
	// Largest factor on all powers with a steady state; absent if the given powers have one.
	LargestFactor float64 `json:"largest_factor,omitempty"`
	// Number of leaking cells outside the range of their law; absent without any.
	OutOfRange int64   `json:"out_of_range,omitempty"`
	FromK      float64 `json:"from_K"` // lower end of that range
	ToK        float64 `json:"to_K"`   // upper end of that range
}

// String describes the leakage and its loop gain in a line.
func (l *Leakage) String() string {
	text := "leakage " + quantity.Significant(l.PowerW, 4) + " W, "
	if math.IsNaN(l.LoopGain) {
		return text + "no loop gain"
	}
	text += "loop gain " + quantity.Significant(l.LoopGain, 3)
	if l.At.Layer != "" {
		text += ", largest" + PlaceWords(l.At)
	}
	return text
}

// Verdict describes a thermal runaway; empty without one.
func (l *Leakage) Verdict() string {
	if l == nil || !l.Runaway {
		return ""
	}
	text := strings.TrimSpace(PlaceWords(l.At)) + ", loop gain " + quantity.Significant(l.LoopGain, 3)
	switch {
	case l.LargestFactor > 0:
		text += fmt.Sprintf("; the largest power with a steady state is %s times that of the stack, and the field "+
			"is that state", quantity.Significant(l.LargestFactor, 4))
	case l.OutOfRange > 0:
		text += fmt.Sprintf("; at %s the temperatures left the range of the leakage, up to %.4g K",
			quantity.Seconds(l.TimeS),
			l.ToK)
	case l.TimeS > 0:
		text += fmt.Sprintf("; at %s the leakage grows faster than the time step can follow", quantity.Seconds(l.TimeS))
	}
	return text
}

// Nonlinear is the outcome of the iteration over temperature-dependent properties; in a transient over all steps, with
// the residual of the last step.
type Nonlinear struct {
	OuterIterations int     `json:"outer_iterations"` // linear systems of the steady state, or of all steps
	ResidualNormW   float64 `json:"residual_norm_W"`  // Euclidean norm of b(x) - A(x) x
	// error ratio between successive linear systems; 0 if unknown
	Contraction float64 `json:"contraction"`
	// Materials whose properties were evaluated outside their range; absent without any.
	OutOfRange []OutOfRange `json:"out_of_range,omitempty"`
	// Absent without temperature-dependent power.
	Leakage *Leakage `json:"leakage,omitempty"`
}

// OutOfRange is a material whose properties were evaluated outside their temperature range, using the values at the
// ends of the range.
type OutOfRange struct {
	Material string  `json:"material"` // its name
	FromK    float64 `json:"from_K"`   // lower end of its range
	ToK      float64 `json:"to_K"`     // upper end of its range
	Cells    int64   `json:"cells"`    // number of cells
}

// String describes the iteration in a line.
func (n *Nonlinear) String() string {
	what := "properties"
	if n.Leakage != nil {
		what = "power"
	}
	text := fmt.Sprintf("temperature-dependent %s: %d linear systems, nonlinear residual %s W", what, n.OuterIterations,
		quantity.Relative(n.ResidualNormW))
	if n.Contraction > 0 {
		text += fmt.Sprintf(", contraction %.2g", n.Contraction)
	}
	return text
}

// Warning names the materials evaluated outside their temperature range; empty without any.
func (n *Nonlinear) Warning() string {
	if n == nil {
		return ""
	}
	var all []string
	for _, o := range n.OutOfRange {
		all = append(all, fmt.Sprintf("%d cells of %s are outside %.4g to %.4g K", o.Cells, o.Material, o.FromK, o.ToK))
	}
	text := ""
	if len(all) > 0 {
		text = strings.Join(all, "; ") + ": the properties at the ends of the range were used"
	}
	if l := n.Leakage; l != nil && l.OutOfRange > 0 {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("%d leaking cells are outside %.4g to %.4g K: the leakage at the ends of the range "+
			"was used", l.OutOfRange, l.FromK, l.ToK)
	}
	return text
}

// Stepping is the outcome of adaptive time steps.
type Stepping struct {
	Method        string  `json:"method"`          // TR-BDF2
	TolK          float64 `json:"tol_K"`           // tolerance of the error of a step
	LargestErrorK float64 `json:"largest_error_K"` // estimated largest error of a step
	Steps         int     `json:"steps"`           // steps taken
	Rejected      int     `json:"rejected"`        // rejected steps, which were repeated with a shorter length
	Solves        int     `json:"solves"`          // solved linear systems
	// number of setups of the operator, one per change of the step length
	Setups       int     `json:"setups"`
	PowerChanges int     `json:"power_changes"` // changes of the power, at which steps end
	ShortestS    float64 `json:"shortest_s"`    // shortest step
	LongestS     float64 `json:"longest_s"`     // longest step
	PeakK        float64 `json:"peak_K"`        // hottest cell at the end of any step, written or not
	PeakS        float64 `json:"peak_s"`        // time of the peak
	// Distance of the end from the steady state, and whether it is within the tolerance; absent if not requested.
	SteadyRestK float64 `json:"steady_rest_K,omitempty"`
	Steady      bool    `json:"steady,omitempty"` // the run ended within the tolerance
	// Periodic state: its period, the number of computed periods, and the largest difference between the ends of the
	// reported one.
	PeriodS  float64 `json:"period_s,omitempty"`
	Periods  int     `json:"periods,omitempty"`   // computed periods
	ClosureK float64 `json:"closure_K,omitempty"` // largest difference between the ends of the period
}

// Parts are the parts of Text.
func (s *Stepping) Parts() []string {
	lengths := quantity.Seconds(s.ShortestS)
	if s.LongestS > s.ShortestS {
		lengths += " to " + quantity.Seconds(s.LongestS)
	}
	parts := []string{
		fmt.Sprintf("%s, %d steps of %s", s.Method, s.Steps, lengths), fmt.Sprintf("%d rejected steps", s.Rejected),
		fmt.Sprintf("%d solves", s.Solves), fmt.Sprintf("%d setups", s.Setups),
		fmt.Sprintf("largest step error %s K (limit %s K)", quantity.Significant(s.LargestErrorK, 2),
			quantity.Significant(s.TolK, 2)),
	}
	if s.PeriodS > 0 {
		parts = append(parts, fmt.Sprintf("periodic state of %s after %d periods", quantity.Seconds(s.PeriodS),
			s.Periods),
			fmt.Sprintf("its ends %s K apart", quantity.Relative(s.ClosureK)))
	}
	if s.SteadyRestK > 0 {
		parts = append(parts, fmt.Sprintf("%s K from the steady state", quantity.Significant(s.SteadyRestK, 2)))
	}
	return parts
}

// Text describes the time steps in a line.
func (s *Stepping) Text() string { return strings.Join(s.Parts(), ", ") }
