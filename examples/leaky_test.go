package examples

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack/stackfile"
)

// TestLeakyTiers solves the four variants: conductivity and leakage each make the stack hotter, together by more than
// their sum, and what leaks leaves through the faces. The table of the README has these figures.
func TestLeakyTiers(t *testing.T) {
	readme, err := os.ReadFile("leaky-tiers/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rise := map[string]float64{}
	for _, name := range []string{"linear", "conductivity", "leakage", "stack"} {
		s, err := stackfile.Load("leaky-tiers/" + name + ".toml")
		if err != nil {
			t.Fatal(err)
		}
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		sol, err := gpusolve.Steady(context.Background(), m, gpusolve.Options{Device: "cpu"})
		if err != nil || !sol.Status.Converged {
			t.Fatalf("%s: %v", name, err)
		}
		defer sol.Close()
		rise[name] = sol.PeakK - 298.15
		row := fmt.Sprintf("%.2f degC |", sol.PeakK-273.15)
		leaking := 0.0
		if n := sol.Status.Nonlinear; n != nil && n.Leakage != nil {
			leaking = n.Leakage.Watts
			row += fmt.Sprintf(" %.2f W | %.2f |", leaking, n.Leakage.Gain)
		}
		if (leaking > 0) != s.Leaks() || math.Abs(sol.Energy.Out-64-leaking) > 1e-6*(64+leaking) {
			t.Errorf("%s: %g W leak, %+v", name, leaking, sol.Energy)
		}
		if !strings.Contains(string(readme), row) {
			t.Errorf("%s: the README does not have %q", name, row)
		}
	}
	more := func(name string) float64 { return rise[name] - rise["linear"] }
	if !(more("conductivity") > 0 && more("leakage") > 0 && more("stack") > more("conductivity")+more("leakage")) {
		t.Errorf("%v", rise)
	}
}
