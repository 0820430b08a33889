package krylov

import (
	"math"
	"testing"

	"thermsim/gpusolve/ops"
)

// A true residual ends a solve by its rule, at its rounding error, where it stands still or means nothing, and
// otherwise not.
func TestJudge(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	kelvin, watts, relative := Rule{Tol: 1e-4}, Rule{ATol: 1e-3}, Rule{RTol: 1e-3}
	const going = Reason(-1)
	for name, c := range map[string]struct {
		rule                    Rule
		residual, source, floor float64
		restart                 int
		best                    float64
		errorMet                bool
		want                    Reason
		converged               bool
	}{
		"NaN":                     {relative, nan, 1, 0, 0, inf, true, Breakdown, false},
		"infinite":                {relative, inf, 1, 0, 3, 1, true, Breakdown, false},
		"zero":                    {kelvin, 0, 1, 1, 0, inf, false, Tolerance, true},
		"watts":                   {watts, 1e-3, 1, 0, 0, inf, false, Tolerance, true},
		"above watts":             {watts, 1.001e-3, 1, 0, 0, inf, false, going, false},
		"share":                   {relative, 2e-3, 2, 0, 0, inf, false, Tolerance, true},
		"above the share":         {relative, 2.01e-3, 2, 0, 0, inf, false, going, false},
		"kelvin":                  {kelvin, 1, 1, 0, 1, inf, true, Tolerance, true},
		"kelvin before a step":    {kelvin, 1, 1, 0, 0, inf, true, going, false},
		"watts are not in kelvin": {watts, 1, 1, 0, 1, inf, true, going, false},
		"rounding":                {relative, 4, 1, 1, 1, inf, false, Attainable, true},
		"above rounding":          {relative, 4.01, 1, 1, 1, inf, false, going, false},
		"rounding before a step":  {relative, 4, 1, 1, 0, inf, false, going, false},
		"still":                   {relative, 0.51, 1, 0, 2, 1, false, Stagnation, false},
		"halved":                  {relative, 0.5, 1, 0, 2, 1, false, going, false},
		"still at first":          {relative, 0.51, 1, 0, 1, 1, false, going, false},
		"many restarts":           {relative, 0.1, 1, 0, MaxRestarts + 1, 1, false, Stagnation, false},
	} {
		o := Outcome{Norms: ops.Norms{Residual: c.residual, Source: c.source, Floor: c.floor}}
		done := o.judge(c.rule, c.restart, c.best, func() bool { return c.errorMet })
		if done != (c.want != going) || done && (o.Reason != c.want || o.Converged != c.converged) {
			t.Errorf("%s: done %v, %v, converged %v; want %v, converged %v", name, done, o.Reason, o.Converged, c.want,
				c.converged)
		}
	}
}
