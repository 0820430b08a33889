package stack

import (
	"fmt"
	"math"
	"slices"

	"thermsim/stack/geometry"
	"thermsim/stack/internal/faults"
)

// powers checks the sources of a layer and that no two blocks of it overlap.
func (v *validator) powers(y *Layer, layer string) {
	before := len(v.Found)
	seen := map[string]bool{}
	for i := range y.Powers {
		v.power(&y.Powers[i], layer, seen)
	}
	if len(v.Found) == before {
		v.overlaps(y, layer)
	}
}

func (v *validator) power(p *Power, layer string, seen map[string]bool) {
	what := layer + ": power"
	if !v.rect(p.Pos, p.Area, what+": area") {
		return
	}
	if out := Protrusion(p.Area, v.s.Domain(), v.slack); out != "" {
		v.fail(p.Pos, "", "%s: area extends beyond the domain %s", what, out)
	}
	v.notNegative(p.Pos, p.TMax, "%s: tmax", what)
	if fault := faults.Label(p.Name); p.Name != "" && fault != "" {
		v.fail(p.Pos, "", "%s: name %q %s", what, faults.Shorten(p.Name), fault)
	}
	if p.Shape != nil && !v.shape(p.Pos, p.Shape, what) {
		return
	}
	if p.Shape != nil && (len(p.Blocks) > 0 || p.Map != nil) {
		v.fail(p.Pos, "", "%s: a shape applies to uniform powers only", what)
	}
	kinds := 0
	if len(p.Blocks) > 0 {
		kinds++
	}
	if p.Map != nil {
		kinds++
		v.powerMap(p, what)
	}
	if p.Uniform != 0 {
		kinds++
		v.heat(p.Pos, p.Uniform, "%s: uniform", what)
	}
	if kinds > 1 {
		v.fail(p.Pos, "use one power each", "%s mixes blocks, a map and a uniform power", what)
	}
	v.leakage(p.Pos, &p.Leakage, what)
	if p.Leakage.Factor != nil && (len(p.Blocks) > 0 || p.Map != nil) {
		v.fail(p.Pos, "move it to the blocks, or to a uniform power", "%s: leakage of a power applies to uniform "+
			"powers only",
			what)
	}
	for i := range p.Blocks {
		v.block(&p.Blocks[i], p, layer, seen)
	}
	if p.Trace != nil {
		v.trace(p, what)
	}
	for i, sp := range p.Schedule {
		if i == 0 && sp.Time != 0 || i > 0 && !(sp.Time > p.Schedule[i-1].Time) {
			v.fail(p.Pos, "", "%s: times of a schedule must ascend from 0", what)
			break
		}
		v.notNegative(p.Pos, sp.Factor, "%s: factor of the schedule", what)
		v.heat(p.Pos, sp.Factor*v.strongest(p), "%s: power at a factor of the schedule", what)
	}
}

func (v *validator) powerMap(p *Power, what string) {
	m := p.Map
	if m.NX < 1 || m.NY < 1 || m.NX*m.NY != len(m.Values) {
		v.fail(p.Pos, "", "%s: map of %d by %d tiles has %d values", what, m.NX, m.NY, len(m.Values))
		return
	}
	planes := m.Planes()
	if n := len(m.Temperatures); n > 0 && (n < 2 || !(m.Temperatures[0] > 0) || !ascending(m.Temperatures) ||
		math.IsInf(m.Temperatures[n-1], 0)) || max(n, 1) != len(planes) {
		v.fail(p.Pos, "", "%s: map of %d planes needs as many ascending temperatures above 0 K, and at least 2, got %v",
			what, len(planes), m.Temperatures)
		return
	}
	for n, plane := range planes {
		if len(plane) != len(m.Values) {
			v.fail(p.Pos, "", "%s: plane %d of the map has %d values, the first has %d", what, n+1, len(plane),
				len(m.Values))
			return
		}
		for i, w := range plane {
			if !(w >= 0 && w <= maxWatts) {
				v.heat(p.Pos, w, "%s: tile %d, %d of the map", what, i%m.NX, i/m.NX)
				return
			}
		}
	}
}

func (v *validator) block(b *Block, p *Power, layer string, seen map[string]bool) {
	what := fmt.Sprintf("%s: block %q", layer, faults.Shorten(b.Name))
	if fault := faults.Label(b.Name); fault != "" {
		v.fail(b.Pos, "", "%s: block name %q %s", layer, faults.Shorten(b.Name), fault)
	}
	v.unique(b.Pos, seen, b.Name, layer+": two blocks")
	v.heat(b.Pos, b.Watts, "%s: power", what)
	v.notNegative(b.Pos, b.TMax, "%s: tmax", what)
	v.leakage(b.Pos, &b.Leakage, what)
	if len(b.Rects)+len(b.Shapes) == 0 {
		v.fail(b.Pos, "", "%s has no rectangles", what)
	}
	for _, r := range b.Rects {
		if v.rect(b.Pos, r, what) {
			v.blockArea(b, r, p, what)
		}
	}
	if n := len(b.Shapes); n > 1 || n == 1 && len(b.Rects) > 0 {
		v.fail(b.Pos, "make a block of each", "%s must have either rectangles or one other shape", what)
	}
	for _, s := range b.Shapes {
		if v.shape(b.Pos, s, what) {
			v.blockArea(b, Around(s), p, what)
		}
	}
}

func (v *validator) trace(p *Power, what string) {
	t := p.Trace
	if len(p.Blocks) == 0 {
		v.fail(p.Pos, "", "%s has a trace and no blocks", what)
		return
	}
	n := len(t.Times)
	if n == 0 || n != len(t.Watts) {
		v.fail(p.Pos, "", "%s: trace of %d times has %d rows", what, n, len(t.Watts))
		return
	}
	if t.Times[0] != 0 || !(t.End > t.Times[n-1]) || math.IsInf(t.End, 0) {
		v.fail(p.Pos, "", "%s: trace must start at 0 and end after its last time", what)
	}
	for i, row := range t.Watts {
		if i > 0 && !(t.Times[i] > t.Times[i-1]) {
			v.fail(p.Pos, "", "%s: times of the trace must ascend, got %v s after %v s", what, t.Times[i], t.Times[i-1])
			return
		}
		if len(row) != len(p.Blocks) {
			v.fail(p.Pos, "", "%s: row %d of the trace has %d powers for %d blocks", what, i+1, len(row), len(p.Blocks))
			return
		}
		for b, w := range row {
			if !(w >= 0 && w <= maxWatts) {
				v.heat(p.Pos, w, "%s: power of block %q in row %d of the trace", what, faults.Shorten(p.Blocks[b].Name),
					i+1)
				return
			}
		}
	}
}

// strongest is the largest of the watts of a power.
func (v *validator) strongest(p *Power) float64 {
	most := p.Uniform
	for i := range p.Blocks {
		most = max(most, p.Blocks[i].Watts)
	}
	if p.Map != nil {
		most = max(most, slices.Max(append([]float64{0}, p.Map.Values...)))
	}
	return most
}

// shape checks that a shape is finite and has an area.
func (v *validator) shape(pos Pos, s geometry.Shape, what string) bool {
	if !finiteShape(s) {
		v.fail(pos, "", "%s: the shape needs finite coordinates and a nonzero area", what)
		return false
	}
	return true
}

// fill checks the inclusions of a region.
func (v *validator) fill(r *Region, what string) {
	f := r.Fill
	v.materialIndex(r.Pos, f.Inclusion, what+": fill")
	if !slices.Contains(Rules(), f.Rule) {
		v.fail(r.Pos, "", "%s: unknown mixing rule %q", what, faults.Shorten(string(f.Rule)))
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

// blockArea checks that a part of a block lies within the area of its power.
func (v *validator) blockArea(b *Block, r Rect, p *Power, what string) {
	out := Protrusion(r, p.Area, v.slack)
	if out == "" {
		return
	}
	at, area := r, "the domain"
	if p.Area != v.s.Domain() { // coordinates are those of the area, as in the file
		at.X, at.Y = r.X-p.Area.X, r.Y-p.Area.Y
		area = fmt.Sprintf("its area of %s by %s", faults.Metres(p.Area.Width), faults.Metres(p.Area.Height))
	}
	v.fail(b.Pos, outside("shrink or move it, or set origin", r, p.Area), "%s at x = %s, y = %s extends beyond %s %s",
		what, faults.Metres(at.X), faults.Metres(at.Y), area, out)
}

// curves checks those of a material.
func (v *validator) curves(m *Material) {
	for _, c := range []*Curve{m.KCurve[0], m.KCurve[1], m.KCurve[2], m.CCurve} {
		if c == nil {
			continue
		}
		if fault, remedy := c.Fault(); fault != "" {
			v.fail(m.Pos, remedy, "material %q: %s", faults.Shorten(m.Name), fault)
			return
		}
		if c.Law == ExponentialLaw {
			v.fail(m.Pos, "take a table", "material %q: an exponential law applies to leakage only",
				faults.Shorten(m.Name))
			return
		}
	}
}

// leakage checks that of a power or a block.
func (v *validator) leakage(pos Pos, l *Leakage, what string) {
	v.notNegative(pos, l.Watts, "%s: leakage", what)
	if l.Factor == nil {
		if l.Watts != 0 {
			v.fail(pos, "", "%s: leakage has no law", what)
		}
		return
	}
	fault, remedy := l.Factor.LeakageFault()
	if fault != "" {
		v.fail(pos, remedy, "%s: leakage %s", what, fault)
	}
}
