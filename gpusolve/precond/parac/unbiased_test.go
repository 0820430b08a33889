package parac

import (
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/sparse/ordering"
	"thermsim/internal/testtier"
)

// The mean of G D G^T over seeds is A. Every entry of the lower triangle is tested by a t statistic whose variance is
// that of the draws; Bonferroni's bound over all entries gives a family-wise level of 1e-3: 2 * 0.0005 / entries per
// tail. With 1000 draws of bounded entries the statistic is normal to well within the margin. Rounding of G to single
// precision (1e-7) is far below the standard error of a mean.
func TestUnbiased(t *testing.T) {
	const n = 12
	draws := testtier.Pick(1000, 3000)
	rng := rand.New(rand.NewPCG(11, 12))
	edges, w, ground := randomGraph(rng, n, 60)
	a := laplacian(n, edges, w, ground)
	order := ordering.Random(n, 1)
	var sum, square [n][n]float64
	for seed := range uint64(draws) {
		m := build(t, a, order, seed, 1).product()
		for r := range n {
			for c := range r + 1 {
				d := m[r][c] - a.At(r, c)
				sum[r][c] += d
				square[r][c] += d * d
			}
		}
	}
	tests := n * (n + 1) / 2
	limit := normalQuantile(1 - 1e-3/2/float64(tests))
	drawn := 0
	for r := range n {
		for c := range r + 1 {
			mean := sum[r][c] / float64(draws)
			deviation := math.Sqrt((square[r][c]/float64(draws) - mean*mean) / float64(draws-1))
			scale := math.Sqrt(a.At(r, r) * a.At(c, c))
			if deviation < 1e-9*scale { // nothing is drawn here
				if math.Abs(mean) > 1e-6*scale {
					t.Errorf("entry %d,%d is off by %g", r, c, mean)
				}
				continue
			}
			drawn++
			if z := mean / deviation; math.Abs(z) > limit {
				t.Errorf("entry %d,%d: mean off by %g, %.2f standard errors; the limit is %.2f", r, c, mean, z, limit)
			}
		}
	}
	if drawn < tests/3 {
		t.Errorf("only %d of %d entries vary", drawn, tests)
	}
}

// normalQuantile inverts the normal distribution by bisection.
func normalQuantile(p float64) float64 {
	lo, hi := 0.0, 40.0
	for range 100 {
		if mid := (lo + hi) / 2; math.Erfc(mid/math.Sqrt2)/2 > 1-p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
