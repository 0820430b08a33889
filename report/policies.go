package report

import (
	"strconv"

	"thermsim/internal/printable"
	"thermsim/report/saved"
)

// PolicySummary tells what a policy did in a transient, see docs/guides/serve.md.
type PolicySummary struct {
	Name       string   `json:"name"`              // of the policy
	AboveK     float64  `json:"above_K"`           // throttles
	BelowK     float64  `json:"below_K"`           // releases
	Factor     float64  `json:"factor"`            // of the power while throttled
	PeakK      float64  `json:"peak_K"`            // highest temperature that it watched, at the ends of steps
	ThrottledS float64  `json:"throttled_s"`       // time throttled
	Changes    int      `json:"changes"`           // times that it throttled or released
	FirstS     *float64 `json:"first_s,omitempty"` // when it throttled first; absent where it never did
	Throttled  bool     `json:"throttled"`         // at the end
}

// TraceColumn is a further column of trace.csv.
type TraceColumn struct {
	Name  string
	Value func() float64 // of the step that has ended
}

// policies lists what they did.
func (p *page) policies(s *Summary) {
	if len(s.Policies) == 0 {
		return
	}
	t := table{columns: []column{name("policy"), number("above degC"), number("below degC"), number("peak degC"),
		number("factor"), number("first"), number("throttled"), number("changes")}}
	for i := range s.Policies {
		o := &s.Policies[i]
		first := "-"
		if o.FirstS != nil {
			first = seconds(*o.FirstS)
		}
		t.add(o.Name, p.deg.celsius(o.AboveK), p.deg.celsius(o.BelowK), p.deg.celsius(o.PeakK),
			significant(o.Factor, 3), first, seconds(o.ThrottledS), strconv.Itoa(o.Changes))
	}
	p.heading("Policies", "")
	p.table(&t)
}

func savePolicy(p *PolicySummary) saved.Policy {
	return saved.Policy{Name: p.Name, AboveK: p.AboveK, BelowK: p.BelowK, Factor: p.Factor,
		PeakK:      saved.Number(p.PeakK),
		ThrottledS: p.ThrottledS, Changes: p.Changes, FirstS: p.FirstS, Throttled: p.Throttled}
}

func restorePolicy(p *saved.Policy) PolicySummary {
	return PolicySummary{Name: printable.Text(p.Name), AboveK: p.AboveK, BelowK: p.BelowK, Factor: p.Factor,
		PeakK:      float64(p.PeakK),
		ThrottledS: p.ThrottledS, Changes: p.Changes, FirstS: p.FirstS, Throttled: p.Throttled}
}
