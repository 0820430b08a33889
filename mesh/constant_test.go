package mesh

import (
	"math"
	"slices"
	"testing"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// Beside materials that follow the temperature, fills and cells that shapes cut keep the properties of the palette at
// any temperature.
func TestConstantEntriesOfAStackThatFollows(t *testing.T) {
	s := warmStack(0)
	for _, k := range []float64{0.3, 400} {
		s.Materials = append(s.Materials, stack.Material{Name: "c", K: [3]float64{k, 2 * k, 3 * k}, C: 7 * k})
	}
	disc := geometry.Circle{X: 1.3, Y: 0.9, Diameter: 1.1}
	fill := &stack.Fill{Inclusion: 3, Rule: stack.Square, NX: 1, NY: 1, Values: []float64{0.3}}
	box := stack.Rect{X: 0.4, Y: 0.2, Width: 2.1, Height: 1.5}
	s.Layers = append(s.Layers,
		stack.Layer{Name: "shapes", Material: 2, Thickness: 1, Cells: 1, Regions: []stack.Region{
			{Material: 2, Rect: box, Fill: fill}, {Material: 3, Rect: stack.Around(disc), Shape: disc}}},
		stack.Layer{Name: "fill", Material: 2, Thickness: 1, Cells: 1,
			Regions: []stack.Region{{Material: 2, Rect: box, Fill: fill}}},
		stack.Layer{Name: "over", Material: 0, Thickness: 1, Cells: 1,
			Regions: []stack.Region{{Material: 3, Rect: box}}})
	many := stack.Layer{Name: "many materials in a cell", Material: 2, Thickness: 1, Cells: 1}
	for n := range 30 {
		fraction := &stack.Fill{Inclusion: 3, Rule: stack.Square, NX: 1, NY: 1, Values: []float64{0.02 * float64(n+1)}}
		many.Regions = append(many.Regions,
			stack.Region{Material: 2, Fill: fraction, Rect: stack.Rect{X: 0.02 * float64(n), Y: 0.02 * float64(n*7%30),
				Width: 0.11, Height: 0.07}})
	}
	s.Layers = append(s.Layers, many)
	m, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	if most := slices.MaxFunc(m.Laws.Entries, func(a, b LawEntry) int {
		return int(a.Areas - b.Areas)
	}); most.Areas < 9 {
		t.Fatalf("no cell has more than %d materials", most.Areas)
	}
	if len(m.Laws.Entries) != len(m.Palette) {
		t.Fatalf("%d entries of the laws for a palette of %d", len(m.Laws.Entries), len(m.Palette))
	}
	constant, uneven := 0, 0
	for id, follows := range m.Laws.TemperatureDependent() {
		if follows {
			continue
		}
		constant++
		want := m.Palette[id]
		if want.Half[west] != want.Half[east] {
			uneven++
		}
		for _, kelvin := range []float64{200, 300, 471} {
			got := m.Laws.Warm(uint32(id), kelvin, 310)
			a := append(append(append([]float64{got.C}, got.K[:]...), got.Half[:]...), 0)
			b := append(append(append([]float64{want.C}, want.K[:]...), want.Half[:]...), 0)
			for n := range a {
				if math.Abs(a[n]-b[n]) > 1e-15*b[n]*4 {
					t.Errorf("entry %d at %g K: %v, want %v", id, kelvin, got, want)
				}
			}
		}
	}
	if constant < 8 || uneven < 2 {
		t.Errorf("%d constant entries, %d of them uneven, are too few for a test", constant, uneven)
	}
	if planes := m.TemperatureDependentPlanes(); planes[3] || planes[4] || !planes[5] {
		t.Errorf("planes that follow: %v", planes)
	}
}

// A stack built in Go that was not validated is refused, not solved with the properties of 300 K.
func TestUnfollowableIsRefused(t *testing.T) {
	fill := &stack.Fill{Inclusion: 1, Rule: stack.Cylinders, NX: 1, NY: 1, Values: []float64{0.3}}
	s := warmStack(0)
	s.Layers[0].Regions = []stack.Region{{Material: 1, Rect: stack.Rect{Width: 1, Height: 1}, Fill: fill}}
	if _, err := Build(s); err == nil {
		t.Error("a temperature-dependent fill is accepted")
	}
}
