package stack

import "thermsim/stack/heatsink"

// film checks the coefficients of a convective face.
func (v *validator) film(b *Boundary, name string) {
	f := &b.Film
	if !b.Follows() || b.H != 0 {
		v.positive(b.Pos, b.H, "%s: h", name)
	}
	if f.Law != nil {
		if fault, remedy := f.Law.fault(); fault != "" {
			v.fail(b.Pos, remedy, "%s: h: %s", name, fault)
		}
		if f.Natural != "" || b.H != 0 {
			v.fail(b.Pos, "leave one of them out", "%s: h follows a law, and another coefficient is there too", name)
		}
	}
	if !(f.Emissivity >= 0 && f.Emissivity <= 1) {
		v.fail(b.Pos, "", "%s: emissivity must lie between 0 and 1, got %v", name, f.Emissivity)
	}
	switch f.Natural {
	case "":
		if f.Length != 0 {
			v.fail(b.Pos, "remove it", "%s: a length without natural convection", name)
		}
	case heatsink.Up, heatsink.Down, heatsink.Vertical:
		v.positive(b.Pos, f.Length, "%s: length", name)
		if len(heatsink.Surfaces(b.Temperature)) == 0 {
			v.fail(b.Pos, "give h", "%s: properties of air are known from %g to %g K, not at %.4g K", name,
				heatsink.ColdestAir, heatsink.HottestAir, b.Temperature)
		}
	default:
		v.fail(b.Pos, "", "%s: no such orientation: %q", name, shorten(string(f.Natural)))
	}
}
