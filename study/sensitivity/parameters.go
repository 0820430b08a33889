package sensitivity

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"thermsim/mesh"
	"thermsim/stack"
)

// parameter is a parameter of a stack other than its powers.
type parameter struct {
	Sensitivity
	extent
	// scaled multiplies the parameter by a factor.
	scaled func(s *stack.Stack, factor float64)
}

// extent is the part of a stack whose equations contain a parameter: layers with the interfaces to their neighbors, or
// without layers a face; and the powers.
type extent struct {
	layers [2]int // half-open range
	face   stack.Face
	powers bool
	still  bool // the means over inputs do not depend on it
}

// parametersOf lists the parameters of a stack: of the layers from bottom to top, then of the faces.
func parametersOf(s *stack.Stack) (all []parameter) {
	for l := range s.Layers {
		y := &s.Layers[l]
		at := extent{layers: [2]int{l, l + 1}}
		still := extent{layers: at.layers, still: true}
		all = append(all,
			parameter{Sensitivity{Kind: Thickness, Name: y.Name, Value: y.Thickness, Unit: "m"}, at,
				func(s *stack.Stack, f float64) { thicken(&s.Layers[l], f) }},
			parameter{Sensitivity{Kind: Conductivity, Name: y.Name, Value: 1, Unit: "1"}, still,
				func(s *stack.Stack, f float64) { conduct(s, l, f) }})
		if y.ContactResistance > 0 {
			all = append(all,
				parameter{Sensitivity{Kind: Contact, Name: y.Name, Value: y.ContactResistance, Unit: "m^2 K/W"}, still,
					func(s *stack.Stack, f float64) { s.Layers[l].ContactResistance *= f }})
		}
	}
	for f := range stack.Face(stack.NumFaces) {
		b := &s.Boundary[f]
		own := func(s *stack.Stack) *stack.Boundary { return &s.Boundary[f] }
		all = append(all, conditionOf(b, f, f.String(), own)...)
		for n := range b.Patches {
			all = append(all, patchParameters(&b.Patches[n], f, n)...)
		}
	}
	return all
}

// thicken multiplies the thickness of a layer by a factor. A layer that is heated over its full height stays so: a
// separate heated slice would add a plane.
func thicken(y *stack.Layer, factor float64) {
	if y.PowerDepth > y.Thickness*(1-2*step) {
		y.PowerDepth *= factor
	}
	y.Thickness *= factor
}

// conditionOf lists the parameters of the boundary condition that at finds in a stack.
func conditionOf(b *stack.Boundary, face stack.Face, name string, at func(s *stack.Stack) *stack.Boundary) (
	all []parameter) {
	where := extent{face: face, still: true}
	switch {
	case b.Kind == stack.Convective && b.H > 0:
		all = append(all, parameter{Sensitivity{Kind: Film, Name: name, Value: b.H, Unit: "W/(m^2 K)"}, where,
			func(s *stack.Stack, x float64) { at(s).H *= x }})
	case b.Kind == stack.LumpedResistance:
		all = append(all, parameter{Sensitivity{Kind: Cooler, Name: name, Value: b.Resistance, Unit: "K/W"}, where,
			func(s *stack.Stack, x float64) { at(s).Resistance *= x }})
	}
	if b.Driven() {
		all = append(all, parameter{Sensitivity{Kind: Temperature, Name: name, Value: b.Temperature, Unit: "K"}, where,
			func(s *stack.Stack, x float64) { at(s).Temperature *= x }})
	}
	return all
}

// patchParameters are the parameters of patch n of a face, with the name face/patch. A map of coefficients is
// represented by its mean and scaled as a whole.
func patchParameters(p *stack.Patch, f stack.Face, n int) (all []parameter) {
	own := func(s *stack.Stack) *stack.Patch {
		s.Boundary[f].ClonePatches() // they are shared with the original stack
		return &s.Boundary[f].Patches[n]
	}
	name := f.String() + "/" + p.Name
	if p.Map != nil && p.Map.Mean() > 0 {
		all = append(all, parameter{Sensitivity{Kind: Film, Name: name, Value: p.Map.Mean(), Unit: "W/(m^2 K)"},
			extent{face: f, still: true}, func(s *stack.Stack, x float64) {
				patch := own(s)
				patch.Map = patch.Map.Scaled(x)
			}})
	}
	return append(all, conditionOf(&p.Boundary, f, name, func(s *stack.Stack) *stack.Boundary {
		return &own(s).Boundary
	})...)
}

// conduct multiplies all conductivities in a layer by a factor.
func conduct(s *stack.Stack, l int, factor float64) {
	y := &s.Layers[l]
	own := map[int]int{}
	scaled := func(i int) int {
		if _, ok := own[i]; !ok {
			m := s.Materials[i]
			for axis := range m.K {
				m.K[axis] *= factor
			}
			own[i] = len(s.Materials)
			s.Materials = append(s.Materials, m)
		}
		return own[i]
	}
	y.Material = scaled(y.Material)
	y.Regions = slices.Clone(y.Regions)
	for i := range y.Regions {
		r := &y.Regions[i]
		r.Material = scaled(r.Material)
		if r.Fill != nil {
			fill := *r.Fill
			fill.Inclusion = scaled(fill.Inclusion)
			r.Fill = &fill
		}
	}
}

// step is the relative step of the central differences. The equations are smooth and in FP64: the error is about 1e-9
// of the derivative.
const step = 1e-4

// mostMeshes is how many perturbed meshes exist at a time: together they take less memory than the temperatures.
const mostMeshes = 8

// task computes the derivatives of all measures by one parameter; nil for a parameter that cannot change.
type task struct {
	of  Sensitivity
	run func(ctx context.Context) ([]float64, error)
}

// parameters adds the sensitivities to all parameters except powers, on all processors.
func (r *run) parameters(ctx context.Context, results []Result) error {
	var all []task
	if !r.options.KeysOnly {
		for _, p := range parametersOf(r.stack) {
			all = append(all, task{p.Sensitivity, func(ctx context.Context) ([]float64, error) {
				return r.differentiate(ctx, &p)
			}})
		}
	}
	if r.options.Positions {
		all = append(all, r.positions()...)
	}
	for i := range r.options.Keys {
		all = append(all, r.key(&r.options.Keys[i]))
	}
	derivatives := make([][]float64, len(all))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(min(runtime.GOMAXPROCS(0), mostMeshes))
	for i := range all {
		group.Go(func() (err error) {
			derivatives[i], err = all[i].run(ctx)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for n := range results {
		for i, d := range derivatives {
			if d != nil && r.y[n] != nil {
				all[i].of.Derivative = d[n]
				results[n].Of = append(results[n].Of, all[i].of)
			}
		}
	}
	return nil
}

// differentiate computes the sensitivities of all measures to a parameter from the adjoints.
func (r *run) differentiate(ctx context.Context, p *parameter) ([]float64, error) {
	var sides [2][]float64
	for side, factor := range []float64{1 - step, 1 + step} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		other := *r.stack
		other.Layers, other.Materials = slices.Clone(other.Layers), slices.Clone(other.Materials)
		p.scaled(&other, factor)
		m, err := r.mesh.Rebuild(&other)
		if err != nil {
			return nil, err
		}
		sides[side] = r.sums(m, p.extent)
	}
	for n := range r.measures {
		sides[1][n] = (sides[1][n] - sides[0][n]) / (2 * step * p.Value)
	}
	return sides[1], nil
}

// sums are J + y . (b - A x) of every measure with the equations of another mesh, apart from constants and linear in
// the readings: their derivatives are those of the solved objectives.
func (r *run) sums(m *mesh.Mesh, e extent) []float64 {
	all := make([]float64, len(r.measures))
	for n := range all {
		q := &r.measures[n]
		if r.y[n] == nil {
			continue
		}
		all[n], _ = q.combine(m, r.readings[n])
		if q.sample != nil || !e.still {
			for i, v := range q.read(m, r.inputs, r.x) {
				all[n] += r.slopes[n][i] * (v - r.readings[n][i])
			}
		}
		all[n] += e.heat(m, r.x, r.y[n])
	}
	return all
}

// heat is the part of y . (b - A x) that depends on the parameters of an extent.
func (e extent) heat(m *mesh.Mesh, x, y []float64) float64 {
	sum := 0.0
	if e.layers[1] > 0 {
		sum = conducted(m, [2]int{m.LayerPlanes[e.layers[0]][0], m.LayerPlanes[e.layers[1]-1][1]}, x, y)
	}
	if e.powers {
		for i := range m.Power.Layers {
			l := &m.Power.Layers[i]
			sum += spread(m, l.Layer, l.Watts(), y)
		}
	}
	for f := range stack.Face(stack.NumFaces) {
		if m.Exchanges(f) && e.touches(m.Stack, f) {
			sum += exchanged(m, f, x, y)
		}
	}
	return sum
}

// touches reports whether the exchange with a face depends on the parameters of an extent. The resistance of a side
// face is shared out by area, so there the thickness of a layer counts for all.
func (e extent) touches(s *stack.Stack, f stack.Face) bool {
	switch {
	case e.layers[1] == 0:
		return f == e.face
	case f == stack.Bottom:
		return e.layers[0] == 0
	case f == stack.Top:
		return e.layers[1] == len(s.Layers)
	}
	return true
}

// conducted is the sum over the heat flows between the cells of planes and from these to their neighbors, each times
// the difference of y.
func conducted(m *mesh.Mesh, planes [2]int, x, y []float64) (sum float64) {
	nx, ny, nz := m.NX(), m.NY(), m.NZ()
	var couplings mesh.Couplings
	couplings.Begin(m)
	// between adds the heat between cells at a given distance in memory.
	between := func(g []float64, row, away int) {
		for i, c := range g {
			if c != 0 {
				a, b := row+i, row+i+away
				sum -= c * (x[a] - x[b]) * (y[a] - y[b])
			}
		}
	}
	for k := max(planes[0]-1, 0); k < planes[1]; k++ {
		for j := range ny {
			row := (k*ny + j) * nx
			if k >= planes[0] {
				between(couplings.X(k, j), row, 1)
				between(couplings.Y(k, j), row, nx)
			}
			if k < nz-1 {
				between(couplings.Z(k, j), row, nx*ny)
			}
		}
	}
	return sum
}

// exchanged is the sum over the heat flows from a face, each times y.
func exchanged(m *mesh.Mesh, f stack.Face, x, y []float64) (sum float64) {
	nx, ny := m.NX(), m.NY()
	for k := range m.NZ() {
		conductance := m.FaceConductances(f, k)
		m.FaceCells(f, [2]int{k, k + 1}, func(i, j, k int) {
			cell := (k*ny+j)*nx + i
			d := m.Drive(f, i, j, k)
			sum += (conductance(i, j)*(d.Temperature-x[cell]) + d.Flux*m.CellFaceArea(f, i, j, k)) * y[cell]
		})
	}
	return sum
}
