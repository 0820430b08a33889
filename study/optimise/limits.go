package optimise

import (
	"context"
	"math"
	"slices"
)

// limits are constraints g <= 0 on the temperatures of parts, relative to the initial rise, with an augmented
// Lagrangian: R. T. Rockafellar, Journal of Optimization Theory and Applications 12, 555 (1973). The objective has the
// additional terms (max(0, m + w g)^2 - m^2) / 2w with multipliers m and a weight w.
type limits struct {
	multipliers []float64 // nil for 0
	weight      float64
	rise        float64 // K
}

const (
	firstWeight, mostWeight = 10, 1e4
	mostRounds              = 15
	// reserve is the margin to the limits, and met the largest deviation from it, relative to the initial rise.
	reserve, met = 2e-4, 1e-4
)

// constrained reports whether limits are constraints.
func (r *run) constrained() bool { return r.File.Minimise == "cost" }

// multiplier of limit n.
func (l *limits) multiplier(n int) float64 {
	if l.multipliers == nil {
		return 0
	}
	return l.multipliers[n]
}

// violation of a limit by a temperature above it.
func (l *limits) violation(excess float64) float64 { return excess/l.rise + reserve }

// force is the derivative of the objective by the violation of limit n, and the next multiplier.
func (l *limits) force(n int, excess float64) float64 {
	return max(0, l.multiplier(n)+max(l.weight, firstWeight)*l.violation(excess))
}

// penalty is the sum of the additional terms.
func (l *limits) penalty(excesses []float64) (sum float64) {
	for n, x := range excesses {
		sum += (math.Pow(l.force(n, x), 2) - math.Pow(l.multiplier(n), 2)) / 2 / max(l.weight, firstWeight)
	}
	return sum
}

// improve descends from a design. With limits, it does so again with better multipliers until they are met.
func (r *run) improve(ctx context.Context, at *point, weight float64) (end *point, steps int, err error) {
	r.multipliers, r.weight = nil, firstWeight
	defer func() { r.multipliers, r.weight = nil, mostWeight }()
	before := math.Inf(1)
	for round := 1; ; round++ {
		end, n, err := r.descend(ctx, at, weight)
		if steps += n; err != nil || !r.constrained() {
			return end, steps, err
		}
		var next []float64
		deviation := 0.0
		for n, x := range end.Terms[firstLimit:] {
			next = append(next, r.force(n, x))
			deviation = max(deviation, math.Abs(max(r.violation(x), -r.multiplier(n)/r.weight)))
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
