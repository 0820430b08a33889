// Package analytic holds closed-form and series solutions of the heat equation in FP64. They share no code with the
// solver, so that the two can be held against each other. Temperatures are rises above the ambient in K, everything
// else is in SI units.
package analytic

// Sheet is one homogeneous layer of a slab or plate. Contact is the contact resistance (m2 K/W) between it and the
// next sheet towards the cooled face.
type Sheet struct {
	Thickness float64    // m
	K         [3]float64 // W/(m K) along x, y, z
	Contact   float64    // m2 K/W
}

// SlabRise is the steady temperature rise at depth z below the heated face of a slab whose far face is cooled through
// h (W/(m2 K); +Inf holds that face at the ambient), while flux (W/m2) enters the heated face. Sheets are listed from
// the heated face on. Heat flows in one dimension through resistances in series: rise = flux (sum t/k + R" + 1/h)
// (Incropera et al., Fundamentals of Heat and Mass Transfer, 7th ed., eq. 3.12 to 3.14).
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
