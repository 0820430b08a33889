package sensitivity

import (
	"errors"
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
)

// testStack is one that has a parameter of every kind. The direct solver takes it unless it has regions.
func testStack(regions bool) *stack.Stack {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{4e-3, 3e-3},
		Grid: stack.Grid{X: stack.Axis{Cells: 16}, Y: stack.Axis{Cells: 12}},
		Materials: []stack.Material{{Name: "si", K: [3]float64{120, 120, 120}, C: 1.6e6},
			{Name: "glue", K: [3]float64{2, 3, 1}, C: 2e6}, {Name: "cu", K: [3]float64{400, 400, 400}, C: 3.4e6}},
		Layers: []stack.Layer{{Name: "base", Material: 2, Thickness: 5e-4, Cells: 2},
			{Name: "glue", Material: 1, Thickness: 5e-5, Cells: 1, ContactResistance: 2e-6},
			{Name: "die", Material: 0, Thickness: 1e-4, Cells: 2, PowerAt: stack.HeatedTop, PowerDepth: 1e-5}},
	}
	d := s.Domain()
	s.Layers[2].Powers =
		[]stack.Power{
			{Area: d,
				Blocks: []stack.Block{{Name: "a", Rects: []stack.Rect{{X: 3e-4, Y: 2e-4, Width: 1e-3, Height: 9e-4}},
					Watts: 2},
					{Name: "b", Rects: []stack.Rect{{X: 2e-3, Y: 1e-3, Width: 1.5e-3, Height: 1.2e-3}}, Watts: 1}}},
			{Area: d, Uniform: 0.3, Name: "rest"}}
	s.Layers[0].Powers = []stack.Power{{Area: stack.Rect{X: 1e-3, Y: 1e-3, Width: 2e-3, Height: 1e-3},
		Map: &stack.PowerMap{NX: 2, NY: 1, Values: []float64{0.1, 0.3}}}}
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.Convective, H: 2e4, Temperature: 310}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.LumpedResistance, Resistance: 15, Temperature: 300}
	if regions {
		s.Layers[1].Regions =
			[]stack.Region{{Name: "r", Material: 0, Rect: stack.Rect{X: 1e-3, Y: 5e-4, Width: 1e-3, Height: 2e-3}}}
		s.Boundary[stack.West] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 305}
		s.Boundary[stack.North] = stack.Boundary{Kind: stack.HeatFlux, Flux: 1e4}
	}
	return s
}

func options() Options {
	return Options{Solver: gpusolve.Options{Device: "cpu", RTol: 1e-13, MaxIter: 500}, Mesh: mesh.Build}
}

// objectiveOf solves a stack anew.
func objectiveOf(t *testing.T, s *stack.Stack, want Objective) float64 {
	t.Helper()
	return resultOf(t, s, want, options()).Value
}

func resultOf(t *testing.T, s *stack.Stack, want Objective, o Options) *Result {
	t.Helper()
	r, err := Of(t.Context(), s, []Objective{want}, o)
	if err != nil {
		t.Fatal(err)
	}
	return &r[0]
}

// Every sensitivity against differences of solves, of fourth order: parameters of every kind, a block and the norm,
// uniform layers and regions.
func TestAgainstDifferences(t *testing.T) {
	for _, regions := range []bool{false, true} {
		for _, want := range []Objective{{Of: "die/a"}, {Norm: 12}} {
			s := testStack(regions)
			r := resultOf(t, s, want, options())
			params := parametersOf(s)
			kinds := map[Kind]bool{}
			largest := 0.0
			for i := range r.Of {
				largest = math.Max(largest, math.Abs(r.Of[i].PerPercent()))
			}
			for i := range r.Of {
				got := &r.Of[i]
				kinds[got.Kind] = true
				h := 0.02
				if got.Kind == Temperature {
					h = 0.002 // of some 300 K
				}
				var at [4]float64
				for n, f := range []float64{1 - 2*h, 1 - h, 1 + h, 1 + 2*h} {
					other := testStack(regions)
					if got.Kind == Power {
						scalePower(other, i, f)
					} else {
						params[i-len(r.Of)+len(params)].scaled(other, f)
					}
					at[n] = objectiveOf(t, other, want)
				}
				difference := (at[0] - 8*at[1] + 8*at[2] - at[3]) / (12 * h * got.Value)
				if off := math.Abs(got.Derivative-difference) * math.Abs(got.Value) /
					100; off > 1e-5*math.Max(math.Abs(got.PerPercent()), largest/10) {
					t.Errorf("regions %v, %s: %s of %s: %.9g, differences %.9g", regions, r.Name, got.Kind, got.Name,
						got.Derivative, difference)
				}
			}
			if len(kinds) != 7 {
				t.Errorf("kinds %v", kinds)
			}
		}
	}
}

// A stack that conducts, passes contacts and gives off heat f times as well is 1/f times as warm, one with f times the
// power f times. By Euler's theorem on homogeneous functions the derivatives by all conductances, each times its value,
// sum to minus the rise, and those by all powers to the rise, for layers, regions, mixtures, films and patches alike.
func TestEulersTheorem(t *testing.T) {
	s := testStack(true)
	s.Layers[1].Regions = append(s.Layers[1].Regions, stack.Region{Name: "vias", Material: 1,
		Rect: stack.Rect{X: 2.2e-3, Y: 2e-4, Width: 1.4e-3, Height: 2.5e-3},
		Fill: &stack.Fill{Inclusion: 2, Rule: stack.Cylinders, NX: 2, NY: 1, Values: []float64{0.1, 0.4}}})
	s.Layers[2].Regions = []stack.Region{{Name: "slot", Material: 1,
		Rect: stack.Rect{X: 5e-4, Y: 1.5e-3, Width: 3e-3, Height: 2e-4}}}
	s.Boundary[stack.North] = stack.Boundary{}
	for f := range s.Boundary {
		s.Boundary[f].Temperature = s.Ambient
	}
	s.Boundary[stack.Top].Patches = []stack.Patch{{Name: "p",
		Rects:    []stack.Rect{{X: 1e-3, Y: 1e-3, Width: 1e-3, Height: 1e-3}},
		Boundary: stack.Boundary{Kind: stack.Convective, H: 5e4, Temperature: s.Ambient}}}
	for _, want := range []Objective{{Of: "die/a"}, {Norm: 12}} {
		r := resultOf(t, s, want, options())
		conductances, powers := 0.0, 0.0
		for i := range r.Of {
			switch d := &r.Of[i]; d.Kind {
			case Conductivity, Film:
				conductances += d.Derivative * d.Value
			case Contact, Cooler:
				conductances -= d.Derivative * d.Value
			case Power:
				powers += d.Derivative * d.Value
			case Thickness, Temperature: // change the shape, or the ambient
			}
		}
		rise := r.Value - s.Ambient
		if math.Abs(conductances+rise) > 1e-6*rise || math.Abs(powers-rise) > 1e-6*rise {
			t.Errorf("%s: conductances %.9g, powers %.9g, rise %.9g K", r.Name, conductances, powers, rise)
		}
	}
}

// scalePower scales input n of the test stack.
func scalePower(s *stack.Stack, n int, f float64) {
	switch n {
	case 0:
		m := *s.Layers[0].Powers[0].Map
		m.Values = []float64{0.1 * f, 0.3 * f}
		s.Layers[0].Powers[0].Map = &m
	case 1, 2:
		s.Layers[2].Powers[0].Blocks[n-1].Watts *= f
	case 3:
		s.Layers[2].Powers[1].Uniform *= f
	}
}

// A slab with a film: T = ambient + P (1/h + d/2k)/A in the middle, whose derivatives are known.
func TestSlab(t *testing.T) {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{1e-2, 1e-2},
		Grid:      stack.Grid{X: stack.Axis{Cells: 4}, Y: stack.Axis{Cells: 4}},
		Materials: []stack.Material{{Name: "si", K: [3]float64{100, 100, 100}, C: 1e6}},
		Layers:    []stack.Layer{{Name: "die", Thickness: 1e-3, Cells: 1}}}
	s.Layers[0].Powers = []stack.Power{{Area: s.Domain(), Uniform: 50}}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 5000, Temperature: 300}
	slabDerivatives(t, s)
	s.Layers[0].PowerAt, s.Layers[0].PowerDepth = stack.HeatedTop, s.Layers[0].Thickness // the same slab
	slabDerivatives(t, s)
}

func slabDerivatives(t *testing.T, s *stack.Stack) {
	t.Helper()
	r := resultOf(t, s, Objective{Of: "uniform"}, options())
	const area, p, h, d, k = 1e-4, 50, 5000, 1e-3, 100
	want := map[Kind]float64{Power: (1.0/h + d/2/k) / area, Film: -p / area / h / h, Thickness: p / area / 2 / k,
		Conductivity: -p / area * d / 2 / k, Temperature: 1}
	for i := range r.Of {
		if got := &r.Of[i]; math.Abs(got.Derivative/want[got.Kind]-1) > 1e-7 {
			t.Errorf("%s: %v, want %v", got.Kind, got.Derivative, want[got.Kind])
		}
	}
	if len(r.Of) != 5 || math.Abs(r.Value-300-p*want[Power]) > 1e-4 {
		t.Errorf("%d sensitivities, %v K", len(r.Of), r.Value)
	}
}

func TestRefusals(t *testing.T) {
	s := testStack(false)
	if _, err := Of(t.Context(), s, []Objective{{Of: "nix"}}, options()); err == nil {
		t.Error("a block that is not there")
	}
	s.Boundary[stack.East].Patches = []stack.Patch{{}}
	if _, err := Of(t.Context(), s, []Objective{{}}, options()); !errors.Is(err, ErrSides) {
		t.Errorf("patches of a side: %v", err)
	}
	s.Boundary[stack.East].Patches = nil
	s.Layers[0].Powers, s.Layers[2].Powers = nil, nil
	if _, err := Of(t.Context(), s, []Objective{{}}, options()); !errors.Is(err, ErrNoInput) {
		t.Errorf("no power: %v", err)
	}
}

// All limits and all peaks at once are those of each part alone, by ascending margin; an objective without derivatives
// changes nothing else.
func TestSeveralObjectives(t *testing.T) {
	s := testStack(true)
	blocks := s.Layers[2].Powers[0].Blocks
	blocks[0].TMax, blocks[1].TMax = 330, 400
	all, err := Of(t.Context(), s, []Objective{{Of: Max, ValueOnly: true}, {Of: Limits}, {Of: Peaks}}, options())
	if err != nil || len(all) != 5 || len(all[0].Of) > 0 || all[0].Value < all[1].Value || all[1].TMax != 330 ||
		all[2].TMax != 400 {
		t.Fatalf("got %v, %+v", err, all)
	}
	for n, of := range []string{"die/a:peak", "die/b:peak"} {
		want := resultOf(t, s, Objective{Of: of}, options())
		for _, got := range []*Result{&all[1+n], &all[3+n]} {
			if math.Abs(got.Value-want.Value) > 1e-9 || len(got.Of) != len(want.Of) || all[3+n].Name != of {
				t.Fatalf("%s: got %q, %g K; expected %g K", of, got.Name, got.Value, want.Value)
			}
			for i := range want.Of {
				if d := want.Of[i].Derivative; math.Abs(got.Of[i].Derivative-d) > 1e-9*math.Abs(d)+1e-15 {
					t.Errorf("%s by %s: got %g; expected %g", of, want.Of[i].Name, got.Of[i].Derivative, d)
				}
			}
		}
	}
}
