package solves

import (
	"thermsim/gpusolve/testing/cases"
	"thermsim/stack"
)

// Hot10 is the 10-layer stack at a fifth of its power, about 70 K above the ambient at its hot spot, with
// temperature-dependent silicon.
func Hot10(n int) *stack.Stack {
	s := Cool10(n)
	for i := range s.Materials {
		if m := &s.Materials[i]; m.Name == "silicon" {
			k := &stack.Curve{Law: stack.PowerLaw, Value: 153, Exponent: 1.5, At: 300, Range: [2]float64{250, 600}}
			m.KCurve, m.K = [3]*stack.Curve{k, k, k}, [3]float64{153, 153, 153}
		}
	}
	return s
}

// Cool10 is the same with constant silicon.
func Cool10(n int) *stack.Stack {
	s := cases.Stack10(cases.Options{NX: n})
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			power := &s.Layers[l].Powers[p]
			power.Uniform /= 5
			for b := range power.Blocks {
				power.Blocks[b].Watts /= 5
			}
		}
	}
	return s
}
