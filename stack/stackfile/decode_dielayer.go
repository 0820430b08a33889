package stackfile

import (
	"cmp"
	"math"
	"slices"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
)

// dieLayer is a layer with dies before its expansion to one layer for each range of heights without an interface.
type dieLayer struct {
	stack.Layer // its material fills the space around the dies
	dies        []placedDie
	parts       []part
	slack       float64 // m, tolerance of heights
}

// layersOf reads a layer; one that holds dies becomes several.
func (l *loader) layersOf(t *table) []stack.Layer {
	y := l.layer(t)
	if !t.has("die") {
		return []stack.Layer{y}
	}
	if given := t.given("power", "block", "power_at", "power_depth", "coolant"); len(given) > 0 {
		l.fail(t.pos(given[0]), "move it to a die, or to a separate layer", "layer %q contains dies and cannot have %s",
			faults.Shorten(y.Name), given[0])
		return nil
	}
	before := len(l.faults.Found)
	r := &dieLayer{Layer: y, dies: l.placements(t)}
	if len(l.faults.Found) > before || len(r.dies) == 0 {
		return nil
	}
	l.fits(r, t.has("thickness"))
	if len(l.faults.Found) > before {
		return nil
	}
	for i := range r.dies {
		r.parts = append(r.parts, r.dies[i].parts()...)
	}
	heights := r.heights()
	if n := len(heights) - 1; n > stack.MaxLayers {
		l.fail(t.node.Pos, "align the heights of the dies", "the dies of layer %q expand to %d layers, more than %d",
			faults.Shorten(y.Name), n, stack.MaxLayers)
		return nil
	}
	return l.expand(r, heights)
}

// fits reports dies that extend beyond the layer or overlap. A layer without a thickness gets the height of the tallest
// die.
func (l *loader) fits(r *dieLayer, given bool) {
	if !given {
		for i := range r.dies {
			r.Thickness = max(r.Thickness, r.dies[i].z+r.dies[i].thickness())
		}
	}
	r.slack = stack.Tolerance * r.Thickness
	for i := range r.dies {
		p := &r.dies[i]
		if top := p.z + p.thickness(); top > r.Thickness+r.slack {
			l.fail(p.pos, "make the layer thicker", "die %q reaches up to %s in layer %q, which is %s thick",
				faults.Shorten(p.name), faults.Metres(top), faults.Shorten(r.Name), faults.Metres(r.Thickness))
			return
		}
		if out := stack.Protrusion(p.footprint(), l.stack.Domain(), l.slack()); out != "" {
			l.fail(p.pos, "move it", "die %q extends beyond the domain %s", faults.Shorten(p.name), out)
			return
		}
		for j := range i {
			if l.collide(p, &r.dies[j], r.slack) {
				l.fail(p.pos, "move one of them", "die %q overlaps die %q", faults.Shorten(p.name),
					faults.Shorten(r.dies[j].name))
				return
			}
			if p.name == r.dies[j].name {
				l.fail(p.pos, "give one of them another name", "two dies in layer %q are called %q",
					faults.Shorten(r.Name), faults.Shorten(p.name))
				return
			}
		}
	}
}

// collide says whether two dies share more than rounding.
func (l *loader) collide(p, q *placedDie, slack float64) bool {
	if w, h := stack.Intersection(p.footprint(), q.footprint()); min(w, h) <= l.slack() {
		return false
	}
	return math.Min(p.z+p.thickness(), q.z+q.thickness())-math.Max(p.z, q.z) > slack
}

// heights are those of all lower and upper sides, ascending.
func (r *dieLayer) heights() []float64 {
	all := []float64{0, r.Thickness}
	for i := range r.parts {
		all = append(all, r.parts[i].from, r.parts[i].to)
	}
	slices.Sort(all)
	distinct := all[:1]
	for _, z := range all[1:] {
		if z > distinct[len(distinct)-1]+r.slack {
			distinct = append(distinct, z)
		}
	}
	return distinct
}

// expand makes a layer for each range between consecutive heights.
func (l *loader) expand(r *dieLayer, heights []float64) (list []stack.Layer) {
	n := len(heights) - 1
	for i := range n {
		from, to := heights[i], heights[i+1]
		y := r.Layer
		y.Name += numbered(i, n, ".")
		y.Thickness = to - from
		y.Cells = cells(r.Cells, y.Thickness/r.Thickness)
		y.Regions = slices.Clone(r.Regions)
		if i < n-1 {
			y.ContactResistance = 0
		}
		for j := range r.parts {
			p := &r.parts[j]
			share := p.share(from, to, r.slack)
			if share == 0 {
				continue
			}
			if share > 1-stack.Tolerance {
				share, y.Thickness = 1, p.thick // to the last bit
			}
			y.Cells = max(y.Cells, cells(p.cells, share))
			l.addPart(&y, p, share)
		}
		list = append(list, y)
	}
	return list
}

// cells is how many of a layer's cells a share of its thickness gets.
func cells(n int, share float64) int { return max(1, int(math.Ceil(float64(n)*share-stack.Tolerance))) }

// addPart adds a part of a die to a layer.
func (l *loader) addPart(y *stack.Layer, p *part, share float64) {
	d, from := p.of, p.layer
	if !l.mayCopy(d.pos, p.size()) {
		return
	}
	name := d.name
	if len(d.layers) > 1 {
		name += "." + from.Name
	}
	material := func(i int) int {
		if d.ExchangesAxes() {
			return l.materials.turned(i)
		}
		return i
	}
	base := stack.Region{Name: name, Material: material(from.Material),
		Rect: clamp(d.footprint(), l.stack.Domain(), l.slack()), TMax: cmp.Or(d.tmax, from.TMax), Pos: d.pos}
	first := len(y.Regions)
	y.Regions = append(y.Regions, base)
	for i := range from.Regions {
		r := d.Region(from.Regions[i])
		r.Material, r.TMax = material(r.Material), cmp.Or(r.TMax, d.tmax)
		if r.Fill != nil {
			r.Fill.Inclusion = material(r.Fill.Inclusion)
		}
		switch {
		case r.Name != "":
			r.Name = d.name + "." + r.Name
		case r.Rect == base.Rect: // the fill of the whole layer
			r.Name = name
		}
		if r.Shape == nil {
			r.Rect = clamp(r.Rect, base.Rect, l.slack())
		}
		y.Regions = append(y.Regions, r)
	}
	for i := first; i < len(y.Regions); i++ {
		y.Regions[i].Die = d.name
		if fault := faults.Name(y.Regions[i].Name); y.Regions[i].Name != "" && fault != "" && !l.nameless {
			l.fail(d.pos, "choose a shorter name", "die %q: the name %q of a region %s", faults.Shorten(d.name),
				faults.Shorten(y.Regions[i].Name), fault)
			return
		}
	}
	if !p.heated {
		return
	}
	for i := range from.Powers {
		q := l.scaled(d.Power(from.Powers[i]), share, d.scale)
		q.Area = clamp(clamp(q.Area, base.Rect, l.slack()), l.stack.Domain(), l.slack())
		l.moveBlocks(&q, 0, 0)
		switch {
		case len(q.Blocks) > 0:
		case q.Name == "":
			q.Name = name
		default:
			q.Name = d.name + "." + q.Name
		}
		for b := range q.Blocks {
			block := &q.Blocks[b]
			block.Name, block.TMax = d.name+"."+block.Name, cmp.Or(block.TMax, d.tmax)
		}
		y.Powers = append(y.Powers, q)
	}
}

// size of a part in a layer, in regions that take as much.
func (p *part) size() int {
	n := 1 + len(p.layer.Regions)
	if !p.heated {
		return n
	}
	for i := range p.layer.Powers {
		q := &p.layer.Powers[i]
		n += 2 + len(q.Blocks)/4
		if q.Map != nil {
			n += len(q.Map.Values) * (1 + len(q.Map.Hotter)) / 32
		}
	}
	return n
}

// scaled is the share of a source in a part of its layer, times a factor that does not apply to leakage.
func (l *loader) scaled(p stack.Power, share, factor float64) stack.Power {
	if f := share * factor; f != 1 {
		p.Uniform *= f
		for b := range p.Blocks {
			p.Blocks[b].Watts *= f
		}
		if p.Map != nil {
			p.Map = p.Map.Times(f)
		}
		p.Trace = l.scaledTrace(p.Trace, f)
	}
	p.Leakage.Watts *= share
	for b := range p.Blocks {
		p.Blocks[b].Leakage.Watts *= share
	}
	return p
}

func times(xs []float64, f float64) []float64 {
	return each(xs, func(x float64) float64 { return x * f })
}

// traceShare is a trace times a factor.
type traceShare struct {
	of     *stack.Trace
	factor float64
}

// scaledTrace is a trace with all its power values times a factor. Dies share one copy.
func (l *loader) scaledTrace(t *stack.Trace, f float64) *stack.Trace {
	if t == nil {
		return nil
	}
	key := traceShare{t, f}
	if l.scaledTraces[key] == nil {
		out := *t
		out.Watts = each(t.Watts, func(row []float64) []float64 { return times(row, f) })
		if l.scaledTraces == nil {
			l.scaledTraces = map[traceShare]*stack.Trace{}
		}
		l.scaledTraces[key] = &out
	}
	return l.scaledTraces[key]
}

// inOrder renumbers the materials by their first use in the layers, and drops those of dies that are not placed.
func (m *materialTable) inOrder(layers []stack.Layer) {
	to := make(map[int]int, len(m.used))
	var used []stack.Material
	number := func(i *int) {
		n, seen := to[*i]
		if !seen {
			n = len(used)
			to[*i] = n
			used = append(used, m.used[*i])
		}
		*i = n
	}
	for i := range layers {
		number(&layers[i].Material)
		for j := range layers[i].Regions {
			r := &layers[i].Regions[j]
			number(&r.Material)
			if r.Fill != nil {
				f := *r.Fill // dies share theirs
				number(&f.Inclusion)
				r.Fill = &f
			}
		}
	}
	for _, def := range m.known {
		if def.usedAt1 > 0 {
			n, seen := to[def.usedAt1-1]
			if def.usedAt1 = n + 1; !seen {
				def.usedAt1 = 0
			}
		}
	}
	m.used = used
}
