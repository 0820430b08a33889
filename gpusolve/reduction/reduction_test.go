package reduction

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// A field that rises by 2 K a column, 3 K a row and 10 K a plane from 300 K, of which each statistic is known by hand.
const nx, ny, nz = 7, 5, 3

func ramp(k int) ([]float64, error) {
	plane := make([]float64, nx*ny)
	for c := range plane {
		plane[c] = 300 + 2*float64(c%nx) + 3*float64(c/nx) + 10*float64(k)
	}
	return plane, nil
}

func made(t *testing.T, r Regions) *Regions {
	t.Helper()
	r.NX, r.NY, r.NZ = nx, ny, nz
	p, err := New(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestStatisticsOfARamp(t *testing.T) {
	group := []Rect{
		{Plane: 0, I: 1, J: 2, X: []float64{1, 2, 1}, Y: []float64{1, 1}, Z: 4}, // mean 304 + 7.5, volume 32
		{Plane: 2, I: 6, J: 0, X: []float64{0.5}, Y: []float64{2}, Z: 1},        // 332, volume 1
	}
	r := made(t, Regions{
		Groups: [][]Rect{group, nil},
		Points: []mesh.Sample{
			{Constant: 3, Terms: []mesh.Term{{Plane: 0, Cell: 1, Weight: 0.5}, {Plane: 1, Cell: nx, Weight: 0.25}}},
			{Constant: 8}},
		BinsX: 2, BinsY: 5, PlanePeaks: true,
	})
	v, err := r.Reduce(ramp, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := &v.Extents[0]
	lo, mean, hi := e.Result()
	if want := (32*312.5 + 333) / 33; lo != 309 || hi != 333 || math.Abs(mean-want) > 1e-12*want || e.NonFinite != 0 {
		t.Errorf("%g, %g, %g K of a group, want 309, %g, 333", lo, mean, hi, want)
	}
	if i, j, k := e.At(group); i != 6 || j != 0 || k != 2 {
		t.Errorf("the maximum is at %d, %d, %d", i, j, k)
	}
	if lo, mean, hi := v.Extents[1].Result(); lo == lo || mean == mean || hi == hi {
		t.Errorf("%g, %g, %g K of nothing", lo, mean, hi)
	}
	if want := 3 + 0.5*303 + 0.25*314; v.Points[0] != want || v.Points[1] != 8 {
		t.Errorf("points at %g K, want %g and 8", v.Points, want)
	}
	// Columns 0 to 3 and 4 to 6 share two bins; the hottest cell of each is its last in the top plane.
	for b, p := range v.Peaks {
		i, j := []int{3, 6}[b%2], b/2
		if want := 321 + 2*float64(i) + 3*float64(j); p.Max != want || p.Plane != 2 || int(p.Cell) != j*nx+i {
			t.Errorf("bin %d: %+v, want %g K in cell %d of plane 2", b, p, want, j*nx+i)
		}
	}
}

// The last cell of each plane is its hottest.
func TestPeaksOfPlanes(t *testing.T) {
	r := made(t, Regions{PlanePeaks: true})
	v, err := r.Reduce(ramp, 1)
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range v.PlanePeaks {
		if want := (Peak{301 + 2*(nx-1) + 3*(ny-1) + 10*float64(k), int32(k), nx*ny - 1}); p != want {
			t.Errorf("plane %d: %+v, want %+v", k, p, want)
		}
	}
	if top := v.Hottest(); top != 345 {
		t.Errorf("%g K, want 345", top)
	}
	broken := func(k int) ([]float64, error) {
		plane, err := ramp(k)
		for c := range plane {
			if k == 1 {
				plane[c] = math.NaN()
			}
		}
		return plane, err
	}
	if v, err = r.Reduce(broken, 0); err != nil || v.Hottest() == v.Hottest() || v.PlanePeaks[2].Max != 344 {
		t.Errorf("%v, %+v", err, v)
	}
}

// The peak of a plane is found in whichever cell it is, in the last row of planes of any number of rows too.
func TestPeakInEveryRow(t *testing.T) {
	for _, rows := range []int{1, 2, 63, 64, 65, 127, 128, 129, 200} {
		r, err := New(Regions{NX: 2, NY: rows, NZ: 1, PlanePeaks: true})
		if err != nil {
			t.Fatal(err)
		}
		for hot := range 2 * rows {
			v, err := r.Reduce(func(int) ([]float64, error) {
				plane := make([]float64, 2*rows)
				plane[hot] = 1
				return plane, nil
			}, 300)
			if want := (Peak{Max: 301, Plane: 0, Cell: int32(hot)}); err != nil || v.PlanePeaks[0] != want {
				t.Fatalf("cell %d of %d rows: %+v, want %+v, %v", hot, rows, v.PlanePeaks[0], want, err)
			}
		}
	}
}

// Cells without a temperature are counted and left out, and of equal maxima the first wins.
func TestStatisticsOfBrokenFields(t *testing.T) {
	broken := func(k int) ([]float64, error) {
		plane := make([]float64, nx*ny)
		for c := range plane {
			plane[c] = []float64{math.NaN(), 400, math.Inf(1), 400, math.Inf(-1), 350, 400}[c%nx]
		}
		return plane, nil
	}
	ones := []float64{1, 1, 1, 1, 1, 1, 1}
	whole := []Rect{{Plane: 1, X: ones, Y: ones[:ny], Z: 2}}
	r := made(t, Regions{Groups: [][]Rect{whole, {{Plane: 0, X: ones[:1], Y: ones[:ny], Z: 1}}}, BinsX: 1, BinsY: 1})
	v, err := r.Reduce(broken, 0)
	if err != nil {
		t.Fatal(err)
	}
	e := v.Extents[0]
	if want := (Extent{Sum: 1550 * 5 * 2, Weight: 4 * 5 * 2, Min: 350, Max: 400, Cell: 1, NonFinite: 15}); e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
	if e := v.Extents[1]; e.NonFinite != 5 || e.Weight != 0 {
		t.Errorf("a column without a number comes to %+v", e)
	}
	if p := v.Peaks[0]; p != (Peak{400, 0, 1}) {
		t.Errorf("the peak is %+v", p)
	}
}

func TestReduceTellsWhichPlaneFailed(t *testing.T) {
	r := made(t, Regions{Points: []mesh.Sample{{Terms: []mesh.Term{{Plane: 1}}}}})
	if p := r.Planes(); len(p) != 1 || p[0] != 1 {
		t.Errorf("reads planes %v, needs plane 1", p)
	}
	lost := errors.New("lost")
	if _, err := r.Reduce(func(int) ([]float64, error) {
		return nil, lost
	}, 0); !errors.Is(err, lost) || err.Error() != "reading plane 1 of the temperature field: lost" {
		t.Error(err)
	}
}

func TestRegionsOutsideTheGrid(t *testing.T) {
	one := []float64{1}
	for what, r := range map[string]Regions{
		"plane":  {Groups: [][]Rect{{{Plane: nz, X: one, Y: one}}}},
		"column": {Groups: [][]Rect{{{I: nx, X: one, Y: one}}}},
		"row":    {Groups: [][]Rect{{{J: -1, X: one, Y: one}}}},
		"empty":  {Groups: [][]Rect{{{X: one}}}},
		"order":  {Groups: [][]Rect{{{Plane: 1, X: one, Y: one}, {Plane: 0, X: one, Y: one}}}},
		"cell":   {Points: []mesh.Sample{{Terms: []mesh.Term{{Cell: nx * ny}}}}},
		"terms":  {Points: []mesh.Sample{{Terms: []mesh.Term{{Plane: 1}, {Plane: 0}}}}},
		"bins":   {BinsX: nx + 1, BinsY: 1},
		"half":   {BinsX: 1},
	} {
		r.NX, r.NY, r.NZ = nx, ny, nz
		if _, err := New(r); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	s := InOrder(mesh.Sample{Terms: []mesh.Term{{Plane: 2, Cell: 1}, {Plane: 0, Cell: 5}, {Plane: 2, Cell: 0}}})
	if s.Terms[0].Plane != 0 || s.Terms[1].Cell != 1 || s.Terms[2].Cell != 0 {
		t.Errorf("in order: %v", s.Terms)
	}
}

// Counts are the nearest, halves away from zero, of the hottest cell of a square.
func TestQuanta(t *testing.T) {
	q := Quanta{Factor: 2, Base: 300, Quantum: 0.5}
	nan, inf := math.NaN(), math.Inf(1)
	plane := []float64{
		300, 300.2, nan, nan, 299.75,
		300.25, 299, nan, nan, 299,
		1e300, 0, -1e300, nan, inf,
	}
	got := make([]int32, 6)
	q.Plane(got, plane, 5)
	for n, want := range []int32{1, Missing, -1, Widest, -Widest, Missing} {
		if got[n] != want {
			t.Errorf("count %d is %d, want %d", n, got[n], want)
		}
	}
	if q.Side(5) != 3 || q.Side(4) != 2 {
		t.Error("squares along 5 and 4 cells:", q.Side(5), q.Side(4))
	}
}

// The maximum of a rectangle is told by the cell of the grid.
func TestMaximumInARectangle(t *testing.T) {
	group := []Rect{{Plane: 1, I: 2, J: 1, X: []float64{1, 1, 1}, Y: []float64{1, 1}, Z: 1}}
	v, err := made(t, Regions{Groups: [][]Rect{group}}).Reduce(ramp, 0)
	if err != nil {
		t.Fatal(err)
	}
	if i, j, k := v.Extents[0].At(group); i != 4 || j != 2 || k != 1 {
		t.Errorf("the maximum is at %d, %d, %d, want 4, 2, 1", i, j, k)
	}
}

// Ranks that own rows of the grid, and hold some of their neighbours', find together what one finds of all.
func TestSlabsJoinToTheWhole(t *testing.T) {
	r := made(t, Regions{
		Groups: [][]Rect{
			{{Plane: 0, I: 1, J: 0, X: []float64{1, 2}, Y: []float64{1, 1, 1, 1}, Z: 3},
				{Plane: 2, I: 0, J: 3, X: []float64{1}, Y: []float64{1, 2}, Z: 1}},
			{{Plane: 1, I: 3, J: 1, X: []float64{4}, Y: []float64{1}, Z: 1}},
		},
		Points: []mesh.Sample{
			{Constant: 1,
				Terms: []mesh.Term{{Plane: 0, Cell: 1 * nx, Weight: 0.5}, {Plane: 0, Cell: 4*nx + 2, Weight: 2}}},
			{Terms: []mesh.Term{{Plane: 2, Cell: 2*nx + 6, Weight: 1}}}},
		BinsX: 2, BinsY: 2, PlanePeaks: true,
	})
	want, err := r.Reduce(ramp, 0)
	if err != nil {
		t.Fatal(err)
	}
	var parts []*Values
	for _, own := range [][2]int{{0, 2}, {2, 3}, {3, 5}} {
		held, end := max(own[0]-1, 0), min(own[1]+1, ny)
		s, err := r.Slab(held, end-held, own[0], own[1])
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Regions.Reduce(func(k int) ([]float64, error) {
			plane, err := ramp(k)
			return plane[held*nx : end*nx], err
		}, 0)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, s.Place(v))
	}
	if parts[1].Points[0] != 1 && parts[1].Points[0] != 0 {
		t.Errorf("%g K of a point without a cell in the own rows", parts[1].Points[0])
	}
	if got := r.Join(parts); !reflect.DeepEqual(got, want) {
		t.Errorf("together %+v,\nof the whole %+v", got, want)
	}
	sent := want.Bytes()
	if got, err := r.ValuesOf(sent); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("sent and read again %+v, %v; want %+v", got, err, want)
	}
	for _, other := range [][]byte{nil, sent[:len(sent)-1], append(sent, 0)} {
		if _, err := r.ValuesOf(other); err == nil || !strings.Contains(err.Error(), "statistics of another rank") {
			t.Errorf("%d bytes for %d: %v", len(other), len(sent), err)
		}
	}
}

// A part of planes under a rectangle and a disc has their volume, on planes of unequal thickness and beside the layer's
// others.
func TestCoverHasTheVolume(t *testing.T) {
	m := &mesh.Mesh{X: []float64{0, 1, 3, 4, 6}, Y: []float64{0, 2, 3, 5, 6}, Z: []float64{0, 1, 1.5, 3.5, 4},
		LayerPlanes: [][2]int{{0, 1}, {1, 3}, {3, 4}}}
	disc := geometry.Circle{X: 3, Y: 3, Diameter: 4}
	volume := func(rects []stack.Rect, shapes []geometry.Shape) map[int]float64 {
		v := map[int]float64{}
		for _, r := range Cover(m, 1, rects, shapes) {
			for _, x := range r.X {
				for _, y := range r.Y {
					v[r.Plane] += x * y * r.Z
				}
			}
		}
		return v
	}
	for name, c := range map[string]struct {
		got  map[int]float64
		area float64
	}{
		"rectangle": {volume([]stack.Rect{{X: 0.5, Y: 1, Width: 3, Height: 4}}, nil), 12},
		"beyond":    {volume([]stack.Rect{{X: -1, Y: 3, Width: 9, Height: 5}}, nil), 18},
		"disc":      {volume(nil, []geometry.Shape{disc}), disc.Area()},
	} {
		if len(c.got) != 2 || math.Abs(c.got[1]-0.5*c.area) > 1e-12 || math.Abs(c.got[2]-2*c.area) > 1e-12 {
			t.Errorf("%s: volumes %v by plane, want %g and %g in planes 1 and 2", name, c.got, 0.5*c.area, 2*c.area)
		}
	}
}

// A plane shown in bins has the hottest cell of each.
func TestMaximaOfAPlane(t *testing.T) {
	m := Maxima{X: Bins{First: []int32{0, 3}, Last: []int32{2, 6}}, Y: Bins{First: []int32{0, 1}, Last: []int32{0, 4}}}
	plane, _ := ramp(0)
	got := m.Of(plane, nx)
	for n, want := range []float64{304, 312, 316, 324} {
		if len(got) != 4 || got[n] != want {
			t.Fatalf("%g K in the bins, bin %d should have %g", got, n, want)
		}
	}
}
