package fourier

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"thermsim/gpusolve/host"
	"thermsim/powermap"
)

// BenchmarkHost solves ten planes, two of them powered by twenty blocks each, and brings all planes back.
func BenchmarkHost(b *testing.B) {
	for _, n := range []int{256, 512, 1024, 1021} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dev := host.Open()
			defer dev.Close()
			rng := rand.New(rand.NewPCG(1, 1))
			l := randomLayered(rng, n, n, 10, false)
			l.X, l.Y = Adiabatic, Adiabatic
			e := onHost(b, dev, l)
			x := e.newModes()
			p, _ := e.NewPlanes(10)
			b.ResetTimer()
			for range b.N {
				e.SetLoads([]Load{{blocks(n, 20), 2, []float64{1}}, {blocks(n, 20), 6, []float64{1}}})
				e.Solve(x, nil, 1)
				e.Inverse(p, 0, x, 0, 10)
			}
			b.StopTimer()
			parts(b, "solve", func() { e.Solve(x, nil, 1) })
			parts(b, "inverse", func() { e.Inverse(p, 0, x, 0, 10) })
			parts(b, "columns", func() { e.columns(host.Doubles(p), x, rowTransform.inverse) })
			parts(b, "residual", func() { e.Residual(x, nil, p) })
		})
	}
}

func parts(b *testing.B, name string, body func()) {
	best := time.Hour
	for range 5 {
		start := time.Now()
		body()
		best = min(best, time.Since(start))
	}
	b.ReportMetric(best.Seconds()*1e3, name+"-ms")
}

func blocks(n, count int) powermap.Drawing {
	d := powermap.Drawing{Outline: &powermap.Outline{}}
	for m := range count {
		f := powermap.Footprint{I: m * n / count, J: n / 3}
		for range n / count {
			f.X = append(f.X, 0.01)
			f.Y = append(f.Y, 0.01)
		}
		d.Footprints = append(d.Footprints, f)
		d.Watts = append(d.Watts, 1)
	}
	return d
}
