package tolerance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/stack/stackfile"
)

func spreadsOf(t *testing.T, texts ...string) (all []stackfile.Vary) {
	t.Helper()
	for _, text := range texts {
		v, err := stackfile.ParseVary(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// evaluate evaluates a function of the parameters at the points of a design.
func evaluate(t *testing.T, d *Design, f func(x []float64) Outcome) *Result {
	t.Helper()
	plan, err := d.Plan()
	if err != nil {
		t.Fatal(err)
	}
	all := make([]Outcome, plan.Count())
	for run := range all {
		x := make([]float64, len(d.Vary))
		for i, text := range plan.Values(run) {
			if x[i], _, err = stackfile.SplitQuantity(text); err != nil {
				t.Fatal(err)
			}
		}
		all[run] = f(x)
	}
	return Evaluate(d, "max", all)
}

// checkIndices compares with exact indices, alone and total, within the stated errors and a part of 1.
func checkIndices(t *testing.T, r *Result, alone, total []float64, most float64) {
	t.Helper()
	for i, p := range r.Parameters {
		for _, c := range [][3]float64{{p.Alone, alone[i], p.AloneError}, {p.Total, total[i], p.TotalError}} {
			if off := math.Abs(c[0] - c[1]); off > most || off > 2*c[2]+1e-4 {
				t.Errorf("%s: %.5f +- %.5f, exactly %.5f", p.Name, c[0], c[2], c[1])
			}
		}
	}
}

func near(t *testing.T, what string, got, want, most float64) {
	t.Helper()
	if !(math.Abs(got-want) <= most) {
		t.Errorf("%s: got %.6g, want %.6g within %.2g", what, got, want, most)
	}
}

// A sum of normal parameters is normal, and each causes its own part of the variance. The first order is exact.
func TestSum(t *testing.T) {
	d := &Design{Samples: 1024, Seed: 1, Vary: spreadsOf(t, "a=300 +- 3", "b=20 +- 10 %", "c=normal(-5, 0.4)")}
	r := evaluate(t, d, func(x []float64) Outcome { return Outcome{x[0] + 2*x[1] - x[2], 353 - x[0] - 2*x[1] + x[2]} })
	variance := 9 + 16 + 0.16
	parts := []float64{9 / variance, 16 / variance, 0.16 / variance}
	checkIndices(t, r, parts, parts, 0.015)
	sigma := math.Sqrt(variance)
	near(t, "mean", r.Mean, 345, 0.02)
	near(t, "sigma", r.Sigma, sigma, 0.02)
	for n, z := range []float64{-2.3263, -1.6449, 0, 1.6449, 2.3263} {
		q := r.Quantiles[n]
		near(t, "quantile", q.Kelvin, 345+z*sigma, 0.25)
		if want := 345 + z*sigma; want < q.Low || want > q.High {
			t.Errorf("P%g: %g outside its interval %g to %g", 100*q.Part, want, q.Low, q.High)
		}
	}
	yield := (1 + math.Erf(8/sigma/math.Sqrt2)) / 2 // the limit is 8 K above the mean
	near(t, "yield", r.Yield.Part, yield, 0.003)
	if yield < r.Yield.Low || yield > r.Yield.High {
		t.Errorf("yield %g outside %+v", yield, r.Yield)
	}
	r.Linear(345, []float64{1, 2, -1})
	near(t, "first order", r.First.Sigma, sigma, 1e-12)
	near(t, "first-order share", r.Parameters[1].Share, parts[1], 1e-12)
}

// A layered slab of uniform power P under a film: rise = P/A (d/k + 1/h), with exact moments of the lognormal d and of
// 1/h, h uniform from a to b: E[1/h] = ln(b/a)/(b-a), E[1/h^2] = 1/(ab). Rise is a product of P and a sum of R, for
// which the indices are products of these moments; the quantiles are those of 100,000 random samples.
func TestLayeredSlab(t *testing.T) {
	const k, area, a, b = 4, 1e-4, 1500, 2500
	d := &Design{Samples: 2048, Seed: 3, Vary: spreadsOf(t, "P=triangular(11, 13, 16)", "d=lognormal(50 um, 40 %)",
		"h=uniform(1500, 2500)")}
	rise := func(x []float64) float64 { return x[0] / area * (x[1]*1e-6/k + 1/x[2]) }
	r := evaluate(t, d, func(x []float64) Outcome { return Outcome{rise(x), math.NaN()} })

	p := d.Vary[0].Spread
	meanR := []float64{50e-6 / k, math.Log(float64(b)/a) / (b - a)}
	varR := []float64{20e-6 * 20e-6 / k / k, 1.0/a/b - meanR[1]*meanR[1]}
	mean, spread := meanR[0]+meanR[1], varR[0]+varR[1]
	square := p.Mean*p.Mean + p.Sigma*p.Sigma
	variance := square*(mean*mean+spread) - p.Mean*p.Mean*mean*mean
	checkIndices(t, r,
		[]float64{p.Sigma * p.Sigma * mean * mean / variance, p.Mean * p.Mean * varR[0] / variance,
			p.Mean * p.Mean * varR[1] / variance},
		[]float64{p.Sigma * p.Sigma * (mean*mean + spread) / variance, square * varR[0] / variance,
			square * varR[1] / variance}, 0.012)
	near(t, "mean", r.Mean, p.Mean*mean/area, 0.06)
	near(t, "sigma", r.Sigma, math.Sqrt(variance)/area, 0.06)
	if r.Yield != nil {
		t.Errorf("yield %+v without limits", r.Yield)
	}

	random := rand.New(rand.NewPCG(9, 9))
	direct := make([]float64, 100_000)
	for n := range direct {
		x := make([]float64, 3)
		for i := range x {
			x[i] = d.Vary[i].Spread.Quantile(random.Float64())
		}
		direct[n] = rise(x)
	}
	slices.Sort(direct)
	for _, q := range r.Quantiles {
		near(t, "quantile", q.Kelvin, direct[int(q.Part*float64(len(direct)))], 0.25)
	}
}

// Runs without a result count nowhere, a runaway as hotter than all and beyond the limits.
func TestRunsWithoutResult(t *testing.T) {
	d := &Design{Samples: 64, Seed: 2, Vary: spreadsOf(t, "a=uniform(0, 1)")}
	r := evaluate(t, d, func(x []float64) Outcome {
		switch {
		case x[0] < 0.1:
			return Outcome{math.NaN(), math.NaN()}
		case x[0] > 0.9:
			return Outcome{math.Inf(1), math.Inf(-1)}
		}
		return Outcome{x[0], 1}
	})
	near(t, "runs", float64(r.Runs), 0.9*192, 6)
	near(t, "yield", r.Yield.Part, 8.0/9, 0.03)
	near(t, "median", r.At(0.5).Kelvin, 0.55, 0.03)
	if !math.IsInf(r.At(0.95).Kelvin, 1) || r.High < 0.9 {
		t.Errorf("P95 %g, highest %g", r.At(0.95).Kelvin, r.High)
	}
	near(t, "index", r.Parameters[0].Total, 1, 0.2)
}
