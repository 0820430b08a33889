package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
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
