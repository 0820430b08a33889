package opstest

import (
	"math/rand/v2"

	"thermsim/powermap"
	"thermsim/stack"
)

// randomPowers of a layer: a uniform one, or blocks that overlap, change in time and share a layer with maps, or one
// map that a schedule scales.
func randomPowers(rng *rand.Rand) []stack.Power {
	watts := func() float64 { return 1 + rng.Float64() }
	uniform := stack.Power{Uniform: watts(), Area: stack.Rect{X: 0.5e-3, Y: 1e-3, Width: 3e-3, Height: 2e-3}}
	blocks := stack.Power{AllowOverlap: true, Blocks: []stack.Block{
		{Name: "a", Watts: watts(), Rects: []stack.Rect{{X: 1e-3, Y: 1e-3, Width: 2e-3, Height: 3e-3},
			{X: 6e-3, Y: 0.2e-3, Width: 1.9e-3, Height: 0.3e-3}}},
		{Name: "idle", Rects: []stack.Rect{{Width: 8e-3, Height: 6e-3}}},
		{Name: "b", Watts: watts(), Rects: []stack.Rect{{X: 2.5e-3, Y: 2e-3, Width: 5.5e-3, Height: 4e-3}}},
	}}
	tiles :=
		stack.Power{Map: &stack.PowerMap{NX: 3, NY: 2, Values: []float64{watts(), 0, watts(), watts(), 0, watts()}}}
	schedule := []stack.ScalePoint{{Time: 0.3, Factor: watts()}, {Time: 1, Factor: 0.5}}
	trace := &stack.Trace{Times: []float64{0, 0.7}, End: 1.5, Repeat: true,
		Watts: [][]float64{{watts(), 0, watts()}, {watts(), watts(), 0}}}
	traced, scheduled := blocks, tiles
	traced.Trace, traced.Schedule, scheduled.Schedule = trace, schedule, schedule
	switch rng.IntN(6) {
	case 0:
		return []stack.Power{uniform}
	case 1:
		return []stack.Power{blocks, uniform}
	case 2:
		return []stack.Power{traced, uniform}
	case 3:
		return []stack.Power{scheduled}
	case 4:
		return []stack.Power{tiles, scheduled, traced}
	}
	return nil
}

// power checks the source after changes of power: over time steps, of some layers only, and back to the steady state
// that other tests use.
func (f *Fixture) power() {
	r := f.Must(f.Sys.NewWork())
	r32 := f.Must(f.Sys.Single(r))
	eps := f.working(r, r32)
	if f.dt > 0 {
		f.b.SetOld(f.Must(f.Sys.New64())) // zero
		defer f.b.SetOld(nil)
	}
	check := func(what string, drawings []powermap.Drawing, layers []powermap.LayerMap, planes [][]float64) {
		f.Helper()
		f.b.SetPower(drawings)
		f.ref.setPower(layers, planes)
		n := f.Sys.Residual(r, r32, f.b, nil)
		f.Near("source "+what, f.Read(r), f.ref.source, largest(f.ref.source), eps)
		f.Scalar("||b|| "+what, n.Source, norm(f.ref.source), eps64)
	}
	m := f.m.Power
	sequence := m.Sequence()
	planes := make([][]float64, len(m.Layers))
	for i := range planes {
		planes[i] = make([]float64, f.ref.nx*f.ref.ny)
	}
	for _, step := range [][2]float64{{0, 0.2}, {0.2, 0.9}, {0.9, 4}, {4, 4.1}} {
		drawings, err := sequence.Over(step[0], step[1])
		if err != nil {
			f.Fatal(err)
		}
		if _, err := m.Average(step[0], step[1], planes); err != nil {
			f.Fatal(err)
		}
		check("over a step", drawings, m.Layers, planes)
	}
	half := (len(m.Layers) + 1) / 2
	check("of some layers", m.Steady()[:half], m.Layers[:half], nil)
	check("of no layer", nil, nil, nil)
	check("in a steady state", m.Steady(), m.Layers, nil)
}
