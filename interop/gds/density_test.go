package gds

import (
	"bytes"
	"context"
	"io"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"
)

// placed is a polygon of the flattened layout, made by the test with complex numbers.
type placed []complex128

// slabArea is the area of a union of polygons in a box, by slabs along x between all corners and crossings: slow, and
// independent of the package.
func slabArea(polygons []placed, b box) float64 {
	type side struct {
		a, b complex128
		of   int
	}
	var sides []side
	xs := []float64{b.x0, b.x1}
	for n, p := range polygons {
		for i, a := range p {
			sides = append(sides, side{a, p[(i+1)%len(p)], n})
			xs = append(xs, real(a))
		}
	}
	horizontal := func(y float64) side { return side{complex(b.x0, y), complex(b.x1, y), -1} }
	all := append(slices.DeleteFunc(slices.Clone(sides), func(s side) bool {
		return max(real(s.a), real(s.b)) < b.x0 || min(real(s.a), real(s.b)) > b.x1 ||
			max(imag(s.a), imag(s.b)) < b.y0 || min(imag(s.a), imag(s.b)) > b.y1
	}), horizontal(b.y0), horizontal(b.y1))
	for i, s := range all {
		for _, t := range all[:i] {
			u, v, w := s.b-s.a, t.b-t.a, t.a-s.a
			if det := real(u)*imag(v) - imag(u)*real(v); det != 0 {
				if f := (real(w)*imag(v) - imag(w)*real(v)) / det; f > 0 && f < 1 {
					xs = append(xs, real(s.a+complex(f, 0)*u))
				}
			}
		}
	}
	slices.Sort(xs)
	area := 0.0
	for i := 1; i < len(xs); i++ {
		lo, hi := max(xs[i-1], b.x0), min(xs[i], b.x1)
		if hi <= lo {
			continue
		}
		x := (lo + hi) / 2
		type end struct {
			y float64
			d int
		}
		var ends []end // of the parts of the line inside polygons
		for n := range polygons {
			var cuts []end
			for _, s := range sides {
				if s.of == n && (real(s.a) < x) != (real(s.b) < x) {
					d := 1
					if real(s.a) > x {
						d = -1
					}
					f := (x - real(s.a)) / real(s.b-s.a)
					cuts = append(cuts, end{imag(s.a) + f*imag(s.b-s.a), d})
				}
			}
			slices.SortFunc(cuts, func(a, b end) int { return int(math.Copysign(1, a.y-b.y)) })
			winding := 0
			for _, c := range cuts {
				if winding == 0 {
					ends = append(ends, end{c.y, 1})
				}
				if winding += c.d; winding == 0 {
					ends = append(ends, end{c.y, -1})
				}
			}
		}
		slices.SortFunc(ends, func(a, b end) int { return int(math.Copysign(1, a.y-b.y)) })
		inside, from := 0, 0.0
		for _, e := range ends {
			if inside == 0 {
				from = e.y
			}
			if inside += e.d; inside == 0 {
				area += (hi - lo) * max(min(e.y, b.y1)-max(from, b.y0), 0)
			}
		}
	}
	return area
}

// indexed is a layout with layers 0 to maps - 1.
func indexed(t testing.TB, file io.ReaderAt, size int64, maps int) (*layout, pool, int32) {
	t.Helper()
	l := newLayout(file, "test.gds")
	if err := l.index(size); err != nil {
		t.Fatal(err)
	}
	for i := range maps {
		l.maps[layerKey(i<<16)] = 1 << i
	}
	p := l.pool(context.Background(), size)
	top, err := l.top(p, "")
	if err != nil {
		t.Fatal(err)
	}
	return l, p, top
}

// densitiesOf measures layers 0 to maps - 1 of a file.
func densitiesOf(t testing.TB, file []byte, g *grid, maps int) [][]float64 {
	t.Helper()
	l, workers, top := indexed(t, bytes.NewReader(file), int64(len(file)), maps)
	if g.box == (box{}) {
		g.box = l.cells[top].bounds
	}
	d, err := l.densities(workers, top, g, maps)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// same compares densities with those of polygons by layer.
func same(t *testing.T, d [][]float64, g *grid, polygons [][]placed) {
	t.Helper()
	worst := 0.0
	for m := range d {
		for k, got := range d[m] {
			i, j := k%g.nx, k/g.nx
			b := box{g.x(i), g.y(j), g.x(i + 1), g.y(j + 1)}
			var near []placed
			for _, p := range polygons[m] {
				var corners []point
				for _, c := range p {
					corners = append(corners, point{real(c), imag(c)})
				}
				if boundsOf(corners).meets(b) {
					near = append(near, p)
				}
			}
			want := slabArea(near, b) / ((b.x1 - b.x0) * (b.y1 - b.y0))
			if worst = max(worst, math.Abs(got-want)); math.Abs(got-want) > 1e-9 {
				t.Fatalf("layer %d, tile %d, %d: got %.15g, want %.15g", m, i, j, got, want)
			}
		}
	}
	t.Logf("largest difference %.2g", worst)
}

func randomPolygon(r *rand.Rand, size int) []point {
	switch n := 3 + r.IntN(6); r.IntN(3) {
	case 0: // rectangle
		x, y := r.IntN(size), r.IntN(size)
		w, h := 1+r.IntN(size/3), 1+r.IntN(size/3)
		b := box{float64(x), float64(y), float64(x + w), float64(y + h)}
		return []point{{b.x0, b.y0}, {b.x0, b.y1}, {b.x1, b.y1}, {b.x1, b.y0}}
	case 1: // along the axes, often crossing itself
		var p []point
		x, y := float64(r.IntN(size)), float64(r.IntN(size))
		x0 := x
		for range n {
			x = float64(r.IntN(size))
			p = append(p, point{x, y})
			y = float64(r.IntN(size))
			p = append(p, point{x, y})
		}
		return append(p, point{x0, y}, point{x0, p[0].y})
	default: // any corners
		p := make([]point, n)
		for i := range p {
			p[i] = point{float64(r.IntN(size)), float64(r.IntN(size))}
		}
		return p
	}
}

func complexOf(points []point, by func(complex128) complex128) (p placed) {
	for _, q := range points {
		p = append(p, by(complex(q.x, q.y)))
	}
	return p
}

// Overlapping polygons, some of which cross themselves, in nested references and arrays that are turned, mirrored and
// magnified.
func TestDensitiesOfRandomLayouts(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		var leaf []point
		s := library().cell("LEAF")
		polygons := make([][]placed, 2)
		leaf = randomPolygon(r, 500)
		s.boundary(0, leaf...)
		other := randomPolygon(r, 700)
		s.boundary(1, other...).end()
		type use struct {
			by func(complex128) complex128
		}
		angles := []float64{0, 90, 180, 270, 30, -45, 450, 17.25}
		uses := func(child string) (all []use) {
			for range 2 {
				mirror, mag, angle := r.IntN(2) == 0, []float64{1, 1, 0.5, 1.75}[r.IntN(4)], angles[r.IntN(len(angles))]
				nx, ny := 1, 1
				o := complex(float64(r.IntN(4000)), float64(r.IntN(4000)))
				at := []point{{real(o), imag(o)}}
				var column, line complex128
				if r.IntN(2) == 0 {
					nx, ny = 1+r.IntN(3), 1+r.IntN(3)
					column = complex(float64(r.IntN(900)), float64(r.IntN(200)-100))
					line = complex(float64(r.IntN(200)-100), float64(r.IntN(900)))
					c, l := o+complex(float64(nx), 0)*column, o+complex(float64(ny), 0)*line
					at = append(at, point{real(c), imag(c)}, point{real(l), imag(l)})
				}
				s.ref(child, mirror, mag, angle, nx, ny, at...)
				for i := range nx {
					for j := range ny {
						to := o + complex(float64(i), 0)*column + complex(float64(j), 0)*line
						all = append(all, use{func(z complex128) complex128 {
							if mirror {
								z = cmplx.Conj(z)
							}
							return to + complex(mag, 0)*cmplx.Exp(complex(0, angle*math.Pi/180))*z
						}})
					}
				}
			}
			return all
		}
		s.cell("MIDDLE")
		middle := uses("LEAF")
		s.end().cell("TOP")
		for _, outer := range uses("MIDDLE") {
			for _, inner := range middle {
				by := func(z complex128) complex128 { return outer.by(inner.by(z)) }
				polygons[0] = append(polygons[0], complexOf(leaf, by))
				polygons[1] = append(polygons[1], complexOf(other, by))
			}
		}
		for range 6 {
			p := randomPolygon(r, 9000)
			s.boundary(0, p...)
			polygons[0] = append(polygons[0], complexOf(p, func(z complex128) complex128 { return z }))
		}
		s.end()
		g := &grid{nx: 5 + int(seed), ny: 7}
		same(t, densitiesOf(t, s.bytes(), g, 2), g, polygons)
	}
}

// Areas of paths by closed forms: w is the width, h half of it, t the angle of a turn. A mitered corner adds outside
// what the segments share inside, h^2 tan(t/2); a beveled one adds h^2 sin(t)/2.
func TestPaths(t *testing.T) {
	bend := func(turn float64) float64 { return 50 * 50 * (math.Sin(turn)/2 - math.Tan(turn/2)) }
	line := func(pathType int, points ...point) func(s *stream) {
		return func(s *stream) { s.path(0, pathType, 100, points...) }
	}
	extended := func(width, begin, end int) func(s *stream) {
		return func(s *stream) {
			s.rec(recPath, 0).int2(recLayer, 0).int2(recDatatype, 0).int2(recPathType, 4).int4(recWidth, width)
			s.int4(recBgnExtn, begin).int4(recEndExtn, end).int4(recXY, 0, 0, 0, 1000).rec(recEndEl, 0)
		}
	}
	for name, c := range map[string]struct {
		path func(s *stream)
		area float64
	}{
		"flush":               {line(0, point{0, 0}, point{1000, 0}), 100_000},
		"right angle":         {line(0, point{0, 0}, point{1000, 0}, point{1000, 900}), 190_000},
		"right angle, turned": {line(0, point{0, 0}, point{600, 800}, point{1400, 200}), 200_000},
		"miter":               {line(0, point{0, 0}, point{1000, 0}, point{1600, -800}), 200_000},
		"bevel": {line(0, point{0, 0}, point{1000, 0}, point{400, 800}),
			200_000 + bend(math.Pi-math.Atan2(800, 600))},
		"back":                 {line(0, point{0, 0}, point{1000, 0}, point{0, 0}), 100_000},
		"half widths":          {line(2, point{0, 0}, point{600, 800}), 110_000},
		"round":                {line(1, point{0, 0}, point{600, 800}), 100_000 + math.Pi*2500},
		"extensions":           {extended(-100, 30, -20), 101_000},
		"shortened to nothing": {func(s *stream) { extended(100, -600, -600)(s.rect(0, 0, 0, 10, 10)) }, 100},
		"point":                {line(2, point{7, 7}), 10_000},
		"round point":          {line(1, point{7, 7}, point{7, 7}), math.Pi * 2500},
		"no width":             {func(s *stream) { extended(0, 30, 30)(s.rect(0, 0, 0, 10, 10)) }, 100},
		"box": {func(s *stream) {
			s.rec(recBox, 0).int2(recLayer, 0).int2(recBoxType, 0)
			s.int4(recXY, 0, 0, 0, 20, 30, 20, 30, 0, 0, 0).rec(recEndEl, 0)
		}, 600},
	} {
		s := library().cell("TOP")
		c.path(s)
		g := &grid{box: box{-500, -1500, 2500, 1500}, nx: 3, ny: 5}
		area := 0.0
		for k, d := range densitiesOf(t, s.end().bytes(), g, 1)[0] {
			area += d * g.tile(k%g.nx, k/g.nx)
		}
		if math.Abs(area-c.area) > 1e-9*c.area {
			t.Errorf("%s: got %.15g, want %.15g", name, area, c.area)
		}
	}
}

// Arrays of arrays, some of them on top of each other: a checkerboard of 50 %, 5 units per square.
func TestArrays(t *testing.T) {
	s := library().cell("SQUARE").rect(0, 0, 0, 5, 5).end().cell("PAIR").ref("SQUARE", false, 1, 0, 1, 1, point{0, 0})
	s.ref("SQUARE", false, 1, 90, 1, 1, point{10, 5}).end().cell("ROW")
	s.ref("PAIR", false, 1, 0, 500, 1, point{0, 0}, point{5000, 0}, point{0, 10}).end().cell("TOP")
	s.ref("ROW", true, 1, 0, 1, 200, point{0, 2000}, point{1, 2000}, point{0, 0})
	s.ref("ROW", false, 1, 180, 1, 10, point{5005, 150}, point{0, 150}, point{5005, 50}).end()
	g := &grid{box: box{0, 0, 5000, 2000}, nx: 4, ny: 3}
	for k, d := range densitiesOf(t, s.bytes(), g, 1)[0] {
		if math.Abs(d-0.5) > 1e-12 {
			t.Errorf("tile %d: %.15g", k, d)
		}
	}
}
