package gpusolve

import (
	"context"

	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/stepping"
	"thermsim/mesh"
	"thermsim/powermap"
)

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

// solve takes all vectors. A GPU that solves directly is not waited for: statistics stay on it until those of several
// vectors are read together.
func (r *manyRun) solve(ctx context.Context, q *Many) (err error) {
	places := min(stepping.MostAhead, len(q.Watts))
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

// gather adds the temperatures of a field.
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
