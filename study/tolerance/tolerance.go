// Package tolerance turns spreads of parameters into the distribution of a temperature: its quantiles, the yield
// against limits, and the contribution of each parameter. It plans the runs and evaluates their results; it does not
// solve.
//
// The runs are those of A. Saltelli et al., Computer Physics Communications 181, 259 (2010): pairs of independent
// points A and B, and for each parameter i the point A_i, which is A with coordinate i of B. With the result f of
// variance V, the indices of I. M. Sobol' are
//
//	first order  S_i = mean of (f(B) - mean f) (f(A_i) - f(A)) / V    the part of V that i causes alone
//	total        T_i = mean of (f(A) - f(A_i))^2 / 2V                 with all its interactions
//
// The points are a scrambled Halton sequence, whose means converge faster than those of random points (A. B. Owen, A
// randomized Halton algorithm in R, arXiv 1706.02808 (2017)).
package tolerance

import (
	"math"
	"math/rand/v2"
	"slices"

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
	points, each := mat.NewDense(d.Samples, 2*n, nil), d.Samples/Replicates // A, then B
	for r := range uint64(Replicates) {
		part := points.Slice(int(r)*each, int(r+1)*each, 0, 2*n).(*mat.Dense)
		h := samplemv.Halton{Kind: samplemv.Owen, Q: distmv.NewUnitUniform(2*n, nil), Src: rand.NewPCG(d.Seed, r)}
		h.Sample(part)
	}
	return sweep.Sampled(&stackfile.SweepFile{Vary: d.Vary}, d.Runs(), func(run, i int) float64 {
		column := i
		if of := run % d.group(); of == 1 || of == i+2 {
			column += n
		}
		return min(max(points.At(run/d.group(), column), 0x1p-53), 1-0x1p-53)
	})
}

// Outcome is the result of a run.
type Outcome struct {
	Kelvin float64 // infinite after a thermal runaway, NaN without a result
	Margin float64 // to the limits, K; NaN without any
}

// Result is the distribution of a temperature.
type Result struct {
	Output      string // its name
	Samples     int
	Runs        int // with a result
	Mean, Sigma float64
	Low, High   float64 // of all runs
	Quantiles   []Quantile
	Yield       *Share // of the runs that meet all limits; nil without limits
	Parameters  []Parameter
	First       *FirstOrder // nil where the stack has no derivatives
	Values      []float64   // of all runs with a result, ascending, K
}

// Quantile is a temperature that a part of the runs does not exceed, with the limits of its 95 % confidence interval.
type Quantile struct{ Part, Kelvin, Low, High float64 }

// Share is a part of the runs, with the limits of its 95 % confidence interval.
type Share struct{ Part, Low, High float64 }

// Parameter is the contribution of a parameter to the variance.
type Parameter struct {
	Vary *stackfile.Vary
	// First-order and total index, with half the width of their 95 % confidence intervals.
	Alone, AloneError, Total, TotalError float64
}

// FirstOrder is the linear estimate around the means of all parameters.
type FirstOrder struct {
	Kelvin, Sigma float64
	Derivatives   []float64 // K per unit of each parameter
}

// Part of the variance that a parameter causes.
func (f *FirstOrder) Part(i int, v *stackfile.Vary) float64 {
	s := f.Derivatives[i] * v.Spread.Sigma / f.Sigma
	return s * s
}

// Linear is the first-order estimate from the derivatives at the means.
func Linear(kelvin float64, derivatives []float64, vary []stackfile.Vary) *FirstOrder {
	variance := 0.0
	for i, d := range derivatives {
		variance += d * d * vary[i].Spread.Sigma * vary[i].Spread.Sigma
	}
	return &FirstOrder{kelvin, math.Sqrt(variance), derivatives}
}

// confident is the number of standard errors of a 95 % confidence interval.
const confident = 1.96

// Evaluate evaluates the outcomes of all runs.
func Evaluate(d *Design, output string, all []Outcome) *Result {
	r := &Result{Output: output, Samples: d.Samples, Mean: math.NaN(), Sigma: math.NaN()}
	good, limited := 0, 0
	var finite []float64
	for _, o := range all {
		if math.IsNaN(o.Kelvin) {
			continue
		}
		r.Values = append(r.Values, o.Kelvin)
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
	slices.Sort(r.Values)
	if r.Runs = len(r.Values); r.Runs == 0 {
		return r
	}
	r.Mean, r.Sigma = stat.MeanStdDev(finite, nil)
	r.Low, r.High = r.Values[0], r.Values[r.Runs-1]
	// All points have the wanted distribution, but those of a sample share coordinates: it counts as two.
	independent := float64(min(r.Runs, 2*d.Samples))
	for _, part := range []float64{0.01, 0.05, 0.5, 0.95, 0.99} {
		off := confident * math.Sqrt(part*(1-part)/independent)
		r.Quantiles = append(r.Quantiles, Quantile{part, r.at(part), r.at(part - off), r.at(part + off)})
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

// at is the quantile of the runs.
func (r *Result) at(part float64) float64 {
	n := part*float64(r.Runs) - 0.5
	i := max(0, min(int(math.Floor(n)), r.Runs-1))
	next := min(i+1, r.Runs-1)
	low, high := r.Values[i], r.Values[next]
	if w := min(1, max(0, n-float64(i))); w > 0 && !math.IsInf(high, 0) {
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
	for i := range d.Vary {
		r.Parameters = append(r.Parameters, Parameter{&d.Vary[i],
			alone[i], student * stat.StdErr(stat.StdDev(spread[i][0], nil), Replicates),
			total[i], student * stat.StdErr(stat.StdDev(spread[i][1], nil), Replicates)})
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
		for _, s := range samples {
			change := s[i+2] - s[0]
			alone[i] += (s[1] - mean) * change
			total[i] += change * change / 2
		}
		alone[i] /= variance * float64(len(samples))
		total[i] /= variance * float64(len(samples))
	}
	return alone, total
}
