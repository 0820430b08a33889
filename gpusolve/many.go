package gpusolve

import (
	"context"
	"fmt"
	"math"
	"time"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/stepping"
	"thermsim/mesh"
)

// Many are power vectors to solve for.
type Many struct {
	Watts [][]float64 // Watts[v][n] W in input n of ports.InputsOf
	// Shift s in 1/s, where it is not 0, solves (K + s C) x = q in place of K x = q, with the heat capacities C: x is
	// then s times the Laplace transform, at s, of the rise after a step of the powers q at time 0. Every face and all
	// coolant must be at the ambient.
	Shift float64
	// Points are weighted sums of temperatures to tell beside the inputs' own.
	Points []mesh.Sample
	// Planned is how many vectors are to be solved for in all, where several calls follow each other on one device:
	// what "auto" weighs.
	Planned int
	// Solved, if not nil, is called after each vector.
	Solved func(v int)
	// Read, if not nil, is shown the temperatures under each vector, which are there until it returns. An error ends
	// the solves.
	Read func(v int, f Field) error
}

// ManyResult holds the temperatures of inputs under many powers.
type ManyResult struct {
	Inputs []ports.Input
	// Mean and Max are in K, by power vector and input: the mean over the volume that it heats, and its hottest cell.
	Mean, Max [][]float64
	// Hottest are those cells.
	Hottest [][]mesh.Term
	// Points are in K, by power vector.
	Points [][]float64
	// Status tells how the first vector was solved, IterationsTotal counts those of all.
	Status Status
	Device DeviceInfo
	Timing Timing
}

// SolveMany solves for the steady states of a mesh under many power vectors. What does not depend on the power is set
// up once. On cancellation it returns the context's error alone.
func SolveMany(ctx context.Context, m *mesh.Mesh, o Options, q Many) (*ManyResult, error) {
	if !m.Grounded() && q.Shift == 0 {
		return nil, ErrSingular
	}
	r := &ManyResult{Inputs: ports.InputsOf(m.Stack)}
	dt, err := q.check(len(r.Inputs))
	if err != nil {
		return nil, err
	}
	steps := 0
	if dt > 0 {
		steps = 1 // the system of a step has the memory of one
	}
	e, err := stepping.Open(m, &driver.Job{Options: o, Solves: max(q.Planned, len(q.Watts))}, steps, dt)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	defer e.Dev.Bind()()
	regions, err := q.regions(m, r.Inputs)
	if err != nil {
		return nil, err
	}
	run := &manyRun{Engine: e, options: &o, result: r, regions: regions, vectors: m.Power.Vectors()}
	r.Device = e.Info
	start := time.Now()
	if err := run.solve(ctx, &q); err != nil {
		return nil, err
	}
	r.Timing = e.Timing
	r.Timing.Solve = time.Since(start)
	return r, e.Failure()
}

// take adds how vector v was solved.
func (r *ManyResult) take(v int, status func(krylov.Outcome) Status, out krylov.Outcome) {
	if v == 0 {
		r.Status = status(out)
		return
	}
	r.Status.IterationsTotal += out.Iterations
	if !out.Converged {
		r.Status.Converged, r.Status.Reason = false, methods.ReasonText(out.Reason)
	}
}

// check refuses what cannot be solved for. dt is the time step that has the shift's operator, 0 of the steady one.
func (q *Many) check(inputs int) (dt float64, err error) {
	if q.Shift < 0 || math.IsNaN(q.Shift) || math.IsInf(q.Shift, 0) {
		return 0, fmt.Errorf("%w: shift of %g 1/s", ErrOption, q.Shift)
	}
	for v, w := range q.Watts {
		if len(w) != inputs {
			return 0, fmt.Errorf("%w: power vector %d has %d values for %d inputs", ErrOption, v, len(w), inputs)
		}
		for n, p := range w {
			if math.IsNaN(p) || math.IsInf(p, 0) {
				return 0, fmt.Errorf("%w: power vector %d has %g W in input %d", ErrOption, v, p, n)
			}
		}
	}
	if q.Shift == 0 {
		return 0, nil
	}
	return 1 / q.Shift, nil
}
