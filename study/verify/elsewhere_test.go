package verify

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"thermsim/interop/hotspot"
	"thermsim/interop/importer"
	"thermsim/interop/threedice"
	"thermsim/stack"
)

// Cases that users of other simulators ask about or report, on stacks of ours, with hand-calculated values.

// Two sinks in 3D-ICE's non-uniform mode (issue 3). Each die sends its heat to its own sink: T = 300 K + q/h + q t/2k.
// At the corners the neighbours of other power are too far away to matter.
func TestTwoSinksNonUniform(t *testing.T) {
	file := filepath.Join("testdata", "elsewhere", "two_sinks.stk")
	if _, err := threedice.Format.Import(importer.Request{Files: []string{file}, Compat: true}); err == nil {
		t.Error("3D-ICE's results for this stack are emulated")
	}
	r, err := threedice.Format.Import(importer.Request{Files: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	f := balanced(t, r.Stack, 150, 1e-5)
	want := func(watts float64) float64 { return 300 + watts/25e-6*(1/1e5+1e-6/130) }
	for k := range f.NZ() {
		hottest, coldest := 300+slices.Max(f.plane(k)), 300+slices.Min(f.plane(k))
		if !(math.Abs(hottest-want(25)) < 1e-5) || !(math.Abs(coldest-want(12.5)) < 1e-5) {
			t.Errorf("plane %d: %.6f and %.6f K, want %.6f and %.6f K", k, hottest, coldest, want(25), want(12.5))
		}
	}
}

// A grid that is no power of two (HotSpot's issue 18); chips of different size and a second path through the board
// (issue 22).
func TestChipletsOnBoard(t *testing.T) {
	f := balanced(t, loadPeer(t, "elsewhere", "chiplets.toml"), 11, 2e-4)
	up, down := 1e-6+1.0/5000, 1e-6+1e-3/0.3+1.0/100
	want := func(flux float64) float64 { return 300 + flux/(1/up+1/down) }
	for at, flux := range map[[2]int]float64{{10, 10}: 8 / 16e-6, {40, 20}: 3 / 15e-6, {2, 45}: 0} {
		if got := 300 + f.at(at[0], at[1], 1); !(math.Abs(got-want(flux)) < 2e-4) {
			t.Errorf("cell %v: %.6f K, want %.6f K", at, got, want(flux))
		}
	}
	upwards := 11 * (1 / up) / (1/up + 1/down)
	if got := f.solution.Energy.ByFace[stack.Top]; !(math.Abs(got-upwards) < 1e-5) {
		t.Errorf("%.6f W leave through the top, want %.6f W", got, upwards)
	}
}

// A die that only h cools: PACT's issue 22 asks how to do that in HotSpot, which always has a spreader and a sink. Here
// both are thin and as large as the die.
func TestBareDie(t *testing.T) {
	const outer = 1/1e4 + 10e-6/400
	r, err := hotspot.Format.Import(importer.Request{
		Files: []string{filepath.Join("testdata", "elsewhere", "bare.config")},
		Named: map[string]string{
			"flp":    filepath.Join("testdata", "elsewhere", "bare.flp"),
			"ptrace": filepath.Join("testdata", "elsewhere", "bare.ptrace"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		st    *stack.Stack
		above float64 // resistance above the middle of the die
	}{
		{"PACT", loadPeer(t, "elsewhere", "bare.toml"), outer + 50e-6/129.87},
		{"HotSpot", r.Stack, outer + 2e-6/400 + 50e-6/129.87},
	} {
		f := balanced(t, c.st, 100, 1e-3)
		want := 318.15 + 1e6*c.above
		if got := f.solution.PeakK; !(math.Abs(got-want) < 1e-3) {
			t.Errorf("%s: %.4f K, want %.4f K", c.name, got, want)
		}
	}
}

// balanced solves a stack and checks that the given power enters and leaves, and that conductivities 2 % higher change
// the peak by more than twice the limit of the comparison, so that they fail in it.
func balanced(t *testing.T, st *stack.Stack, watts, limit float64) *field {
	t.Helper()
	f, err := solver{options: exact}.steady(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	if e := f.solution.Energy; !(math.Abs(e.In-watts) < 1e-6*watts) || !(math.Abs(e.Out-watts) < 1e-6*watts) {
		t.Errorf("%g W in, %g W out, expected %g W", e.In, e.Out, watts)
	}
	changed := *st
	changed.Materials = slices.Clone(st.Materials)
	for m := range changed.Materials {
		perturbConductivity(&changed.Materials[m])
	}
	other, err := solver{options: exact}.steady(t.Context(), &changed)
	if err != nil {
		t.Fatal(err)
	}
	if d := math.Abs(other.solution.PeakK - f.solution.PeakK); !(d > 2*limit) {
		t.Errorf("with conductivities 2 %% higher the peak differs by %.2g K only, limit %.0e K", d, limit)
	} else {
		t.Logf("with conductivities 2 %% higher the peak differs by %.2g K, limit %.0e K", d, limit)
	}
	return f
}
