package verify

import (
	"context"
	"slices"

	"thermsim/stack"
)

func (s solver) invarianceCases() []Case {
	return []Case{
		{"energy", "two dies in mold compound between two cooled faces; heat out, summed from the field and as " +
			"reported, compared with the power", s.energy},
		{"mirror", "the same stack mirrored in x; mirrored field", s.mirror},
		{"superposition", "the same stack with either die alone; the sum of both fields", s.superposition},
	}
}

const topH, bottomH = 5000, 200

// twoDies is an asymmetric 2.5D stack whose edges do not follow the grid. Each die takes its own watts.
func twoDies(logic, memory float64) *stack.Stack {
	st := newStack("two dies in mold compound", 10e-3, 8e-3, 40, 32)
	st.Boundary[stack.Bottom], st.Boundary[stack.Top] = convection(bottomH), convection(topH)
	addLayer(st, "interposer", 100e-6, 2, [3]float64{120, 120, 60}, 1.6e6)
	bumps := addLayer(st, "bumps", 30e-6, 1, [3]float64{1.5, 1.5, 12}, 2e6)
	bumps.ContactResistance = 2e-6
	left := stack.Rect{X: 0.93e-3, Y: 1.1e-3, Width: 4.2e-3, Height: 5.3e-3}
	right := stack.Rect{X: 6.35e-3, Y: 2.2e-3, Width: 2.7e-3, Height: 3.6e-3}
	silicon := addMaterial(st, "silicon", isotropic(130), 1.63e6)
	dies := addLayer(st, "dies", 150e-6, 2, isotropic(0.8), 1.7e6)
	dies.Regions = []stack.Region{{Name: "logic", Material: silicon, Rect: left},
		{Name: "memory", Material: silicon, Rect: right}}
	core := stack.Rect{X: left.X + 0.4e-3, Y: left.Y + 3.1e-3, Width: 1.3e-3, Height: 1.7e-3}
	dies.Powers = []stack.Power{
		{Area: left, Blocks: []stack.Block{{Name: "core", Rects: []stack.Rect{core}, Watts: logic}}},
		uniformPower(memory, right),
	}
	addLayer(st, "lid", 500e-6, 2, isotropic(390), 3.4e6)
	return st
}

func (s solver) energy(ctx context.Context) (Result, error) {
	const logic, memory = 12, 3
	f, err := s.steady(ctx, twoDies(logic, memory))
	if err != nil {
		return Result{}, err
	}
	var w worst
	w.add(f.heatOut(), logic+memory, logic+memory)
	e := f.solution.Energy
	w.add(e.In, logic+memory, logic+memory)
	w.add(e.Out, logic+memory, logic+memory)
	w.add(e.ByFace[stack.Bottom]+e.ByFace[stack.Top], logic+memory, logic+memory)
	return w.result("heat that leaves", "W", 5e-7), nil
}

// heatOut sums h-and-half-cell conductances times rises over the bottom and top faces of twoDies, whose outer layers
// are uniform.
func (f *field) heatOut() float64 {
	sum := 0.0
	for _, face := range []struct {
		plane int
		h     float64
	}{{0, bottomH}, {f.NZ() - 1, topH}} {
		l := f.Stack.Layers[f.Planes[face.plane].Layer]
		kz := f.Stack.Materials[l.Material].K[2]
		perArea := 1 / (1/face.h + l.Thickness/float64(l.Cells)/(2*kz))
		for j := range f.NY() {
			for i := range f.NX() {
				sum += perArea * (f.X[i+1] - f.X[i]) * (f.Y[j+1] - f.Y[j]) * f.at(i, j, face.plane)
			}
		}
	}
	return sum
}

func (s solver) mirror(ctx context.Context) (Result, error) {
	st := twoDies(12, 3)
	f, err := s.steady(ctx, st)
	if err != nil {
		return Result{}, err
	}
	g, err := s.steady(ctx, mirrored(st))
	if err != nil {
		return Result{}, err
	}
	var w worst
	hottest := f.max()
	for k := range f.NZ() {
		for j := range f.NY() {
			for i := range f.NX() {
				w.add(g.at(f.NX()-1-i, j, k), f.at(i, j, k), hottest)
			}
		}
	}
	return w.result("rise of the worst cell, relative to the hottest", "K", 5e-7), nil
}

func (s solver) superposition(ctx context.Context) (Result, error) {
	var f [3]*field
	for i, watts := range [][2]float64{{12, 3}, {12, 0}, {0, 3}} {
		var err error
		if f[i], err = s.steady(ctx, twoDies(watts[0], watts[1])); err != nil {
			return Result{}, err
		}
	}
	var w worst
	hottest := f[0].max()
	for c, both := range f[0].rise {
		w.add(f[1].rise[c]+f[2].rise[c], both, hottest)
	}
	return w.result("rise of the worst cell, relative to the hottest", "K", 1e-7), nil
}

// mirrored is a copy of s with east and west exchanged.
func mirrored(s *stack.Stack) *stack.Stack {
	m := *s
	width := s.Size[0]
	flip := func(r stack.Rect) stack.Rect {
		r.X = width - r.X - r.Width
		return r
	}
	m.Boundary[stack.West], m.Boundary[stack.East] = s.Boundary[stack.East], s.Boundary[stack.West]
	m.Grid.X.Segments = mirroredSegments(s.Grid.X.Segments, width)
	m.Layers = slices.Clone(s.Layers)
	for l := range m.Layers {
		layer := &m.Layers[l]
		layer.Regions = slices.Clone(layer.Regions)
		for r := range layer.Regions {
			layer.Regions[r].Rect = flip(layer.Regions[r].Rect)
		}
		layer.Powers = slices.Clone(layer.Powers)
		for p := range layer.Powers {
			mirrorPower(&layer.Powers[p], flip)
		}
	}
	return &m
}

func mirrorPower(p *stack.Power, flip func(stack.Rect) stack.Rect) {
	p.Area = flip(p.Area)
	p.Blocks = slices.Clone(p.Blocks)
	for b := range p.Blocks {
		block := &p.Blocks[b]
		block.Rects = slices.Clone(block.Rects)
		for r := range block.Rects {
			block.Rects[r] = flip(block.Rects[r])
		}
	}
	if p.Map != nil {
		p.Map = p.Map.Converted(func(nx, ny int, values []float64) (int, int, []float64) {
			values = slices.Clone(values)
			for j := range ny {
				slices.Reverse(values[j*nx : (j+1)*nx])
			}
			return nx, ny, values
		})
	}
}

func mirroredSegments(segments []stack.Segment, length float64) []stack.Segment {
	var m []stack.Segment
	for i := len(segments) - 1; i >= 0; i-- {
		to := length
		if i > 0 {
			to = length - segments[i-1].To
		}
		m = append(m, stack.Segment{To: to, Cells: segments[i].Cells, Ratio: 1 / segments[i].Ratio})
	}
	return m
}
