package gpusolve

import (
	"context"
	"fmt"
	"math"
	"time"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/powermap"
)

// Many are power vectors to solve for.
type Many struct {
	Watts [][]float64 // Watts[v][n] W in input n of ports.InputsOf
	// Shift s in 1/s, where it is not 0, solves (K + s C) x = q in place of K x = q, with the heat capacities C: x is then s times the Laplace transform, at s, of the rise after
	// a step of the powers q at time 0. Every face and all coolant must be at the ambient.
	Shift float64
	// Points are weighted sums of temperatures to tell beside the inputs' own.
	Points []mesh.Sample
	// Solved, if not nil, is called after each vector.
	Solved func(v int)
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

// powered is a thermal system that is solved for one power after the other.
type powered interface {
	thermal
	// respond solves for the steady state under the drawings. judged says that residual and error are wanted.
	respond(ctx context.Context, o *Options, layers []powermap.Drawing, judged bool) (krylov.Outcome, error)
}

var (
	_ powered = (*direct)(nil)
	_ powered = (*meshed)(nil)
)

// SolveMany solves for the steady states of a mesh under many power vectors. What does not depend on the power is set up once. On cancellation it returns the
// context's error alone.
func SolveMany(ctx context.Context, m *mesh.Mesh, o Options, q Many) (*ManyResult, error) {
	if !m.Grounded() && q.Shift == 0 {
		return nil, ErrSingular
	}
	r := &ManyResult{Inputs: ports.InputsOf(m.Stack)}
	dt, err := q.check(len(r.Inputs))
	if err != nil {
		return nil, err
	}
	e, err := newEngine(m, o, 0, dt)
	if err != nil {
		return nil, err
	}
	defer e.close()
	defer e.dev.Bind()()
	regions, err := q.regions(m, r.Inputs)
	if err != nil {
		return nil, err
	}
	vectors := m.Power.Vectors()
	r.Device = e.info
	start := time.Now()
	for v := range q.Watts {
		out, err := e.thermal.(powered).respond(ctx, &o, vectors.Of(q.Watts[v]), v == 0)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		r.take(v, e.status(out), out)
		if err := r.gather(e.field(), regions); err != nil {
			return nil, err
		}
		if q.Solved != nil {
			q.Solved(v)
		}
	}
	r.Timing = e.timing
	r.Timing.Solve = time.Since(start)
	return r, e.failure()
}

// take adds how vector v was solved.
func (r *ManyResult) take(v int, s Status, out krylov.Outcome) {
	if v == 0 {
		r.Status = s
		return
	}
	r.Status.IterationsTotal += out.Iterations
	if !out.Converged {
		r.Status.Converged, r.Status.Reason = false, reasonText(out.Reason)
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

// regions has a group for every input.
func (q *Many) regions(m *mesh.Mesh, inputs []ports.Input) (*reduction.Regions, error) {
	r := reduction.Regions{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Points: q.Points}
	for n := range inputs {
		r.Groups = append(r.Groups, inputs[n].Heated(m))
	}
	return reduction.New(r)
}

// gather adds the temperatures of a field.
func (r *ManyResult) gather(f Field, regions *reduction.Regions) error {
	values, err := solution.Reduce(f, regions)
	if err != nil {
		return err
	}
	mean, top, at := make([]float64, len(r.Inputs)), make([]float64, len(r.Inputs)), make([]mesh.Term, len(r.Inputs))
	for n, e := range values.Extents {
		mean[n], top[n] = e.Sum/e.Weight, e.Max
		i, j, k := e.At(regions.Groups[n])
		at[n] = mesh.Term{Plane: k, Cell: j*regions.NX + i, Weight: 1}
	}
	r.Mean, r.Max, r.Hottest, r.Points = append(r.Mean, mean), append(r.Max, top), append(r.Hottest, at), append(r.Points, values.Points)
	return nil
}
