package analytic

import "math"

// Cooling is a homogeneous slab of thickness L (m), conductivity K (W/(m K)) and heat capacity C (J/(m3 K)), adiabatic
// at z = 0 and cooled through H (W/(m2 K)) at z = L, that starts at a uniform rise.
type Cooling struct{ L, K, C, H float64 }

// Biot number H L / K.
func (s Cooling) Biot() float64 { return s.H * s.L / s.K }

// Eigenvalue n (from 0) is the root of b tan b = Bi in (n pi, n pi + pi/2).
func (s Cooling) Eigenvalue(n int) float64 {
	bi := s.Biot()
	lo := float64(n) * math.Pi
	hi := lo + math.Pi/2
	// b sin b - Bi cos b changes sign once in the interval and has no poles.
	sign := math.Cos(lo)
	for range 200 {
		mid := (lo + hi) / 2
		if mid == lo || mid == hi {
			break
		}
		if sign*(mid*math.Sin(mid)-bi*math.Cos(mid)) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// TimeConstant is that of the slowest mode, C L^2 / (K b0^2), in s.
func (s Cooling) TimeConstant() float64 {
	b := s.Eigenvalue(0)
	return s.C * s.L * s.L / (s.K * b * b)
}

// Rise at height z and time t for a uniform initial rise of 1 K, by the eigenfunction series.
//
//	sum_n 4 sin b_n / (2 b_n + sin 2 b_n) cos(b_n z/L) exp(-b_n^2 K t / (C L^2))
//
// (Incropera et al., 7th ed., eq. 5.42; Carslaw and Jaeger, Conduction of Heat in Solids, 2nd ed., sec. 3.11).
// It converges fast once K t / (C L^2) exceeds about 1e-3.
func (s Cooling) Rise(z, t float64) float64 {
	fourier := s.K * t / (s.C * s.L * s.L)
	sum := 0.0
	for n := range 2000 {
		b := s.Eigenvalue(n)
		decay := math.Exp(-b * b * fourier)
		if decay < 1e-18 {
			break
		}
		sum += 4 * math.Sin(b) / (2*b + math.Sin(2*b)) * math.Cos(b*z/s.L) * decay
	}
	return sum
}

// LumpedRise is the rise at time t of a body of capacity c (J/K) behind the resistance r (K/W) to the ambient. It
// starts at the ambient and is heated by watts from t = 0 on: r watts (1 - exp(-t/(r c))). See Incropera et al., 7th
// ed., eq. 5.25 with a constant source.
func LumpedRise(watts, r, c, t float64) float64 {
	return -watts * r * math.Expm1(-t/(r*c))
}
