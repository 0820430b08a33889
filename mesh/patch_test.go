package mesh

import (
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// patchedPlate is a plate of 10 by 8 mm on 7 by 5 cells with patches on its top.
func patchedPlate(t *testing.T, own stack.Boundary, patches ...stack.Patch) *Mesh {
	t.Helper()
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{10e-3, 8e-3},
		Grid:      stack.Grid{X: stack.Axis{Cells: 7}, Y: stack.Axis{Cells: 5}},
		Materials: []stack.Material{{Name: "m", K: [3]float64{100, 100, 100}, C: 2e6}},
		Layers:    []stack.Layer{{Name: "plate", Thickness: 1e-3, Cells: 2}}}
	s.Boundary[stack.Top] = own
	s.Boundary[stack.Top].Patches = patches
	m, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func rectPatch(x, y, w, h float64, b stack.Boundary) stack.Patch {
	return stack.Patch{Name: "p", Boundary: b, Rects: []stack.Rect{{X: x, Y: y, Width: w, Height: h}}}
}

var film = stack.Boundary{Kind: stack.Convective, H: 1e3, Temperature: 310}

// What is seen of shapes that lie over each other, against the inclusion and exclusion of their areas.
func TestSeenAreas(t *testing.T) {
	disc := geometry.Circle{X: 4e-3, Y: 4e-3, Diameter: 5e-3}
	lens := func(d float64) float64 { // of two such circles so far apart
		r := 2.5e-3
		return 2*r*r*math.Acos(d/(2*r)) - d/2*math.Sqrt(4*r*r-d*d)
	}
	other := disc
	other.X += 1.7e-3
	for name, c := range map[string]struct {
		patches []stack.Patch
		want    []float64
		within  float64 // of the area of a cell
	}{
		"rectangles": {[]stack.Patch{rectPatch(1e-3, 1e-3, 5e-3, 4e-3, film),
			rectPatch(3.3e-3, 2.2e-3, 6e-3, 5e-3, film)}, []float64{20e-6 - 2.7e-3*2.8e-3, 30e-6}, 1e-10},
		"edges in one cell": {[]stack.Patch{rectPatch(0, 0, 10e-3, 0.9e-3, film),
			rectPatch(0, 0.3e-3, 10e-3, 0.5e-3, film)}, []float64{4e-6, 5e-6}, 1e-10},
		"disc in a rectangle": {[]stack.Patch{rectPatch(0.5e-3, 0.7e-3, 8e-3, 7e-3, film),
			{Boundary: film, Shape: disc}}, []float64{56e-6 - disc.Area(), disc.Area()}, 1e-8},
		"rectangle over a disc": {[]stack.Patch{{Boundary: film, Shape: disc}, rectPatch(0, 0, 4e-3, 8e-3, film)},
			[]float64{disc.Area() / 2, 32e-6}, 1e-8},
		"two discs": {[]stack.Patch{{Boundary: film, Shape: disc}, {Boundary: film, Shape: other}},
			[]float64{disc.Area() - lens(1.7e-3), disc.Area()}, 1e-3},
		"covered": {[]stack.Patch{{Boundary: film, Shape: disc}, rectPatch(0, 0, 10e-3, 8e-3, film)},
			[]float64{0, 80e-6}, 1e-8},
	} {
		p := patchedPlate(t, stack.Boundary{}, c.patches...).Patched[stack.Top]
		rest, cell := 80e-6, 80e-6/35
		for n, want := range c.want {
			if math.Abs(p.area[n]-want) > c.within*cell {
				t.Errorf("%s: %.9g m2 are seen of patch %d, want %.9g", name, p.area[n], n, want)
			}
			rest -= want
		}
		if got := p.area[len(p.area)-1]; math.Abs(got-rest) > c.within*cell {
			t.Errorf("%s: %.9g m2 are left, want %.9g", name, got, rest)
		}
	}
}

// The parts of every cell make up the cell.
func TestPartsMakeUpCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var patches []stack.Patch
		for range 1 + rng.IntN(5) {
			w, h := 1e-3+7e-3*rng.Float64(), 1e-3+5e-3*rng.Float64()
			x, y := (10e-3-w)*rng.Float64(), (8e-3-h)*rng.Float64()
			p := rectPatch(x, y, w, h, film)
			switch rng.IntN(3) {
			case 0:
				p.Rects, p.Shape = nil, geometry.Polygon{{X: x, Y: y}, {X: x + w, Y: y}, {X: x + w/2, Y: y + h}}
			case 1:
				p.H, p.Map = 0, &stack.FilmMap{NX: 4, NY: 3, Values: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0}}
			}
			patches = append(patches, p)
		}
		p := patchedPlate(t, film, patches...).Patched[stack.Top]
		for n := range p.owner {
			sum := 0.0
			for _, part := range p.of(n) {
				if part.share < 0 {
					t.Fatalf("cell %d has a part of share %g", n, part.share)
				}
				sum += part.share
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("the parts of cell %d are %.12g of it", n, sum)
			}
		}
	}
}

// A map's conductance is that of its tiles, whatever the cells: behind no resistance of their own they would add up to
// the sum of h A.
func TestMapConserves(t *testing.T) {
	p := rectPatch(1e-3, 0.5e-3, 7.7e-3, 6.1e-3, stack.Boundary{Kind: stack.Convective, Temperature: 300})
	p.Map = &stack.FilmMap{NX: 3, NY: 2, Values: []float64{100, 200, 0, 400, 50, 1000}}
	m := patchedPlate(t, stack.Boundary{}, p)
	face := m.Patched[stack.Top]
	sum := 0.0
	for n := range face.owner {
		i, j, k := face.cell(m, n)
		for _, part := range face.of(n) {
			sum += part.share * part.h * m.CellFaceArea(stack.Top, i, j, k)
		}
	}
	if want := (100 + 200 + 400 + 50 + 1000) * 7.7e-3 * 6.1e-3 / 6; math.Abs(sum-want) > 1e-10*want {
		t.Errorf("tiles conduct %.12g W/K, want %.12g", sum, want)
	}
}

// A resistance is that of all that is seen of its patch, and that of the face is of what patches leave.
func TestPatchResistance(t *testing.T) {
	cooler := stack.Boundary{Kind: stack.LumpedResistance, Resistance: 2, Temperature: 300}
	own := cooler
	own.Resistance = 5
	m := patchedPlate(t, own, rectPatch(1.1e-3, 1.3e-3, 5e-3, 4e-3, cooler), rectPatch(2.2e-3, 3e-3, 6e-3, 3e-3, film))
	p := m.Patched[stack.Top]
	var sum [3]float64
	for n := range p.owner {
		i, j, k := p.cell(m, n)
		for _, part := range p.of(n) {
			d := p.driveOfPart(m, &part)
			sum[p.row(part.patch)] += part.share * m.CellFaceArea(stack.Top, i, j, k) / d.Resistance
		}
	}
	for n, want := range [3]float64{1. / 2, 18e-6 * 1e3, 1. / 5} {
		if math.Abs(sum[n]-want) > 1e-9 {
			t.Errorf("part %d conducts %.9g W/K, want %.9g", n, sum[n], want)
		}
	}
}

// Parts at several temperatures, each behind its own film and half a cell, pass the heat of all of them.
func TestTemperaturesInACutCell(t *testing.T) {
	const half, share = 0.25e-3 / 100, 0.3 // m2K/W from the center to the surface; of the cell under the film
	warm := stack.Boundary{Kind: stack.Convective, H: 4e3, Temperature: 350}
	m := patchedPlate(t, warm, rectPatch(0, 0, share*10e-3/7, 8e-3, film))
	g := [2]float64{share / (1/film.H + half), (1 - share) / (1/warm.H + half)}
	d := m.Drive(stack.Top, 0, 2, 1)
	near(t, "conductance", 1/(d.Resistance+half), g[0]+g[1])
	near(t, "temperature", d.Temperature, (g[0]*film.Temperature+g[1]*warm.Temperature)/(g[0]+g[1]))
}

// The surface of a cell that an edge cuts is the mean of its parts: one is cooled through h, the other takes a flux in.
func TestSurfaceOfACutCell(t *testing.T) {
	const q, cooled, kelvin = 4e4, 0.3, 350.0 // flux in W/m2, share under the film, temperature of the cell
	m := patchedPlate(t, stack.Boundary{Kind: stack.HeatFlux, Flux: q}, rectPatch(0, 0, cooled*10e-3/7, 8e-3, film))
	x, y, _ := m.Center(0, 2, 1)
	half := 0.25e-3 / 100 // m2K/W from the center of the upper cell to the surface
	want := cooled*(kelvin-(kelvin-film.Temperature)*half/(half+1/film.H)) + (1-cooled)*(kelvin+q*half)
	got := m.SampleAt(x, y, 1e-3, "")
	sum := got.Constant
	for _, term := range got.Terms {
		sum += term.Weight * kelvin
	}
	if math.Abs(sum-want) > 1e-9 {
		t.Errorf("%.12g K; expected %.12g K", sum, want)
	}
}
