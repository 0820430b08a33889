package coolant

import "math"

// Channel is a straight one of rectangular section.
type Channel struct {
	Width, Height, Length float64 // m
	// Developing flow enters with one velocity and one temperature; otherwise it is developed from the inlet on.
	Developing bool
}

// Diameter is the hydraulic one in m.
func (c Channel) Diameter() float64 { return 2 * c.Width * c.Height / (c.Width + c.Height) }

// aspect is the shorter side over the longer.
func (c Channel) aspect() float64 {
	return math.Min(c.Width, c.Height) / math.Max(c.Width, c.Height)
}

// Reynolds is the number for a mean velocity in m/s.
func (c Channel) Reynolds(f Fluid, velocity float64) float64 {
	return f.Density * velocity * c.Diameter() / f.Viscosity
}

// Laminar flow up to LeastTurbulent, turbulent flow from FullyTurbulent on; between the two, quantities are
// interpolated.
const (
	LeastTurbulent = 2300
	FullyTurbulent = 4000
)

// Friction is Darcy's factor of fully developed flow. Laminar,
//
//	f Re = 96 (1 - 1.3553 a + 1.9467 a^2 - 1.7012 a^3 + 0.9564 a^4 - 0.2537 a^5)
//
// for the aspect ratio a (R. K. Shah and A. L. London, Laminar Flow Forced Convection in Ducts, 1978, eq. 341, four
// times Fanning's); turbulent, f = (0.79 ln Re - 1.64)^-2 (B. S. Petukhov, Advances in Heat Transfer 6, 503, 1970);
// between, linear in Re. Of developing flow it is the mean over the channel's length.
func (c Channel) Friction(re float64) float64 {
	laminar := func(re float64) float64 {
		if c.Developing {
			return 4 * apparent(c.laminarFriction()/4, c.Length, c.Diameter(), re) / re
		}
		return c.laminarFriction() / re
	}
	return blend(re, laminar, petukhov)
}

// laminarFriction is f Re.
func (c Channel) laminarFriction() float64 {
	return 96 * polynomial(c.aspect(), 1, -1.3553, 1.9467, -1.7012, 0.9564, -0.2537)
}

func (c Channel) laminarNusselt() float64 {
	return 8.235 * polynomial(c.aspect(), 1, -2.0421, 3.0853, -2.4765, 1.0578, -0.1861)
}

func petukhov(re float64) float64 { return math.Pow(0.79*math.Log(re)-1.64, -2) }

// Nusselt is the number of fully developed flow, referred to the hydraulic diameter and the mixed temperature. Laminar,
// for a heat flux that is even along the channel and a temperature that is even around it,
//
//	Nu = 8.235 (1 - 2.0421 a + 3.0853 a^2 - 2.4765 a^3 + 1.0578 a^4 - 0.1861 a^5)
//
// (Shah and London, eq. 342). Turbulent, (f/8) (Re - 1000) Pr / (1 + 12.7 sqrt(f/8) (Pr^(2/3) - 1)) with Petukhov's f
// (V. Gnielinski, Int. Chem. Eng. 16, 359, 1976). Between, linear in Re. What a developing flow takes up more is left
// out: near the inlet the walls are cooler than this says.
func (c Channel) Nusselt(re, prandtl float64) float64 {
	laminar := func(float64) float64 { return c.laminarNusselt() }
	return blend(re, laminar, func(re float64) float64 { return gnielinski(re, prandtl) })
}

func gnielinski(re, prandtl float64) float64 {
	f := petukhov(re) / 8
	return f * (re - 1000) * prandtl / (1 + 12.7*math.Sqrt(f)*(math.Pow(prandtl, 2.0/3)-1))
}

// HeatTransfer is the coefficient in W/(m2 K) of developed flow for a mean velocity in m/s.
func (c Channel) HeatTransfer(f Fluid, velocity float64) float64 {
	return c.Nusselt(c.Reynolds(f, velocity), f.Prandtl()) * f.K / c.Diameter()
}

// Drop is the pressure in Pa that a mean velocity takes: f (L / D) rho v^2 / 2. Changes of section at inlet and outlet
// are left out.
func (c Channel) Drop(f Fluid, velocity float64) float64 {
	if velocity == 0 {
		return 0
	}
	return c.Friction(c.Reynolds(f, velocity)) * c.Length / c.Diameter() * f.Density * velocity * velocity / 2
}

// Velocity in m/s that a pressure in Pa drives, by bisection: the pressure grows with the velocity.
func (c Channel) Velocity(f Fluid, pressure float64) float64 {
	low, high := 0.0, 1.0
	for c.Drop(f, high) < pressure {
		high *= 2
	}
	for range 100 {
		if mid := (low + high) / 2; c.Drop(f, mid) < pressure {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

func polynomial(x float64, coefficients ...float64) float64 {
	sum := 0.0
	for i := len(coefficients) - 1; i >= 0; i-- {
		sum = sum*x + coefficients[i]
	}
	return sum
}

func blend(re float64, laminar, turbulent func(float64) float64) float64 {
	switch {
	case re <= LeastTurbulent:
		return laminar(re)
	case re >= FullyTurbulent:
		return turbulent(re)
	}
	w := (re - LeastTurbulent) / (FullyTurbulent - LeastTurbulent)
	return (1-w)*laminar(LeastTurbulent) + w*turbulent(FullyTurbulent)
}

// OnPlan is the coefficient in W/(m2 K) of the floor or ceiling of a cavity with channels, per area of the cavity. It
// includes the wetted floor, and half the height of the side walls as fins:
//
//	(w + eta H) h / (w + t),   eta = tanh(m H/2) / (m H/2),   m = sqrt(2 h / (k t)).
//
// This is for channels of width w and height H between walls of thickness t and conductivity k.
func OnPlan(h, width, wall, height, k float64) float64 {
	eta, _ := efficiency(h, wall, height, k)
	return h * (width + eta*height) / (width + wall)
}

// efficiency is eta of half the height of a wall, and m H/2.
func efficiency(h, wall, height, k float64) (eta, half float64) {
	half = math.Sqrt(2*h/(k*wall)) * height / 2
	if half > 1e-6 {
		return math.Tanh(half) / half, half
	}
	return 1, half
}

// AtMiddle is the coefficient in W/(m2 K) on both sides of a wall of conductivity k that conducts from its middle. With
// it, a wall with equal temperatures at floor and ceiling takes up as much heat as two fins of half its height:
//
//	2 k t m tanh(m H/2) = 1 / (H/(4 k t) + 1/(2 h' H)),   m = sqrt(2 h / (k t)).
//
// Of taller walls than m H = 2 the middle is too far away: h' / h is limited to its value there.
func AtMiddle(h, wall, height, k float64) float64 {
	h0 := min(h, 2*k*wall/(height*height))
	eta, half := efficiency(h0, wall, height, k)
	return h / (1/eta - half*half)
}

// Pins of 50 um in a pitch of 100 um, to which PinFins was fitted.
const (
	PinDiameter = 50e-6
	PinPitch    = 100e-6
)

// PinFins is the coefficient in W/(m2 K), per area of the cavity, of such pins in water at a superficial velocity v in
// m/s:
//
//	1 / (2.527e-5 (v + 1.35)^-n + 1.533e-6),   n = 0.64 in line, 1.52 staggered.
//
// This is the fit of 3D-ICE to measurements of T. Brunschwiler et al., Microsystem Technologies 15, 57 (2009).
func PinFins(velocity float64, staggered bool) float64 {
	n := 0.64
	if staggered {
		n = 1.52
	}
	return 1 / (2.527e-5/math.Pow(velocity+1.35, n) + 1.533e-6)
}
