package ports

import (
	"errors"
	"fmt"
	"slices"

	"thermsim/stack"
)

// ErrNonlinear marks stacks whose temperatures are not a linear function of their powers.
var ErrNonlinear = errors.New("the temperatures of this stack do not depend linearly on its powers")

// CheckLinear refuses a stack in which something follows the temperature, and names it: responses to 1 W would not add
// up to those to more.
func CheckLinear(s *stack.Stack) error {
	for i := range s.Materials {
		if s.Materials[i].TemperatureDependent() {
			return fmt.Errorf("%w: material %s follows the temperature; give it constant k and c, as at the "+
				"temperature of operation", ErrNonlinear, s.Materials[i].Name)
		}
	}
	for f := range s.Boundary {
		if s.Boundary[f].Follows() {
			return fmt.Errorf("%w: the film of the %s face follows the temperature; give it the h that a solve at "+
				"the powers of operation finds", ErrNonlinear, stack.Face(f))
		}
	}
	if s.Leaks() {
		return fmt.Errorf("%w: it has leakage, which follows the temperature; leave the leakage out, and add its "+
			"watts to the powers", ErrNonlinear)
	}
	return nil
}

// Responding is a copy of a linear stack whose temperatures are rises: ambient, faces, coolant and start are at 0 K and
// no face brings in heat, so that without power all of it is at 0 K. Mesh and solve it; its fields are responses to
// powers alone.
func Responding(s *stack.Stack) *stack.Stack {
	r := *s
	r.Ambient, r.Transient.Initial = 0, 0
	for f := range r.Boundary {
		r.Boundary[f].ClonePatches()
		for _, b := range r.Boundary[f].Conditions() {
			b.Temperature, b.Flux = 0, 0 // a patch without flux stays, as no heat passes it
			if b.Kind == stack.HeatFlux && len(b.Patches) == 0 && b == &r.Boundary[f] {
				*b = stack.Boundary{Kind: stack.Adiabatic, Pos: b.Pos}
			}
		}
	}
	r.Layers = slices.Clone(s.Layers)
	for l := range r.Layers {
		if c := r.Layers[l].Coolant; c != nil {
			cold := *c
			cold.Inlet = 0
			r.Layers[l].Coolant = &cold
		}
	}
	return &r
}
