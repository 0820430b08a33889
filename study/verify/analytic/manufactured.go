package analytic

import "math"

// Manufactured is a steady field chosen beforehand on a homogeneous orthotropic block A x B x L (m),
//
//	rise = (1 + c cos(pi x/A) cos(pi y/B)) cos(mu z/L)
//
// in K, adiabatic at the sides and at z = 0. The face z = L must be cooled through H(). The source that sustains it,
// -div(k grad rise), is positive everywhere for the amplitudes used here and integrates in closed form over any cell
// (the method of manufactured solutions: Roache, J. Fluids Engineering 124 (2002) 4-10).
type Manufactured struct {
	A, B, L   float64    // m
	K         [3]float64 // W/(m K)
	Mu        float64    // in (0, pi/2)
	Amplitude float64    // c
}

// H is the heat transfer coefficient (W/(m2 K)) for which -k d(rise)/dz = H rise at z = L.
func (m Manufactured) H() float64 { return m.K[2] / m.L * m.Mu * math.Tan(m.Mu) }

// Rise at a point, in K.
func (m Manufactured) Rise(x, y, z float64) float64 {
	return (1 + m.Amplitude*math.Cos(math.Pi*x/m.A)*math.Cos(math.Pi*y/m.B)) * math.Cos(m.Mu*z/m.L)
}

// Watts is the source integrated over the box between the corners lo and hi.
func (m Manufactured) Watts(lo, hi [3]float64) float64 {
	kx, ky, kz := math.Pi/m.A, math.Pi/m.B, m.Mu/m.L
	vertical := m.K[2] * kz * kz
	lateral := m.K[0]*kx*kx + m.K[1]*ky*ky
	cosines := cosineIntegral(kx, lo[0], hi[0]) * cosineIntegral(ky, lo[1], hi[1])
	plan := vertical*(hi[0]-lo[0])*(hi[1]-lo[1]) + m.Amplitude*(vertical+lateral)*cosines
	return plan * cosineIntegral(kz, lo[2], hi[2])
}

// cosineIntegral is the integral of cos(k x) from lo to hi.
func cosineIntegral(k, lo, hi float64) float64 {
	return (math.Sin(k*hi) - math.Sin(k*lo)) / k
}
