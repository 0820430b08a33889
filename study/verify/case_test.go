package verify

import (
	"math"
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/stack"
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

// A change of 2 % must fail in every case: in heat capacities and in every other conductivity, for a bar between two
// temperatures does not feel a change in all. The balance of energy holds for any material and is tested by the
// powers; symmetry and superposition hold for any stack and are tested by a change in all stacks but the first.
func TestPerturbedCases(t *testing.T) {
	var change func(st *stack.Stack)
	s := solver{options: gpusolve.Options{Device: "cpu", Tol: solveTol}, perturb: func(st *stack.Stack) { change(st) }}
	for _, c := range s.cases() {
		solved := 0
		switch change = perturbMaterials; c.Name {
		case "energy":
			change = func(st *stack.Stack) { st.Layers[2].Powers[1].Uniform *= 1.02 }
		case "mirror", "superposition":
			change = func(st *stack.Stack) {
				if solved++; solved > 1 {
					perturbMaterials(st)
				}
			}
		}
		r, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: error %.1e, limit %.0e", c.Name, r.Error, r.Tolerance)
		if r.Pass {
			t.Errorf("%s passes with 2 %% more: %v", c.Name, r)
		}
	}
}

func perturbMaterials(st *stack.Stack) {
	st.Materials = slices.Clone(st.Materials)
	perturbCapacities(st)
	for m := 0; m < len(st.Materials); m += 2 {
		perturbConductivity(&st.Materials[m])
	}
}

// perturbConductivity makes a conductivity that is constant, or a power law, 2 % higher.
func perturbConductivity(m *stack.Material) {
	for axis := range m.K {
		m.K[axis] *= 1.02
		if m.KCurve[axis] != nil {
			c := *m.KCurve[axis]
			c.Value *= 1.02
			m.KCurve[axis] = &c
		}
	}
}
