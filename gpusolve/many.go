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
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/stepping"
	"thermsim/mesh"
	"thermsim/powermap"
)

// Many are power vectors to solve for.
type Many struct {
	Watts [][]float64 // Watts[v][n] W in input n of ports.InputsOf
	// Shift s in 1/s, where it is not 0, solves (K + s C) x = q in place of K x = q, with the heat capacities C. Then x
	// is s times the Laplace transform, at s, of the rise after a step of the powers q at time 0. Every face and all
	// coolant must be at the ambient.
	Shift float64
	// Points are weighted sums of temperatures to return in addition to those of the inputs.
	Points []mesh.Sample
	// Planned is the total number of vectors, where several calls use one device: "auto" chooses by it.
	Planned int
	// Solved, if not nil, is called after each vector.
	Solved func(v int)
	// Read, if not nil, gets the temperatures under each vector, which are valid until it returns. An error ends the
	// solves.
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
	// Status describes the solve of the first vector; IterationsTotal counts all vectors.
	Status Status
	Device DeviceInfo
	Timing Timing
}

// SolveMany solves for the steady states of a mesh under many power vectors, with one setup. On cancellation it returns
// the context's error alone.
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

// take adds the outcome of vector v.
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

// check refuses invalid vectors. dt is the time step that has the shift's operator, 0 of the steady one.
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

// manyRun solves for one power vector after the other.
type manyRun struct {
	*stepping.Engine
	options *Options
	result  *ManyResult
	regions *reduction.Regions
	vectors *powermap.Vectors

	series  reduction.Series // nil where statistics are read after each vector
	pending int              // vectors whose statistics wait on the device
}

// solve solves for all vectors. On a GPU with the direct solver it does not wait: statistics stay on the device, and
// those of several vectors are read together.
func (r *manyRun) solve(ctx context.Context, q *Many) (err error) {
	places := min(stepping.MaxLookahead, len(q.Watts))
	if d := r.Direct; d != nil && places > 1 {
		if r.series, err = d.Later(r.regions, places); err != nil {
			return err
		}
	}
	for v := range q.Watts {
		out, err := r.System.Respond(ctx, r.options, r.vectors.Of(q.Watts[v]), v == 0)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		r.result.take(v, r.Status, out)
		if err := r.look(v == len(q.Watts)-1, places); err != nil {
			return err
		}
		if q.Read != nil {
			if err := q.Read(v, r.Field()); err != nil {
				return err
			}
		}
		if q.Solved != nil {
			q.Solved(v)
		}
	}
	return nil
}

// look takes the statistics of the state, or leaves them on the device.
func (r *manyRun) look(last bool, places int) error {
	if r.series == nil {
		values, err := solution.Reduce(r.Field(), r.regions)
		if err == nil {
			r.result.gather(values, r.regions)
		}
		return err
	}
	d := r.Direct
	d.Planes.Reduce(d.X, r.regions.Planes(), d.Leaving(r.series, r.pending))
	if r.pending++; !last && r.pending < places {
		return nil
	}
	all := r.series.Read(r.pending)
	r.pending = 0
	if err := r.Failure(); err != nil {
		return err
	}
	for _, values := range all {
		r.result.gather(values, r.regions)
	}
	return nil
}

// regions has a group for every input.
func (q *Many) regions(m *mesh.Mesh, inputs []ports.Input) (*reduction.Regions, error) {
	r := reduction.Regions{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Points: q.Points}
	for n := range inputs {
		r.Groups = append(r.Groups, inputs[n].Heated(m))
	}
	return reduction.New(r)
}

func (r *ManyResult) gather(values *reduction.Values, regions *reduction.Regions) {
	mean, top, at := make([]float64, len(r.Inputs)), make([]float64, len(r.Inputs)), make([]mesh.Term, len(r.Inputs))
	for n, e := range values.Extents {
		mean[n], top[n] = e.Sum/e.Weight, e.Max
		i, j, k := e.At(regions.Groups[n])
		at[n] = mesh.Term{Plane: k, Cell: j*regions.NX + i, Weight: 1}
	}
	r.Mean, r.Max, r.Hottest, r.Points = append(r.Mean, mean), append(r.Max, top), append(r.Hottest, at),
		append(r.Points, values.Points)
}
