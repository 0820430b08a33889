package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Problem is a least-squares problem: the sum over the values of ((computed - measured)/sigma)^2, and over the priors
// of ((parameter - mean)/sigma)^2, is to be smallest within the bounds.
type Problem struct {
	Parameters []Parameter
	Values     []Value
	// Known reports that sigma is the standard deviation of each value. Otherwise it is a weight, and the standard
	// deviations are estimated from the residuals.
	Known bool
	// Compute returns the values of a stack with these parameters. It is called concurrently.
	Compute func(ctx context.Context, x []float64) ([]float64, error)
	// Progress is called after each iteration, if not nil.
	Progress func(iteration int)
}

// Kind of values.
type Kind string

// The kinds.
const (
	Temperature Kind = "temperature" // in K
	Impedance   Kind = "Zth"         // in K/W
)

// Value is a measured value.
type Value struct {
	Kind     Kind
	Name     string  // of the probe, or of the response
	Time     float64 // s, of a response
	Measured float64
	Scale    float64 // what a relative error refers to; 1 of temperatures
	Sigma    float64
}

// Result is a solution.
type Result struct {
	Report
	*Problem
	Start, End []float64 // computed values
}

// Report is the part of a result that is written as JSON.
type Report struct {
	Converged   bool        `json:"converged"`
	Reason      string      `json:"reason"` // why the iterations ended
	Iterations  int         `json:"iterations"`
	Solved      int         `json:"evaluations"`
	Fitted      []Estimate  `json:"parameters"`
	Correlation [][]float64 `json:"correlation"`
	// Weak are the combinations of parameters that the data do not determine.
	Weak       []Combination `json:"not_determined"`
	Deviations []Deviation   `json:"rms"`
	ChiSquare  float64       `json:"chi_square"`         // the sum of squares at the end
	Freedom    int           `json:"degrees_of_freedom"` // values and priors less free parameters
	Sigma      float64       `json:"sigma_factor"`       // that the residuals show; 1 if sigma is known
	Region     *Region       `json:"joint_region_95"`    // nil without free parameters
}

// AllAtBounds reports that no parameter is free at the end: the data ask for values outside the ranges.
func (r *Report) AllAtBounds() bool {
	return !slices.ContainsFunc(r.Fitted, func(e Estimate) bool { return e.State != AtBound })
}

// ErrData reports data that do not fit the stack, or too few.
var ErrData = errors.New("measured data")

const (
	// difference is the step of central differences, as a part of the range: their relative error is about 1e-6.
	difference = 1e-3
	// smallStep ends the iterations, as a part of the range.
	smallStep = 1e-6
	// smallGain ends them as well: the expected decrease of the sum of squares, in variances of a value. All parameters
	// are then within a hundredth of their standard deviations.
	smallGain      = 1e-4
	mostIterations = 60
)

// state is a point with its computed values.
type state struct {
	u        []float64 // parts of the ranges
	computed []float64
	r        []float64 // residuals, those of the priors last
	sum      float64   // of their squares
}

// solver is a run.
type solver struct {
	*Result
	first   float64 // sum of squares at the start
	damping float64
}

// Run solves the problem by the method of Levenberg and Marquardt. The damping is that of H. B. Nielsen (Damping
// Parameter in Marquardt's Method, Technical University of Denmark, 1999). Parameters at a bound that would leave the
// range are held there.
func Run(ctx context.Context, p *Problem) (*Result, error) {
	priors := 0
	for i := range p.Parameters {
		if p.Parameters[i].Prior != nil {
			priors++
		}
	}
	if free := len(p.Values) + priors - len(p.Parameters); free < 0 || free == 0 && !p.Known {
		return nil, fmt.Errorf("%w: got %d values for %d parameters; expected more. Fix: add data, or fit fewer "+
			"parameters", ErrData, len(p.Values), len(p.Parameters))
	}
	s := &solver{Result: &Result{Problem: p, Report: Report{Sigma: 1}}}
	u := make([]float64, len(p.Parameters))
	for i := range u {
		u[i] = min(1, max(0, p.Parameters[i].Part(p.Parameters[i].Start)))
	}
	at, err := s.evaluate(ctx, u)
	if err != nil {
		return nil, err
	}
	s.Start, s.Solved, s.first = at.computed, 1, at.sum
	for {
		j, err := s.jacobian(ctx, at)
		if err != nil {
			return nil, err
		}
		next, err := s.step(ctx, at, j)
		if err != nil {
			return nil, err
		}
		if next == nil {
			return s.Result, s.finish(ctx, at, j)
		}
		at = next
		s.Iterations++
		if p.Progress != nil {
			p.Progress(s.Iterations)
		}
	}
}

// evaluate computes the residuals at a point.
func (s *solver) evaluate(ctx context.Context, u []float64) (*state, error) {
	x := make([]float64, len(u))
	for i := range x {
		x[i] = s.Parameters[i].At(u[i])
	}
	computed, err := s.Compute(ctx, x)
	if err != nil {
		return nil, err
	}
	at := &state{u: u, computed: computed}
	for n, v := range s.Values {
		at.r = append(at.r, (computed[n]-v.Measured)/v.Sigma)
	}
	for i := range x {
		if q := s.Parameters[i].Prior; q != nil {
			at.r = append(at.r, (x[i]-q.Mean)/q.Sigma)
		}
	}
	at.sum = floats.Dot(at.r, at.r)
	return at, nil
}

// evaluateAll computes the residuals at several points.
func (s *solver) evaluateAll(ctx context.Context, points [][]float64) ([]*state, error) {
	all := make([]*state, len(points))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(2, runtime.GOMAXPROCS(0)))
	for k := range points {
		group.Go(func() (err error) {
			all[k], err = s.evaluate(ctx, points[k])
			return err
		})
	}
	s.Solved += len(points)
	return all, group.Wait()
}

// jacobian contains the derivatives of the residuals by the parts of the ranges.
func (s *solver) jacobian(ctx context.Context, at *state) (*mat.Dense, error) {
	n := len(at.u)
	var points [][]float64
	for k := range 2 * n {
		u := slices.Clone(at.u)
		u[k/2] = min(1, max(0, u[k/2]+difference*float64(2*(k%2)-1)))
		points = append(points, u)
	}
	sides, err := s.evaluateAll(ctx, points)
	if err != nil {
		return nil, err
	}
	j := mat.NewDense(len(at.r), n, nil)
	for i := range n {
		low, high := sides[2*i], sides[2*i+1]
		for row := range at.r {
			j.Set(row, i, (high.r[row]-low.r[row])/(high.u[i]-low.u[i]))
		}
	}
	return j, nil
}

// step finds a point with a smaller sum of squares; nil where the iterations end.
func (s *solver) step(ctx context.Context, at *state, j *mat.Dense) (*state, error) {
	free := freeAt(at, j)
	if len(free) == 0 {
		return s.end(true, "all parameters are at their bounds")
	}
	d := decompose(j, free)
	if d.s[0] == 0 {
		return s.end(false, "the values do not depend on the parameters")
	}
	undamped := 1e-3 * d.s[0] * d.s[0]
	if s.damping == 0 {
		s.damping = undamped
	}
	variance := at.sum / float64(max(1, len(at.r)-len(free)))
	if s.Known {
		variance = max(1, variance)
	}
	_, longest, reduction := d.damped(at, free, min(s.damping, undamped))
	switch {
	case longest < smallStep:
		return s.end(true, fmt.Sprintf("the next step would change no parameter by more than %g of its range",
			smallStep))
	case reduction < smallGain*variance:
		return s.end(true, fmt.Sprintf("the next step would change no parameter by more than %g of its standard "+
			"deviation", math.Sqrt(smallGain)))
	case s.Iterations == mostIterations:
		return s.end(false, fmt.Sprintf("the limit of %d iterations was reached", mostIterations))
	}
	for grow := 2.0; longest >= smallStep; grow *= 2 {
		var u []float64
		u, longest, reduction = d.damped(at, free, s.damping)
		next, err := s.evaluate(ctx, u)
		if err != nil {
			return nil, err
		}
		s.Solved++
		if next.sum < at.sum {
			gain := (at.sum - next.sum) / reduction
			s.damping *= max(1./3, 1-math.Pow(2*gain-1, 3))
			return next, nil
		}
		s.damping *= grow
	}
	return s.end(false, "no step reduces the sum of squares")
}

// end notes why there is no further step.
func (s *solver) end(converged bool, reason string) (*state, error) {
	s.Converged, s.Reason = converged, reason
	return nil, nil
}

// freeAt lists the parameters that are not held at a bound: there the sum of squares decreases outwards.
func freeAt(at *state, j *mat.Dense) (free []int) {
	for i, u := range at.u {
		slope := floats.Dot(mat.Col(nil, i, j), at.r)
		if !(u <= 0 && slope > 0 || u >= 1 && slope < 0) {
			free = append(free, i)
		}
	}
	return free
}

// decomposition is the singular value decomposition of the columns of free parameters.
type decomposition struct {
	u, v mat.Dense
	s    []float64
}

func decompose(j *mat.Dense, free []int) *decomposition {
	rows, _ := j.Dims()
	part := mat.NewDense(rows, len(free), nil)
	for n, i := range free {
		part.SetCol(n, mat.Col(nil, i, j))
	}
	var svd mat.SVD
	svd.Factorize(part, mat.SVDThin)
	d := &decomposition{s: svd.Values(nil)}
	svd.UTo(&d.u)
	svd.VTo(&d.v)
	return d
}

// damped is the point after a step with some damping, within the bounds; the longest part of the step; and the decrease
// of the sum of squares that is expected without the bounds.
func (d *decomposition) damped(at *state, free []int, damping float64) (u []float64, longest, reduction float64) {
	u = slices.Clone(at.u)
	for k, s := range d.s {
		slope := s * floats.Dot(mat.Col(nil, k, &d.u), at.r)
		along := -slope / (s*s + damping)
		reduction -= along * (2*slope + along*s*s)
		for n, i := range free {
			u[i] += along * d.v.At(n, k)
		}
	}
	for i := range u {
		u[i] = min(1, max(0, u[i]))
		longest = max(longest, math.Abs(u[i]-at.u[i]))
	}
	return u, longest, reduction
}
