// Package reduce makes reduced models of stacks by projection onto fields that the full model solves for: block
// rational Krylov with real shifts.
//
// With the conductances G and the heat capacities C of a mesh, both symmetric, the heat B of the inputs and what the
// outputs L read,
//
//	G x + C dx/dt = B P        y = L x
//
// the basis V holds responses (G + s C)^-1 b at real shifts s in 1/s, s = 0 among them for all inputs, and the model is
// the congruence V'GV, V'CV, V'B, LV. Both stay symmetric and positive, so every model is stable and passive whatever V
// is, and however roughly it was solved for (Odabasioglu, Celik and Pileggi, IEEE Trans. CAD 17 (1998) 645). At a shift
// of the basis the transfer function and, for means, its derivative are those of the full model (Grimme, PhD thesis,
// Illinois, 1997). Between them the error of means, H(s) - Hr(s), is a positive matrix and at most H(s), which falls
// with s: where a step of length 1/s leads to no rise that matters, no shift beyond s is needed.
package reduce

import (
	"context"
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/study/reducedmodel"
)

// Options of a reduction.
type Options struct {
	// Tol is the wanted error in K, for powers between 0 and each input's range.
	Tol   float64
	Peaks bool             // the cell of every input that is hottest under it is an output too
	Solve gpusolve.Options // the tolerance apart, which follows Tol; an Executor stays open
	// Progress tells of solves of the full model, of all so far, and of states of the basis. May be nil.
	Progress func(solves, states int)
}

// ErrRefused marks stacks of which there is no reduced model.
var ErrRefused = errors.New("this stack has no reduced model")

// ErrNotConverged marks a reduction whose full model was not solved to its tolerance.
var ErrNotConverged = errors.New("not converged")

// coolant says why it is refused.
const coolant = "coolant carries heat one way, so that the operator is not symmetric, and projection would not " +
	"promise a stable model; in place of the cavity give a face with the film's coefficient"

const (
	// caution is the part of the wanted error that the first basis may leave at a frequency.
	caution = 0.2
	// bases is the part of the wanted error that the last refinement of the basis may change.
	bases = 0.3
	// solving is the part of the projection's that each solve may be wrong by. Its square is what reaches the model.
	solving = 0.01
)

// Builder puts a stack on its grid.
type Builder func(*stack.Stack) (*mesh.Mesh, error)

// Run reduces a stack.
func Run(ctx context.Context, s *stack.Stack, build Builder, o Options) (*reducedmodel.Model, error) {
	if err := ports.CheckLinear(s); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	for l := range s.Layers {
		if s.Layers[l].Coolant != nil {
			return nil, fmt.Errorf("%w: layer %s: %s", ErrRefused, s.Layers[l].Name, coolant)
		}
	}
	inputs := ports.InputsOf(s)
	if len(inputs) == 0 {
		return nil, fmt.Errorf("%w: it has no powers to drive a model with", ErrRefused)
	}
	if !(o.Tol > 0) || math.IsInf(o.Tol, 0) {
		return nil, fmt.Errorf("%w: a tolerance of %g K; it must be positive", gpusolve.ErrOption, o.Tol)
	}
	m, err := build(ports.Responding(s))
	if err != nil {
		return nil, err
	}
	if !m.Grounded() {
		return nil, gpusolve.ErrSingular
	}
	on := &device.Shared{Device: o.Solve.Executor}
	if o.Solve.Executor == nil {
		if on, err = device.Open(o.Solve.Device); err != nil {
			return nil, err
		}
		defer on.Release()
	}
	o.Solve.Executor, o.Solve.Tol, o.Solve.RTol, o.Solve.ATol = on, min(gpusolve.DefaultTol, solving*caution*o.Tol), 0,
		0
	r := &projection{ctx: ctx, mesh: m, options: o, inputs: inputs, wanted: caution * o.Tol}
	from, err := r.startOf(s, build)
	if err != nil {
		return nil, err
	}
	small, err := r.run(s, from)
	if err != nil {
		return nil, err
	}
	if err := rest(ctx, s, build, r, small); err != nil {
		return nil, err
	}
	small.Title, small.Ambient, small.Origin.Grid = s.Title, s.Ambient, [3]int{m.NX(), m.NY(), m.NZ()}
	return small, small.Check()
}

// run projects, then leaves as few states as the wanted error allows.
func (r *projection) run(s *stack.Stack, from *start) (*reducedmodel.Model, error) {
	dev := host.Open()
	defer dev.Close()
	var err error
	if r.basis.ops, err = newOperators(r.mesh, dev); err != nil {
		return nil, err
	}
	defer r.basis.ops.sys.Free()
	if r.basis.inputs, err = heats(r.mesh, r.basis.ops.sys, len(r.inputs)); err != nil {
		return nil, err
	}
	if err := r.project(Ranges(s), from); err != nil {
		return nil, err
	}
	r.basis.fields = nil
	small, err := r.model.Compress(r.options.Tol - r.model.Error.BasisK)
	if err != nil {
		return nil, err
	}
	e := &small.Error
	e.WantedK, e.EstimateK, e.Solves = r.options.Tol, e.StepK+e.BasisK, r.solves
	r.model = small
	for _, h := range r.heldOut {
		e.FrequencyK = math.Max(e.FrequencyK, r.wrong(h.shift, h.h))
	}
	return small, nil
}

// expected is how many fields there are for each input, in the basis and of the last shift, in most stacks.
const expected = 7

// Bytes is about the memory that the fields of a reduction take, and what multiplies them.
func Bytes(m *mesh.Mesh) float64 {
	cells := float64(m.Cells())
	return cells * (4*expected*float64(len(ports.InputsOf(m.Stack))) + 8*(2*together+1) + 3*4 + 3*8)
}
