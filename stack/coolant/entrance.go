package coolant

import "math"

// Flow that enters a channel with one velocity and one temperature develops along it: friction and heat transfer are
// largest at the inlet. Both follow from asymptotes of a short and of a long channel.

// apparent is Fanning's factor times Re, averaged from the inlet over a length, for laminar flow that enters evenly:
//
//	f Re = ((f Re)_developed^2 + 3.44^2 / z)^(1/2),   z = length / (D Re)
//
// (Y. S. Muzychka and M. M. Yovanovich, J. Fluids Eng. 131, 111105, 2009, within 10 %). It holds the loss of the
// developing profile, which others write as a factor of Hagenbach, and not that of the change of section at inlet and
// outlet.
func apparent(developed, length, diameter, re float64) float64 {
	return math.Sqrt(developed*developed + 3.44*3.44*diameter*re/length)
}

// NusseltAt is the Nusselt number at a distance in m from the inlet, referred to the hydraulic diameter. The flow is
// laminar and enters with uniform velocity and temperature. It uses the root of the section as length.
//
//	Nu = ((f(Pr) / z^(1/2))^m + ((0.501 (f Re / z)^(1/3))^5 + Nu_developed^5)^(m/5))^(1/m).
//	z = x / (sqrt(A) Re Pr),   m = 2.27 + 1.65 Pr^(1/3),   f(Pr) = 0.886 / (1 + (1.909 Pr^(1/6))^(9/2))^(2/9).
//
// This is for a uniform heat flux (Y. S. Muzychka and M. M. Yovanovich, J. Heat Transfer 126, 54, 2004), within 12 %
// for 0.1 < Pr. The developed number is that of Shah and London instead of the one interpolated there.
func (c Channel) NusseltAt(x, re, prandtl float64) float64 {
	developed := c.laminarNusselt()
	if re <= 0 {
		return developed
	}
	root := math.Sqrt(c.Width * c.Height)
	scale := root / c.Diameter()
	z := x / (root * re * scale * prandtl)
	m := 2.27 + 1.65*math.Cbrt(prandtl)
	f := 0.886 / math.Pow(1+math.Pow(1.909*math.Pow(prandtl, 1.0/6), 4.5), 2.0/9)
	short := math.Pow(f/math.Sqrt(z), m)
	leveque := 0.501 * math.Cbrt(c.laminarFriction()/4*scale/z)
	long := math.Pow(math.Pow(leveque, 5)+math.Pow(developed*scale, 5), m/5)
	return math.Pow(short+long, 1/m) / scale
}

// meanNusselt is the mean of NusseltAt from x0 to x1, by Simpson's rule over the sixth root of x, in which the number
// has no singularity at the inlet.
func (c Channel) meanNusselt(x0, x1, re, prandtl float64) float64 {
	const intervals = 16
	u0, u1 := math.Pow(x0, 1.0/6), math.Pow(x1, 1.0/6)
	step := (u1 - u0) / intervals
	sum := 0.0
	for n := range intervals + 1 {
		u := u0 + float64(n)*step
		if u == 0 {
			continue
		}
		weight := 2.0 + 2*float64(n%2)
		if n == 0 || n == intervals {
			weight = 1
		}
		sum += weight * c.NusseltAt(math.Pow(u, 6), re, prandtl) * 6 * math.Pow(u, 5)
	}
	return sum * step / 3 / (x1 - x0)
}

// HeatTransferBetween is the coefficient in W/(m2 K), averaged from x0 to x1 m behind the inlet. Only that of a channel
// with developing flow depends on them.
func (c Channel) HeatTransferBetween(f Fluid, velocity, x0, x1 float64) float64 {
	if !c.Developing {
		return c.HeatTransfer(f, velocity)
	}
	re, pr := c.Reynolds(f, velocity), f.Prandtl()
	laminar := func(re float64) float64 { return c.meanNusselt(x0, x1, re, pr) }
	return blend(re, laminar, func(re float64) float64 { return gnielinski(re, pr) }) * f.K / c.Diameter()
}

// EntryLength is the distance in m from the inlet from which on laminar flow is taken for thermally developed, 0.05 Re
// Pr D.
func (c Channel) EntryLength(f Fluid, velocity float64) float64 {
	return 0.05 * math.Min(c.Reynolds(f, velocity), LeastTurbulent) * f.Prandtl() * c.Diameter()
}
