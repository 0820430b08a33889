package fit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is the result for a parameter.
type Estimate struct {
	Value float64
	// Low and High are the 95 % confidence interval; NaN if the parameter is not Determined or is AtBound. That of a
	// logarithmic parameter is symmetric in the logarithm.
	Low, High  float64
	AtBound    bool
	Determined bool
}

// Combination is a change of parameters that hardly changes the data.
type Combination struct {
	Parameters []int
	Changes    []float64 // of these parameters, in their units; the largest is a tenth of its value
	// Effect is the largest change of a residual, in standard deviations.
	Effect float64
}

const (
	confidence = 0.95
	// wide is the standard deviation of a combination, as a part of the range, above which it is not determined: the
	// confidence interval is then about as wide as the range.
	wide = 0.25
	// accuracy of the singular values, relative to the largest, with derivatives by differences.
	accuracy = 1e-6
	// negligible is the square of a parameter's part in a combination below which it counts as 0.
	negligible = 1e-6
	// named is the smallest part of a parameter that is named in a combination.
	named = 0.1
)

// finish computes the uncertainties at the solution, from the linearized residuals.
func (s *solver) finish(at *state, j *mat.Dense) {
	r := s.Result
	r.End, r.ChiSquare = at.computed, at.sum
	for i := range at.u {
		r.Fitted = append(r.Fitted, Estimate{Value: s.Parameters[i].at(at.u[i]), Low: math.NaN(), High: math.NaN(),
			AtBound: true, Determined: true})
	}
	free := freeAt(at, j)
	r.Freedom = len(at.r) - len(free)
	quantile := distuv.UnitNormal.Quantile((1 + confidence) / 2)
	if !s.Known {
		r.Sigma = math.Sqrt(at.sum / float64(r.Freedom))
		quantile = distuv.StudentsT{Sigma: 1, Nu: float64(r.Freedom)}.Quantile((1 + confidence) / 2)
	}
	r.Correlation = make([][]float64, len(at.u))
	for i := range r.Correlation {
		r.Correlation[i] = make([]float64, len(at.u))
	}
	if len(free) == 0 {
		return
	}
	d := decompose(j, free)
	for n, i := range free {
		e, p := &r.Fitted[i], &s.Parameters[i]
		e.AtBound = false
		e.Determined = d.determines(n, r.Sigma)
		deviation := quantile * r.Sigma * math.Sqrt(d.covariance(n, n))
		if e.Determined {
			e.Low, e.High = p.at(at.u[i]-deviation), p.at(at.u[i]+deviation)
		}
		for m, k := range free {
			r.Correlation[i][k] = d.covariance(n, m) / math.Sqrt(d.covariance(n, n)*d.covariance(m, m))
		}
	}
	for k := range d.s {
		if d.weak(k, r.Sigma) {
			r.Weak = append(r.Weak, s.combination(at, j, d, free, k))
		}
	}
}

// floored is singular value k, or its accuracy if that is larger.
func (d *decomposition) floored(k int) float64 { return max(d.s[k], accuracy*d.s[0], math.SmallestNonzeroFloat64) }

// weak reports whether the combination of singular value k is not determined.
func (d *decomposition) weak(k int, sigma float64) bool {
	return d.s[k] < accuracy*d.s[0] || sigma/d.floored(k) > wide
}

// determines reports whether free parameter n is determined: its standard deviation is not wide, and it has no part in
// a combination without any effect.
func (d *decomposition) determines(n int, sigma float64) bool {
	for k := range d.s {
		if v := d.v.At(n, k); d.s[k] < accuracy*d.s[0] && v*v > negligible {
			return false
		}
	}
	return sigma*math.Sqrt(d.covariance(n, n)) <= wide
}

// covariance of two free parameters, as parts of their ranges, for residuals of variance 1.
func (d *decomposition) covariance(n, m int) (sum float64) {
	for k := range d.s {
		a, b := d.v.At(n, k), d.v.At(m, k)
		if d.s[k] >= accuracy*d.s[0] || a*a > negligible && b*b > negligible {
			sum += a / d.floored(k) * b / d.floored(k)
		}
	}
	return sum
}

// combination describes that of singular value k.
func (s *solver) combination(at *state, j *mat.Dense, d *decomposition, free []int, k int) Combination {
	c, scale := Combination{}, 0.0
	for n, i := range free {
		x := s.Parameters[i].at(at.u[i])
		change := d.v.At(n, k) * s.Parameters[i].slope(x)
		if math.Abs(d.v.At(n, k)) >= named {
			c.Parameters, c.Changes = append(c.Parameters, i), append(c.Changes, change)
		}
		if x != 0 {
			scale = max(scale, math.Abs(change/x))
		}
	}
	factor := 0.1
	if scale > 0 {
		factor = 0.1 / scale
	}
	if largest := slices.MaxFunc(c.Changes, func(a, b float64) int {
		return int(math.Copysign(1, math.Abs(a)-math.Abs(b)))
	}); largest < 0 {
		factor = -factor
	}
	for n := range c.Changes {
		c.Changes[n] *= factor
	}
	along := mat.NewVecDense(len(at.u), nil)
	for n, i := range free {
		along.SetVec(i, d.v.At(n, k)*factor)
	}
	var effect mat.VecDense
	effect.MulVec(j, along)
	c.Effect = mat.Norm(&effect, math.Inf(1)) / s.Result.Sigma
	return c
}
