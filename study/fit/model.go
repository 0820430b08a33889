package fit

import (
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
	Steady gpusolve.Options
	Step   gpusolve.Options
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
// those of a steady state.
func (m *Model) Values(s *stack.Stack, sigma Sigmas) (values []Value, known bool, err error) {
	known = true
	for _, v := range s.Measured.Values {
		if !math.IsNaN(v.Time) {
			return nil, false, fmt.Errorf("probe %s has a temperature at %g s; expected those of a steady state. "+
				"Fix: remove the column time, or give responses", s.Probes[v.Probe].Name, v.Time)
		}
		value := Value{Kind: Temperature, Name: s.Probes[v.Probe].Name, Time: math.NaN(), Measured: v.Kelvin, Scale: 1,
			Sigma: sigma.Temperature}
		if sigma.Temperature == 0 {
			value.Sigma, known = 1, false
		}
		values = append(values, value)
	}
	for _, c := range m.Curves {
		name, _, _, err := c.outputIn(s)
		if err != nil {
			return nil, false, err
		}
		relative := sigma.Impedance
		if relative == 0 {
			relative, known = 1, false
		}
		end := 0.0
		for _, z := range c.Z {
			end = max(end, math.Abs(z))
		}
		for n, z := range c.Z {
			scale := max(math.Abs(z), leastPart*end)
			values = append(values, Value{Impedance, name, c.Times[n], z, scale, relative * scale})
		}
	}
	return values, known, nil
}

// outputIn finds the output of a curve: its name, the heated input, and the input whose mean it is or -1.
func (c *Curve) outputIn(s *stack.Stack) (name string, from, to int, err error) {
	inputs := ports.InputsOf(s)
	var names []string
	for n := range inputs {
		names = append(names, inputs[n].Name)
	}
	if c.Heated != "" || len(names) != 1 {
		if from, err = ports.Find(names, c.Heated); err != nil {
			return "", 0, 0, fmt.Errorf("heated input of a response: %w", err)
		}
	}
	if c.Output == "" {
		return names[from], from, from, nil
	}
	if to, err := ports.Find(names, c.Output); err == nil {
		return names[to], from, to, nil
	}
	for _, o := range append(ports.Probes(s), ports.Peaks(inputs)[from]) {
		if o.Name == c.Output {
			return o.Name, from, -1, nil
		}
		names = append(names, o.Name)
	}
	return "", 0, 0, fmt.Errorf("output of a response: there is no %q; there are %s", c.Output,
		strings.Join(names, ", "))
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

// temperatures are those of the measured probes in the steady state.
func (m *Model) temperatures(ctx context.Context, s *stack.Stack) (values []float64, err error) {
	built, err := m.Mesh(s)
	if err != nil {
		return nil, err
	}
	sol, err := gpusolve.Steady(ctx, built, m.Steady)
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
	var w response.Request
	w.Start = math.Inf(1)
	for n := range m.Curves {
		c := &m.Curves[n]
		_, from, to, err := c.outputIn(s)
		if err != nil {
			return nil, err
		}
		w.From = addOnce(w.From, from)
		if to >= 0 {
			w.To = addOnce(w.To, to)
		} else {
			w.Probes = true
		}
		w.Start, w.End = min(w.Start, slices.Min(c.Times)/beyond), max(w.End, slices.Max(c.Times)*beyond)
	}
	x, err := response.StepResponses(ctx, s, response.Options{Solver: m.Step, Mesh: m.Mesh}, w)
	if err != nil {
		return nil, err
	}
	logs := make([]float64, len(x.Times))
	for n, t := range x.Times {
		logs[n] = math.Log(t)
	}
	for n := range m.Curves {
		c := &m.Curves[n]
		name, from, to, _ := c.outputIn(s)
		at := slices.IndexFunc(x.Curves, func(k response.Curve) bool {
			return k.From == from && (to >= 0 && k.To.Kind == ports.Mean && k.To.Of == to || to < 0 && k.To.Name == name)
		})
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

func addOnce(list []int, n int) []int {
	if slices.Contains(list, n) {
		return list
	}
	return append(list, n)
}
