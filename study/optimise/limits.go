package optimise

import (
	"context"
	"math"
	"slices"
)

// Limits are constraints g <= 0 on the temperatures of parts, relative to the initial rise, with an augmented
// Lagrangian: R. T. Rockafellar, Journal of Optimization Theory and Applications 12, 555 (1973). The objective has the
// additional terms (max(0, m + w g)^2 - m^2) / 2w with multipliers m and a weight w.
const (
	firstWeight, mostWeight = 10, 1e4
	mostRounds              = 15
	// reserve is the margin to the limits, and met the largest deviation from it, relative to the initial rise.
	reserve, met = 2e-4, 1e-4
)

// constrained reports whether limits are constraints.
func (r *run) constrained() bool { return r.File.Minimise == "cost" }

// violation is g for a temperature above its limit.
func (r *run) violation(excess float64) float64 { return excess/r.rise + reserve }

// force is the derivative of the objective by g of limit n, and the next multiplier.
func (r *run) force(n int, excess float64) float64 {
	return max(0, r.multipliers[n]+r.weight*r.violation(excess))
}

// penalty is the sum of the additional terms.
func (r *run) penalty(excesses []float64) (sum float64) {
	for n, x := range excesses {
		sum += (math.Pow(r.force(n, x), 2) - math.Pow(r.multipliers[n], 2)) / 2 / r.weight
	}
	return sum
}

// improve descends from a design. With limits, it does so again with better multipliers until they are met.
func (r *run) improve(ctx context.Context, at *point, weight float64) (end *point, steps int, err error) {
	r.weight = firstWeight
	defer func() { // designs are compared by their violations
		clear(r.multipliers)
		r.weight = mostWeight
	}()
	before := math.Inf(1)
	for round := 1; ; round++ {
		end, n, err := r.descendTwice(ctx, at, weight)
		if steps += n; err != nil || !r.constrained() {
			return end, steps, err
		}
		deviation := 0.0
		next := slices.Clone(r.multipliers)
		for n, x := range end.Terms[firstLimit:] {
			next[n] = r.force(n, x)
			deviation = max(deviation, math.Abs(max(r.violation(x), -r.multipliers[n]/r.weight)))
		}
		if deviation <= met || round == mostRounds || slices.Equal(next, r.multipliers) {
			return end, steps, nil
		}
		r.multipliers, at = next, end
		if deviation > before/4 {
			r.weight = min(mostWeight, 4*r.weight)
		}
		before = deviation
	}
}
