package meshed_test

import (
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/solves"

	"thermsim/stack"
	"thermsim/stack/coolant"
)

// Under a uniform flux the die lies above developing coolant by q (1/h + dz/2k) with the coefficient of its distance
// from the inlet.
func TestUniformFluxIntoDevelopingFlow(t *testing.T) {
	for _, direction := range []stack.Direction{stack.TowardsNorth, stack.TowardsSouth} {
		const ny = 40
		s := solves.CooledStack(5, ny, stack.PorousCavity)
		s.Materials[0].K[1], s.Materials[1].K = 1e-12, [3]float64{1e-12, 1e-12, 1e-12}
		s.Layers[2].Powers = nil
		w := s.Layers[1].Coolant
		w.Direction, w.Developing, w.HBottom, w.HTop = direction, true, 0, 0
		w.Fluid.K, w.Fluid.Density, w.Fluid.Viscosity = 0.6, 1000, 1e-3
		w.Channels.Width, w.Channels.Wall = 100e-6, 100e-6
		sol, m := solves.SolveCooled(t, s, gpusolve.Options{Tol: 1e-9})
		q := 10 / (s.Size[0] * s.Size[1])
		water, die := solves.PlaneOf(t, sol, m, 2), solves.PlaneOf(t, sol, m, 0)
		channel := coolant.Channel{Width: 100e-6, Height: 100e-6, Length: s.Size[1], Developing: true}
		liquid := coolant.Fluid{K: 0.6, Cp: 4170, Density: 1000, Viscosity: 1e-3}
		velocity := w.Flow / (0.5 * s.Size[0] * 100e-6)
		for j := range ny {
			at := j
			if direction == stack.TowardsSouth {
				at = ny - 1 - j
			}
			x := float64(at) * s.Size[1] / ny
			// walls that do not conduct are no fins
			h := channel.HeatTransferBetween(liquid, velocity, x, x+s.Size[1]/ny) * 100 / 200
			offset := q * (1/h + 25e-6/130)
			c := j*5 + 2
			// Axial conduction in the coolant is nothing beside what it carries.
			if got := die[c] - water[c]; math.Abs(got-offset) > 1e-4*offset {
				t.Fatalf("%s, cell %d: %.9g K above the coolant, want %.9g", direction, j, got, offset)
			}
		}
	}
}

// A die that conducts along the flow, with heat q per length and no heat through its ends, beside coolant that carries
// W for it and as much for its mirror image above:
//
//	k A Td" = g (Td - Tf) - q,   W Tf' = g (Td - Tf),   Td'(0) = Td'(L) = 0,   Tf(0) = inlet
//
// Td = C0 + q y/W + q/g + C1 exp(l1 y) + C2 exp(l2 y), with l1 and l2 from k A W l^2 + k A g l - g W = 0: the fin in a
// flow. The discretisation is of first order, and three extrapolations come within 1e-5.
func TestFinInFlow(t *testing.T) {
	const side, heat = 4e-3, 10.0
	build := func(ny int) *stack.Stack {
		s := solves.CooledStack(3, ny, stack.PorousCavity)
		s.Materials[0].K = [3]float64{130, 3000, 130}
		s.Layers[2].Thickness, s.Layers[2].Powers = s.Layers[0].Thickness, s.Layers[0].Powers
		c := s.Layers[1].Coolant
		c.Channels, c.Pins, c.Fluid.K, c.HTop = nil, &stack.Pins{Diameter: 50e-6, Pitch: 100e-6}, 0, c.HBottom
		return s
	}
	w := build(4).Layers[1].Coolant
	carried, g, ka := w.Fluid.C*w.Flow/2, side/(1/w.HBottom+25e-6/130), 3000*side*50e-6
	q := heat / side
	root := math.Sqrt(ka*ka*g*g + 4*ka*carried*g*carried)
	l1, l2 := (-ka*g+root)/(2*ka*carried), (-ka*g-root)/(2*ka*carried)
	// Td' vanishes at both ends: C1 l1 + C2 l2 = -q/W, C1 l1 e^(l1 L) + C2 l2 e^(l2 L) = -q/W.
	e1, e2 := math.Exp(l1*side), math.Exp(l2*side)
	slope := -q / carried
	a1 := slope * (1 - e2) / (e1 - e2) // C1 l1
	a2 := slope - a1                   // C2 l2
	// Tf = Td - (kA Td" + q)/g, at the inlet w.Inlet.
	c0 := w.Inlet - (a1/l1 + a2/l2) + ka/g*(a1*l1+a2*l2)
	die := func(y float64) float64 {
		return c0 + q*y/carried + q/g + a1/l1*math.Exp(l1*y) + a2/l2*math.Exp(l2*y)
	}
	middle := func(ny int) float64 {
		sol, m := solves.SolveCooled(t, build(ny), gpusolve.Options{Tol: 1e-8})
		v := solves.PlaneOf(t, sol, m, 0)
		return (v[(ny/2-1)*3+1] + v[ny/2*3+1]) / 2
	}
	var v []float64
	for _, ny := range []int{40, 80, 160, 320} {
		v = append(v, middle(ny))
	}
	want, rise := die(side/2), die(side/2)-w.Inlet
	if order := math.Log2((v[2] - want) / (v[3] - want)); !(math.Abs(order-1) < 0.05) {
		t.Errorf("order %.3f: %.7g, %.7g, %.7g, %.7g K, want %.7g", order, v[0], v[1], v[2], v[3], want)
	}
	for level := 1; len(v) > 1; level++ {
		f := math.Pow(2, float64(level))
		for n := range len(v) - 1 {
			v[n] = (f*v[n+1] - v[n]) / (f - 1)
		}
		v = v[:len(v)-1]
	}
	if math.Abs(v[0]-want) > 1e-5*rise {
		t.Errorf("extrapolated to %.9g K, want %.9g", v[0], want)
	}
}
