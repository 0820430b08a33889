package krylov

import (
	"math"
	"testing"
)

// conjugateGradients on a diagonal matrix without a preconditioner: its alpha and beta.
func conjugateGradients(a, b []float64, steps int, each func(alpha, beta float64)) {
	r := append([]float64(nil), b...)
	p := make([]float64, len(b))
	before := 0.0
	for k := range steps {
		rr, beta := 0.0, 0.0
		for _, v := range r {
			rr += v * v
		}
		if k > 0 {
			beta = rr / before
		}
		before = rr
		pq := 0.0
		for i := range p {
			p[i] = r[i] + beta*p[i]
			pq += p[i] * a[i] * p[i]
		}
		alpha := rr / pq
		for i := range p {
			r[i] -= alpha * a[i] * p[i]
		}
		each(alpha, beta)
	}
}

// The Ritz values of the first steps are known: the Rayleigh quotient, and in the end the smallest eigenvalue. In
// between they only fall, and the bound is below them by the slack at most.
func TestSmallestRitzValue(t *testing.T) {
	a := []float64{1e-4, 0.3, 0.5, 0.9, 1, 1.7}
	b := []float64{1e-3, 1, -1, 2, 1, 0.5}
	quotient, length := 0.0, 0.0
	for i := range a {
		quotient += a[i] * b[i] * b[i]
		length += b[i] * b[i]
	}
	var r ritz
	n, last := 0, math.Inf(1)
	conjugateGradients(a, b, len(a), func(alpha, beta float64) {
		r.add(alpha, beta)
		n++
		if want := quotient / length; n == 1 && !(r.mu <= want && r.mu >= want/(1+slack)) {
			t.Errorf("after one step %g, the Rayleigh quotient is %g", r.mu, want)
		}
		if r.mu > last || r.mu < a[0]/(1+slack) {
			t.Errorf("after %d steps %g, before %g", n, r.mu, last)
		}
		last = r.mu
	})
	if !(r.mu <= a[0]*(1+1e-9)) {
		t.Errorf("after %d steps %g, the smallest eigenvalue is %g", n, r.mu, a[0])
	}
	// Another right side without the smallest mode leaves what is known.
	r.restart()
	conjugateGradients(a[1:], b[1:], 3, r.add)
	if r.mu != last {
		t.Errorf("%g behind another right side, before %g", r.mu, last)
	}
	r.add(math.NaN(), 0)
	r.add(math.Inf(1), 0)
	r.add(-1, 0)
	if r.mu != last {
		t.Errorf("numbers that mean nothing made %g of %g", r.mu, last)
	}
}

// A slow mode that hides behind a residual of fast ones: no estimate below the tolerance before the residual has fallen
// far.
func TestHiddenModesEndNoSolve(t *testing.T) {
	var e Estimate
	e.Begin(nil)
	e.Residual(1e-3, 1, true)
	if !math.IsNaN(e.Value()) {
		t.Errorf("%g K before the first step", e.Value())
	}
	e.Moved(1)
	e.Residual(5e-6, 1e-5, false)
	if v := e.Value(); v < 1e-3 {
		t.Errorf("%g K with the residual down to %g of its largest", v, 5e-6/1e-3)
	}
	e.Moved(1e-5)
	e.Residual(5e-7, 1e-7, false)
	if v := e.Value(); !(v < 1e-5) {
		t.Errorf("%g K with the residual down to %g of its largest", v, 5e-7/1e-3)
	}
	e.Begin(nil) // the next right side: the operator is known
	e.Residual(1e-3, 1, true)
	if v := e.Value(); !(v >= 1e-3 && v < 1e-2) {
		t.Errorf("%g K at the start of the next solve", v)
	}
}

// The rate is the largest of the last three reductions, and no restart counts as one.
func TestRateOfContraction(t *testing.T) {
	var c contraction
	z := 5.0
	for n, by := range []float64{1, 0.5, 0.9, 0.8, 0.6} {
		z *= by
		c.add(z, n == 0)
	}
	if got := c.rate(); math.Abs(got-0.9) > 1e-15 {
		t.Errorf("rate %g of 0.9, 0.8 and 0.6", got)
	}
	if got := c.estimate(2); math.Abs(got-20) > 1e-12 {
		t.Errorf("the rest of the series is %g, want 2 / (1 - 0.9)", got)
	}
	c.add(100*z, true)
	if got := c.rate(); math.Abs(got-0.9) > 1e-15 {
		t.Errorf("rate %g behind a restart", got)
	}
}

// With a preconditioner that makes the operator mu times one, the error is max|z| / mu: the bound stands above it, by
// less than three times.
func TestBoundOfOneMode(t *testing.T) {
	for _, mu := range []float64{0.05, 0.25, 1} {
		var e Estimate
		e.Begin(nil)
		e.Residual(1, 1, true)
		for range 10 {
			e.Moved(mu) // alpha = r.z / p.Ap = 1 / mu
			e.Residual(1, 1, true)
		}
		if got := e.Plain(1); !(got >= 1/mu && got <= math.Max(4, 3/mu)) {
			t.Errorf("mu = %g: bound %g, the error is %g", mu, got, 1/mu)
		}
	}
}
