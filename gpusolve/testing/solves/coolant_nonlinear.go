package solves

import (
	"math"
	"math/rand/v2"

	"thermsim/gpusolve/testing/cases"
	"thermsim/stack"
)

// FollowingCooled is a random stack of uniform layers with cavities, whose materials depend on temperature if
// curves is set, and whose powers if leaks is. Dies and coolant get up to a hundred kelvins warmer than the inlet.
func FollowingCooled(rng *rand.Rand, curves, leaks bool) *stack.Stack {
	s := cases.Cooled(rng, 3+rng.IntN(2), 3+rng.IntN(2))
	for i := range s.Materials {
		if !curves {
			break
		}
		m := &s.Materials[i]
		for axis := range m.K {
			m.KCurve[axis] = SomeCurve(rng, m.K[axis])
			m.K[axis] = m.KCurve[axis].Of(300)
		}
		if rng.IntN(3) > 0 {
			m.CCurve = SomeCurve(rng, m.C)
			m.C = m.CCurve.Of(300)
		}
	}
	ways, area := 0.0, s.Size[0]*s.Size[1]
	for l := range s.Layers {
		if w := s.Layers[l].Coolant; w != nil {
			w.Flow = math.Pow(10, -8+3*rng.Float64())
			w.Central = w.Central && !leaks
			ways += 1 / (1/(w.Fluid.C*w.Flow) + 1/(w.HBottom*area))
		}
	}
	for l := range s.Layers {
		y := &s.Layers[l]
		y.Regions = nil
		if y.Coolant != nil {
			continue
		}
		y.Powers = []stack.Power{{Uniform: ways * (10 + 20*rng.Float64()), Area: s.Domain()}}
		if leaks {
			y.Powers[0].Leakage = stack.Leakage{Watts: y.Powers[0].Uniform * (0.05 + 0.2*rng.Float64()),
				Factor: SomeLaw(rng)}
		}
	}
	if top := &s.Boundary[stack.Top]; top.Kind == stack.Convective && curves {
		top.Film = SomeFilm(rng, &top.H)
	}
	s.Boundary[stack.South], s.Boundary[stack.West] = stack.Boundary{}, SomeSide(rng)
	return s
}
