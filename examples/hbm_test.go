package examples

import (
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// The peaks of om3dthermal (commit 0450144, docs/benchmarks/thermal_results_overview.md), and the difference between
// them, which the paper gives as about 20.8 K. 2 % more power in the GPU must not match.
func TestHBMOnGPU(t *testing.T) {
	at414, at300, more := hbmPeak(t, "414 W"), hbmPeak(t, "300 W"), hbmPeak(t, "422.28 W")
	t.Logf("%.2f and %.2f degC, %.2f K apart; with 2 %% more power %.2f degC", at414, at300, at414-at300, more)
	tolerance := testtier.Pick(0.7, 0.3) // K; the quick tier has cells of 1 mm
	matches := func(got, want float64) bool { return math.Abs(got-want) <= tolerance }
	if !matches(at414, 122.97) || !matches(at300, 102.31) || !matches(at414-at300, 20.8) {
		t.Error("expected 122.97 and 102.31 degC, about 20.8 K apart")
	}
	if matches(more, 122.97) || matches(more-at300, 20.8) {
		t.Errorf("%.2f degC with 2 %% more power matches, too", more)
	}
}

func hbmPeak(t *testing.T, watts string) float64 {
	t.Helper()
	o, err := stackfile.ParseOverride("define.gpu_power=" + watts)
	if err != nil {
		t.Fatal(err)
	}
	st, err := stackfile.Load("hbm-on-gpu/stack.toml", o)
	if err != nil {
		t.Fatal(err)
	}
	for _, axis := range []*stack.Axis{&st.Grid.X, &st.Grid.Y} {
		for i := range axis.Segments {
			if n := &axis.Segments[i].Cells; *n > 2 {
				*n /= testtier.Pick(2, 1)
			}
		}
	}
	m, err := mesh.Build(st)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := gpusolve.Steady(t.Context(), m, gpusolve.Options{Device: "cpu"})
	if err != nil || !sol.Status.Converged {
		t.Fatalf("%s: %v", watts, err)
	}
	defer sol.Close()
	return sol.PeakK - 273.15
}
