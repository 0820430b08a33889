// Package reduce builds reduced-order models of stacks by projection onto solutions of the full model: a block rational
// Krylov method with real shifts.
//
// G contains the conductances and C the heat capacities of a mesh, both symmetric; B is the heat of the inputs, and L
// the functionals of the outputs.
//
//	G x + C dx/dt = B P        y = L x
//
// The basis V contains responses (G + s C)^-1 b at real shifts s in 1/s, including s = 0 for all inputs, and the model
// is the congruence V'GV, V'CV, V'B, LV. Both matrices stay symmetric and positive, so every model is stable and
// passive for any V and any accuracy of the solves (Odabasioglu, Celik and Pileggi, IEEE Trans. Computer-Aided Design
// 17 (1998) 645). At a shift of the basis the transfer function and, for means, its derivative are those of the full
// model (Grimme, PhD thesis, Illinois, 1997). Between shifts the error of means, H(s) - Hr(s), is a positive matrix and
// at most H(s), which decreases with s. If a step of length 1/s causes only a negligible rise, no shift above s is
// necessary.
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
	// Tol is the tolerance in K, for powers between 0 and each input's range.
	Tol   float64
	Peaks bool             // add the hottest cell of every input as an output.
	Solve gpusolve.Options // except the tolerance, which follows from Tol; an Executor stays open.
	// Progress receives the number of solves of the full model and of states of the basis. May be nil.
	Progress func(solves, states int)
}

// ErrRefused reports stacks that have no reduced-order model.
var ErrRefused = errors.New("this stack has no reduced model")

// ErrNotConverged reports a solve of the full model that did not reach its tolerance.
var ErrNotConverged = errors.New("not converged")

// coolant is the reason for rejecting stacks with coolant.
const coolant = "coolant carries heat one way, so that the operator is not symmetric, and projection would not " +
	"promise a stable model; instead of the cavity, give a face with the film's coefficient"

const (
	// caution is the fraction of the wanted error that the first basis may have at a frequency.
	caution = 0.2
	// bases is the fraction of the wanted error that the last refinement of the basis may change.
	bases = 0.3
	// solving is the error of each solve as a fraction of the projection error. Its square affects the model.
	solving = 0.01
)

// Builder discretizes a stack.
type Builder func(*stack.Stack) (*mesh.Mesh, error)

// Run reduces a stack.
func Run(ctx context.Context, s *stack.Stack, build Builder, o Options) (*reducedmodel.Model, error) {
	r, release, err := begin(ctx, s, build, o)
	if err != nil {
		return nil, err
	}
	defer release()
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
	small.Title, small.Ambient, small.Origin.Grid = s.Title, s.Ambient, [3]int{r.mesh.NX(), r.mesh.NY(), r.mesh.NZ()}
	small.Origin.Stack = Sections(s, nil)
	return small, small.Check()
}

// begin checks a stack, discretizes it and opens the device.
func begin(ctx context.Context, s *stack.Stack, build Builder, o Options) (r *projection, release func(), err error) {
	if err := ports.CheckLinear(s); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	for l := range s.Layers {
		if s.Layers[l].Coolant != nil {
			return nil, nil, fmt.Errorf("%w: layer %s: %s", ErrRefused, s.Layers[l].Name, coolant)
		}
	}
	inputs := ports.InputsOf(s)
	if len(inputs) == 0 {
		return nil, nil, fmt.Errorf("%w: it has no powers as inputs", ErrRefused)
	}
	if !(o.Tol > 0) || math.IsInf(o.Tol, 0) {
		return nil, nil, fmt.Errorf("%w: got a tolerance of %g K; expected a positive one", gpusolve.ErrOption, o.Tol)
	}
	m, err := build(ports.Responding(s))
	if err != nil {
		return nil, nil, err
	}
	if !m.Grounded() {
		return nil, nil, gpusolve.ErrSingular
	}
	release = func() {}
	on := &device.Shared{Device: o.Solve.Executor}
	if o.Solve.Executor == nil {
		if on, err = device.Open(o.Solve.Device); err != nil {
			return nil, nil, err
		}
		release = func() { on.Release() }
	}
	o.Solve.Executor, o.Solve.Tol, o.Solve.RTol, o.Solve.ATol = on, min(gpusolve.DefaultTol, solving*caution*o.Tol), 0,
		0
	return &projection{ctx: ctx, mesh: m, options: o, inputs: inputs, wanted: caution * o.Tol}, release, nil
}

// run projects, then reduces the number of states as far as the wanted error allows.
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
		e.FrequencyK = math.Max(e.FrequencyK, r.errorAt(h.shift, h.h))
	}
	return small, nil
}

// expected is the typical number of fields per input, in the basis and of the last shift.
const expected = 7

// Bytes estimates the memory of a reduction. Each film adds as many fields to the basis, and to the snapshots.
func Bytes(m *mesh.Mesh, films int) float64 {
	cells := float64(m.Cells())
	return cells * (4*expected*float64(1+2*films)*float64(len(ports.InputsOf(m.Stack))) + 8*(2*together+1) + 3*4 + 3*8)
}
