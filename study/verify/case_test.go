package verify

import (
	"math"
	"strings"
	"testing"
)

// Every case of `thermsim verify` must pass.
func TestCases(t *testing.T) {
	names := map[string]bool{}
	for _, c := range CasesOn("cpu") {
		if names[c.Name] || c.What == "" {
			t.Errorf("case %q has no name of its own or no description", c.Name)
		}
		names[c.Name] = true
		t.Run(c.Name, func(t *testing.T) {
			r, err := c.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Log(r)
			if !r.Pass {
				t.Error(c.What)
			}
		})
	}
}

func TestVerdicts(t *testing.T) {
	var exact, off, broken worst
	exact.add(2, 2, 1)
	for _, v := range []float64{2, 2.5, 1.9} {
		off.add(v, 2, 2)
	}
	for _, v := range []float64{2, math.NaN(), 2} {
		broken.add(v, 2, 1)
	}
	if r := off.result("", "K", 0.1); r.Pass || r.Computed != 2.5 || r.Error != 0.25 {
		t.Errorf("the worst of three is %+v", r)
	}
	if r := broken.result("", "K", 1); r.Pass {
		t.Errorf("a NaN passes: %+v", r)
	}
	if r := new(worst).result("", "K", 1); r.Pass {
		t.Error("nothing compared passes")
	}
	r := exact.result("rise", "K", 1e-9)
	if !r.Pass || !strings.HasPrefix(r.String(), "pass: rise 2 K") {
		t.Errorf("%v", r)
	}
	r.Order, r.WantOrder, r.OrderTolerance = 1.6, 2, 0.1
	if r.judge().Pass {
		t.Error("a wrong order passes")
	}
	r.Order = math.NaN()
	if r.judge().Pass {
		t.Error("an order of NaN passes")
	}
}

// Cases must notice small faults: a coefficient off by 0.1 %, steps five times too long.
func TestCasesNoticeSmallFaults(t *testing.T) {
	p := onePlate
	p.plate.H *= 1.001
	wrong := levels{solver: tight, spreading: p}
	r, err := wrong.extrapolated(t.Context(), "mean", onePlate.plate.MeanRise(onePlate.source, 200), true,
		func(r rises) float64 { return r.mean })
	if err != nil {
		t.Fatal(err)
	}
	if r.Pass {
		t.Errorf("h wrong by 0.1 %% passes: %v", r)
	}
	w, err := tight.coolingError(t.Context(), 200)
	if err != nil {
		t.Fatal(err)
	}
	if r := w.result("rise", "K", 1e-3); r.Pass {
		t.Errorf("steps of tau/200 pass for tau/1000: %v", r)
	}
}
