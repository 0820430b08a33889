package gds

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// try measures layer 0 of a file on few tiles, with a limit of work.
func try(file []byte, steps int64) ([][]float64, error) {
	l := newLayout(bytes.NewReader(file), "x.gds")
	l.maps[0], l.steps = 1, steps
	if err := l.index(int64(len(file))); err != nil {
		return nil, err
	}
	workers := l.pool(context.Background(), 0)
	top, err := l.top(workers, "")
	if err != nil {
		return nil, err
	}
	return l.densities(workers, top, &grid{box: l.cells[top].bounds, nx: 4, ny: 3}, 1)
}

func wellFormed() []byte {
	s := library().cell("A").rect(0, 0, 0, 10, 10).path(0, 1, 4, point{0, 0}, point{30, 40}, point{70, 10}).end()
	s.cell("TOP").ref("A", true, 1.5, 30, 3, 2, point{0, 0}, point{300, 0}, point{0, 200}).rec(recText, 0)
	return s.int2(recLayer, 5).int4(recXY, 0, 0).text(0x19, "pin").rec(recEndEl, 0).end().bytes()
}

// A file that ends early is refused wherever it ends.
func TestTruncated(t *testing.T) {
	file := wellFormed()
	if _, err := try(file, 1e9); err != nil {
		t.Fatal(err)
	}
	for n := range len(file) {
		if _, err := try(file[:n], 1e9); err == nil || !strings.HasPrefix(err.Error(), "x.gds: ") {
			t.Fatalf("%d of %d bytes: %v", n, len(file), err)
		}
	}
}

func TestHostile(t *testing.T) {
	ring := func(n int) *stream {
		s := library()
		for i := range n {
			s.cell(fmt.Sprint(i)).ref(fmt.Sprint((i+1)%n), false, 1, 0, 1, 1, point{}).end()
		}
		return s
	}
	chain := func(n, columns, rows, distance int) *stream {
		s := library().cell("0").rect(0, 0, 0, 1, 1).end()
		for i := 1; i < n; i++ {
			s.cell(fmt.Sprint(i)).ref(fmt.Sprint(i-1), false, 1, 0, columns, rows, point{}, point{float64(distance), 0},
				point{0, float64(distance)}).end()
		}
		return s
	}
	star := make([]point, 4001)
	for i := range star {
		sin, cos := math.Sincos(float64(i) * 2000 * 2 * math.Pi / 4001)
		star[i] = point{math.Round(1e9 * cos), math.Round(1e9 * sin)}
	}
	fans := library().cell("TOP")
	for i := range 3000 { // lines that cross in a point
		sin, cos := math.Sincos(float64(i) * math.Pi / 3000)
		x, y := math.Round(1e9*cos), math.Round(1e9*sin)
		fans.path(0, 0, 2, point{-x, -y}, point{x, y})
	}
	length := func(at int, n uint16) []byte {
		file := wellFormed()
		binary.BigEndian.PutUint16(file[at:], n)
		return file
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":        {nil, "not a GDSII file"},
		"OASIS":        {[]byte("%SEMI-OASIS\r\n"), "strm2gds"},
		"short record": {length(6, 2), "record of 2 bytes"},
		"odd record":   {length(6, 7), "record of 7 bytes"},
		"long record":  {length(6, 65534), "the file is incomplete"},
		"in itself":    {ring(1).bytes(), "contains itself"},
		"ring":         {ring(1000).bytes(), "levels of references"},
		"small ring":   {ring(5).bytes(), "contains itself"},
		"deep":         {chain(300, 1, 1, 0).bytes(), "more than 256 levels"},
		"arrays":       {chain(4, 32767, 32767, 40000).bytes(), "shapes and references, flattened"},
		"doubled":      {chain(200, 2, 1, 2).bytes(), "shapes and references, flattened"},
		"no columns":   {chain(2, 0, 1, 5).bytes(), "array of 0 columns"},
		"magnified":    {library().cell("A").ref("A", false, 0, 0, 1, 1, point{}).end().bytes(), "magnification 0"},
		"too large": {library().cell("A").rect(0, 0, 0, 9, 9).end().cell("B").ref("A", false, 1e6, 0, 1, 1, point{}).
			end().
			cell("C").ref("B", false, 1e6, 0, 1, 1, point{}).end().bytes(), "from the origin"},
		"star":    {library().cell("A").boundary(0, star...).end().bytes(), "cross each other"},
		"no unit": {(&stream{}).int2(0, 600).cell("A").end().bytes(), "database unit"},
		"twice":   {library().cell("A").end().cell("A").end().bytes(), `a second structure "A"`},
		"nothing": {library().bytes(), "no structure"},
		"two tops": {library().cell("A").rect(0, 0, 0, 1, 1).end().cell("B").rect(0, 0, 0, 1, 1).end().bytes(),
			"--cell"},
		"open element": {library().cell("A").rec(recBoundary, 0).end().bytes(), "ends within an element"},
		"open cell":    {library().cell("A").cell("B").end().bytes(), "does not end"},
		"short XY": {library().cell("A").rec(recBoundary, 0).int2(recXY, 1, 2).rec(recEndEl, 0).end().bytes(),
			"expected 8"},
		"lines":    {fans.end().bytes(), "overlap too often"},
		"points":   {library().cell("A").boundary(0, make([]point, 8000)...).end().bytes(), "no structure"},
		"no width": {library().cell("A").path(0, 4, 0, point{0, 0}, point{1, 1}).end().bytes(), "no structure"},
		"reference": {library().cell("A").rec(recSref, 0).text(recSname, "B").rec(recEndEl, 0).end().bytes(),
			"reference of 0 points"},
		"nameless": {library().cell("").end().bytes(), "without a name"},
		"UNITS":    {(&stream{}).int2(0, 600).rec(recUnits, 5, 1, 2).bytes(), "UNITS of 2 bytes"},
	} {
		if _, err := try(c.file, 2e7); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// Many copies of a shape are one; an array of a billion of them is not written down.
func TestRepeated(t *testing.T) {
	s := library().cell("A").rect(0, 0, 0, 10, 10).end().cell("TOP").rect(0, 20, 20, 40, 40)
	s.ref("A", false, 1, 0, 32767, 32767, point{0, 0}, point{0, 0}, point{0, 0})
	for range 50_000 {
		s.ref("A", false, 1, 45, 1, 1, point{30, 22})
	}
	d, err := try(s.end().bytes(), 2e9)
	if err != nil {
		t.Fatal(err)
	}
	area := 0.0
	for _, v := range d[0] {
		area += v * 40 * 40 / 12
	}
	if math.Abs(area-500) > 1e-9 {
		t.Errorf("area %.12g", area)
	}
}

// FuzzLayout checks that densities are from 0 to 1, and faults name the file.
func FuzzLayout(f *testing.F) {
	file := wellFormed()
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add(library().cell("A").boundary(0, point{0, 0}, point{9, 9}, point{9, 0}, point{0, 9}).end().bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > 1<<12 {
			return // time
		}
		d, err := try(file, 1e6)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.gds: ") {
				t.Fatal(err)
			}
			return
		}
		for _, v := range d[0] {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("a density of %g", v)
			}
		}
	})
}
