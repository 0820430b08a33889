package ports_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

func namesOf(in []ports.Input) []string {
	var names []string
	for _, i := range in {
		names = append(names, i.Name)
	}
	return names
}

// Names are unambiguous whatever the file calls its powers.
func TestNamesOfInputs(t *testing.T) {
	block := func(names ...string) (p stack.Power) {
		for _, n := range names {
			p.Blocks = append(p.Blocks, stack.Block{Name: n, Watts: 2})
		}
		return p
	}
	s := &stack.Stack{Layers: []stack.Layer{
		{Name: "die", Powers: []stack.Power{block("a", "a#2"), {Uniform: 3}, block("a", "b"),
			{Name: "hot", Map: &stack.PowerMap{Values: []float64{1, 4}}}, {Uniform: 1}}},
		{Name: "lid"},
		{Name: "top", Powers: []stack.Power{block("b")}},
	}}
	in := ports.InputsOf(s)
	want := []string{"die/a", "die/a#2", "die/uniform", "die/a#3", "die/b", "die/hot", "die/uniform#2", "top/b"}
	if got := namesOf(in); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if in[2].Watts != 3 || in[5].Watts != 5 || in[5].Kind != ports.Map || in[0].Watts != 2 || in[7].Layer != 2 {
		t.Errorf("%+v", in)
	}
	for name, want := range map[string]int{"die/a": 0, "hot": 5, "die/b": 4, "a#3": 3} {
		if n, err := ports.Find(namesOf(in), name); err != nil || n != want {
			t.Errorf("%s: %d, %v, want %d", name, n, err, want)
		}
	}
	if _, err := ports.Find(namesOf(in), "b"); err == nil || !strings.Contains(err.Error(), "die/b") ||
		!strings.Contains(err.Error(), "top/b") {
		t.Errorf("b is ambiguous, yet: %v", err)
	}
	if _, err := ports.Find(namesOf(in), "c"); err == nil || !strings.Contains(err.Error(), "die/a,") {
		t.Errorf("c is not there, yet: %v", err)
	}
}

// Responses are those of the powers alone: whatever faces and ambient are, superposed on a stack without power they
// make the stack's own temperatures. A power map keeps its proportions.
func TestResponsesSuperpose(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 13, NY: 9})
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 320}
	s.Boundary[stack.West] = stack.Boundary{Kind: stack.HeatFlux, Flux: 5e3}
	for l := range s.Layers {
		if len(s.Layers[l].Powers) > 0 {
			s.Layers[l].Powers = append(s.Layers[l].Powers,
				stack.Power{Area: s.Domain(), Map: &stack.PowerMap{NX: 2, NY: 2, Values: []float64{1, 0, 2, 0.5}}})
			break
		}
	}
	solve := func(s *stack.Stack, watts ...[]float64) *gpusolve.ManyResult {
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := gpusolve.SolveMany(t.Context(), m, gpusolve.Options{Device: "cpu"}, gpusolve.Many{Watts: watts})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	in := ports.InputsOf(s)
	var powers []float64
	var units [][]float64
	for n := range in {
		powers = append(powers, in[n].Watts)
		units = append(units, make([]float64, len(in)))
		units[n][n] = 1
	}
	own, none := solve(s, powers).Mean[0], solve(s, make([]float64, len(in))).Mean[0]
	responses := solve(ports.Responding(s), units...)
	for o := range in {
		sum := none[o]
		for n := range in {
			sum += responses.Mean[n][o] * powers[n]
			if d := responses.Mean[n][o] - responses.Mean[o][n]; in[n].Kind != ports.Map && in[o].Kind != ports.Map &&
				math.Abs(d) > 1e-11*responses.Mean[n][n] {
				t.Errorf("%s to %s and back differ by %g K/W", in[n].Name, in[o].Name, d)
			}
		}
		if math.Abs(sum-own[o]) > 1e-10 {
			t.Errorf("%s: %.14g K superposed, %.14g K solved", in[o].Name, sum, own[o])
		}
	}
}

func TestNonlinearStacksAreRefused(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 4})
	if err := ports.CheckLinear(s); err != nil {
		t.Fatal(err)
	}
	curve := &stack.Curve{}
	for what, change := range map[string]func(s *stack.Stack){
		"material": func(s *stack.Stack) { s.Materials[1].CCurve = curve },
		"top face": func(s *stack.Stack) { s.Boundary[stack.Top].Emissivity = 0.9 },
		"leakage":  func(s *stack.Stack) { s.Layers[1].Powers[0].Leakage = stack.Leakage{Watts: 1, Factor: curve} },
	} {
		s := cases.Stack10(cases.Options{NX: 4})
		change(s)
		if err := ports.CheckLinear(s); !errors.Is(err, ports.ErrNonlinear) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
