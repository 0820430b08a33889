package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/report/samples"
)

func TestDescending(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, value := range []func() float64{
		func() float64 { return 300 + 50*rng.Float64() },
		func() float64 { return float64(rng.IntN(5)) - 2 }, // equal ones, and some below zero
		func() float64 { return 310 },
		func() float64 {
			return []float64{1e-300, -1e-300, 1e300, -1e300, math.Inf(1), math.Inf(-1)}[rng.IntN(6)]
		},
	} {
		p := &peakMap{nx: 30, ny: 20, bins: make([]peak, 600)}
		var want []int
		for b := range p.bins {
			if p.bins[b].t = value(); !math.IsInf(p.bins[b].t, -1) {
				want = append(want, b)
			}
		}
		slices.SortStableFunc(want, func(a, b int) int {
			switch ta, tb := p.bins[a].t, p.bins[b].t; {
			case ta > tb:
				return -1
			case ta < tb:
				return 1
			}
			return 0
		})
		if got := p.descending(); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

func BenchmarkHotSpots(b *testing.B) {
	p := newPeakMap(1000, 1000)
	for n := range p.bins {
		x, y := float64(n%p.nx)/float64(p.nx), float64(n/p.nx)/float64(p.ny)
		p.bins[n].t = 300 + 20*math.Sin(9*x)*math.Cos(7*y)
	}
	for b.Loop() {
		p.summits()
	}
}

// Two summits make two hot spots only where they lie apart by more than a fiftieth of the diagonal, which is 12.8 mm.
func TestHotSpotsLieApart(t *testing.T) {
	for _, c := range []struct {
		apart float64
		want  int
	}{{0.25e-3, 1}, {0.75e-3, 2}} {
		s := samples.Stack(200, 160)
		m := samples.Build(t, s)
		peak := func(x, y, x0 float64) float64 {
			return math.Exp(-(math.Pow(x-x0, 2) + math.Pow(y-4e-3, 2)) / math.Pow(30e-6, 2))
		}
		bins := newPeakMap(m.NX(), m.NY())
		plane := make([]float64, m.NX()*m.NY())
		field := samples.Field{Mesh: m, Of: func(x, y, _ float64) float64 {
			return 300 + 50*peak(x, y, 5.025e-3) + 40*peak(x, y, 5.025e-3+c.apart)
		}}
		if err := field.Plane(0, plane); err != nil {
			t.Fatal(err)
		}
		for at, kelvin := range plane {
			b := at/m.NX()*bins.ny/m.NY()*bins.nx + at%m.NX()*bins.nx/m.NX()
			if kelvin > bins.bins[b].t {
				bins.bins[b].t, bins.bins[b].i, bins.bins[b].j = kelvin, int32(at%m.NX()), int32(at/m.NX())
			}
		}
		if spots := bins.HotSpots(m); len(spots) != c.want {
			t.Errorf("summits %g m apart: %d hot spots, want %d", c.apart, len(spots), c.want)
		}
	}
}
