package sensitivity

import (
	"errors"
	"math"
	"slices"
	"testing"

	"thermsim/gpusolve/ports"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// positionStack has blocks inside a cell of 0.25 mm, across cells, at the border and on cell faces, a map, a uniform
// power, regions, a die and patches, each moved by an offset in m.
func positionStack(by func(name string) [2]float64) *stack.Stack {
	rect := func(name string, x, y, w, h float64) stack.Rect {
		d := by(name)
		return stack.Rect{X: x*1e-3 + d[0], Y: y*1e-3 + d[1], Width: w * 1e-3, Height: h * 1e-3}
	}
	circle := func(name string, x, y, d float64) geometry.Circle {
		m := by(name)
		return geometry.Circle{X: x*1e-3 + m[0], Y: y*1e-3 + m[1], Diameter: d * 1e-3}
	}
	s := testStack(false)
	s.Layers[0].Powers[0].Map.Values = []float64{0.1, 0.5}
	s.Layers[0].Powers[0].Name, s.Layers[0].Powers[0].Area = "map", rect("base/map", 1.1, 0.3, 1.8, 0.55)
	block := func(name string, x, y, w, h, watts float64) stack.Block {
		return stack.Block{Name: name, Rects: []stack.Rect{rect("die/"+name, x, y, w, h)}, Watts: watts}
	}
	s.Layers[2].Powers = []stack.Power{{Area: s.Domain(), AllowOverlap: true, Blocks: []stack.Block{
		block("inside", 1.3, 1.05, 0.12, 0.15, 0.4), block("across", 2.1, 0.9, 1.2, 1.3, 1.5),
		block("border", 0, 2.4, 0.9, 0.6, 0.5), block("aligned", 0.5, 0.25, 0.5, 0.5, 0.3),
		{Name: "round", Shapes: []geometry.Shape{circle("die/round", 3.3, 2.4, 0.87)}, Watts: 0.4}}},
		{Name: "spot", Uniform: 0.2, Area: rect("die/spot", 0.3, 1.3, 0.4, 0.3)}}
	s.Materials = append(s.Materials, stack.Material{Name: "filler", K: [3]float64{4, 5, 3}, C: 2e6})
	s.Layers[1].Regions = []stack.Region{{Name: "r", Material: 3, Rect: rect("glue/r", 1.1, 0.6, 0.95, 1.7)},
		{Name: "edge", Material: 3, Rect: rect("glue/edge", 3.55, 0, 0.45, 0.9)},
		{Material: 3, Rect: rect("chip", 0.4, 1.9, 1.03, 0.67), Die: "chip"}}
	s.Layers[0].Regions = []stack.Region{{Material: 0, Rect: rect("chip", 0.4, 1.9, 1.03, 0.67), Die: "chip"}}
	s.Layers[0].Powers = append(s.Layers[0].Powers, stack.Power{Uniform: 0.7, Area: s.Layers[0].Regions[0].Rect})
	disc := circle("top/disc", 1.5, 1.5, 1.1)
	s.Layers[2].Regions = []stack.Region{{Name: "via", Material: 2, Shape: circle("die/via", 2.9, 0.63, 0.87)}}
	v := s.Layers[2].Regions[0].Shape.Bounds()
	s.Layers[2].Regions[0].Rect = stack.Rect{X: v.X0, Y: v.Y0, Width: v.X1 - v.X0, Height: v.Y1 - v.Y0}
	s.Boundary[stack.Top].Patches = []stack.Patch{
		{Name: "disc", Shape: disc, Boundary: stack.Boundary{Kind: stack.Convective, H: 4e4, Temperature: 300}},
		{Name: "pad", Rects: []stack.Rect{rect("top/pad", 2.3, 0.4, 0.77, 1.53)},
			Boundary: stack.Boundary{Kind: stack.Convective, H: 7e4, Temperature: 305}}}
	s.Probes = []stack.Probe{{Name: "p", X: 1.9e-3, Y: 1.4e-3, Z: 5.38e-4}}
	return s
}

// valuesOf solves a stack and evaluates objectives.
func valuesOf(t *testing.T, s *stack.Stack, want []Objective) []float64 {
	t.Helper()
	o := options()
	r := &run{stack: s, inputs: ports.InputsOf(s), options: o}
	if err := r.solve(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	values := make([]float64, len(want))
	for n := range values {
		values[n], _ = r.measures[n].combine(r.mesh, r.readings[n])
	}
	return values
}

// differences are the derivatives of all objectives by the position of a piece: of fourth order, one-sided at the
// border, the mean of both sides for edges on cell faces.
func differences(t *testing.T, name string, axis int, want []Objective) []float64 {
	t.Helper()
	h := 0.25e-3 / 40
	if slices.Contains([]string{"die/round", "die/via", "top/disc"}, name) {
		h /= 50 // the parts of cells in which the shares of shapes are smooth are small
	}
	at := func(n float64) []float64 {
		return valuesOf(t, positionStack(func(of string) (by [2]float64) {
			if of == name {
				by[axis] = n * h
			}
			return by
		}), want)
	}
	weighted := func(d []float64, weights map[float64]float64) []float64 {
		for n, w := range weights {
			for i, v := range at(n) {
				d[i] += w * v / (12 * h)
			}
		}
		return d
	}
	side := func(sign, part float64) map[float64]float64 {
		part *= sign
		return map[float64]float64{0: -25 * part, sign: 48 * part, 2 * sign: -36 * part, 3 * sign: 16 * part,
			4 * sign: -3 * part}
	}
	d := make([]float64, len(want))
	switch {
	case name == "die/aligned":
		return weighted(weighted(d, side(1, 0.5)), side(-1, 0.5))
	case name == "die/border" && axis == 0 || name == "glue/edge" && axis == 1:
		return weighted(d, side(1, 1))
	case name == "die/border" || name == "glue/edge":
		return weighted(d, side(-1, 1))
	}
	return weighted(d, map[float64]float64{-2: 1, -1: -8, 1: 8, 2: -1})
}

// Derivatives by position against differences of solves, for all outputs.
func TestPositionsAgainstDifferences(t *testing.T) {
	want := []Objective{{Norm: 12}, {Of: "across"}, {Of: Max}, {Of: "die/border" + Peak}, {Of: Probe + "p"}, {Of: Rth}}
	o := options()
	o.Positions = true
	all, err := Of(t.Context(), positionStack(func(string) (by [2]float64) { return by }), want, o)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range all[0].Of {
		v := &all[0].Of[i]
		if !v.Position() {
			continue
		}
		names = append(names, v.Name)
		axis := map[Kind]int{X: 0, Y: 1}[v.Kind]
		d := differences(t, v.Name, axis, want)
		for n := range want {
			largest := 0.0
			for j := range all[n].Of {
				if all[n].Of[j].Position() {
					largest = math.Max(largest, math.Abs(all[n].Of[j].Derivative))
				}
			}
			got := all[n].Of[i].Derivative
			off := math.Abs(got-d[n]) / math.Max(math.Abs(d[n]), largest/10)
			most := 1e-5
			if v.Name == "die/via" || v.Name == "top/disc" {
				most = 2e-4 // differences meet the corners of cells
			}
			if off > most {
				t.Errorf("%s by %s of %s: %.9g, differences %.9g", all[n].Name, v.Kind, v.Name, got, d[n])
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) != 13 {
		t.Errorf("positions of %q", names)
	}
}

// Derivatives by numbers of the stack file against differences of solves, also of those that change the powers, the
// objective itself or all layers.
func TestKeysAgainstDifferences(t *testing.T) {
	still := func(string) (by [2]float64) { return by }
	want := []Objective{{Norm: 12}, {Of: Max}, {Of: Rth}, {Of: Probe + "p"}}
	keys := map[string]func(s *stack.Stack, x float64){
		"ambient": func(s *stack.Stack, x float64) { s.Ambient, s.Boundary[stack.Top].Temperature = x, x },
		"k":       func(s *stack.Stack, x float64) { s.Materials[3].K = [3]float64{x / 75, x / 60, x / 100} },
		"base":    func(s *stack.Stack, x float64) { s.Layers[0].Thickness = x * 5e-4 / 300 },
		"watts":   func(s *stack.Stack, x float64) { s.Layers[2].Powers[0].Blocks[1].Watts = x / 200 },
		"width":   func(s *stack.Stack, x float64) { s.Layers[1].Regions[0].Width = x / 300 * 0.93e-3 },
	}
	o := options()
	o.KeysOnly = true
	build := func(name string, x float64) *stack.Stack {
		s := positionStack(still)
		keys[name](s, x)
		return s
	}
	for name := range keys {
		o.Keys = []Key{{Name: name, Value: 300, Unit: "K", Stack: func(x float64) (*stack.Stack, error) {
			return build(name, x), nil
		}}}
		all, err := Of(t.Context(), build(name, 300), want, o)
		if err != nil {
			t.Fatal(err)
		}
		h := 3.0 // K, or 1 %
		if name == "ambient" {
			h = 0.3 // of rises of 20 K, to the power of 12
		}
		var at [4][]float64
		for n, f := range []float64{-2, -1, 1, 2} {
			at[n] = valuesOf(t, build(name, 300+f*h), want)
		}
		for n := range want {
			d := (at[0][n] - 8*at[1][n] + 8*at[2][n] - at[3][n]) / (12 * h)
			if got := all[n].Of[0].Derivative; math.Abs(got-d) > 1e-5*math.Abs(d)+1e-9*all[n].Value {
				t.Errorf("%s by %s: %.9g, differences %.9g", all[n].Name, name, got, d)
			}
		}
	}
	o.Keys = []Key{{Name: "cells", Value: 1, Stack: func(x float64) (*stack.Stack, error) {
		other := positionStack(still)
		other.Layers = other.Layers[:2]
		return other, nil
	}}}
	if _, err := Of(t.Context(), positionStack(still), want, o); !errors.Is(err, ErrKey) {
		t.Errorf("a key that removes a layer: %v", err)
	}
}
