// Package analytic holds closed-form and series solutions of the heat equation in FP64. They share no code with the
// solver, so that the two can be held against each other. Temperatures are rises above the ambient in K, everything
// else is in SI units.
package analytic

import "math"

// Plate is a rectangular stack of homogeneous, orthotropic sheets, heated over a rectangle of the face z = 0, cooled
// through H (W/(m2 K)) on the far face and adiabatic at the sides. Sheets are listed from the heated face on.
//
// The rise on the heated face is a double cosine series (Muzychka, Culham and Yovanovich, Thermal spreading resistance
// of eccentric heat sources on rectangular flux channels, J. Electronic Packaging 125 (2003) 178-185; anisotropic
// sheets as in Muzychka, Yovanovich and Culham, J. Thermophysics and Heat Transfer 18 (2004) 45-51). The spreading
// function of one and two layers in those papers is written here as the impedance that a mode sees, carried from sheet
// to sheet, which holds for any number of them and needs no exponentials that overflow.
type Plate struct {
	A, B   float64 // m, extent along x and y
	Sheets []Sheet
	H      float64 // W/(m2 K)
}

// Source is a rectangle of uniform flux on the heated face: its center, its extent (m) and its power (W).
type Source struct {
	X, Y, Width, Height float64
	Watts               float64
}

// impedance is the amplitude of the rise on the heated face per amplitude of the flux, in m2 K/W, for the mode
// cos(kx x) cos(ky y).
func (p Plate) impedance(kx, ky float64) float64 {
	z := 1 / p.H
	for i := len(p.Sheets) - 1; i >= 0; i-- {
		s := p.Sheets[i]
		z += s.Contact
		// The mode decays as exp(-lambda z) with k_z lambda^2 = k_x kx^2 + k_y ky^2.
		lambda := math.Sqrt((s.K[0]*kx*kx + s.K[1]*ky*ky) / s.K[2])
		if lambda == 0 {
			z += s.Thickness / s.K[2]
			continue
		}
		g, t := s.K[2]*lambda, math.Tanh(lambda*s.Thickness)
		z = (z + t/g) / (1 + z*g*t)
	}
	return z
}

// MeanRise is the mean rise over the source. Terms decrease as 1/m^3 along each axis, so the truncation error of a sum
// over the given number of modes per axis is c/terms^2. The sum over half as many modes eliminates c.
func (p Plate) MeanRise(s Source, terms int) float64 {
	half, full := 0.0, 0.0
	fx := fluxFactors(s.X, s.Width, p.A, terms)
	fy := fluxFactors(s.Y, s.Height, p.B, terms)
	for n := terms - 1; n >= 0; n-- { // small terms first
		for m := terms - 1; m >= 0; m-- {
			x, y := fx[m]*fx[m]*weight(m), fy[n]*fy[n]*weight(n)
			term := x * y * p.impedance(float64(m)*math.Pi/p.A, float64(n)*math.Pi/p.B)
			full += term
			if m < terms/2 && n < terms/2 {
				half += term
			}
		}
	}
	return s.Watts / (p.A * p.B) * (full + (full-half)/3)
}

// Rise is the rise at (x, y) on the heated face, away from the edges of the source. The bare series converges slowly
// and only conditionally; the field is smooth at (x, y), though, so an exponential filter of the modes sums it to
// rounding with a few hundred per axis (Gottlieb and Shu, SIAM Review 39 (1997) 644-668, sec. 4).
func (p Plate) Rise(s Source, x, y float64, terms int) float64 {
	fx := fluxFactors(s.X, s.Width, p.A, terms)
	fy := fluxFactors(s.Y, s.Height, p.B, terms)
	sum := 0.0
	for n := terms - 1; n >= 0; n-- {
		ky := float64(n) * math.Pi / p.B
		row := 0.0
		for m := terms - 1; m >= 0; m-- {
			kx := float64(m) * math.Pi / p.A
			row += weight(m) * filter(m, terms) * fx[m] * math.Cos(kx*x) * p.impedance(kx, ky)
		}
		sum += weight(n) * filter(n, terms) * fy[n] * math.Cos(ky*y) * row
	}
	return s.Watts / (p.A * p.B) * sum
}

// fluxFactors are the means of cos(m pi x/length) over [center - width/2, center + width/2].
func fluxFactors(center, width, length float64, terms int) []float64 {
	f := make([]float64, terms)
	f[0] = 1
	for m := 1; m < terms; m++ {
		k := float64(m) * math.Pi / length
		f[m] = math.Cos(k*center) * math.Sin(k*width/2) / (k * width / 2)
	}
	return f
}

// weight is 1/norm^2 of cos(m pi x/length) times the length: 1 for m = 0, else 2.
func weight(m int) float64 {
	if m == 0 {
		return 1
	}
	return 2
}

// filter is exp(-36 (m/terms)^8): 1 to rounding for the low modes, the rounding unit at the last.
func filter(m, terms int) float64 {
	e := float64(m) / float64(terms)
	e *= e
	e *= e
	return math.Exp(-36 * e * e)
}

// Sheet is one homogeneous layer of a slab or plate. Contact is the contact resistance (m2 K/W) between it and the
// next sheet towards the cooled face.
type Sheet struct {
	Thickness float64    // m
	K         [3]float64 // W/(m K) along x, y, z
	Contact   float64    // m2 K/W
}

// SlabRise is the steady temperature rise at depth z below the heated face of a slab. flux (W/m2) enters the heated
// face, and the far face is cooled through h (W/(m2 K)); +Inf fixes it at the ambient. Sheets are listed from the
// heated face on. Heat flows in one dimension through resistances in series: rise = flux (sum t/k + R" + 1/h). See
// Incropera et al., Fundamentals of Heat and Mass Transfer, 7th ed., eq. 3.12 to 3.14.
func SlabRise(sheets []Sheet, h, flux, z float64) float64 {
	r := 1 / h
	for _, s := range sheets {
		below := min(max(s.Thickness-z, 0), s.Thickness) // what lies between z and the sheet's far side
		r += below / s.K[2]
		if z < s.Thickness {
			r += s.Contact
		}
		z -= s.Thickness
	}
	return flux * r
}
