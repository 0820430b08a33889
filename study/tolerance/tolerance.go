// Package tolerance turns spreads of parameters into the distribution of a temperature: its quantiles, the yield
// against limits, and the contribution of each parameter. It plans the runs and evaluates their results; it does not
// solve.
//
// The runs are those of A. Saltelli et al., Computer Physics Communications 181, 259 (2010): pairs of independent
// points A and B, and for each parameter i the point A_i, which is A with coordinate i of B. With the result f of
// variance V, the indices of I. M. Sobol' are
//
//	first order  S_i = mean of (f(B) - mean f) (f(A_i) - f(A)) / V    the part of V that i causes alone
//	             S_i = 1 - mean of (f(B) - f(A_i))^2 / 2V             the same
//	total        T_i = mean of (f(A) - f(A_i))^2 / 2V                 with all its interactions
//
// The first estimate of S_i is more exact where T_i is small, the second where it is large: they have the weights
// 1 - T_i and T_i.
//
// The points are a scrambled Halton sequence, whose means converge faster than those of random points (A. B. Owen, A
// randomized Halton algorithm in R, arXiv 1706.02808 (2017)).
package tolerance

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"

	"thermsim/stack/stackfile"
	"thermsim/study/sweep"
)

// Replicates is the number of independently scrambled sequences, whose results show the error of indices. Samples are
// a multiple of it.
const Replicates = 8

// Design is the choice of runs: for each sample A, B, and A_i of all parameters.
type Design struct {
	Samples int
	Seed    uint64
	Vary    []stackfile.Vary
}

// group is the number of runs of a sample.
func (d *Design) group() int { return len(d.Vary) + 2 }

// Runs is the number of runs.
func (d *Design) Runs() int { return d.Samples * d.group() }

// Plan lists the runs.
func (d *Design) Plan() (*sweep.Plan, error) {
	n := len(d.Vary)
	points := sync.OnceValue(d.points)
	return sweep.Sampled(&stackfile.SweepFile{Vary: d.Vary}, d.Runs(), func(run, i int) float64 {
		column := i
		if of := run % d.group(); of == 1 || of == i+2 {
			column += n
		}
		return min(max(points().At(run/d.group(), column), 0x1p-53), 1-0x1p-53)
	})
}

// points are A and B of all samples, replicate by replicate.
func (d *Design) points() *mat.Dense {
	n, each := 2*len(d.Vary), d.Samples/Replicates
	all := mat.NewDense(d.Samples, n, nil)
	for r := range uint64(Replicates) {
		part := all.Slice(int(r)*each, int(r+1)*each, 0, n).(*mat.Dense)
		h := samplemv.Halton{Kind: samplemv.Owen, Q: distmv.NewUnitUniform(n, nil), Src: rand.NewPCG(d.Seed, r)}
		h.Sample(part)
	}
	return all
}

// Outcome is the result of a run.
type Outcome struct {
	Kelvin float64 // infinite after a thermal runaway, NaN without a result
	Margin float64 // to the limits, K; NaN without any
}

// Result is the distribution of a temperature, as in tolerance.json.
type Result struct {
	Output     string      `json:"output"`
	Samples    int         `json:"samples"`
	Runs       int         `json:"runs"` // with a result
	Mean       float64     `json:"mean_K"`
	Sigma      float64     `json:"sigma_K"`
	Low        float64     `json:"min_K"`
	High       float64     `json:"max_K"`
	Quantiles  []Quantile  `json:"quantiles"`
	Yield      *Share      `json:"yield,omitempty"`       // of the runs that meet all limits; nil without limits
	First      *FirstOrder `json:"first_order,omitempty"` // nil where the stack has no derivatives
	Parameters []Parameter `json:"parameters"`
}

// Quantile is a temperature that a part of the runs does not exceed, with the limits of its 95 % confidence interval.
type Quantile struct {
	Part   float64 `json:"part"`
	Kelvin float64 `json:"K"`
	Low    float64 `json:"low_K"`
	High   float64 `json:"high_K"`
}

// Share is a part of the runs, with the limits of its 95 % confidence interval.
type Share struct {
	Part float64 `json:"part"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Parameter is the contribution of a parameter to the variance.
type Parameter struct {
	Name   string   `json:"name"`
	Keys   []string `json:"keys"`
	Spread string   `json:"spread"`
	Mean   float64  `json:"mean"`
	Sigma  float64  `json:"sigma"`
	Unit   string   `json:"unit"`
	// First-order and total index, with half the width of their 95 % confidence intervals.
	Alone      float64 `json:"S1"`
	AloneError float64 `json:"S1_error"`
	Total      float64 `json:"ST"`
	TotalError float64 `json:"ST_error"`
	// Of the linear estimate: derivative, and share of the variance; NaN without it.
	Derivative float64 `json:"first_order_K_per_unit"`
	Share      float64 `json:"first_order_share"`
}

// FirstOrder is the linear estimate around the means of all parameters.
type FirstOrder struct {
	Kelvin float64 `json:"mean_K"`
	Sigma  float64 `json:"sigma_K"`
}

// Linear adds the linear estimate from the temperature and the derivatives at the means.
func (r *Result) Linear(kelvin float64, derivatives []float64) {
	variance := 0.0
	for i, d := range derivatives {
		variance += d * d * r.Parameters[i].Sigma * r.Parameters[i].Sigma
	}
	r.First = &FirstOrder{kelvin, math.Sqrt(variance)}
	for i, d := range derivatives {
		p := &r.Parameters[i]
		p.Derivative, p.Share = d, d*d*p.Sigma*p.Sigma/variance
	}
}

// confident is the number of standard errors of a 95 % confidence interval.
const confident = 1.96

// Evaluate evaluates the outcomes of all runs.
func Evaluate(d *Design, output string, all []Outcome) *Result {
	var values []float64
	r := &Result{Output: output, Samples: d.Samples, Mean: math.NaN(), Sigma: math.NaN()}
	good, limited := 0, 0
	var finite []float64
	for _, o := range all {
		if math.IsNaN(o.Kelvin) {
			continue
		}
		values = append(values, o.Kelvin)
		if !math.IsInf(o.Kelvin, 0) {
			finite = append(finite, o.Kelvin)
		}
		if o.Margin >= 0 {
			good++
		}
		if !math.IsNaN(o.Margin) {
			limited++
		}
	}
	slices.Sort(values)
	if r.Runs = len(values); r.Runs == 0 {
		return r
	}
	r.Mean, r.Sigma = stat.MeanStdDev(finite, nil)
	r.Low, r.High = values[0], values[r.Runs-1]
	// All points have the wanted distribution, but those of a sample share coordinates: it counts as two.
	independent := float64(min(r.Runs, 2*d.Samples))
	for _, part := range []float64{0.01, 0.05, 0.5, 0.95, 0.99} {
		off := confident * math.Sqrt(part*(1-part)/independent)
		r.Quantiles = append(r.Quantiles, Quantile{part, at(values, part), at(values, part-off), at(values, part+off)})
	}
	if limited > 0 {
		r.Yield = wilson(float64(good)/float64(r.Runs), independent)
	}
	r.indices(d, all)
	return r
}

// At is one of the quantiles.
func (r *Result) At(part float64) Quantile {
	for _, q := range r.Quantiles {
		if q.Part == part {
			return q
		}
	}
	return Quantile{part, math.NaN(), math.NaN(), math.NaN()}
}

// at is a quantile of ascending values.
func at(values []float64, part float64) float64 {
	n := part*float64(len(values)) - 0.5
	i := max(0, min(int(math.Floor(n)), len(values)-1))
	low, high := values[i], values[min(i+1, len(values)-1)]
	if w := min(1, n-float64(i)); w > 0 && !math.IsInf(high, 0) {
		return low + w*(high-low)
	}
	return low
}

// wilson is a share with its confidence interval: E. B. Wilson, Journal of the American Statistical Association 22,
// 209 (1927).
func wilson(part, runs float64) *Share {
	z := confident * confident / runs
	middle := (part + z/2) / (1 + z)
	width := confident * math.Sqrt(part*(1-part)/runs+z/4/runs) / (1 + z)
	return &Share{part, max(0, middle-width), min(1, middle+width)}
}

// student is the number of standard errors of a 95 % confidence interval for the mean of all replicates.
const student = 2.365

// indices computes the indices from the samples of which all runs have a temperature, and their errors from those of
// the replicates.
func (r *Result) indices(d *Design, all []Outcome) {
	var samples [][]float64
	var parts [Replicates][][]float64
	for s := range d.Samples {
		values := make([]float64, d.group())
		for n := range values {
			values[n] = all[s*d.group()+n].Kelvin
		}
		if !slices.ContainsFunc(values, func(x float64) bool { return x-x != 0 }) {
			samples = append(samples, values)
			part := s * Replicates / d.Samples
			parts[part] = append(parts[part], values)
		}
	}
	alone, total := indicesOf(samples, len(d.Vary))
	spread := make([][2][]float64, len(d.Vary))
	for _, p := range parts {
		alone, total := indicesOf(p, len(d.Vary))
		for i := range spread {
			spread[i][0], spread[i][1] = append(spread[i][0], alone[i]), append(spread[i][1], total[i])
		}
	}
	for i, v := range d.Vary {
		s := v.Spread
		r.Parameters = append(r.Parameters, Parameter{Name: v.Label, Keys: v.Keys, Spread: s.Text, Mean: s.Mean,
			Sigma: s.Sigma, Unit: s.Unit, Derivative: math.NaN(), Share: math.NaN(),
			Alone: alone[i], AloneError: student * stat.StdErr(stat.StdDev(spread[i][0], nil), Replicates),
			Total: total[i], TotalError: student * stat.StdErr(stat.StdDev(spread[i][1], nil), Replicates)})
	}
}

// indicesOf are the indices of samples of f(A), f(B), f(A_1), f(A_2) and so on.
func indicesOf(samples [][]float64, parameters int) (alone, total []float64) {
	alone, total = make([]float64, parameters), make([]float64, parameters)
	var both []float64
	for _, s := range samples {
		both = append(both, s[0], s[1])
	}
	mean, variance := stat.MeanVariance(both, nil)
	for i := range alone {
		scale, rest := variance*float64(len(samples)), 0.0
		for _, s := range samples {
			change, other := s[i+2]-s[0], s[i+2]-s[1]
			alone[i] += (s[1] - mean) * change / scale
			rest += other * other / 2 / scale
			total[i] += change * change / 2 / scale
		}
		weight := min(max(total[i], 0), 1)
		alone[i] = (1-weight)*alone[i] + weight*(1-rest)
	}
	return alone, total
}
