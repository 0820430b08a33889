package krylov

import (
	"math"

	"thermsim/gpusolve/precond"
)

// Estimate bounds the largest error from what conjugate gradients tell by themselves. With z = M^-1 r = (M^-1 A) e and
// theta the smallest eigenvalue of M^-1 A,
//
//	||e|| <= ||z|| / theta
//
// in the norms of M and of A. In the maximum norm it holds as well but for a small factor, which safety stands for.
// theta comes from the Ritz values of the iteration itself, which reach it from above, and three more terms stand for
// what they have not seen yet: the contraction of max|z|, the fall of the smallest Ritz value in the last quarter of
// the iterations, and the reduction of max|z| since the start, without which a slow mode may hide under all others.
//
// The operator is the same from solve to solve: what was seen stays.
type Estimate struct {
	ritz     ritz
	rate     contraction
	mus      []float64 // the bound after each step of this solve
	seen     int       // steps in all solves
	operator int       // how often the operator had changed then
	shown    bool      // a solve has gone far enough to show the slow modes
	raised   bool      // the last estimate was raised, as they had not

	z, top     float64 // max|z| now and its largest of this solve, K
	rz, before float64 // r.z now and at the step before
}

// safety of the estimate, and what is added to it over the number of steps seen.
const safety, early = 1.6, 2

// shows is the reduction of max|z| that shows the slow modes.
const shows = 1e-3

// Begin takes up another right side, preconditioned by m. What was seen of an operator that has changed since is
// forgotten.
func (e *Estimate) Begin(m precond.Preconditioner) {
	if r, ok := m.(interface{ Refreshes() int }); ok && r.Refreshes() != e.operator {
		*e = Estimate{operator: r.Refreshes()}
	}
	e.mus, e.top, e.rate, e.raised = e.mus[:0], 0, contraction{}, false
}

// Continue takes up a system that differs little from the last one: bounds and reductions go on from there.
func (e *Estimate) Continue(m precond.Preconditioner) {
	if r, ok := m.(interface{ Refreshes() int }); ok {
		e.operator = r.Refreshes()
	}
	e.rate, e.raised = contraction{}, false
}

// Residual takes max|z| and r.z of a preconditioned residual; first says that the iteration has just been started
// again.
func (e *Estimate) Residual(z, rz float64, first bool) {
	e.rate.add(z, first)
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

// Value is the estimate for the residual taken last, or NaN where it tells nothing.
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
	if !(e.ritz.mu > 0) || z == 0 { // a residual that is not zero and leaves no trace in z
		return math.NaN()
	}
	bound := (safety + early/float64(e.seen)) * z / e.ritz.mu
	if n := len(e.mus); n > 0 {
		bound *= e.mus[max(0, n-3-n/4)] / e.ritz.mu
	}
	return math.Max(bound, e.rate.estimate(z))
}
