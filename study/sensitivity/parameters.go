package sensitivity

import (
	"context"
	"slices"

	"thermsim/mesh"
	"thermsim/stack"
)

// parameter is a parameter of a stack other than its powers.
type parameter struct {
	Sensitivity
	// scaled multiplies the parameter by a factor.
	scaled func(s *stack.Stack, factor float64)
}

// parametersOf lists the parameters of a stack: of the layers from bottom to top, then of the faces.
func parametersOf(s *stack.Stack) (all []parameter) {
	for l := range s.Layers {
		y := &s.Layers[l]
		all = append(all,
			parameter{Sensitivity{Kind: Thickness, Name: y.Name, Value: y.Thickness, Unit: "m"},
				func(s *stack.Stack, f float64) { thicken(&s.Layers[l], f) }},
			parameter{Sensitivity{Kind: Conductivity, Name: y.Name, Value: 1, Unit: "1"},
				func(s *stack.Stack, f float64) { conduct(s, l, f) }})
		if y.ContactResistance > 0 {
			all = append(all,
				parameter{Sensitivity{Kind: Contact, Name: y.Name, Value: y.ContactResistance, Unit: "m^2 K/W"},
					func(s *stack.Stack, f float64) { s.Layers[l].ContactResistance *= f }})
		}
	}
	for f := range stack.Face(stack.NumFaces) {
		b := &s.Boundary[f]
		all = append(all, conditionOf(b, f.String(), func(s *stack.Stack) *stack.Boundary { return &s.Boundary[f] })...)
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
func conditionOf(b *stack.Boundary, name string, at func(s *stack.Stack) *stack.Boundary) (all []parameter) {
	switch {
	case b.Kind == stack.Convective && b.H > 0:
		all = append(all, parameter{Sensitivity{Kind: Film, Name: name, Value: b.H, Unit: "W/(m^2 K)"},
			func(s *stack.Stack, x float64) { at(s).H *= x }})
	case b.Kind == stack.LumpedResistance:
		all = append(all, parameter{Sensitivity{Kind: Cooler, Name: name, Value: b.Resistance, Unit: "K/W"},
			func(s *stack.Stack, x float64) { at(s).Resistance *= x }})
	}
	if b.Driven() {
		all = append(all, parameter{Sensitivity{Kind: Temperature, Name: name, Value: b.Temperature, Unit: "K"},
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
			func(s *stack.Stack, x float64) { patch := own(s); patch.Map = patch.Map.Scaled(x) }})
	}
	return append(all, conditionOf(&p.Boundary, name, func(s *stack.Stack) *stack.Boundary {
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

// parameters adds the sensitivities to all parameters except powers.
func (r *Result) parameters(ctx context.Context, s *stack.Stack, o Options, x, y []float64) error {
	for _, p := range parametersOf(s) {
		var sides [2]float64
		for side, factor := range []float64{1 - step, 1 + step} {
			if err := ctx.Err(); err != nil {
				return err
			}
			other := *s
			other.Layers, other.Materials = slices.Clone(s.Layers), slices.Clone(s.Materials)
			p.scaled(&other, factor)
			m, err := o.Mesh(&other)
			if err != nil {
				return err
			}
			sides[side] = heat(m, x, y)
		}
		p.Derivative = (sides[1] - sides[0]) / (2 * step * p.Value)
		r.Of = append(r.Of, p.Sensitivity)
	}
	return nil
}

// heat is y . (b - A x) without the powers in b, which do not depend on these parameters.
func heat(m *mesh.Mesh, x, y []float64) float64 {
	nx, ny, nz := m.NX(), m.NY(), m.NZ()
	g := make([]float64, nx)
	sum := 0.0
	// between adds the heat between cells at a given distance in memory.
	between := func(row, away int) {
		for i, c := range g {
			if c != 0 {
				a, b := row+i, row+i+away
				sum -= c * (x[a] - x[b]) * (y[a] - y[b])
			}
		}
	}
	for k := range nz {
		for j := range ny {
			row := (k*ny + j) * nx
			m.CouplingX(k, j, g)
			between(row, 1)
			m.CouplingY(k, j, g)
			between(row, nx)
			m.CouplingZ(k, j, g)
			between(row, nx*ny)
		}
	}
	for f := range stack.Face(stack.NumFaces) {
		if !m.Exchanges(f) {
			continue
		}
		m.FaceCells(f, [2]int{0, nz}, func(i, j, k int) {
			cell := (k*ny+j)*nx + i
			d := m.Drive(f, i, j, k)
			g, flux := m.FaceConductance(f, i, j, k), d.Flux*m.CellFaceArea(f, i, j, k)
			sum += (g*(d.Temperature-x[cell]) + flux) * y[cell]
		})
	}
	return sum
}
