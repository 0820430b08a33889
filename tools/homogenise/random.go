package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// samples of a random mixture that are solved for each figure.
const samples = 8

// discs scatters about 40 equal cylinders over a square, none nearer to another than a twentieth of a diameter. Those
// on the edges are cut: the square's faces are planes of symmetry. It returns the fraction that they have in fact.
func discs(rng *rand.Rand, f float64, p pair) (sample, float64) {
	s := sample{width: 1, height: 1, ki: p.ki, km: p.km}
	d := math.Sqrt(4 / math.Pi * f / 40)
	covered := 0.0
	for tries := 0; covered < f && tries < 1_000_000; tries++ {
		c := geometry.Circle{X: rng.Float64()*(1+d) - d/2, Y: rng.Float64()*(1+d) - d/2, Diameter: d}
		free := true
		for _, o := range s.circles {
			free = free && math.Hypot(c.X-o.X, c.Y-o.Y) > 1.05*d
		}
		if free {
			s.circles = append(s.circles, c)
			covered += geometry.Within(c, geometry.Box{X1: 1, Y1: 1})
		}
	}
	return s, covered
}

// pixels is a square of 32 x 32 squares, each of which is inclusion with probability f.
func pixels(rng *rand.Rand, f float64, p pair) (sample, float64) {
	const n = 32
	s := sample{width: 1, height: 1, ki: p.ki, km: p.km}
	for j := range n {
		for i := range n {
			if rng.Float64() < f {
				s.rects = append(s.rects, stack.Rect{X: float64(i) / n, Y: float64(j) / n, Width: 1. / n,
					Height: 1. / n})
			}
		}
	}
	return s, float64(len(s.rects)) / (n * n)
}

// randomTable compares random mixtures, solved on n x n cells, with a rule and with the bounds.
func randomTable(ctx context.Context, w io.Writer, rule stack.Rule,
	draw func(*rand.Rand, float64, pair) (sample, float64), fractions []float64, n int) error {
	fmt.Fprintf(w, "| fraction | pair | resolved over `%s`, mean of %d | least and most | `lower` | `upper` "+
		"|\n|---|---|---|---|---|---|\n", rule, samples)
	for _, f := range fractions {
		for _, p := range pairs() {
			rng := rand.New(rand.NewPCG(1, uint64(f*1000)))
			mean, least, most := 0.0, math.Inf(1), 0.0
			var s sample
			for range samples {
				var in float64
				s, in = draw(rng, f, p)
				k, _, err := s.resolved(ctx, n)
				if err != nil {
					return err
				}
				ratio := k / s.formula(rule, in)
				mean, least, most = mean+ratio/samples, min(least, ratio), max(most, ratio)
			}
			own := s.formula(rule, f)
			fmt.Fprintf(w, "| %g | %s | %.3f | %.3f to %.3f | %.2g | %.2g |\n", f, p.name, mean, least, most,
				s.formula(stack.Lower, f)/own, s.formula(stack.Upper, f)/own)
		}
	}
	return nil
}
