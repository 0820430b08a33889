package picture

import (
	"image"
	"math"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "thermsim/internal/testtier" // fixes the seed of drawn tests
)

func linspace(from, to float64, n int) []float64 {
	f := make([]float64, n+1)
	for i := range f {
		f[i] = from + (to-from)*float64(i)/float64(n)
	}
	return f
}

// Whatever the grid, every cell is shown by some bin: no hot spot can vanish.
func TestReduceLosesNoCell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		widths := rapid.SliceOfN(rapid.Float64Range(0.01, 10), 1, 40).Draw(t, "widths")
		f := []float64{0}
		for _, w := range widths {
			f = append(f, f[len(f)-1]+w)
		}
		n := rapid.IntRange(1, 60).Draw(t, "bins")
		b := binsOf(f, n)
		shown := make([]bool, len(widths))
		for p := range n {
			if b.First[p] > b.Last[p] {
				t.Fatalf("bin %d is empty", p)
			}
			for c := b.First[p]; c <= b.Last[p]; c++ {
				shown[c] = true
			}
		}
		if slices.Contains(shown, false) {
			t.Fatalf("cells lost: %v", shown)
		}
	})
}

func TestReduceIsTheMaximum(t *testing.T) {
	const n, w = 100, 10
	values := make([]float64, n*n)
	values[57*n+31] = 9
	values[99*n+99] = 5
	f := linspace(0, 1, n)
	out := reduce(values, n, binsOf(f, w), binsOf(f, w))
	for q := range w {
		for p := range w {
			want := 0.0
			switch [2]int{p, q} {
			case [2]int{3, 5}:
				want = 9
			case [2]int{9, 9}:
				want = 5
			}
			if got := out[q*w+p]; got != want {
				t.Errorf("bin (%d, %d) is %g, want %g", p, q, got, want)
			}
		}
	}
}

// The isotherms of r^2 are circles.
func TestContourOfACone(t *testing.T) {
	f := &field{x: linspace(-1, 1, 80), y: linspace(-1, 1, 80)}
	for _, y := range f.y {
		for _, x := range f.x {
			f.values = append(f.values, math.Hypot(x, y))
		}
	}
	lines := f.contour(0.5)
	if len(lines) != 1 {
		t.Fatalf("%d lines, want one circle", len(lines))
	}
	line := lines[0]
	if line[0] != line[len(line)-1] {
		t.Error("the circle is not closed")
	}
	length := 0.0
	for i, p := range line {
		if r := math.Hypot(p.x, p.y); math.Abs(r-0.5) > 1e-3 {
			t.Fatalf("point at radius %g, want 0.5", r)
		}
		if i > 0 {
			length += math.Hypot(p.x-line[i-1].x, p.y-line[i-1].y)
		}
	}
	if math.Abs(length-math.Pi) > 0.01 {
		t.Errorf("length %g, want pi", length)
	}
}

// A level of a plane is one straight open line from border to border.
func TestContourOfAPlane(t *testing.T) {
	f := &field{x: linspace(0, 1, 7), y: linspace(0, 2, 5)}
	for range f.y {
		f.values = append(f.values, f.x...)
	}
	lines := f.contour(0.3)
	if len(lines) != 1 || len(lines[0]) != len(f.y) {
		t.Fatalf("got %v, want one line of %d points", lines, len(f.y))
	}
	for _, p := range lines[0] {
		if math.Abs(p.x-0.3) > 1e-12 {
			t.Errorf("point at x = %g, want 0.3", p.x)
		}
	}
}

// Levels are multiples of the step; where one number follows another by more than that, there are few, each above the
// last.
func TestLevels(t *testing.T) {
	if got := levels(0.5, 10.2, 2); !slices.Equal(got, []float64{2, 4, 6, 8, 10}) {
		t.Errorf("from 0.5 to 10.2: %v", got)
	}
	// Doubles lie 16 apart here, and levels 1.
	const far = 1e17
	got := levels(far, far+64, 1)
	if len(got) > 10*isotherms+1 {
		t.Errorf("%d levels", len(got))
	}
	for i := 1; i < len(got); i++ {
		if got[i] <= got[i-1] {
			t.Errorf("level %d, %v, does not lie above %v", i, got[i], got[i-1])
		}
	}
}

// Where one number follows another by more than a step, there are few ticks, not endless ones.
func TestTicksFarFromZero(t *testing.T) {
	if at, _ := ticks(1e20, math.Nextafter(1e20, 2e20), 6); len(at) > 20 {
		t.Errorf("%d ticks", len(at))
	}
	if at, _ := ticks(1e16, 1e16+4, 400); len(at) > 1000 {
		t.Errorf("%d ticks", len(at))
	}
}

func TestContourOfASaddleHasTwoLines(t *testing.T) {
	f := &field{x: []float64{0, 1}, y: []float64{0, 1}, values: []float64{1, 0, 0, 1}}
	for _, level := range []float64{0.4, 0.6} {
		if lines := f.contour(level); len(lines) != 2 || len(lines[0]) != 2 || len(lines[1]) != 2 {
			t.Errorf("level %g: %v, want two segments", level, lines)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		count  int
		want   []string
	}{
		{0, 10, 10, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}},
		{0, 10, 5, []string{"0", "2", "4", "6", "8", "10"}},
		{-0.25, 0.25, 5, []string{"-0.2", "-0.1", "0.0", "0.1", "0.2"}},
		{36.4, 97.7, 6, []string{"40", "60", "80"}},
		{1, 1, 5, nil},
		{math.NaN(), 1, 5, nil},
	} {
		if _, got := ticks(c.lo, c.hi, c.count); !slices.Equal(got, c.want) {
			t.Errorf("ticks(%g, %g, %d) = %q, want %q", c.lo, c.hi, c.count, got, c.want)
		}
	}
}

// Every pixel has the colour of its value, whatever stands beside and below it.
func TestRasterByPixel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 7).Draw(t, "w"), rapid.IntRange(1, 7).Draw(t, "h")
		cells := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.25, 0.5, 1, math.NaN(), math.Inf(1)}), w*h,
			w*h).Draw(t, "cells")
		if h > 2 && rapid.Bool().Draw(t, "rows alike") {
			copy(cells[w:2*w], cells[:w])
		}
		f := &frame{scale: scale{colors: Density(), lo: -1, hi: 1}}
		img := f.raster(cells, func(v float64) float64 { return v - 0.5 }, w, h)
		for n, v := range cells {
			if got, want := img.RGBAAt(n%w, h-1-n/w), f.scale.colors.At((v+0.5)/2); got != want {
				t.Fatalf("cell %d, %g: %v, want %v", n, v, got, want)
			}
		}
	})
}

// Pixels that outlines have drawn are known, and no others, within the area and beyond it.
func TestInkedPixels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &frame{area: image.Rect(3, 5, 3+rapid.IntRange(1, 90).Draw(t, "w"), 5+rapid.IntRange(1, 5).Draw(t, "h"))}
		inked := map[image.Point]bool{}
		for range rapid.IntRange(0, 20).Draw(t, "points") {
			p := image.Pt(rapid.IntRange(f.area.Min.X, f.area.Max.X-1).Draw(t, "x"),
				rapid.IntRange(f.area.Min.Y, f.area.Max.Y-1).Draw(t, "y"))
			f.markInked(p)
			inked[p] = true
		}
		for y := f.area.Min.Y - 2; y < f.area.Max.Y+2; y++ {
			for x := f.area.Min.X - 2; x < f.area.Max.X+2; x++ {
				if p := image.Pt(x, y); f.isInked(p) != inked[p] {
					t.Fatalf("%v of %v: %t", p, f.area, f.isInked(p))
				}
			}
		}
	})
}

// A picture is held once: four bytes for each of its pixels, and little beside them.
func TestPictureIsHeldOnce(t *testing.T) {
	const side = 2000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := newCanvas(side, side, Look{}, PNG); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 4*side*side*3/2 {
		t.Errorf("%d x %d pixels take %d bytes", side, side, took)
	}
}
