package gpusolve_test

import (
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/testing/cases"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// The layer in question is one of beol; the other material is silicon.
const evenLayer, otherMaterial = 4, 0

// evenly are ways to write a layer that is one material all over, though regions or fills make it so. k and c are those
// of the material.
func evenly(base *stack.Stack, other int) map[string][]stack.Region {
	all := base.Domain()
	part := func(x, y, w, h float64) stack.Rect {
		return stack.Rect{X: x * all.Width, Y: y * all.Height, Width: w * all.Width, Height: h * all.Height}
	}
	of := func(material int, rects ...stack.Rect) (regions []stack.Region) {
		for _, r := range rects {
			regions = append(regions, stack.Region{Material: material, Rect: r})
		}
		return regions
	}
	triangle := func(x, y float64) stack.Region {
		corners := geometry.Polygon{{X: 0, Y: 0}, {X: all.Width, Y: all.Height}, {X: x * all.Width, Y: y * all.Height}}
		return stack.Region{Material: other, Rect: all, Shape: corners}
	}
	fill := &stack.Fill{Inclusion: other, Rule: stack.Upper, NX: 2, NY: 3,
		Values: []float64{0.3, 0.3, 0.3, 0.3, 0.3, 0.3}}
	return map[string][]stack.Region{
		"a region covers it":        of(other, all),
		"the last region covers it": append(of(2, part(0.1, 0.2, 0.3, 0.3)), of(other, all)...),
		"two regions tile it":       of(other, part(0, 0, 0.437, 1), part(0.437, 0, 0.563, 1)),
		"three tile it, seams in cells": of(other, part(0, 0, 1, 0.13), part(0, 0.13, 1, 0.011),
			part(0, 0.141, 1, 0.859)),
		"four tile it on a cell's faces": of(other, part(0, 0, 0.5, 0.5), part(0.5, 0, 0.5, 0.5),
			part(0, 0.5, 0.5, 0.5), part(0.5, 0.5, 0.5, 0.5)),
		"two triangles tile it":        {triangle(1, 0), triangle(0, 1)},
		"a fill that is even":          {{Material: base.Layers[evenLayer].Material, Rect: all, Fill: fill}},
		"a region of its own material": of(base.Layers[evenLayer].Material, part(0.21, 0.33, 0.3, 0.4)),
	}
}

// Layers that are uniform whatever they are written as are solved directly, and the field is that of the same layer
// written as one material, by multigrid to rtol 1e-11.
func TestUniformLayersAreSolvedDirectly(t *testing.T) {
	for name, regions := range evenly(cases.Stack10(cases.Options{}), otherMaterial) {
		s := cases.Stack10(cases.Options{NX: 14, NY: 12})
		s.Layers[evenLayer].Regions = regions
		plain := cases.Stack10(cases.Options{NX: 14, NY: 12})
		l := &plain.Layers[evenLayer]
		switch own := plain.Materials[l.Material]; {
		case strings.Contains(name, "fill"):
			f := regions[0].Fill
			k, c := f.Rule.Mix(&plain.Materials[f.Inclusion], &own, 0.3)
			plain.Materials = append(plain.Materials, stack.Material{Name: "filled", K: k, C: c})
			l.Material = len(plain.Materials) - 1
		case !strings.Contains(name, "own"):
			l.Material = otherMaterial
		}
		m := solves.Build(t, s)
		if before, after := memory.OfStack(s, "", false, false).Peak(),
			memory.OfSystem(m, "", false, false).Peak(); before > after || !fourier.MayApply(s) {
			t.Errorf("%s: %d bytes before meshing, %d after", name, before, after)
		}
		if method, why := methods.Choice(m, ""); method != "fourier" || why != "" {
			t.Errorf("%s: %s: %s", name, method, why)
			continue
		}
		direct := solves.Solve(t, m, gpusolve.Options{Device: "cpu"})
		want := solves.Solve(t, solves.Build(t, plain), gpusolve.Options{Device: "cpu", Preconditioner: "multigrid",
			RTol: 1e-11})
		tight := solves.Solve(t, m, gpusolve.Options{Device: "cpu", Preconditioner: "multigrid", RTol: 1e-11})
		d, _ := solves.FieldDifference(t, m, direct, want)
		e, _ := solves.FieldDifference(t, m, direct, tight)
		if math.Max(d, e) > 1e-8 || direct.Status.Method != "direct" {
			t.Errorf("%s: off by %.2g K of the plain stack's multigrid and %.2g K of its own; %+v", name, d, e,
				direct.Status)
		}
		direct.Close()
		want.Close()
		tight.Close()
	}
}

// A gap of a thousandth of a cell is not uniform, and the reason is in the stack's words.
func TestAlmostUniformLayersAreIterated(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 14, NY: 12})
	l := &s.Layers[evenLayer]
	r := s.Domain()
	r.Width *= 1 - 1e-3/14
	l.Regions = []stack.Region{{Material: otherMaterial, Rect: r}}
	want := "layer " + l.Name + " has a region of " + s.Materials[otherMaterial].Name + " in " +
		s.Materials[l.Material].Name
	if method, why := methods.Choice(solves.Build(t, s), ""); method != "multigrid" || why != want {
		t.Errorf("%s, %s; want %s", method, why, want)
	}
	uneven := &stack.Fill{Inclusion: otherMaterial, Rule: stack.Upper, NX: 2, NY: 1, Values: []float64{0.3, 0.31}}
	l.Regions = []stack.Region{{Material: l.Material, Rect: s.Domain(), Fill: uneven}}
	if method, why := methods.Choice(solves.Build(t, s), ""); method != "multigrid" ||
		!strings.Contains(why, "has a fill that follows a map") {
		t.Errorf("%s, %s", method, why)
	}
}

// Stripes at the pitch of the grid cut every cell alike, off its middle, and a side they run along is held. The cell
// next to it meets it through 0.3 of a cell of the one material and 0.2 of the other, so on a grid of one cell along
// the axis, with every other face adiabatic, the rise is known: P d (0.3/k + 0.2/k') / A. On all grids the default
// method and the direct one agree with multigrid to rtol 1e-11.
func TestHeldSideMeetsTheHalfOfACutCell(t *testing.T) {
	const pitch, thickness, watts = 1e-3, 2e-4, 0.1
	for _, n := range [][2]int{{1, 1}, {1, 4}, {4, 1}, {3, 4}} {
		for side := stack.West; side < stack.NumFaces; side++ {
			axis := (side - stack.West) / 2
			s := &stack.Stack{
				Schema: 1, Ambient: 300,
				Size: [2]float64{float64(n[0]) * pitch, float64(n[1]) * pitch},
				Grid: stack.Grid{X: stack.Axis{Cells: n[0]}, Y: stack.Axis{Cells: n[1]}},
				Materials: []stack.Material{
					{Name: "good", K: [3]float64{150, 150, 150}, C: 1.6e6},
					{Name: "bad", K: [3]float64{2, 2, 2}, C: 2e6},
				},
			}
			layer := stack.Layer{Name: "striped", Thickness: thickness, Cells: 1}
			layer.Powers = []stack.Power{{Uniform: watts, Area: s.Domain()}}
			for c := range n[axis] {
				at := 0.3 // to the middle of the cell from the held side
				if side == stack.East || side == stack.North {
					at = 0.5
				}
				r := s.Domain()
				if axis == 0 {
					r.X, r.Width = (float64(c)+at)*pitch, 0.2*pitch
				} else {
					r.Y, r.Height = (float64(c)+at)*pitch, 0.2*pitch
				}
				layer.Regions = append(layer.Regions, stack.Region{Material: 1, Rect: r})
			}
			s.Layers = []stack.Layer{layer}
			s.Boundary[side] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 310}
			m := solves.Build(t, s)
			want := solves.Solve(t, m, gpusolve.Options{Device: "cpu", Preconditioner: "multigrid", RTol: 1e-11})
			for _, method := range []string{"", "fourier"} {
				got := solves.Solve(t, m, gpusolve.Options{Device: "cpu", Preconditioner: method, RTol: 1e-11})
				if d, rise := solves.FieldDifference(t, m, got, want); !(d < 1e-6*rise) {
					t.Errorf("%d x %d cells, %s, method %q: off by %.3g K of %.3g K", n[0], n[1], side, method, d, rise)
				}
				plane := make([]float64, m.NX()*m.NY())
				if err := got.Field.Plane(0, plane); err != nil {
					t.Fatal(err)
				}
				area := s.Size[1-axis] * thickness
				exact := 310 + watts*pitch*(0.3/150+0.2/2)/area
				if n[axis] == 1 && math.Abs(plane[0]-exact) > 1e-5 {
					t.Errorf("%d x %d cells, %s, %q: %.6f K, exact %.6f K", n[0], n[1], side, method, plane[0], exact)
				}
				got.Close()
			}
			want.Close()
		}
	}
}
