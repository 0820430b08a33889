package main

import (
	"context"
	"fmt"
	"io"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// joint is a field of round joints between two dies, lengths in um.
type joint struct {
	name                    string
	diameter, pitch, height float64
	of                      pair
}

// jointTable compares fields of joints between two dies of 100 um silicon, resolved, with the parallel rule along the
// joints: heat that has to converge on them in the dies is what the rule leaves out.
func jointTable(ctx context.Context, w io.Writer) error {
	fmt.Fprintln(w, "| joints | diameter, pitch, height | fraction | by the rule, mm2 K/W | resolved | missing "+
		"|\n|---|---|---|---|---|---|")
	solder, hybrid := pair{"solder in underfill", 58, 0.5}, pair{"copper in oxide", 398, 1.4}
	for _, j := range []joint{
		{name: "C4 bumps", diameter: 80, pitch: 150, height: 60, of: solder},
		{name: "micro-bumps", diameter: 20, pitch: 40, height: 15, of: solder},
		{name: "micro-bumps", diameter: 10, pitch: 40, height: 10, of: solder},
		{name: "hybrid bonds", diameter: 4.5, pitch: 9, height: 2, of: hybrid},
		{name: "hybrid bonds", diameter: 1, pitch: 9, height: 2, of: hybrid},
	} {
		var r [2]float64 // by the rule, resolved; m2 K/W
		for n := range r {
			var v [2]float64
			for level := range v {
				st := j.stack(n == 1, 24<<level)
				watts, err := heat(ctx, st, stack.Bottom)
				if err != nil {
					return err
				}
				v[level] = st.Domain().Area() / watts
			}
			r[n] = 2*v[1] - v[0]
		}
		dies := 2 * 100e-6 / 130
		own, real := r[0]-dies, r[1]-dies
		fmt.Fprintf(w, "| %s, %s | %g, %g, %g um | %.3g | %.3g | %.3g | %.0f %% |\n", j.name, j.of.name, j.diameter,
			j.pitch, j.height, j.fraction(), own*1e6, real*1e6, 100*(1-own/real))
	}
	return nil
}

func (j *joint) fraction() float64 {
	return geometry.Circle{Diameter: j.diameter}.Area() / (j.pitch * j.pitch)
}

// stack is a quarter of a cell of the field on n x n cells, with the joint resolved or as a fill.
func (j *joint) stack(resolved bool, n int) *stack.Stack {
	const um = 1e-6
	half := j.pitch / 2 * um
	solid := func(name string, k float64) stack.Material {
		return stack.Material{Name: name, K: [3]float64{k, k, k}, C: 1}
	}
	st := &stack.Stack{
		Ambient: 300, Size: [2]float64{half, half},
		Grid:      stack.Grid{X: stack.Axis{Cells: n}, Y: stack.Axis{Cells: n}},
		Materials: []stack.Material{solid("silicon", 130), solid("matrix", j.of.km), solid("joint", j.of.ki)},
	}
	// The heat spreads within a pitch of the joint: thin cells there, one layer beyond.
	near := min(j.pitch*um, 90*um)
	st.Layers = []stack.Layer{
		{Name: "below", Thickness: 100*um - near, Cells: 2}, {Name: "near below", Thickness: near, Cells: n},
		{Name: "joint", Material: 1, Thickness: j.height * um, Cells: n / 2},
		{Name: "near above", Thickness: near, Cells: n}, {Name: "above", Thickness: 100*um - near, Cells: 2},
	}
	region := stack.Region{Material: 1, Rect: st.Domain(),
		Fill: &stack.Fill{Inclusion: 2, Rule: stack.Square, NX: 1, NY: 1, Values: []float64{j.fraction()}}}
	if resolved {
		c := geometry.Circle{Diameter: j.diameter * um}
		region = stack.Region{Material: 2, Rect: stack.Around(c), Shape: c}
	}
	st.Layers[2].Regions = []stack.Region{region}
	st.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 300}
	st.Boundary[stack.Top] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 301}
	return st
}
