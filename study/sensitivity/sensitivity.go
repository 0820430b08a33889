// Package sensitivity computes the derivatives of a temperature by every power, thickness, conductivity and
// heat-transfer coefficient of a stack from one additional solve: the adjoint method (M. B. Giles and N. A. Pierce,
// Flow, Turbulence and Combustion 65, 393 (2000)).
//
// With the temperatures x from A x = b and an objective J(x), the adjoint is A^T y = dJ/dx, and the derivative by a
// parameter p of A and b is
//
//	dJ/dp = y . (db/dp - dA/dp x)
//
// A is symmetric, so y is a response to power: J is a function of the means over inputs, and dJ/dx corresponds to power
// in these inputs. The bracket is computed by finite differences of the equations, which are cheap, not of their
// solutions.
package sensitivity

import (
	"context"
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
)

// Objective is the differentiated quantity: the mean temperature of an input, or if Of is empty the p-norm of the rises
// of all inputs over the ambient.
//
//	J = (sum of rise^p / number of inputs)^(1/p)
//
// The p-norm approximates the largest rise for large p.
type Objective struct {
	Of   string // name of an input, as for ports.Find.
	Norm float64
}

// DefaultNorm is the default of p.
const DefaultNorm = 20

// Kind of a parameter.
type Kind string

// The kinds.
const (
	Power        Kind = "power"              // of an input, W
	Thickness    Kind = "thickness"          // of a layer, m
	Conductivity Kind = "k"                  // of all materials in a layer, as a factor.
	Contact      Kind = "contact_resistance" // above a layer, m2 K/W
	Film         Kind = "h"                  // of a face, W/(m2 K)
	Cooler       Kind = "resistance"         // of a face, K/W
	Temperature  Kind = "temperature"        // of a face, K
)

// Sensitivity to one parameter.
type Sensitivity struct {
	Kind       Kind
	Name       string // of the input, layer or face
	Value      float64
	Unit       string  // of the value
	Derivative float64 // of the objective in K by the parameter in its unit
}

// PerPercent is the change of the objective in K when the parameter increases by 1 %.
func (s *Sensitivity) PerPercent() float64 { return s.Derivative * s.Value / 100 }

// Result of a run.
type Result struct {
	Name    string  // of the objective
	Kelvin  float64 // the temperature, or the ambient and the norm of the rises
	Of      []Sensitivity
	Status  solution.Status // of the temperatures
	Adjoint solution.Status
	Device  solution.DeviceInfo
}

// Options of a run.
type Options struct {
	Solver gpusolve.Options
	Mesh   func(*stack.Stack) (*mesh.Mesh, error)
}

// Errors of a run.
var (
	ErrCoolant   = errors.New("sensitivities are not supported for stacks with coolant")
	ErrNoInput   = errors.New("the stack has no power")
	ErrConverged = errors.New("a solve did not converge")
	ErrObjective = errors.New("no such objective")
	ErrSides     = errors.New("sensitivities are not supported for stacks with patches on side faces, whose " +
		"positions do not follow the layers")
)

// Of computes the sensitivities of a linear stack.
func Of(ctx context.Context, s *stack.Stack, want Objective, o Options) (*Result, error) {
	if s.Cooled() {
		return nil, ErrCoolant
	}
	if err := ports.CheckLinear(s); err != nil {
		return nil, err
	}
	for f := stack.West; f <= stack.North; f++ {
		if len(s.Boundary[f].Patches) > 0 {
			return nil, ErrSides
		}
	}
	inputs := ports.InputsOf(s)
	if len(inputs) == 0 {
		return nil, ErrNoInput
	}
	// A GPU is opened while the stack is meshed, for the adjoint too: that keeps its context between the solves.
	first, second := gpusolve.OpenAhead(s, o.Solver), gpusolve.OpenAhead(s, o.Solver)
	defer first.Close()
	defer second.Close()
	o.Solver.Ahead = first
	x, m, status, err := solve(ctx, s, o)
	if err != nil {
		return nil, err
	}
	r := &Result{Status: status}
	means := meansOf(m, inputs, x)
	weights, err := r.objective(s, inputs, means, want)
	if err != nil {
		return nil, err
	}
	o.Solver.Ahead = second
	y, adjoint, status, err := solve(ctx, powered(s, inputs, weights), o)
	if err != nil {
		return nil, err
	}
	r.Adjoint = status
	for n, gain := range meansOf(adjoint, inputs, y) {
		r.Of = append(r.Of, Sensitivity{Power, inputs[n].Name, inputs[n].Watts, "W", gain})
	}
	return r, r.parameters(ctx, s, x, y)
}

// solve computes the temperatures of all cells in K.
func solve(ctx context.Context, s *stack.Stack, o Options) (x []float64, m *mesh.Mesh, status solution.Status,
	err error) {
	if m, err = o.Mesh(s); err != nil {
		return nil, nil, status, err
	}
	sol, err := gpusolve.Steady(ctx, m, o.Solver)
	if err != nil {
		return nil, nil, status, err
	}
	defer sol.Close()
	if !sol.Status.Converged {
		return nil, nil, status, fmt.Errorf("%w: %s", ErrConverged, sol.Status.Reason)
	}
	x, err = m.ReadField(sol.Field)
	return x, m, sol.Status, err
}

// meansOf are the means over the heated areas of the inputs.
func meansOf(m *mesh.Mesh, inputs []ports.Input, x []float64) []float64 {
	means := make([]float64, len(inputs))
	for n := range inputs {
		sum, weight := 0.0, 0.0
		for _, r := range inputs[n].Heated(m) {
			for b, dy := range r.Y {
				for a, dx := range r.X {
					w := dx * dy * r.Z
					sum, weight = sum+w*x[(r.Plane*m.NY()+r.J+b)*m.NX()+r.I+a], weight+w
				}
			}
		}
		means[n] = sum / weight
	}
	return means
}

// objective computes the objective and its derivatives by the means.
func (r *Result) objective(s *stack.Stack, inputs []ports.Input, means []float64, want Objective) ([]float64, error) {
	weights := make([]float64, len(inputs))
	if want.Of != "" {
		names := make([]string, len(inputs))
		for n := range inputs {
			names[n] = inputs[n].Name
		}
		n, err := ports.Find(names, want.Of)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrObjective, err)
		}
		r.Name, r.Kelvin, weights[n] = inputs[n].Name, means[n], 1
		return weights, nil
	}
	p := want.Norm
	if p == 0 {
		p = DefaultNorm
	}
	top := 0.0
	for _, t := range means {
		top = math.Max(top, t-s.Ambient)
	}
	if top == 0 {
		return nil, fmt.Errorf("%w: no temperature is above the ambient", ErrObjective)
	}
	sum := 0.0 // of (rise/top)^p, to avoid overflow
	for _, t := range means {
		sum += math.Pow(math.Max(0, t-s.Ambient)/top, p)
	}
	mean := sum / float64(len(means))
	r.Name, r.Kelvin = fmt.Sprintf("all blocks, norm %g", p), s.Ambient+top*math.Pow(mean, 1/p)
	for n, t := range means {
		weights[n] = math.Pow(mean, 1/p-1) * math.Pow(math.Max(0, t-s.Ambient)/top, p-1) / float64(len(means))
	}
	return weights, nil
}

// powered is the stack at 0 K, heated only by the given watts in the inputs.
func powered(s *stack.Stack, inputs []ports.Input, watts []float64) *stack.Stack {
	r := ports.Responding(s)
	for l := range r.Layers {
		r.Layers[l].Powers = append([]stack.Power(nil), r.Layers[l].Powers...)
		for p := range r.Layers[l].Powers {
			q := &r.Layers[l].Powers[p]
			q.Trace, q.Schedule = nil, nil
			q.Blocks = append([]stack.Block(nil), q.Blocks...)
		}
	}
	for n, in := range inputs {
		q := &r.Layers[in.Layer].Powers[in.Power]
		switch in.Kind {
		case ports.Block:
			q.Blocks[in.Block].Watts = watts[n]
		case ports.Map:
			// The mean over a map's area corresponds to uniform power.
			q.Map, q.Uniform = nil, watts[n]
		default:
			q.Uniform = watts[n]
		}
	}
	return r
}
