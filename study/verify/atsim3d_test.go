package verify

import (
	"math"
	"slices"
	"testing"

	"thermsim/gpusolve"
	"thermsim/internal/testtier"
	"thermsim/stack"
)

// The TSV stack of ATSim3D in four variants. The maxima are compared with those of an independent program on the same
// grid, and with the published ones; docs/explanation/verification-cases.md explains the differences. A thermal
// interface that conducts 2 % better must fail.
func TestATSim3D(t *testing.T) {
	const tolerance = 0.01 // K
	cells := testtier.Pick(24, 48)
	for _, v := range []struct {
		name             string
		k, leakage       bool    // temperature-dependent
		published, apart float64 // apart is the largest difference from the published value
	}{
		{"I", false, false, 392.568, 0.06},
		{"II", true, false, 395.411, 0.3},
		{"III", false, true, 401.582, 0.3},
		{"IV", true, true, 406.098, 0.9},
	} {
		t.Run(v.name, func(t *testing.T) {
			st := loadPeer(t, "atsim3d", "stack.toml")
			st.Grid.X.Cells, st.Grid.Y.Cells = cells, cells
			if !v.k {
				die := namedMaterial(st, "die")
				die.K, die.KCurve = isotropic(153), [3]*stack.Curve{}
			}
			if !v.leakage {
				constantLeakage(st)
			}
			peak, want := atsimPeak(t, st), independentPeak(t, cells, v.k, v.leakage)
			t.Logf("%.3f K, independently %.3f K, published %.3f K", peak, want, v.published)
			if !(math.Abs(peak-want) <= tolerance) || !(math.Abs(peak-v.published) <= v.apart) {
				t.Errorf("%.3f K, independently %.3f K, published %.3f K", peak, want, v.published)
			}
			namedMaterial(st, "tim").K = isotropic(1.02 * 4)
			if better := atsimPeak(t, st); math.Abs(better-want) <= 10*tolerance {
				t.Errorf("with an interface that conducts 2 %% better: %.3f K", better)
			}
		})
	}
}

// constantLeakage adds the leakage at its reference temperature to the powers.
func constantLeakage(st *stack.Stack) {
	for l := range st.Layers {
		for p := range st.Layers[l].Powers {
			blocks := st.Layers[l].Powers[p].Blocks
			for b := range blocks {
				blocks[b].Watts += blocks[b].Leakage.Watts
				blocks[b].Leakage = stack.Leakage{}
			}
		}
	}
}

func namedMaterial(st *stack.Stack, name string) *stack.Material {
	return &st.Materials[slices.IndexFunc(st.Materials, func(m stack.Material) bool { return m.Name == name })]
}

func atsimPeak(t *testing.T, st *stack.Stack) float64 {
	t.Helper()
	f, err := solver{options: gpusolve.Options{Device: "cpu", Tol: 1e-4}}.steady(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	return f.solution.PeakK
}
