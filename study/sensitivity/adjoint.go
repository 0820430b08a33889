package sensitivity

import (
	"context"
	"fmt"
	"slices"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/stack"
)

// adjoints solves for the adjoint of every measure: the temperatures at which its slopes heat what it reads. Inputs
// heat the stack itself; cells heat a stack with a layer for every plane.
func (r *run) adjoints(ctx context.Context, results []Result) error {
	r.y = make([][]float64, len(r.measures))
	byInput, byCell := gpusolve.Many{}, gpusolve.Many{}
	var ofInput, ofCell []int
	cells := r.cells()
	for n := range r.measures {
		q := &r.measures[n]
		if q.valueOnly {
			continue
		}
		if q.sample == nil {
			watts := make([]float64, len(r.inputs))
			for i, in := range q.inputs {
				watts[in] = r.slopes[n][i]
			}
			byInput.Watts, ofInput = append(byInput.Watts, watts), append(ofInput, n)
			continue
		}
		watts := make([]float64, len(cells))
		for _, t := range q.sample(r.mesh).Terms {
			i, _ := slices.BinarySearchFunc(cells, t, byPosition)
			watts[i] += t.Weight * r.slopes[n][0]
		}
		byCell.Watts, ofCell = append(byCell.Watts, watts), append(ofCell, n)
	}
	if err := r.respond(ctx, powered(r.stack), byInput, ofInput, results); err != nil {
		return err
	}
	return r.respond(ctx, planewise(r.mesh, cells), byCell, ofCell, results)
}

// respond solves a stack for power vectors, each the adjoint of a measure.
func (r *run) respond(ctx context.Context, s *stack.Stack, q gpusolve.Many, of []int, results []Result) error {
	if len(q.Watts) == 0 {
		return nil
	}
	m, err := r.options.Mesh(s)
	if err != nil {
		return err
	}
	q.Read = func(v int, f gpusolve.Field) (err error) {
		r.y[of[v]], err = m.ReadField(f)
		return err
	}
	many, err := gpusolve.SolveMany(ctx, m, r.options.Solver, q)
	if err != nil {
		return err
	}
	if !many.Status.Converged {
		return fmt.Errorf("%w: %s", ErrConverged, many.Status.Reason)
	}
	return nil
}

// byPosition orders cells as the mesh does.
func byPosition(a, b mesh.Term) int {
	if a.Plane != b.Plane {
		return a.Plane - b.Plane
	}
	return a.Cell - b.Cell
}

// cells that measures read, in the order of the mesh.
func (r *run) cells() (all []mesh.Term) {
	for n := range r.measures {
		if q := &r.measures[n]; q.sample != nil && !q.valueOnly {
			all = append(all, q.sample(r.mesh).Terms...)
		}
	}
	slices.SortFunc(all, byPosition)
	return slices.CompactFunc(all, func(a, b mesh.Term) bool { return byPosition(a, b) == 0 })
}

// powered is the stack at 0 K, whose inputs can be heated. The mean over a map's area corresponds to uniform power.
func powered(s *stack.Stack) *stack.Stack {
	r := ports.Responding(s)
	for l := range r.Layers {
		r.Layers[l].Powers = slices.Clone(r.Layers[l].Powers)
		for p := range r.Layers[l].Powers {
			q := &r.Layers[l].Powers[p]
			q.Map, q.Trace, q.Schedule = nil, nil, nil
		}
	}
	return r
}

// planewise is the stack at 0 K with a layer for every plane of its mesh, of which the given cells can be heated.
func planewise(m *mesh.Mesh, cells []mesh.Term) *stack.Stack {
	r := ports.Responding(m.Stack)
	layers := make([]stack.Layer, m.NZ())
	for k := range layers {
		l := m.Planes[k].Layer
		y := r.Layers[l]
		y.Name = fmt.Sprintf("%s.%d", y.Name, k)
		y.Thickness, y.Cells, y.PowerAt, y.PowerDepth, y.Powers = m.DZ(k), 1, "", 0, nil
		y.ContactResistance = m.Planes[k].ContactAbove
		layers[k] = y
	}
	for n, c := range cells {
		i, j := c.Cell%m.NX(), c.Cell/m.NX()
		y := &layers[c.Plane]
		y.Powers = append(y.Powers, stack.Power{Name: fmt.Sprint(n),
			Area: stack.Rect{X: m.X[i], Y: m.Y[j], Width: m.DX(i), Height: m.DY(j)}})
	}
	r.Layers = layers
	return r
}

// gainOf is the derivative by the power of an input: the mean of the adjoint over its power.
func gainOf(m *mesh.Mesh, in *ports.Input, y []float64) float64 {
	power := &m.Stack.Layers[in.Layer].Powers[in.Power]
	if in.Kind != ports.Map || in.Watts == 0 {
		return meanOf(m, in, y)
	}
	area := power.Area
	if area == (stack.Rect{}) {
		area = m.Stack.Domain()
	}
	share := make([]float64, m.NX()*m.NY())
	powermap.Spread(powermap.Grid{X: m.X, Y: m.Y}, area, power.Map, 1/in.Watts, share)
	return spread(m, in.Layer, share, y)
}

// spread is the sum over the cells of a layer's heated planes of y, times a power that is spread over these planes.
func spread(m *mesh.Mesh, layer int, watts, y []float64) (sum float64) {
	planes := m.PowerPlanes(layer)
	for k := planes[0]; k < planes[1]; k++ {
		for c, w := range watts {
			sum += w * y[k*len(watts)+c] / float64(planes[1]-planes[0])
		}
	}
	return sum
}
