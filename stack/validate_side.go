package stack

import "math"

// side checks that a probe which names a side of an interface lies on one.
func (v *validator) side(p *Probe, what string, height float64) {
	switch p.Side {
	case "":
		return
	case Below, Above:
	default:
		v.fail(p.Pos, `write "below" or "above"`, "%s: side cannot be %q", what, shorten(string(p.Side)))
		return
	}
	z, nearest := 0.0, math.Inf(1)
	for _, y := range v.s.Layers[:max(1, len(v.s.Layers))-1] {
		z += y.Thickness
		if math.Abs(p.Z-z) < math.Abs(p.Z-nearest) {
			nearest = z
		}
	}
	switch {
	case math.Abs(p.Z-nearest) <= tolerance*height:
	case math.IsInf(nearest, 0):
		v.fail(p.Pos, "remove side", "%s: a stack of one layer has no interface with two sides", what)
	default:
		v.fail(p.Pos, "remove side, or give z = "+quote(metres(nearest)), "%s: z = %s is no interface between two "+
			"layers and has no sides", what, metres(p.Z))
	}
}
