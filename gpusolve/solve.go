// Package gpusolve turns a mesh into temperatures: devices, kernels, solvers and time stepping.
package gpusolve

import (
	"context"
	"errors"

	"thermsim/mesh"
)

// Options of a solve. The zero value asks for the defaults.
type Options struct {
	Device         string         // "auto" (default), "cpu", "gpu", "gpu:N"
	Preconditioner string         // "multigrid" (default), "jacobi", "none"
	Tol            float64        // K, stop when the estimated largest error is below it; default 1e-4
	RTol           float64        // stop on ||b - A x|| / ||b|| instead, when positive
	ATol           float64        // stop on ||b - A x||2 in W instead, when positive
	MaxIter        int            // per linear system; default 500 (multigrid) or 20000
	Progress       func(Progress) // may be nil
}

// Progress of a running solve.
type Progress struct {
	Step, Steps int // transient: current step and total; 0 in a steady solve
	Iteration   int
	ErrorK      float64 // current estimate
	Time        float64 // s, simulated
}

// ErrDevice marks failures of the device: none where one was demanded, out of memory, lost.
var ErrDevice = errors.New("device failure")

// TransientOptions describe the time steps.
type TransientOptions struct {
	Steps int
	Dt    float64 // s
	// OnStep is called after every step with the field at its end; an error stops the run. May be nil.
	OnStep func(step Step, f Field) error
}

// Steady solves for the steady temperature field.
func Steady(ctx context.Context, m *mesh.Mesh, o Options) (*Solution, error) {
	return nil, errors.ErrUnsupported
}

// Transient steps the field in time by backward Euler from the initial temperature. On cancellation it returns
// what was finished together with the context's error.
func Transient(ctx context.Context, m *mesh.Mesh, o Options, t TransientOptions) (*Solution, error) {
	return nil, errors.ErrUnsupported
}
