package mesh

import (
	"testing"

	"thermsim/stack"
)

// boxed is a box of 2 x 3 x 1 mm of one material, whose faces lead to films of different heights.
func boxed() *stack.Stack {
	s := &stack.Stack{
		Schema: 1, Ambient: 300, Size: [2]float64{2e-3, 3e-3},
		Grid: stack.Grid{X: stack.Axis{Cells: 4}, Y: stack.Axis{Cells: 5}},
		Materials: []stack.Material{{Name: "one", K: [3]float64{10, 20, 40}, C: 2e6},
			{Name: "two", K: [3]float64{10, 20, 40}, C: 2e6}, {Name: "other", K: [3]float64{40, 80, 40}, C: 2e6}},
		Layers: []stack.Layer{{Name: "l", Thickness: 1e-3, Cells: 2}},
	}
	for f := range s.Boundary {
		s.Boundary[f] = stack.Boundary{Kind: stack.Convective, Temperature: 300, H: float64(1000 * (f + 1))}
	}
	return s
}

// Each face conducts through half a cell and its film; together they hold what the volume does.
func TestTotalsOfABox(t *testing.T) {
	s := boxed()
	want := 0.0
	for f, c := range map[stack.Face]struct{ area, cell, k float64 }{
		stack.West: {3e-6, 2e-3 / 4, 10}, stack.East: {3e-6, 2e-3 / 4, 10}, stack.South: {2e-6, 3e-3 / 5, 20},
		stack.North:  {2e-6, 3e-3 / 5, 20},
		stack.Bottom: {6e-6, 1e-3 / 2, 40}, stack.Top: {6e-6, 1e-3 / 2, 40},
	} {
		want += c.area / (c.cell/(2*c.k) + 1/s.Boundary[f].H)
	}
	m := mustBuild(t, s)
	near(t, "conductance of all faces", m.GroundConductance(), want)
	near(t, "heat capacity", m.HeatCapacity(), 2e6*6e-9)
}

// A face conducts through each material that lies on it, and coolant carries heat out.
func TestConductanceOfRegionsAndCoolant(t *testing.T) {
	s := boxed()
	s.Boundary = [stack.NumFaces]stack.Boundary{stack.Top: s.Boundary[stack.Top], stack.West: s.Boundary[stack.West]}
	s.Materials[2].K[2] = 80
	s.Layers[0].Regions = []stack.Region{{Material: 2, Rect: stack.Rect{Width: 2e-3, Height: 1.2e-3}}}
	top, west := 1/s.Boundary[stack.Top].H, 1/s.Boundary[stack.West].H
	near(t, "conductance of two materials", mustBuild(t, s).GroundConductance(),
		2.4e-6/(top+0.25e-3/80)+3.6e-6/(top+0.25e-3/40)+1.2e-6/(west+0.25e-3/40)+1.8e-6/(west+0.25e-3/10))
	near(t, "heat capacity rate of two cavities", mustBuild(t, cavities(5)).GroundConductance(), 2*1e-6*4e6)
}

// BenchmarkGroundConductance sums a face of a million cells of two materials.
func BenchmarkGroundConductance(b *testing.B) {
	s := boxed()
	s.Grid.X.Cells, s.Grid.Y.Cells = 1024, 1024
	s.Layers[0].Regions = []stack.Region{{Material: 2, Rect: stack.Rect{Width: 1e-3, Height: 2e-3}}}
	m := mustBuild(b, s)
	for b.Loop() {
		m.GroundConductance()
	}
}

// Regions of a material with the same properties leave a layer uniform; one that differs by a millionth in anything
// does not.
func TestLayersOfLikeCellsAreUniform(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*stack.Material)
		want   bool
	}{
		"alike":    {func(*stack.Material) {}, true},
		"rounding": {func(m *stack.Material) { m.K[0] *= 1 + 1e-12 }, true},
		"along x":  {func(m *stack.Material) { m.K[0] *= 1 + 1e-6 }, false},
		"along z":  {func(m *stack.Material) { m.K[2] *= 1 - 1e-6 }, false},
		"capacity": {func(m *stack.Material) { m.C *= 1 + 1e-6 }, false},
	} {
		s := boxed()
		c.change(&s.Materials[1])
		s.Layers[0].Regions = []stack.Region{{Material: 1, Rect: stack.Rect{Width: 1e-3, Height: 3e-3}}}
		if got := mustBuild(t, s).Planes[0].Index == nil; got != c.want {
			t.Errorf("%s: uniform %v, want %v", name, got, c.want)
		}
	}
}

// Rows of two materials in turn have a jump at every face between rows, columns at every face between columns, and a
// board of both at all faces.
func TestSharesOfInterfaces(t *testing.T) {
	const nx, ny = 4, 5
	const across, along = float64((nx - 1) * ny), float64(nx * (ny - 1))
	for name, c := range map[string]struct {
		other func(i, j int) bool
		want  float64
	}{
		"rows":    {func(_, j int) bool { return j%2 == 1 }, along / (across + along)},
		"columns": {func(i, _ int) bool { return i%2 == 1 }, across / (across + along)},
		"board":   {func(i, j int) bool { return (i+j)%2 == 1 }, 1},
		"last":    {func(i, j int) bool { return i == nx-1 && j == ny-1 }, 2 / (across + along)},
		"none":    {func(int, int) bool { return false }, 0},
	} {
		s := boxed()
		for i := range nx {
			for j := range ny {
				if c.other(i, j) {
					s.Layers[0].Regions = append(s.Layers[0].Regions,
						stack.Region{Material: 2, Rect: stack.Rect{X: float64(i) * 0.5e-3, Y: float64(j) * 0.6e-3,
							Width: 0.5e-3, Height: 0.6e-3}})
				}
			}
		}
		near(t, name, mustBuild(t, s).InterfaceShare(0), c.want)
	}
}

// A slab of a leaking stack has the leakage of its rows.
func TestSlabsLeakWhatTheirRowsDo(t *testing.T) {
	s := boxed()
	law := &stack.Curve{Law: stack.ExponentialLaw, Value: 1, Exponent: 0.01, At: 358, Range: [2]float64{250, 700}}
	s.Layers[0].Powers = []stack.Power{{Area: s.Domain(), Blocks: []stack.Block{
		{Name: "a", Watts: 1, Rects: []stack.Rect{{Width: 1e-3, Height: 1.1e-3}}},
		{Name: "b", Watts: 3, Rects: []stack.Rect{{X: 0.7e-3, Y: 1.3e-3, Width: 1.1e-3, Height: 1.5e-3}}},
	}}}
	for n := range s.Layers[0].Powers[0].Blocks {
		s.Layers[0].Powers[0].Blocks[n].Leakage = stack.Leakage{Watts: float64(1 + n), Factor: law}
	}
	m := mustBuild(t, s)
	for from := range m.NY() {
		for to := from + 1; to <= m.NY(); to++ {
			for n, sheet := range m.Slab(from, to).Leakage.Sheets {
				if len(sheet) != (to-from)*m.NX() {
					t.Fatalf("rows %d to %d: %d cells", from, to, len(sheet))
				}
				for c, w := range sheet {
					if want := m.Leakage.Sheets[n][from*m.NX()+c]; w != want {
						t.Errorf("rows %d to %d, cell %d: %g W, want %g", from, to, c, w, want)
					}
				}
			}
		}
	}
}
