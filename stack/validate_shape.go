package stack

import (
	"fmt"
	"slices"

	"thermsim/stack/geometry"
)

// shape checks that a shape is finite and has an area.
func (v *validator) shape(pos Pos, s geometry.Shape, what string) bool {
	if !finiteShape(s) {
		v.fail(pos, "", "%s: the shape needs finite coordinates and an area", what)
		return false
	}
	return true
}

// fill checks the inclusions of a region.
func (v *validator) fill(r *Region, what string) {
	f := r.Fill
	v.materialIndex(r.Pos, f.Inclusion, what+": fill")
	if !slices.Contains(Rules(), f.Rule) {
		v.fail(r.Pos, "", "%s: no rule of mixtures is called %q", what, shorten(string(f.Rule)))
		return
	}
	if f.NX < 1 || f.NY < 1 || f.NX*f.NY != len(f.Values) {
		v.fail(r.Pos, "", "%s: map of %d by %d tiles has %d fractions", what, f.NX, f.NY, len(f.Values))
		return
	}
	for i, x := range f.Values {
		if !(x >= 0 && x <= f.Rule.Most()) {
			v.fail(r.Pos, "", "%s: fraction of tile %d, %d must lie between 0 and %.4g, got %v", what, i%f.NX, i/f.NX,
				f.Rule.Most(), x)
			return
		}
	}
}

// blockArea checks that a part of a block lies where blocks may.
func (v *validator) blockArea(b *Block, r Rect, p *Power, what string) {
	out := protrusion(r, p.Area, v.slack)
	if out == "" {
		return
	}
	place := "the domain"
	if p.Area != v.s.Domain() {
		place = fmt.Sprintf("its area of %s by %s at x = %s, y = %s", metres(p.Area.Width), metres(p.Area.Height),
			metres(p.Area.X), metres(p.Area.Y))
	}
	v.fail(b.Pos, "shrink or move it, or set origin", "%s at x = %s, y = %s sticks out of %s %s", what, metres(r.X),
		metres(r.Y), place, out)
}
