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
	"sync"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/report"
	"thermsim/report/summary"
	"thermsim/stack"
	"thermsim/study/response"
)

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
	X            Kind = "x"                  // west edge of a block, region, die or patch, m
	Y            Kind = "y"                  // south edge of these, m
	FileKey      Kind = "key"                // number of the stack file
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

// Scales reports whether 1 % of the parameter means something. Temperatures and positions have arbitrary origins.
func (s *Sensitivity) Scales() bool {
	return s.Kind != Temperature && !s.Position() && (s.Kind != FileKey || s.Unit != "degC" && s.Unit != "K")
}

// Position reports whether the parameter is a coordinate.
func (s *Sensitivity) Position() bool { return s.Kind == X || s.Kind == Y }

// Result holds the derivatives of one objective.
type Result struct {
	Name  string  // of the objective
	Unit  string  // of the objective, K or K/W
	Value float64 // of the objective; for the norm the ambient plus the norm of the rises
	TMax  float64 // of a limit, K; else 0
	Of    []Sensitivity
}

// Options of a run.
type Options struct {
	Solver    gpusolve.Options // by default with the relative residual response.RTol
	Mesh      func(*stack.Stack) (*mesh.Mesh, error)
	Positions bool     // derivatives by the positions of blocks, regions, dies and patches
	Pieces    []string // the names of those; nil for all
	Keys      []Key    // further parameters
	KeysOnly  bool     // no other parameters, except positions
	Levels    int      // steps of the extrapolated differences by positions and keys; default 6
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

// Check refuses stacks whose sensitivities are not supported.
func Check(s *stack.Stack) error {
	if s.Cooled() {
		return ErrCoolant
	}
	for f := stack.West; f <= stack.North; f++ {
		if len(s.Boundary[f].Patches) > 0 {
			return ErrSides
		}
	}
	if len(ports.InputsOf(s)) == 0 {
		return ErrNoInput
	}
	return ports.CheckLinear(s)
}

// Of computes the sensitivities of objectives of a linear stack. Limits and Peaks have several results.
func Of(ctx context.Context, s *stack.Stack, want []Objective, o Options) ([]Result, error) {
	if err := Check(s); err != nil {
		return nil, err
	}
	if v := &o.Solver; v.RTol == 0 && v.ATol == 0 && v.Tol == 0 {
		v.RTol = response.RTol
	}
	r := &run{stack: s, inputs: ports.InputsOf(s), options: o}
	// A GPU is opened while the stack is meshed, for the adjoint too: that keeps its context between the solves.
	first, second := gpusolve.OpenAhead(s, o.Solver), gpusolve.OpenAhead(s, o.Solver)
	defer first.Close()
	defer second.Close()
	r.options.Solver.Ahead = first
	if err := r.solve(ctx, want); err != nil {
		return nil, err
	}
	r.options.Solver.Ahead = second
	results := make([]Result, len(r.measures))
	for n, q := range r.measures {
		results[n] = Result{Name: q.name, Unit: q.unit, TMax: q.tmax}
		results[n].Value, r.slopes[n] = q.combine(r.mesh, r.readings[n])
	}
	if err := r.adjoints(ctx, results); err != nil {
		return nil, err
	}
	if !o.KeysOnly {
		r.powers(results)
	}
	return results, r.parameters(ctx, results)
}

// run computes the sensitivities of a stack.
type run struct {
	stack    *stack.Stack
	inputs   []ports.Input
	options  Options
	mesh     *mesh.Mesh
	x        []float64 // temperatures of the cells, K
	measures []measure
	readings [][]float64 // of each measure
	slopes   [][]float64 // derivatives of each measure by them
	y        [][]float64 // adjoint of each measure
}

// solve computes the temperatures, and finds what the objectives read.
func (r *run) solve(ctx context.Context, want []Objective) (err error) {
	if r.mesh, err = r.options.Mesh(r.stack); err != nil {
		return err
	}
	sol, err := gpusolve.Steady(ctx, r.mesh, r.options.Solver)
	if err != nil {
		return err
	}
	defer sol.Close()
	if !sol.Status.Converged {
		return fmt.Errorf("%w: %s", ErrConverged, sol.Status.Reason)
	}
	if r.x, err = r.mesh.ReadField(sol.Field); err != nil {
		return err
	}
	summarised := sync.OnceValues(func() (*summary.Summary, error) {
		return report.Summarise(&report.Run{Command: "steady", Mesh: r.mesh, Solution: sol})
	})
	for n := range want {
		all, err := want[n].measures(r.mesh, r.inputs, summarised)
		if err != nil {
			return err
		}
		for i := range all {
			all[i].valueOnly = want[n].ValueOnly
		}
		r.measures = append(r.measures, all...)
	}
	r.slopes = make([][]float64, len(r.measures))
	for n := range r.measures {
		r.readings = append(r.readings, r.measures[n].read(r.mesh, r.inputs, r.x))
	}
	return nil
}

// powers adds the derivatives by the powers of all inputs.
func (r *run) powers(results []Result) {
	for n := range results {
		if r.y[n] == nil {
			continue
		}
		for i := range r.inputs {
			in := &r.inputs[i]
			gain := gainOf(r.mesh, in, r.y[n])
			if r.measures[n].perWatt { // the value is divided by the power
				gain -= results[n].Value / r.mesh.Power.Mapped
			}
			results[n].Of = append(results[n].Of, Sensitivity{Power, in.Name, in.Watts, "W", gain})
		}
	}
}
