package downstream

import (
	"context"
	"math"
	"runtime"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// awkward are stacks whose cavities differ from those of the table.
func awkward() map[string]*stack.Stack {
	const n = 65
	make := func(model stack.CavityModel, flow float64, change func(i int, w *stack.Coolant)) *stack.Stack {
		s := cases.Tiers(n, 3, flow, model)
		i := 0
		for l := range s.Layers {
			if w := s.Layers[l].Coolant; w != nil {
				change(i, w)
				i++
			}
		}
		return s
	}
	crossed := func(i int, w *stack.Coolant) {
		w.Direction = []stack.Direction{stack.TowardsEast, stack.TowardsNorth, stack.TowardsWest}[i]
	}
	wide := func(_ int, w *stack.Coolant) {
		c := *w.Channels
		c.Wall, c.FirstWall, c.Count = 4*c.Width, 3*c.Width, 12
		w.Channels = &c
	}
	list := map[string]*stack.Stack{
		"crossed channels":   make(stack.ResolvedChannels, 2e-7, crossed),
		"crossed porous":     make(stack.PorousCavity, 2e-7, crossed),
		"wide walls":         make(stack.ResolvedChannels, 2e-7, wide),
		"wide walls, little": make(stack.ResolvedChannels, 2e-9, wide),
		"wide walls, much":   make(stack.ResolvedChannels, 2e-5, wide),
		"pins": make(stack.PorousCavity, 2e-7, func(_ int, w *stack.Coolant) {
			w.Pins = &stack.Pins{Diameter: 50e-6, Pitch: 100e-6}
		}),
		"both models": make(stack.ResolvedChannels, 2e-7, func(i int, w *stack.Coolant) {
			if i == 1 {
				w.Model = stack.PorousCavity
			}
		}),
		"channels at one side only": make(stack.ResolvedChannels, 2e-7, func(i int, w *stack.Coolant) {
			c := *w.Channels
			c.Count = 3 + i
			w.Channels = &c
		}),
		"central": make(stack.ResolvedChannels, 2e-5, func(_ int, w *stack.Coolant) { w.Central = true }),
	}
	flat := cases.Tiers(65, 2, 2e-7, stack.PorousCavity)
	flat.Grid.Y.Cells = 9
	list["cells longer than wide"] = flat
	flat = cases.Tiers(9, 2, 2e-7, stack.PorousCavity)
	flat.Grid.Y.Cells = 65
	list["cells wider than long"] = flat
	sides := cases.Tiers(65, 2, 2e-7, stack.ResolvedChannels)
	sides.Boundary[stack.West] = stack.Boundary{Kind: stack.Convective, H: 1e4, Temperature: 310}
	list["a side that cools"] = sides
	return list
}

func TestAwkwardCavitiesTakeFewIterations(t *testing.T) {
	for name, s := range awkward() {
		out, m := solve(t, s)
		t.Logf("%s: %d iterations, Peclet %.2g, at most %.2g K", name, out.Iterations, peclet(m), out.ErrorK)
		most := 10
		if m.Cavities[0].Of.Central {
			most = 15 // it goes on to rounding errors
		}
		if !out.Converged || out.Iterations > most {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

// Results do not depend on the number of workers.
func TestWorkersDoNotChangeBits(t *testing.T) {
	bits := func(s *stack.Stack, workers int) []float64 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		d := host.Open()
		defer d.Close()
		sys, err := d.Assemble(m, 0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := sys.NewSource(true)
		if err != nil {
			t.Fatal(err)
		}
		b.SetPower(m.Power.Steady())
		definition := Definition()
		k, _, err := definition.SetUp(sys, precond.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		x, err := sys.New64()
		if err != nil {
			t.Fatal(err)
		}
		k.StartFromZero()
		k.Solve(context.Background(), krylov.Rule{Tol: 1e-4, MaxIter: 50}, b, x)
		got := make([]float64, m.Cells())
		sys.Read(x, got)
		return got
	}
	for _, name := range []string{"crossed channels", "wide walls", "crossed porous"} {
		one, three := bits(awkward()[name], 1), bits(awkward()[name], 3)
		for c := range one {
			if math.Float64bits(one[c]) != math.Float64bits(three[c]) {
				t.Fatalf("%s: cell %d is %g with one worker and %g with three", name, c, one[c], three[c])
			}
		}
	}
}
