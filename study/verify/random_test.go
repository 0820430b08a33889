package verify

import (
	"fmt"
	"math"

	"pgregory.net/rapid"

	"thermsim/stack"
)

// logUniform draws from [lo, hi], evenly in the logarithm.
func logUniform(t *rapid.T, lo, hi float64, name string) float64 {
	return math.Exp(rapid.Float64Range(math.Log(lo), math.Log(hi)).Draw(t, name))
}

// drawKelvin draws a difference of temperatures in steps of a quarter: the solver's FP32 vectors are not for
// differences of 1e-14 K, which a plain interval tends to.
func drawKelvin(t *rapid.T, lo, hi int, name string) float64 {
	return float64(rapid.IntRange(4*lo, 4*hi).Draw(t, name)) / 4
}

// drawStack draws a small stack. Its cells are at most 10 mm wide and at least 1.7 um thick: flatter ones, with
// couplings along z 1e9 times the lateral ones, are beyond what a preconditioner in FP32 brings to the accuracy these
// tests ask for. A passive one only loses heat to the ambient: every temperature on its faces is the ambient, and no
// power or flux is negative.
func drawStack(t *rapid.T, passive bool) *stack.Stack {
	st := newStack("random", logUniform(t, 1e-4, 1e-2, "width"), logUniform(t, 1e-4, 1e-2, "depth"), 0, 0)
	st.Grid.X = drawAxis(t, st.Size[0], "x")
	st.Grid.Y = drawAxis(t, st.Size[1], "y")
	for range rapid.IntRange(1, 3).Draw(t, "materials") {
		k := isotropic(logUniform(t, 0.2, 400, "k"))
		for a := range k {
			k[a] *= logUniform(t, 0.2, 5, "anisotropy")
		}
		addMaterial(st, fmt.Sprint("m", len(st.Materials)), k, logUniform(t, 1e6, 4e6, "c"))
	}
	layers := rapid.IntRange(1, 4).Draw(t, "layers")
	for l := range layers {
		st.Layers = append(st.Layers, drawLayer(t, st, l, l == layers-1, passive))
	}
	grounded := rapid.IntRange(0, stack.NumFaces-1).Draw(t, "grounded face")
	for f := range stack.Face(stack.NumFaces) {
		st.Boundary[f] = drawBoundary(t, int(f) == grounded, passive)
	}
	return st
}

func drawAxis(t *rapid.T, length float64, name string) stack.Axis {
	n := rapid.IntRange(1, 6).Draw(t, name+" cells")
	a := stack.Axis{Cells: n}
	if n > 1 && rapid.Bool().Draw(t, name+" graded") {
		first := rapid.IntRange(1, n-1).Draw(t, name+" cells of the first segment")
		ratio := rapid.SampledFrom([]float64{0.25, 1, 3})
		a.Segments = []stack.Segment{
			{To: length * rapid.Float64Range(0.2, 0.8).Draw(t, name+" joint"), Cells: first,
				Ratio: ratio.Draw(t, "ratio")},
			{To: length, Cells: n - first, Ratio: ratio.Draw(t, "ratio")},
		}
	}
	return a
}

func drawLayer(t *rapid.T, st *stack.Stack, number int, last, passive bool) stack.Layer {
	material := rapid.IntRange(0, len(st.Materials)-1)
	l := stack.Layer{
		Name:      fmt.Sprint("layer", number),
		Material:  material.Draw(t, "material"),
		Thickness: logUniform(t, 5e-6, 1e-3, "thickness"),
		Cells:     rapid.IntRange(1, 3).Draw(t, "cells"),
	}
	if !last && rapid.Bool().Draw(t, "contact") {
		l.ContactResistance = logUniform(t, 1e-8, 1e-4, "contact resistance")
	}
	for range rapid.IntRange(0, 2).Draw(t, "regions") {
		l.Regions = append(l.Regions, stack.Region{Material: material.Draw(t, "material"), Rect: drawCells(t, st)})
	}
	for range rapid.IntRange(0, 2).Draw(t, "powers") {
		l.Powers = append(l.Powers, drawPower(t, st, passive))
	}
	return l
}

// drawCells draws a rectangle with its edges on grid lines.
func drawCells(t *rapid.T, st *stack.Stack) stack.Rect {
	side := func(a stack.Axis, length float64) (from, width float64) {
		lines := gridLines(a, length)
		lo := rapid.IntRange(0, len(lines)-2).Draw(t, "first cell")
		hi := rapid.IntRange(lo+1, len(lines)-1).Draw(t, "last line")
		return lines[lo], lines[hi] - lines[lo]
	}
	x, w := side(st.Grid.X, st.Size[0])
	y, h := side(st.Grid.Y, st.Size[1])
	return stack.Rect{X: x, Y: y, Width: w, Height: h}
}

// drawRect draws a rectangle anywhere in the domain.
func drawRect(t *rapid.T, st *stack.Stack) stack.Rect {
	part := rapid.Float64Range(0.05, 0.5)
	r := stack.Rect{Width: st.Size[0] * part.Draw(t, "width"), Height: st.Size[1] * part.Draw(t, "height")}
	r.X = (st.Size[0] - r.Width) * rapid.Float64Range(0, 1).Draw(t, "x")
	r.Y = (st.Size[1] - r.Height) * rapid.Float64Range(0, 1).Draw(t, "y")
	return r
}

func drawPower(t *rapid.T, st *stack.Stack, passive bool) stack.Power {
	watts := rapid.Custom(func(t *rapid.T) float64 {
		w := logUniform(t, 1e-3, 2, "magnitude") * float64(rapid.IntRange(0, 3).Draw(t, "on")&1)
		if !passive && rapid.Bool().Draw(t, "negative") {
			w = -w
		}
		return w
	})
	switch rapid.IntRange(0, 2).Draw(t, "kind of power") {
	case 0:
		return uniformPower(watts.Draw(t, "watts"), drawRect(t, st))
	case 1:
		nx, ny := rapid.IntRange(1, 4).Draw(t, "tiles"), rapid.IntRange(1, 4).Draw(t, "tiles")
		values := rapid.SliceOfN(watts, nx*ny, nx*ny).Draw(t, "watts")
		return stack.Power{Map: &stack.PowerMap{NX: nx, NY: ny, Values: values}, Area: drawRect(t, st)}
	}
	p := stack.Power{Area: st.Domain(), AllowOverlap: true}
	for b := range rapid.IntRange(1, 3).Draw(t, "blocks") {
		block := stack.Block{Name: fmt.Sprint("b", b), Watts: watts.Draw(t, "watts")}
		for range rapid.IntRange(1, 2).Draw(t, "rectangles") {
			block.Rects = append(block.Rects, drawRect(t, st))
		}
		p.Blocks = append(p.Blocks, block)
	}
	return p
}

func drawBoundary(t *rapid.T, grounded, passive bool) stack.Boundary {
	lowest := stack.Adiabatic
	if grounded {
		lowest = stack.Convective
	}
	kind := stack.BoundaryKind(rapid.IntRange(int(lowest), int(stack.LumpedResistance)).Draw(t, "boundary"))
	if grounded && kind == stack.HeatFlux {
		kind = stack.Convective
	}
	b := stack.Boundary{Kind: kind, Temperature: ambient}
	if !passive {
		b.Temperature += drawKelvin(t, -20, 50, "temperature")
	}
	switch kind {
	case stack.Convective:
		b.H = logUniform(t, 1, 1e5, "h")
	case stack.LumpedResistance:
		b.Resistance = logUniform(t, 0.1, 1e3, "resistance")
	case stack.HeatFlux:
		b.Flux = logUniform(t, 1, 1e5, "flux")
		if !passive && rapid.Bool().Draw(t, "outwards") {
			b.Flux = -b.Flux
		}
	}
	return b
}
