// Package verify contains verification cases: slabs, spreading resistance, a manufactured solution, the energy balance
// and the symmetries of the equation. Each case builds a small stack, solves it like a user's stack and compares with
// theory (package analytic). The command `thermsim verify` runs them. The tests of this package run them too, and also
// compare the solver with third-party fields and an independent direct solver.
package verify

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve"
)

// Case is one comparison.
type Case struct {
	Name string // short and stable, such as "slab-steady"
	What string // one line: the configuration and the reference
	Run  func(ctx context.Context) (Result, error)
}

// Result of a case. A comparison over many cells reports the worst one.
type Result struct {
	Quantity  string  // what is compared
	Unit      string  // of Computed and Expected
	Computed  float64 // by thermsim
	Expected  float64 // from theory
	Error     float64 // |Computed - Expected|, relative to a scale that the case names in Quantity or to Expected
	Tolerance float64 // on Error
	// Order is the observed order of convergence and WantOrder that of the method, to be met within OrderTolerance; all
	// 0 where nothing is refined.
	Order, WantOrder, OrderTolerance float64
	Pass                             bool
}

func (r Result) String() string {
	verdict := "pass"
	if !r.Pass {
		verdict = "FAIL"
	}
	s := fmt.Sprintf("%s: %s %.7g %s, expected %.7g, error %.2e (tolerance %.0e)", verdict, r.Quantity, r.Computed,
		r.Unit, r.Expected, r.Error, r.Tolerance)
	if r.WantOrder != 0 {
		s += fmt.Sprintf(", order %.2f (expected %g)", r.Order, r.WantOrder)
	}
	return s
}

// judge fills Pass. Comparisons are written so that a NaN fails.
func (r Result) judge() Result {
	r.Pass = r.Error <= r.Tolerance && (r.WantOrder == 0 || math.Abs(r.Order-r.WantOrder) <= r.OrderTolerance)
	return r
}

// Cases are all cases, on the device that thermsim chooses by itself.
func Cases() []Case { return CasesOn("") }

// CasesOn are all cases on one device, named as in gpusolve.Options.
func CasesOn(device string) []Case {
	return solver{options: gpusolve.Options{Device: device, Tol: solveTol}}.cases()
}

func (s solver) cases() []Case {
	var all []Case
	for _, group := range [][]Case{s.slabCases(), s.transientCases(), s.spreadingCases(), s.manufacturedCases(),
		s.invarianceCases()} {
		all = append(all, group...)
	}
	return all
}

// worst keeps the comparison with the largest error relative to a common scale. NaN counts as the largest error.
type worst struct {
	computed, expected, err float64
	used                    bool
}

func (w *worst) add(computed, expected, scale float64) {
	err := math.Abs(computed-expected) / scale
	if !w.used || !math.IsNaN(w.err) && !(err <= w.err) {
		*w = worst{computed, expected, err, true}
	}
}

func (w *worst) result(quantity, unit string, tolerance float64) Result {
	if !w.used {
		w.err = math.NaN() // without a comparison the case fails
	}
	return Result{Quantity: quantity, Unit: unit, Computed: w.computed, Expected: w.expected, Error: w.err,
		Tolerance: tolerance}.judge()
}
