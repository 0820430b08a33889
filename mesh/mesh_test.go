package mesh

import (
	"math"
	"strings"
	"testing"

	"thermsim/stack"
)

// two is 6 x 4 mm: 100 um of an anisotropic material under 300 um of another, with a contact resistance between.
func two() *stack.Stack {
	return &stack.Stack{
		Ambient: 300, Size: [2]float64{6e-3, 4e-3},
		Grid: stack.Grid{X: stack.Axis{Cells: 3}, Y: stack.Axis{Cells: 2}},
		Materials: []stack.Material{
			{Name: "a", K: [3]float64{10, 20, 40}, C: 1e6},
			{Name: "b", K: [3]float64{1, 2, 5}, C: 2e6},
		},
		Layers: []stack.Layer{
			{Name: "lower", Material: 0, Thickness: 100e-6, Cells: 2, ContactResistance: 3e-6},
			{Name: "upper", Material: 1, Thickness: 300e-6, Cells: 1},
		},
	}
}

func mustBuild(t testing.TB, s *stack.Stack) *Mesh {
	t.Helper()
	m, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

func TestShape(t *testing.T) {
	m := mustBuild(t, two())
	if m.NX() != 3 || m.NY() != 2 || m.NZ() != 3 || m.Cells() != 18 {
		t.Fatalf("%d x %d x %d", m.NX(), m.NY(), m.NZ())
	}
	if m.LayerPlanes[0] != [2]int{0, 2} || m.LayerPlanes[1] != [2]int{2, 3} {
		t.Errorf("planes of layers: %v", m.LayerPlanes)
	}
	for k, want := range []float64{0, 50e-6, 100e-6, 400e-6} {
		near(t, "z", m.Z[k], want)
	}
	x, y, z := m.Center(1, 0, 2)
	near(t, "x", x, 3e-3)
	near(t, "y", y, 1e-3)
	near(t, "z", z, 250e-6)
}

// The formulas of the package comment by hand: cells of 2 x 2 mm.
func TestConductancesByHand(t *testing.T) {
	s := two()
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1000}
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.LumpedResistance, Resistance: 2}
	s.Boundary[stack.West] = stack.Boundary{Kind: stack.FixedTemperature}
	s.Boundary[stack.North] = stack.Boundary{Kind: stack.HeatFlux, Flux: 5}
	m := mustBuild(t, s)
	row := make([]float64, 3)
	m.CouplingX(0, 0, row)
	near(t, "gx", row[0], 10*2e-3*50e-6/2e-3)
	near(t, "gx at the end", row[2], 0)
	m.CouplingY(2, 0, row)
	near(t, "gy", row[1], 2*2e-3*300e-6/2e-3)
	m.CouplingY(2, 1, row)
	near(t, "gy at the end", row[1], 0)
	m.CouplingZ(0, 1, row)
	near(t, "gz within a layer", row[2], 4e-6*40/50e-6)
	m.CouplingZ(1, 1, row)
	near(t, "gz across the contact", row[2], 4e-6/(25e-6/40+3e-6+150e-6/5))
	m.CouplingZ(2, 1, row)
	near(t, "gz at the top", row[2], 0)
	m.Capacity(2, 0, row)
	near(t, "capacity", row[0], 2e6*4e-6*300e-6)
	near(t, "top", m.FaceConductance(stack.Top, 0, 0, 2), 4e-6/(1e-3+150e-6/5))
	near(t, "bottom", m.FaceConductance(stack.Bottom, 0, 0, 0), 4e-6/(2*24e-6+25e-6/40))
	near(t, "west", m.FaceConductance(stack.West, 0, 0, 2), 2e-3*300e-6/(1e-3/1))
	near(t, "north", m.FaceConductance(stack.North, 0, 1, 2), 0)
	near(t, "area of the north face", m.FaceArea(stack.North), 6e-3*400e-6)
	near(t, "share of a cell", m.CellFaceArea(stack.North, 0, 1, 2), 2e-3*300e-6)
	if !m.Grounded() {
		t.Error("not grounded")
	}
}

// A lumped resistance is that of the whole face, whatever the grid.
func TestLumpedResistanceIsShared(t *testing.T) {
	s := two()
	s.Layers = s.Layers[:1]
	s.Layers[0].Cells = 1
	s.Materials[0].K[2] = 1e12
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.LumpedResistance, Resistance: 7}
	s.Grid.X = stack.Axis{Cells: 9,
		Segments: []stack.Segment{{To: 1e-3, Cells: 4, Ratio: 3}, {To: 6e-3, Cells: 5, Ratio: 0.5}}}
	m := mustBuild(t, s)
	g := 0.0
	for j := range m.NY() {
		for i := range m.NX() {
			g += m.FaceConductance(stack.Top, i, j, 0)
		}
	}
	near(t, "sum", g, 1/7.0)
}

func TestGradedAxis(t *testing.T) {
	f, err :=
		faces(stack.Axis{Cells: 7, Segments: []stack.Segment{{To: 1, Cells: 3, Ratio: 4}, {To: 3, Cells: 4, Ratio: 1}}},
			3)
	if err != nil {
		t.Fatal(err)
	}
	// Sizes 1, 2, 4 in sevenths, then four halves.
	for i, want := range []float64{0, 1. / 7, 3. / 7, 1, 1.5, 2, 2.5, 3} {
		if math.Abs(f[i]-want) > 1e-15 {
			t.Errorf("face %d at %g, want %g", i, f[i], want)
		}
	}
}

func TestBadAxes(t *testing.T) {
	for want, a := range map[string]stack.Axis{
		"0 cells":         {},
		"segments end at": {Cells: 2, Segments: []stack.Segment{{To: 3e-3 * (1 + 2e-9), Cells: 2, Ratio: 1}}},
		"ends must": {Cells: 2,
			Segments: []stack.Segment{{To: 2e-3, Cells: 1, Ratio: 1}, {To: 1e-3, Cells: 1, Ratio: 1}}},
		"ratio": {Cells: 2, Segments: []stack.Segment{{To: 3e-3, Cells: 2}}},
	} {
		if _, err := faces(a, 3e-3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", a, err, want)
		}
	}
}

// A region edge at 3/4 of the middle column: series resistance along x as the materials lie, side by side along y and
// z.
func TestCutCells(t *testing.T) {
	s := two()
	s.Layers[1].Regions = []stack.Region{{Material: 0, Rect: stack.Rect{X: 0, Y: 0, Width: 3.5e-3, Height: 4e-3}}}
	m := mustBuild(t, s)
	west, cut, east := m.At(0, 0, 2), m.At(1, 0, 2), m.At(2, 0, 2)
	if west.K[0] != 10 || east.K[0] != 1 {
		t.Fatalf("uncut cells have k %g and %g", west.K[0], east.K[0])
	}
	near(t, "kz", cut.K[2], 0.75*40+0.25*5)
	near(t, "ky", cut.K[1], 0.75*20+0.25*2)
	near(t, "kx", cut.K[0], 1/(0.75/10+0.25/1))
	near(t, "c", cut.C, 0.75*1e6+0.25*2e6)
	row := make([]float64, 3)
	m.CouplingX(2, 0, row)
	area := 2e-3 * 300e-6
	// From centre to centre: 2 mm of a; then 0.5 mm of a and 1.5 mm of b.
	near(t, "west of the cut cell", row[0], area*10/2e-3)
	near(t, "east of the cut cell", row[1], area/(0.5e-3/10+1.5e-3/1))
	// Both sides of the cut cells jump by more than two: 4 of 7 faces.
	if share := m.InterfaceShare(2); share != 4./7 {
		t.Errorf("interface share %g, want 4 of 7 faces", share)
	}
}

func TestRegionsPaintInOrderAndShareOneIndex(t *testing.T) {
	s := two()
	s.Layers[0].Regions = []stack.Region{
		{Material: 1, Rect: s.Domain()},
		{Material: 0, Rect: stack.Rect{X: 2e-3, Y: 0, Width: 2e-3, Height: 2e-3}},
	}
	m := mustBuild(t, s)
	if &m.Planes[0].Index[0] != &m.Planes[1].Index[0] {
		t.Error("planes of one layer hold two indices")
	}
	if got := m.Planes[0].Index; got[0][0] != 1 || got[0][1] != 0 || got[1][0] != 1 {
		t.Errorf("index %v", got)
	}
	if len(m.Palette) != 2 {
		t.Errorf("%d palette entries for cells that nothing cuts", len(m.Palette))
	}
}

// Edges that miss grid lines by rounding only must not make mixtures.
func TestRoundingMakesNoMixtures(t *testing.T) {
	s := two()
	s.Grid.X.Cells = 30
	s.Layers[0].Regions =
		[]stack.Region{{Material: 1, Rect: stack.Rect{X: 0.1e-3 * 6, Y: 0, Width: 0.1e-3 * 3 * 10, Height: 4e-3}}}
	if m := mustBuild(t, s); len(m.Palette) != 2 {
		t.Errorf("%d palette entries", len(m.Palette))
	}
}

func TestTooManyCells(t *testing.T) {
	s := two()
	s.Layers[0].Cells = 1
	s.Layers[1].Cells = 1 << 34
	s.Grid = stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}}
	s.Size = [2]float64{1, 1}
	if _, err := Build(s); err == nil || !strings.Contains(err.Error(), "coarsen") {
		t.Errorf("accepted: %v", err)
	}
}
