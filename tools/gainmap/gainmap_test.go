package main

import (
	"context"
	"math"
	"strings"
	"testing"

	"thermsim/stack"
)

// The gain grows with the power and falls with the cooling, and whichever power runs away, the largest one that does
// not is the same.
func TestGainMap(t *testing.T) {
	s, err := stack.Load("../../examples/leaky-tiers/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gainMap(context.Background(), s, []float64{0.5, 1, 2}, []float64{1e4, 3e4, 1e5})
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.coolings {
		limit := 0.0
		for j, row := range g.at {
			v := row[i]
			t.Logf("%g times the power, h %g: %+v", g.powers[j], g.coolings[i], v)
			if j > 0 && !v.runaway && !(v.gain > g.at[j-1][i].gain) || i > 0 && !v.runaway && !row[i-1].runaway &&
				!(v.gain < row[i-1].gain) {
				t.Errorf("%g times the power, h %g: gain %g", g.powers[j], g.coolings[i], v.gain)
			}
			if !v.runaway {
				continue
			}
			if here := v.factor * g.powers[j]; limit == 0 {
				limit = here
			} else if math.Abs(here/limit-1) > 1e-3 {
				t.Errorf("h %g: a limit of %g and of %g times the power", g.coolings[i], limit, here)
			}
			if j > 0 && !g.at[j-1][i].runaway && limit < g.powers[j-1] {
				t.Errorf("h %g: %g times the power has a solution, beyond the limit of %g", g.coolings[i],
					g.powers[j-1], limit)
			}
		}
	}
	if text := string(g.svg()); strings.Count(text, "<rect") != 10 || !strings.Contains(text, "×") {
		t.Error(text)
	}
}
