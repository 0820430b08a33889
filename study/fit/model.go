package fit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/interp"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/study/response"
)

// Model computes the values that were measured: temperatures of probes in the steady state, and responses.
type Model struct {
	Curves []Curve
	Solver gpusolve.Options // without a tolerance
	Mesh   func(*stack.Stack) (*mesh.Mesh, error)
}

// Sigmas are standard deviations; 0 where they are not known.
type Sigmas struct {
	Temperature float64 // K
	Impedance   float64 // relative to a response, or to leastPart of its end where it is lower
}

// leastPart is the part of its end below which the uncertainty of a response no longer decreases.
const leastPart = 0.01

// Values are the measured values of a stack and of the curves, in the order of Compute. Measured temperatures must be
// those of a steady state. Known reports that all standard deviations are.
func (m *Model) Values(s *stack.Stack, sigma Sigmas) (values []Value, known bool, err error) {
	kelvin, relative := cmp.Or(sigma.Temperature, 1), cmp.Or(sigma.Impedance, 1)
	for _, v := range s.Measured.Values {
		name := s.Probes[v.Probe].Name
		if !math.IsNaN(v.Time) {
			return nil, false, fmt.Errorf("%w: probe %s has a temperature at %g s; expected those of a steady state. "+
				"Fix: remove the column time, or give responses", ErrData, name, v.Time)
		}
		values = append(values, Value{Temperature, name, math.NaN(), v.Kelvin, 1, kelvin})
	}
	for _, c := range m.Curves {
		name := strings.Trim(c.Heated+" to "+c.Output, " to")
		end := max(slices.Max(c.Z), -slices.Min(c.Z))
		for n, z := range c.Z {
			scale := max(math.Abs(z), leastPart*end)
			values = append(values, Value{Impedance, name, c.Times[n], z, scale, relative * scale})
		}
	}
	known = (len(s.Measured.Values) == 0 || sigma.Temperature > 0) && (len(m.Curves) == 0 || sigma.Impedance > 0)
	return values, known, nil
}

// Compute returns the values of a stack.
func (m *Model) Compute(ctx context.Context, s *stack.Stack) (values []float64, err error) {
	if len(s.Measured.Values) > 0 {
		if values, err = m.temperatures(ctx, s); err != nil {
			return nil, err
		}
	}
	if len(m.Curves) == 0 {
		return values, nil
	}
	more, err := m.responses(ctx, s)
	return append(values, more...), err
}

// steadyTol is the error of steady solves in K, well below the differences of which derivatives are made.
const steadyTol = 1e-7

// temperatures are those of the measured probes in the steady state.
func (m *Model) temperatures(ctx context.Context, s *stack.Stack) (values []float64, err error) {
	built, err := m.Mesh(s)
	if err != nil {
		return nil, err
	}
	o := m.Solver
	o.Tol, o.RTol, o.ATol = steadyTol, 0, 0
	sol, err := gpusolve.Steady(ctx, built, o)
	if err != nil {
		return nil, err
	}
	defer sol.Close()
	if !sol.Status.Converged {
		return nil, fmt.Errorf("%w: %s", response.ErrNotConverged, sol.Status.Reason)
	}
	x, err := built.ReadField(sol.Field)
	if err != nil {
		return nil, err
	}
	points := ports.Points(built)
	for _, v := range s.Measured.Values {
		kelvin := points[v.Probe].Constant
		for _, t := range points[v.Probe].Terms {
			kelvin += t.Weight * x[t.Plane*built.NX()*built.NY()+t.Cell]
		}
		values = append(values, kelvin)
	}
	return values, nil
}

// beyond is how far the computed times extend before and after the measured ones, for the interpolation.
const beyond = 1.6

// responses are the curves at their times.
func (m *Model) responses(ctx context.Context, s *stack.Stack) (values []float64, err error) {
	w := response.Request{Start: math.Inf(1), Probes: len(s.Probes) > 0}
	var names []string
	for n, in := range ports.InputsOf(s) {
		w.To, names = append(w.To, n), append(names, in.Name)
	}
	heated := make([]int, len(m.Curves))
	for n, c := range m.Curves {
		if heated[n], err = ports.Find(names, c.Heated); err != nil && (c.Heated != "" || len(names) != 1) {
			return nil, fmt.Errorf("%w: heated input: %w", ErrData, err)
		}
		if !slices.Contains(w.From, heated[n]) {
			w.From = append(w.From, heated[n])
		}
		w.Start, w.End = min(w.Start, slices.Min(c.Times)/beyond), max(w.End, slices.Max(c.Times)*beyond)
	}
	o := response.Options{Solver: m.Solver, Mesh: m.Mesh}
	o.Solver.Tol, o.Solver.RTol, o.Solver.ATol = 0, 0, 0
	x, err := response.StepResponses(ctx, s, o, w)
	if err != nil {
		return nil, err
	}
	logs := make([]float64, len(x.Times))
	for n, t := range x.Times {
		logs[n] = math.Log(t)
	}
	for n, c := range m.Curves {
		at := slices.IndexFunc(x.Curves, func(k response.Curve) bool {
			return k.From == heated[n] && (k.To.Name == c.Output || c.Output == "" && k.Own())
		})
		if at < 0 {
			return nil, fmt.Errorf("%w: there is no output %q; expected one of zth.csv", ErrData, c.Output)
		}
		var spline interp.NaturalCubic
		if err := spline.Fit(logs, x.Curves[at].Z); err != nil {
			return nil, err
		}
		for _, t := range c.Times {
			values = append(values, spline.Predict(math.Log(t)))
		}
	}
	return values, nil
}
