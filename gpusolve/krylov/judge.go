package krylov

import "math"

// FloorFactor: a residual below this multiple of its estimated rounding error cannot be improved.
const FloorFactor = 4

// MaxRestarts bounds the fresh starts from the true residual.
const MaxRestarts = 10

// judge decides from the norms of the true residual, just computed, whether a solve is done. restart counts the fresh
// starts, best is the smallest true residual before this one; trueErrorMet estimates the error in K from this residual.
func (o *Outcome) judge(rule Rule, restart int, best float64, trueErrorMet func() bool) (done bool) {
	n := o.Norms
	end := func(converged bool, why Reason) bool {
		o.Converged, o.Reason = converged, why
		return true
	}
	switch {
	case math.IsNaN(n.Residual) || math.IsInf(n.Residual, 0):
		return end(false, Breakdown)
	case n.Residual == 0:
		o.ErrorK = 0
		return end(true, Tolerance)
	case rule.ATol > 0 && n.Residual <= rule.ATol:
		return end(true, Tolerance)
	case rule.ATol <= 0 && rule.RTol > 0 && n.Residual <= rule.RTol*n.Source:
		return end(true, Tolerance)
	case restart > 0 && rule.InKelvin() && trueErrorMet():
		return end(true, Tolerance)
	case restart > 0 && n.Residual <= FloorFactor*n.Floor:
		return end(true, Attainable)
	case restart > 1 && n.Residual > best/2 || restart > MaxRestarts:
		return end(false, Stagnation)
	}
	return false
}
