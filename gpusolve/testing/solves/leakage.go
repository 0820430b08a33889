package solves

import (
	"math"
	"math/rand/v2"
	"slices"

	"thermsim/stack"
)

// Exponential leakage of that power, in W, at 358.15 K.
func Exponential(watts, beta float64) stack.Leakage {
	return stack.Leakage{Watts: watts, Factor: &stack.Curve{Law: stack.ExponentialLaw, Value: 1, Exponent: beta,
		At: 358.15, Range: [2]float64{250, 700}}}
}

// LeakyLump is one cell behind one resistance, in K/W, with power and leakage.
func LeakyLump(watts float64, l stack.Leakage) (s *stack.Stack, resistance float64) {
	s = &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{1e-2, 1e-2}}
	s.Grid = stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}}
	s.Materials = []stack.Material{{Name: "m", K: [3]float64{100, 100, 100}, C: 1.6e6}}
	s.Layers =
		[]stack.Layer{{Name: "l", Thickness: 1e-3, Cells: 1,
			Powers: []stack.Power{{Uniform: watts, Area: s.Domain(), Leakage: l}}}}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 5000, Temperature: 300}
	return s, 1 / float64(float32(1e-4/(1/5000.+1e-3/200)))
}

// LambertW0 is the upper real branch of w e^w = z for -1/e <= z, by bisection.
func LambertW0(z float64) float64 {
	low, high := -1.0, math.Max(1, z)
	for range 200 {
		mid := (low + high) / 2
		if mid*math.Exp(mid) < z {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// LumpedLimit is the factor on power and leakage at which the solution of a lump ends: a b = 1/e.
func LumpedLimit(r, watts, leaking, beta float64) float64 {
	low, high := 0.0, 1e3
	for range 200 {
		f := (low + high) / 2
		if r*f*leaking*beta*math.Exp(beta*(300+r*f*watts-358.15)) < 1/math.E {
			low = f
		} else {
			high = f
		}
	}
	return low
}

// SomeTiles is a random map of a mean power in W that depends on temperature, mostly rising.
func SomeTiles(rng *rand.Rand, watts float64) *stack.PowerMap {
	m := &stack.PowerMap{NX: 1 + rng.IntN(4), NY: 1 + rng.IntN(4)}
	n := m.NX * m.NY
	plane := make([]float64, n)
	for i := range plane {
		plane[i] = 2 * watts / float64(n) * rng.Float64()
	}
	kelvin := 280 + 20*rng.Float64()
	m.Values, m.Temperatures = plane, []float64{kelvin}
	for range 1 + rng.IntN(4) {
		plane = slices.Clone(plane)
		step := 20 + 60*rng.Float64()
		for i := range plane {
			plane[i] *= 1 + step*(0.012*rng.Float64()-0.002)
		}
		kelvin += step
		m.Hotter, m.Temperatures = append(m.Hotter, plane), append(m.Temperatures, kelvin)
	}
	return m
}

// SomeLaw is a random law of leakage.
func SomeLaw(rng *rand.Rand) *stack.Curve {
	c := &stack.Curve{At: 340, Range: [2]float64{200, 900}}
	switch rng.IntN(3) {
	case 0:
		c.Law, c.Value, c.Exponent = stack.ExponentialLaw, 1, 0.003+0.01*rng.Float64()
	case 1:
		c.Law, c.Coefficients, c.At = stack.PolynomialLaw, []float64{1, 0.01 * rng.Float64(), 2e-5 * rng.Float64()}, 300
		c.Range[0] = 250
	default:
		c.Law, c.At = stack.TableLaw, 0
		v := 0.3
		for kelvin := 200.0; kelvin <= 900; kelvin += 40 + 60*rng.Float64() {
			c.Temperatures, c.Values = append(c.Temperatures, kelvin), append(c.Values, v)
			v *= 1 + 0.7*rng.Float64()
		}
		c.Range = [2]float64{c.Temperatures[0], c.Temperatures[len(c.Temperatures)-1]}
	}
	return c
}
