package statistics

import (
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/report/samples"
	"thermsim/stack"
)

// What can be seen of regions fills the domain without overlap, and every point belongs to the last region that covers
// it.
func TestVisibleRegions(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		s := samples.Stack(4, 4)
		layer := &s.Layers[1]
		for range draw.IntN(12) {
			// Edges on a coarse raster, so that many coincide, and off by rounding.
			edge := func(size float64) (float64, float64) {
				from := draw.IntN(7)
				to := from + 1 + draw.IntN(7-from)
				return size * float64(from) / 7, size*float64(to)/7 - size*float64(from)/7
			}
			var r stack.Region
			r.X, r.Width = edge(s.Size[0])
			r.Y, r.Height = edge(s.Size[1])
			layer.Regions = append(layer.Regions, r)
		}
		parts, ok := newSheet(s, 1).visible()
		if !ok {
			t.Fatal("too many pieces")
		}
		total := 0.0
		for _, rects := range parts {
			for _, r := range rects {
				total += r.Area()
				if r.Width < 1e-6*s.Size[0] || r.Height < 1e-6*s.Size[1] {
					t.Errorf("a sliver: %+v", r)
				}
			}
		}
		within(t, "area of all parts", total, s.Size[0]*s.Size[1], 1e-15)
		for range 200 {
			x, y := s.Size[0]*draw.Float64(), s.Size[1]*draw.Float64()
			want := 0
			for r := range layer.Regions {
				if samples.Inside(layer.Regions[r].Rect, x, y) {
					want = r + 1
				}
			}
			for of, rects := range parts {
				for _, r := range rects {
					if samples.Inside(r, x, y) != (of == want) && samples.Inside(r, x, y) {
						t.Fatalf("(%g, %g) belongs to part %d, want %d", x, y, of, want)
					}
				}
			}
		}
	}
}

func within(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.12g, want %.12g within %g", what, got, want, tol)
	}
}
