package mesh

import (
	"math"
	"testing"
	"time"

	"thermsim/internal/timeline/cputime"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// The shares of area that cylinders take stand in the heat capacity and in kz of the cells: their sums over the grid
// are those of the circles, to rounding, on any grid, where circles overlap no others.
func TestCylindersShares(t *testing.T) {
	for _, cells := range []int{1, 7, 40} {
		s := two()
		s.Grid.X.Cells, s.Grid.Y.Cells = cells, cells+3
		area := 0.0
		for n, d := range []float64{0.3e-3, 1.1e-3, 1.9e-3} {
			c := geometry.Circle{X: 1e-3 + 2e-3*float64(n), Y: 1.7e-3 + 0.1e-3*float64(n), Diameter: d}
			area += c.Area()
			s.Layers[1].Regions = append(s.Layers[1].Regions,
				stack.Region{Material: 0, Rect: stack.Around(c), Shape: c})
		}
		m := mustBuild(t, s)
		capacity, conductance := 0.0, 0.0
		row := make([]float64, m.NX())
		for j := range m.NY() {
			m.Capacity(2, j, row)
			for i, c := range row {
				capacity += c
				conductance += m.DX(i) * m.DY(j) * m.At(i, j, 2).K[2]
			}
		}
		whole := 24e-6
		near(t, "heat capacity", capacity, 300e-6*(2e6*whole-1e6*area))
		near(t, "conductance along z", conductance, 5*whole+35*area)
	}
}

// A rectangle given as a polygon makes the conductances of the rectangle, of which FP32 holds the edges.
func TestPolygonAsRectangle(t *testing.T) {
	for _, tt := range []struct{ edge, tolerance float64 }{{3.5e-3, 1e-12}, {3.0e-3, 1e-12}, {2.9e-3, 1e-7}} {
		var rows [2][3]float64
		for n := range rows {
			s := two()
			r := stack.Region{Material: 0, Rect: stack.Rect{Width: tt.edge, Height: 4e-3}}
			if n == 1 {
				r.Shape = geometry.Polygon{{X: 0, Y: 0}, {X: tt.edge, Y: 0}, {X: tt.edge, Y: 4e-3}, {X: 0, Y: 4e-3}}
			}
			s.Layers[1].Regions = []stack.Region{r}
			mustBuild(t, s).CouplingX(2, 0, rows[n][:])
		}
		for i := range rows[0] {
			if d := math.Abs(rows[1][i] - rows[0][i]); d > tt.tolerance*rows[0][0] {
				t.Errorf("edge at %g: polygon %g, rectangle %g", tt.edge, rows[1][i], rows[0][i])
			}
		}
	}
}

// Equal vias on a pitch of whole cells share their mixtures, whatever rounding does to their coordinates.
func TestViasSharePalette(t *testing.T) {
	s := two()
	s.Grid.X.Cells, s.Grid.Y.Cells = 60, 40
	for j := range 7 {
		for i := range 11 {
			c := geometry.Circle{X: 0.5e-3 * float64(i+1), Y: 0.5e-3 * float64(j+1), Diameter: 0.23e-3}
			s.Layers[0].Regions = append(s.Layers[0].Regions,
				stack.Region{Material: 1, Rect: stack.Around(c), Shape: c})
		}
	}
	if m := mustBuild(t, s); len(m.Palette) > 2+16 {
		t.Errorf("%d palette entries for 77 vias of at most 16 cells", len(m.Palette))
	}
}

// A map of fractions on cells that cut its tiles: the mean over each cell, k by the rule, and at most one entry per
// fraction.
func TestFillOfAMap(t *testing.T) {
	s := two()
	s.Grid = stack.Grid{X: stack.Axis{Cells: 3}, Y: stack.Axis{Cells: 1}}
	fill := stack.Fill{Inclusion: 0, Rule: stack.Upper, NX: 2, NY: 1, Values: []float64{0.25, 0.75}}
	s.Layers[1].Regions = []stack.Region{{Material: 1, Rect: s.Domain(), Fill: &fill}}
	m := mustBuild(t, s)
	for i, f := range []float64{0.25, 0.5, 0.75} {
		cell := m.At(i, 0, 2)
		near(t, "kx", cell.K[0], f*10+(1-f)*1)
		near(t, "kz", cell.K[2], f*40+(1-f)*5)
		near(t, "c", cell.C, f*1e6+(1-f)*2e6)
	}
	if len(m.Palette) != 5 {
		t.Errorf("%d palette entries, want two materials and three mixtures", len(m.Palette))
	}
}

// Two vias in one cell, each in a liner with a ring of the layer's own material between: later shapes lie over earlier
// ones, and the areas are exact.
func TestNestedShapes(t *testing.T) {
	s := two()
	s.Grid = stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}}
	s.Materials = append(s.Materials, stack.Material{Name: "c", K: [3]float64{3, 3, 3}, C: 4e6})
	outer, inner := math.Sqrt(4/math.Pi*1e-6), math.Sqrt(4/math.Pi*0.5e-6) // 1 mm2 and half of it
	for _, d := range []float64{outer, 0.9 * outer, inner} {
		for n := range 2 {
			c := geometry.Circle{X: 1.5e-3 + 3e-3*float64(n), Y: 2e-3, Diameter: d}
			of := map[float64]int{outer: 2, 0.9 * outer: 1, inner: 0}[d]
			s.Layers[0].Regions = append(s.Layers[0].Regions,
				stack.Region{Material: of, Rect: stack.Around(c), Shape: c})
		}
	}
	s.Layers[0].Material = 1
	m := mustBuild(t, s)
	liner, ring, core := 2*(1-0.81), 2*0.81-1, 1.0 // mm2
	rest := 24 - liner - ring - core
	near(t, "kz", m.At(0, 0, 0).K[2], (3*liner+5*ring+40*core+5*rest)/24)
	near(t, "c", m.At(0, 0, 0).C, (4e6*liner+2e6*ring+1e6*core+2e6*rest)/24)
}

// A later shape that crosses a circle hides its west half.
func TestCrossingShapes(t *testing.T) {
	s := two()
	s.Grid = stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}}
	s.Materials = append(s.Materials, stack.Material{Name: "c", K: [3]float64{3, 3, 3}, C: 4e6})
	west := geometry.Box{X1: 3e-3, Y1: 4e-3}.Polygon()
	c := geometry.Circle{X: 3e-3, Y: 2e-3, Diameter: 2e-3}
	s.Layers[0].Regions = []stack.Region{{Material: 2, Rect: stack.Around(c), Shape: c},
		{Material: 1, Rect: stack.Around(west), Shape: west}}
	near(t, "kz", mustBuild(t, s).At(0, 0, 0).K[2], (3*math.Pi/2+5*12+40*(12-math.Pi/2))/24)
}

// Many shapes over each other in one cell: of circles within each other each shows its ring, and the last of equal ones
// hides the others.
func TestManyShapesInACell(t *testing.T) {
	const n = 20_000
	build := func(diameter func(i int) float64) *Mesh {
		s := two()
		s.Grid = stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}}
		s.Materials = append(s.Materials, stack.Material{Name: "c", K: [3]float64{3, 3, 3}, C: 4e6})
		for i := range n {
			c := geometry.Circle{X: 3e-3, Y: 2e-3, Diameter: diameter(i)}
			s.Layers[0].Regions = append(s.Layers[0].Regions,
				stack.Region{Material: 2 * (i % 2), Rect: stack.Around(c), Shape: c})
		}
		s.Layers[0].Material = 1
		return mustBuild(t, s)
	}
	disc := func(d float64) float64 { return math.Pi / 4 * d * d * 1e6 } // mm2 of 24
	start := cputime.Used()
	same := build(func(int) float64 { return 3e-3 })
	near(t, "kz of equal circles", same.At(0, 0, 0).K[2], (3*disc(3e-3)+5*(24-disc(3e-3)))/24)

	shrinking := func(i int) float64 { return 3e-3 - 1e-7*float64(i) }
	rings := 0.0
	for i := range n {
		area := disc(shrinking(i))
		if i+1 < n {
			area -= disc(shrinking(i + 1))
		}
		rings += area * [2]float64{40, 3}[i%2]
	}
	nested := build(shrinking)
	near(t, "kz of rings", nested.At(0, 0, 0).K[2], (rings+5*(24-disc(shrinking(0))))/24)
	if spent := cputime.Used() - start; spent > 20*time.Second {
		t.Errorf("took %v of a processor", spent)
	}
}
