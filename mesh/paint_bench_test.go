package mesh

import (
	"math/rand/v2"
	"testing"

	"thermsim/stack"
)

// BenchmarkPaint lays rectangles over a layer: few in each of many cells, many in few, over each other, and strips
// across strips.
func BenchmarkPaint(b *testing.B) {
	for _, bb := range []struct {
		name           string
		nx, ny, rects  int
		width, height  float64 // mean, of the domain
		strips, follow bool
	}{
		{"few in a cell", 1000, 800, 100_000, 2.1e-3, 1.7e-3, false, false},
		{"tens in a cell", 60, 50, 100_000, 2.1e-3, 1.7e-3, false, false},
		{"hundreds in a cell", 17, 13, 100_000, 2.1e-3, 1.7e-3, false, false},
		{"all in a cell", 1, 1, 100_000, 2.1e-3, 1.7e-3, false, false},
		{"over each other", 17, 13, 20_000, 0.2, 0.2, false, false},
		{"strips across strips", 17, 13, 20_000, 0, 0, true, false},
		{"few in a cell that follow", 300, 200, 20_000, 2.1e-3, 1.7e-3, false, true},
	} {
		b.Run(bb.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			s := two()
			if bb.follow {
				s = warmStack(0)
			}
			s.Grid = stack.Grid{X: stack.Axis{Cells: bb.nx}, Y: stack.Axis{Cells: bb.ny}}
			l := &s.Layers[0]
			l.Regions = nil
			for n := range bb.rects {
				w, h := bb.width*2*rng.Float64(), bb.height*2*rng.Float64()
				x, y := rng.Float64()*(1-w), rng.Float64()*(1-h)
				if bb.strips {
					w, h = 1, 0.5/float64(bb.rects)
					x, y = 0, (float64(n/2)+0.3*rng.Float64())*2/float64(bb.rects)
					if n%2 == 0 {
						x, y, w, h = y, x, h, w
					}
				}
				l.Regions = append(l.Regions,
					stack.Region{Material: n / 2 % 2,
						Rect: stack.Rect{X: x * s.Size[0], Y: y * s.Size[1], Width: w * s.Size[0],
							Height: h * s.Size[1]}})
			}
			b.ReportAllocs()
			for b.Loop() {
				m, err := Build(s)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(m.Palette)), "entries")
			}
		})
	}
}
