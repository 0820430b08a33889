package krylov

import (
	"maps"
	"math"
	"slices"

	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/snapshot"
)

// Estimate bounds the largest error from what conjugate gradients show by themselves. With z = M^-1 r = (M^-1 A) e and
// theta the smallest eigenvalue of M^-1 A,
//
//	||e|| <= ||z|| / theta
//
// in the norms of M and of A. In the maximum norm it holds as well except for a small factor, which safety represents.
// theta comes from the Ritz values of the iteration itself, which approach it from above. Three more terms represent
// what these have not seen yet: the contraction of max|z|, the decrease of the smallest Ritz value in the last quarter
// of the iterations, and the reduction of max|z| since the start. Without the last one a slow mode may hide under all
// others.
//
// The operator is the same from solve to solve: what was seen stays.
type Estimate struct {
	ritz     ritz
	rate     contraction
	mus      []float64 // the bound after each step of this solve
	seen     int       // steps in all solves
	operator int       // how often the operator had changed then
	slowest  float64   // largest contraction of max|z| in a step of all solves
	shown    bool      // a solve has gone far enough to show the slow modes
	raised   bool      // the last estimate was raised, as they had not

	z, top     float64 // max|z| now and its largest of this solve, K
	rz, before float64 // r.z now and at the step before
}

// safety of the estimate, and what is added to it over the number of steps seen.
const safety, early = 1.6, 2

// shows is the reduction of max|z| that shows the slow modes.
const shows = 1e-3

// Begin takes up another right-hand side, preconditioned by m. What was seen of an operator that has changed since is
// forgotten.
func (e *Estimate) Begin(m precond.Preconditioner) {
	if r, ok := m.(interface{ Refreshes() int }); ok && r.Refreshes() != e.operator {
		*e = Estimate{operator: r.Refreshes()}
	}
	e.mus, e.top, e.rate, e.raised = e.mus[:0], 0, contraction{}, false
}

// Continue takes up a system that differs little from the last one: bounds and reductions go on from there.
func (e *Estimate) Continue(m precond.Preconditioner) {
	e.take(m)
	e.rate, e.raised = contraction{}, false
}

// Residual takes max|z| and r.z of a preconditioned residual; first says that the iteration has just been started
// again.
func (e *Estimate) Residual(z, rz float64, first bool) {
	if e.rate.add(z, first); !first {
		e.slowest = math.Max(e.slowest, e.rate.rates[(e.rate.n-1)%len(e.rate.rates)])
	}
	e.z, e.top = z, math.Max(e.top, z)
	e.before, e.rz = e.rz, rz
	if first {
		e.before = 0
		e.ritz.restart()
	}
	e.shown = e.shown || len(e.mus) > 0 && z <= shows*e.top
}

// Moved takes p.A p of the direction that the residual led to.
func (e *Estimate) Moved(pq float64) {
	beta := 0.0
	if e.before > 0 {
		beta = e.rz / e.before
	}
	e.ritz.add(e.rz/pq, beta)
	e.mus = append(e.mus, e.ritz.mu)
	e.seen++
}

// Value is the estimate for the residual taken last, or NaN where nothing is known.
func (e *Estimate) Value() float64 { return e.Of(e.z) }

// Of is the estimate for a residual of this solve with max|M^-1 r| = z. Before the slow modes have shown it is raised
// far enough to end no solve, which says nothing of the error.
func (e *Estimate) Of(z float64) float64 {
	plain := e.Plain(z)
	if e.raised = !e.shown && z > shows*e.top; e.raised {
		return plain * math.Pow(z/(shows*e.top), 4)
	}
	return plain
}

// swift is the largest contraction in a step that is relied on before it is seen.
const swift = 0.2

// Next is the estimate after another step, before max|z| is known: a step shrinks it as the worst so far, and in the
// norm of A at least as the condition number says. It is NaN where steps are slow, or slow modes have not shown.
func (e *Estimate) Next() float64 {
	factor := math.Max(e.slowest, (e.ritz.top-e.ritz.mu)/(e.ritz.top+e.ritz.mu))
	if e.rate.n == 0 || !e.shown || factor > swift {
		return math.NaN()
	}
	return factor * e.Value()
}

// Supported is an outcome whose error is unknown where its estimate was raised, unless a rule was met all the same.
func (e *Estimate) Supported(o Outcome) Outcome {
	if e.raised && o.Reason != Tolerance {
		o.ErrorK = math.NaN()
	}
	return o
}

// Raised says that the last estimate was raised, as the slow modes had not shown.
func (e *Estimate) Raised() bool { return e.raised }

// Plain is the estimate as far as the operator is known, for people who watch.
func (e *Estimate) Plain(z float64) float64 {
	if !(e.ritz.mu > 0) || z == 0 { // a nonzero residual for which z is zero
		return math.NaN()
	}
	bound := (safety + early/float64(e.seen)) * z / e.ritz.mu
	if n := len(e.mus); n > 0 {
		bound *= e.mus[max(0, n-3-n/4)] / e.ritz.mu
	}
	return math.Max(bound, e.rate.estimate(z))
}

// ritz keeps a lower bound, within 5 %, of the smallest Ritz value of the preconditioned operator. This is the smallest
// eigenvalue of the tridiagonal matrix that conjugate gradients form, with alpha = r.z / p.A p and beta = r.z /
// previous r.z. It tends to the smallest eigenvalue of M^-1 A from above.
//
// T = L D L^T with D = diag(1/alpha). T - mu I is positive definite as long as gamma_k stays above alpha_k in the
// recursion
//
//	gamma_0 = 1/mu, gamma_{k+1} = (gamma_k - alpha_k) / (mu (gamma_k - alpha_k) + beta_{k+1}).
//
// (Meurant and Tichy, "On computing quadrature-based bounds for the A-norm of the error in conjugate gradients", Numer.
// Algorithms 62, 2013). So an iteration costs a few operations, and a pass over all alpha and beta only where the bound
// must come down.
type ritz struct {
	mu          float64 // 1 over the unit of alpha; 0 while nothing was seen
	top         float64 // a value no larger than the largest Ritz value
	alpha, beta []float64
	rest        float64 // gamma - alpha behind the last step
}

// slack of the bound when it has just been found.
const slack = 0.05

// restart begins another sequence of conjugate gradients on the same operator. The bound stays.
func (r *ritz) restart() { r.alpha, r.beta = r.alpha[:0], r.beta[:0] }

// add takes a step of conjugate gradients. Its beta is that of its direction, 0 in the first step.
func (r *ritz) add(alpha, beta float64) {
	if !(alpha > 0) || !(beta >= 0) || math.IsInf(alpha, 0) || math.IsInf(beta, 0) {
		return
	}
	diagonal := 1 / alpha
	if n := len(r.alpha); n > 0 {
		diagonal += beta / r.alpha[n-1]
	}
	r.top = math.Max(r.top, diagonal)
	r.alpha, r.beta = append(r.alpha, alpha), append(r.beta, beta)
	if r.mu > 0 && r.advance(len(r.alpha)-1, r.mu) {
		return
	}
	high := 1 / alpha // T has this on its diagonal, or less
	if r.mu > 0 {
		high = math.Min(high, r.mu)
	}
	low := high
	for {
		low /= 2
		if low == 0 {
			return
		}
		if r.below(low) {
			break
		}
		high = low
	}
	for high > (1+slack)*low {
		if middle := math.Sqrt(low * high); r.below(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	r.mu = low
	r.below(low)
}

// below says whether all Ritz values are above mu.
func (r *ritz) below(mu float64) bool {
	for k := range r.alpha {
		if !r.advance(k, mu) {
			return false
		}
	}
	return true
}

// advance does step k of the recursion.
func (r *ritz) advance(k int, mu float64) bool {
	gamma := 1 / mu
	if k > 0 {
		gamma = r.rest / (mu*r.rest + r.beta[k])
	}
	r.rest = gamma - r.alpha[k]
	return r.rest > 0
}

// contraction observes how fast max|z| falls. With z = M^-1 r close to the error e and the error falling by rho per
// iteration, the rest of the geometric series gives max|e| <= max|z| / (1 - rho).
type contraction struct {
	previous float64
	rates    [3]float64 // the last ones
	n        int
}

// cautious is assumed in place of every one of the last rates that was not yet observed, and usual is the least that
// counts: z may underrate the error where the preconditioner is at its worst.
const cautious, usual = 0.7, 0.5

// add takes the next max|z|; first says that the iteration has just been started again.
func (c *contraction) add(z float64, first bool) {
	if !first && c.previous > 0 {
		c.rates[c.n%len(c.rates)] = z / c.previous
		c.n++
	}
	c.previous = z
}

// rate is the largest of the last observations: the steps of conjugate gradients are uneven, and a lucky one must not
// end the solve.
func (c *contraction) rate() float64 {
	rho := usual
	if c.n < len(c.rates) {
		rho = cautious
	}
	for _, r := range c.rates[:min(c.n, len(c.rates))] {
		rho = math.Max(rho, r)
	}
	return math.Min(rho, 0.99)
}

func (c *contraction) estimate(z float64) float64 { return z / (1 - c.rate()) }

// mostSteps bounds the steps of conjugate gradients that an estimate may have kept.
const mostSteps = 1 << 28

// mostOthers bounds the estimates that are kept for operators of other time steps.
const mostOthers = 64

// Retime takes up the operator for another time step: what was seen of it before counts again. Everything else in the
// operator must be the same.
func (c *PCG) Retime(dt float64) {
	if c.others == nil || len(c.others) >= mostOthers {
		c.others = map[float64]Estimate{}
	}
	c.others[c.dt] = c.error
	c.error, c.dt = c.others[dt], dt
	delete(c.others, dt)
	c.error.take(c.pre)
}

// Seen adds what the estimate has seen of the operator to what others have: the worst of each.
func (c *PCG) Seen(of Estimate) Estimate {
	e := &c.error
	if !of.shown {
		of = *e
	}
	return Estimate{seen: min(of.seen, e.seen), slowest: math.Max(of.slowest, e.slowest), shown: true,
		ritz: ritz{mu: math.Min(of.ritz.mu, e.ritz.mu), top: math.Max(of.ritz.top, e.ritz.top)}}
}

// Expect begins with what was seen of similar operators.
func (c *PCG) Expect(of Estimate) {
	c.error = of
	c.error.take(c.pre)
}

// take says that the estimate is that of the operator as it is now.
func (e *Estimate) take(m precond.Preconditioner) {
	if r, ok := m.(interface{ Refreshes() int }); ok {
		e.operator = r.Refreshes()
	}
}

// Snapshot takes what later solves with the same operator go by: what the estimate of the error has seen.
func (c *PCG) Snapshot(s *snapshot.Coder) {
	others := slices.Sorted(maps.Keys(c.others))
	n := s.Length(len(others), mostOthers)
	if s.Reading() {
		others, c.others = make([]float64, n), make(map[float64]Estimate, n)
	}
	s.Float(&c.dt)
	s.Values(others)
	for _, dt := range others {
		e := c.others[dt]
		e.snapshot(s)
		c.others[dt] = e
	}
	c.error.snapshot(s)
	if s.Reading() {
		c.error.take(c.pre)
	}
}

func (e *Estimate) snapshot(s *snapshot.Coder) {
	s.Float(&e.ritz.mu, &e.ritz.top, &e.ritz.rest, &e.z, &e.top, &e.rz, &e.before, &e.rate.previous, &e.slowest)
	s.Values(e.rate.rates[:])
	for _, list := range []*[]float64{&e.ritz.alpha, &e.ritz.beta, &e.mus} {
		s.Floats(list, mostSteps)
	}
	s.Int(&e.seen, &e.rate.n)
	s.Bool(&e.shown)
}
