package mesh

import (
	"math"
	"slices"
	"testing"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// warmStack has two layers, a rectangle and a circle whose edges cut cells. If a temperature is given, its
// conductivities are constant, with the values there.
func warmStack(kelvin float64) *stack.Stack {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{3, 2}}
	s.Grid = stack.Grid{X: stack.Axis{Cells: 4}, Y: stack.Axis{Cells: 3}}
	add := func(c *stack.Curve) {
		m := stack.Material{Name: c.Law.String(), K: [3]float64{1, 1, 1}, C: 1, KCurve: [3]*stack.Curve{c, c, c}}
		m = m.At(300)
		if kelvin > 0 {
			m = m.At(kelvin)
			m.KCurve = [3]*stack.Curve{}
		}
		s.Materials = append(s.Materials, m)
	}
	add(&stack.Curve{Law: stack.PowerLaw, Value: 148, At: 300, Exponent: 1.3, Range: [2]float64{200, 600}})
	add(&stack.Curve{Law: stack.TableLaw, Temperatures: []float64{200, 310, 500}, Values: []float64{2, 3, 9},
		Range: [2]float64{200, 500}})
	s.Layers = []stack.Layer{{Name: "a", Thickness: 1, Cells: 1}, {Name: "b", Material: 1, Thickness: 2, Cells: 2}}
	s.Layers[0].Regions = []stack.Region{{Material: 1, Rect: stack.Rect{X: 0.5, Y: 0.5, Width: 1.6, Height: 1.1}}}
	disc := geometry.Circle{X: 2.2, Y: 1.1, Diameter: 1.3}
	s.Layers[0].Regions = append(s.Layers[0].Regions, stack.Region{Material: 1, Rect: stack.Around(disc), Shape: disc})
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 5, Temperature: 300}
	return s
}

// TestSampleWarm finds the weights of a stack whose constants are those of the temperature.
func TestSampleWarm(t *testing.T) {
	m, err := Build(warmStack(0))
	if err != nil {
		t.Fatal(err)
	}
	for _, kelvin := range []float64{250, 333, 470} {
		constant, err := Build(warmStack(kelvin))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range [][3]float64{{1, 1, 1}, {0.9, 0.6, 0.3}, {2.2, 1.7, 3}, {1.7, 0.4, 0.9}} {
			warmed := m.Warmed(func(int, int) (float64, bool) { return kelvin, true })
			got := warmed.SampleAt(p[0], p[1], p[2], stack.Below)
			want := constant.SampleAt(p[0], p[1], p[2], stack.Below)
			if len(got.Terms) != len(want.Terms) || math.Abs(got.Constant-want.Constant) > 1e-10 {
				t.Fatalf("%v: %v, want %v", p, got, want)
			}
			for i, w := range want.Terms {
				if g := got.Terms[i]; g.Plane != w.Plane || g.Cell != w.Cell || math.Abs(g.Weight-w.Weight) > 1e-12 {
					t.Errorf("%g K, %v: %v, want %v", kelvin, p, g, w)
				}
			}
		}
	}
}

// TestOutside finds the materials of a cell of two whose ranges end at 600 and 500 K.
func TestOutside(t *testing.T) {
	m := mustBuild(t, warmStack(0))
	id := m.Planes[0].Index[1][0] // the region covers a part
	for kelvin, want := range map[float64][]int{300: nil, 500: nil, 550: {1}, 199: {0, 1}, 650: {0, 1}} {
		var got []int
		m.Laws.Outside(uint32(id), kelvin, func(material int) { got = append(got, material) })
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%g K is outside the range of materials %v; want %v", kelvin, got, want)
		}
	}
	constant := newLaws(&stack.Stack{Materials: []stack.Material{{K: [3]float64{1, 1, 1}, C: 1}}})
	if constant != nil && constant.outside(0, 1000) {
		t.Error("a constant has a range")
	}
}

// TestMeanOfCurve compares the mean of a table with that of many values, on ways that cross its rows and its ends, and
// close to nothing long.
func TestMeanOfCurve(t *testing.T) {
	c := &stack.Curve{Law: stack.TableLaw, Temperatures: []float64{250, 310, 333, 480},
		Values: []float64{1.2, 1.6, 1.7, 3}, Range: [2]float64{250, 480}}
	s := warmStack(0)
	s.Materials[0].CCurve = c
	l := newLaws(s)
	n := l.Materials[0].Curve[LawC]
	for _, way := range [][2]float64{{260, 300}, {300, 260}, {255, 470}, {320, 320}, {240, 500}, {200, 240}, {500, 490},
		{480, 480}, {250, 250}, {470, 700}, {309.9999999, 310.0000001}, {333, 333 + 1e-12}} {
		sum := 0.0
		const steps = 20000
		for i := range steps {
			sum += c.Of(way[0]+(way[1]-way[0])*(float64(i)+0.5)/steps) / steps
		}
		if got := l.mean(n, way[0], way[1]); math.Abs(got-sum) > 1e-7 {
			t.Errorf("from %g to %g K: %.12g, want %.12g", way[0], way[1], got, sum)
		}
	}
	if v := l.of(n, math.NaN()); v != 1.2 {
		t.Errorf("at no number: %g", v)
	}
}
