package solves

import (
	"math/rand/v2"

	"thermsim/stack"
)

// SomeFilm makes a coefficient depend on the temperature of the surface in half of the cases.
func SomeFilm(rng *rand.Rand, h *float64) (f stack.Film) {
	if rng.IntN(2) == 0 {
		f.Law, *h = SomeCurve(rng, *h), 0
		f.Emissivity = float64(rng.IntN(2)) * rng.Float64()
	}
	return f
}

// SharesCells says whether cells lie on two faces with a temperature: what the rounding of their sum moves goes to the
// larger conductance, which the independent code leaves alone.
func SharesCells(s *stack.Stack) bool { return !s.Boundary[stack.West].Adiabatic() }

// SomeSide is a face that radiates, or adiabatic.
func SomeSide(rng *rand.Rand) stack.Boundary {
	if rng.IntN(2) == 0 {
		return stack.Boundary{}
	}
	return stack.Boundary{Kind: stack.Convective, H: 1e4 * rng.Float64() * float64(rng.IntN(2)), Temperature: 280 +
		40*rng.Float64(), Film: stack.Film{Emissivity: 0.1 + 0.9*rng.Float64()}}
}
