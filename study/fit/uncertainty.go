package fit

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is the result for a parameter.
type Estimate struct {
	Key   string  `json:"key"`
	Unit  string  `json:"unit"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Start float64 `json:"start"`
	Value float64 `json:"fitted"`
	State State   `json:"state"`
	// Interval is the 95 % confidence interval of a Fitted parameter, else nil. That of a logarithmic parameter is
	// symmetric in the logarithm.
	Interval *[2]float64 `json:"interval_95"`
}

// State of an estimate.
type State string

// The states.
const (
	Fitted        State = "fitted"
	AtBound       State = "at its bound"
	NotDetermined State = "not determined"
)

// Combination is a change of parameters, by about a tenth of their ranges, that hardly changes the data.
type Combination struct {
	Keys    []string  `json:"parameters"`
	Units   []string  `json:"units"`
	Changes []float64 `json:"changes"`
	// Effect is the largest change of a residual, in standard deviations.
	Effect float64 `json:"largest_effect_in_sigma"`
}

// Deviation is the root mean square of computed minus measured values of a kind, before and after the fit.
type Deviation struct {
	Kind   Kind    `json:"kind"`
	Unit   string  `json:"unit"`
	Values int     `json:"values"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// Region is the joint 95 % confidence region of the free parameters: all values whose sum of squares, in variances, is
// at most Increase above the minimum. It is curved where the model is. The covariance describes its linearization, an
// ellipsoid.
type Region struct {
	Increase float64 `json:"chi_square_increase"`
	// Start is the increase at the start.
	Start float64 `json:"chi_square_increase_at_start"`
	// Ends is the largest increase at the ends of the axes of the ellipsoid.
	Ends float64 `json:"largest_increase_on_ellipsoid"`
}

const (
	confidence = 0.95
	// wide is the standard deviation of a combination, as a part of the range, above which it is not determined: the
	// confidence interval is then about as wide as the range.
	wide = 0.25
	// accuracy of the singular values, relative to the largest, with derivatives by differences.
	accuracy = 1e-6
	// named is the smallest part of a parameter that is named in a combination.
	named = 0.1
)

// finish computes the uncertainties at the solution, from the linearized residuals.
func (s *solver) finish(ctx context.Context, at *state, j *mat.Dense) error {
	r := s.Result
	r.End, r.ChiSquare = at.computed, at.sum
	for i := range at.u {
		p := &s.Parameters[i]
		r.Fitted = append(r.Fitted, Estimate{p.Key, p.Unit, p.Low, p.High, p.Start, p.At(at.u[i]), AtBound, nil})
	}
	r.Deviations = r.deviations()
	free := freeAt(at, j)
	r.Freedom = len(at.r) - len(free)
	quantile := distuv.UnitNormal.Quantile((1 + confidence) / 2)
	if !r.Known {
		r.Sigma = math.Sqrt(at.sum / float64(r.Freedom))
		quantile = distuv.StudentsT{Sigma: 1, Nu: float64(r.Freedom)}.Quantile((1 + confidence) / 2)
	}
	r.Correlation = make([][]float64, len(at.u))
	for i := range r.Correlation {
		r.Correlation[i] = make([]float64, len(at.u))
	}
	if len(free) == 0 {
		return nil
	}
	d := decompose(j, free)
	for n, i := range free {
		e, p := &r.Fitted[i], &s.Parameters[i]
		e.State = NotDetermined
		if d.determines(n, r.Sigma) {
			half := quantile * math.Sqrt(d.covariance(n, n, r.Sigma))
			e.State, e.Interval = Fitted, &[2]float64{p.At(at.u[i] - half), p.At(at.u[i] + half)}
		}
		for m, k := range free {
			r.Correlation[i][k] = d.covariance(n, m, r.Sigma) /
				math.Sqrt(d.covariance(n, n, r.Sigma)*d.covariance(m, m, r.Sigma))
		}
	}
	for k := range d.s {
		if d.deviation(k, r.Sigma) > wide {
			r.Weak = append(r.Weak, s.combination(at, j, d, free, k))
		}
	}
	return s.region(ctx, at, d, free)
}

// region computes the joint region, and how far its linearization is from it.
func (s *solver) region(ctx context.Context, at *state, d *decomposition, free []int) error {
	n, variance := float64(len(free)), s.Sigma*s.Sigma
	r := &Region{Increase: distuv.ChiSquared{K: n}.Quantile(confidence), Start: (s.first - at.sum) / variance}
	if !s.Known {
		r.Increase = n * distuv.F{D1: n, D2: float64(s.Freedom)}.Quantile(confidence)
	}
	var ends [][]float64
	for k := range d.s {
		for _, side := range []float64{-1, 1} {
			u := slices.Clone(at.u)
			for m, i := range free {
				u[i] += side * math.Sqrt(r.Increase) * d.deviation(k, s.Sigma) * d.v.At(m, k)
			}
			if slices.Min(u) >= 0 && slices.Max(u) <= 1 {
				ends = append(ends, u)
			}
		}
	}
	points, err := s.evaluateAll(ctx, ends)
	for _, p := range points {
		if p != nil {
			r.Ends = max(r.Ends, (p.sum-at.sum)/variance)
		}
	}
	s.Region = r
	return err
}

// deviation is the standard deviation of combination k as a part of the range, and 1 at most.
func (d *decomposition) deviation(k int, sigma float64) float64 {
	if d.s[k] < accuracy*d.s[0] {
		return 1
	}
	return min(1, sigma/d.s[k])
}

// determines reports whether free parameter n is determined: its standard deviation is not wide, and it is not named in
// a combination that is not determined.
func (d *decomposition) determines(n int, sigma float64) bool {
	for k := range d.s {
		if d.deviation(k, sigma) > wide && math.Abs(d.v.At(n, k)) >= named {
			return false
		}
	}
	return math.Sqrt(d.covariance(n, n, sigma)) <= wide
}

// covariance of two free parameters, as parts of their ranges.
func (d *decomposition) covariance(n, m int, sigma float64) (sum float64) {
	for k := range d.s {
		sum += d.v.At(n, k) * d.v.At(m, k) * math.Pow(d.deviation(k, sigma), 2)
	}
	return sum
}

// combination describes that of singular value k.
func (s *solver) combination(at *state, j *mat.Dense, d *decomposition, free []int, k int) (c Combination) {
	along, sign := mat.NewVecDense(len(at.u), nil), 1.0
	for n, i := range free {
		if v := d.v.At(n, k); math.Abs(v) >= named {
			p := &s.Parameters[i]
			if len(c.Keys) == 0 && v < 0 {
				sign = -1
			}
			change := p.At(at.u[i]+0.1*sign*v) - p.At(at.u[i])
			c.Keys, c.Units, c.Changes = append(c.Keys, p.Key), append(c.Units, p.Unit), append(c.Changes, change)
		}
		along.SetVec(i, 0.1*d.v.At(n, k))
	}
	var effect mat.VecDense
	effect.MulVec(j, along)
	c.Effect = mat.Norm(&effect, math.Inf(1)) / s.Sigma
	return c
}

// deviations summarizes the residuals, in K or, of responses, in %.
func (r *Result) deviations() (list []Deviation) {
	for _, d := range []Deviation{{Kind: Temperature, Unit: "K"}, {Kind: Impedance, Unit: "%"}} {
		unit := map[Kind]float64{Temperature: 1, Impedance: 0.01}[d.Kind]
		for n, v := range r.Values {
			if v.Kind == d.Kind {
				d.Values++
				d.Before += math.Pow((r.Start[n]-v.Measured)/v.Scale/unit, 2)
				d.After += math.Pow((r.End[n]-v.Measured)/v.Scale/unit, 2)
			}
		}
		if count := float64(d.Values); count > 0 {
			d.Before, d.After = math.Sqrt(d.Before/count), math.Sqrt(d.After/count)
			list = append(list, d)
		}
	}
	return list
}
