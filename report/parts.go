package report

import (
	"fmt"
	"math"
	"slices"

	"thermsim/geometry"
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
	"thermsim/stack"
)

// footprint is an area of a layer, over the layer's whole thickness.
type footprint struct {
	layer  int
	shown  []stack.Rect // that do not overlap
	shapes []geometry.Shape
}

// rects are the cells, plane by plane, weighed by volume.
func (f *footprint) rects(m *mesh.Mesh) []reduction.Rect {
	return reduction.Cover(m, f.layer, f.shown, f.shapes)
}

// Kinds of rows beside blocks.
const (
	kindRegion = "region"
	kindRest   = "rest"  // a layer's own material around its regions
	kindPower  = "power" // where a uniform power or a map acts
)

// part has a row of its own beside the blocks.
type part struct {
	footprint
	kind     string
	name     string        // may be empty
	die      string        // that it is a part of; may be empty
	material int           // of the stack, -1 of a power
	area     float64       // m2
	tmax     float64       // K, 0 for none
	filled   bool          // with inclusions, which conduct where the material does not
	only     *stack.Region // of a region that is alone in its row
	power    *stack.Power
}

// newParts are the parts of all layers, bottom to top: the regions as far as they can be seen, those of one name, or without a name of one material,
// and of one die, together; what they leave of the layer; and its uniform powers and maps, but for those that fill a region, which has their row.
func newParts(m *mesh.Mesh) []*part {
	var all []*part
	for l := range m.Stack.Layers {
		first := len(all)
		all = append(all, regionParts(m.Stack, l)...)
		regions := all[first:]
		nameless := 0
		for p := range m.Stack.Layers[l].Powers {
			power := &m.Stack.Layers[l].Powers[p]
			if len(power.Blocks) > 0 {
				continue
			}
			if n := slices.IndexFunc(regions, func(p *part) bool { return p.filledBy(m.Stack, power) }); n >= 0 {
				regions[n].tmax = stricter(regions[n].tmax, power.TMax)
				continue
			}
			name := power.Name
			if name == "" {
				nameless++
				name = fmt.Sprintf("power %d", nameless)
			}
			all = append(all, &part{footprint: footprint{layer: l, shown: powerArea(m.Stack, power)}, kind: kindPower, name: name, material: -1, tmax: power.TMax, power: power})
		}
	}
	for _, p := range all {
		p.area = areaOf(p.shown)
	}
	return all
}

// filledBy says whether a uniform power or a map fills a region, of which nothing is hidden.
func (p *part) filledBy(s *stack.Stack, power *stack.Power) bool {
	if p.only == nil || (p.only.Shape == nil) != (power.Shape == nil) {
		return false
	}
	around, slack := power.Area, 1e-9
	if power.Shape != nil {
		around, slack = stack.Around(power.Shape), 0.01 // strips of a shape may be cut elsewhere
	}
	whole := areaOf(powerArea(s, power))
	return same(p.only.Rect, around) && math.Abs(areaOf(p.shown)-whole) <= slack*whole
}

// stricter is the lower of two limits in K, where 0 is none.
func stricter(a, b float64) float64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// same says whether rectangles differ by no more than rounding.
func same(a, b stack.Rect) bool {
	const rounding = 1e-9
	near := func(x, y, scale float64) bool { return math.Abs(x-y) <= rounding*scale }
	return near(a.X, b.X, a.Width) && near(a.Y, b.Y, a.Height) && near(a.Width, b.Width, a.Width) && near(a.Height, b.Height, a.Height)
}

// regionParts are the regions of a layer and what they leave of it; none where it has no regions.
func regionParts(s *stack.Stack, l int) []*part {
	layer := &s.Layers[l]
	if len(layer.Regions) == 0 {
		return nil
	}
	type key struct {
		name     string
		material int // of those without a name
		die      string
	}
	seen := visible(s, l)
	groups := map[key]*part{}
	rest := &part{footprint: footprint{layer: l}, kind: kindRest, material: layer.Material}
	var all []*part
	for r := range layer.Regions {
		region := &layer.Regions[r]
		if region.Fill != nil && region.Name == "" && region.Shape == nil && same(region.Rect, s.Domain()) { // the layer's own inclusions
			rest.filled = true
			rest.shown = append(rest.shown, seen[r+1]...)
			continue
		}
		k := key{name: region.Name, die: region.Die}
		if region.Name == "" {
			k.material = region.Material
		}
		p := groups[k]
		if p == nil {
			p = &part{footprint: footprint{layer: l}, kind: kindRegion, name: region.Name, die: region.Die, material: region.Material}
			groups[k] = p
			all = append(all, p)
			p.only = region
		} else {
			p.only = nil
		}
		p.filled = p.filled || region.Fill != nil
		p.shown = append(p.shown, seen[r+1]...)
		p.tmax = stricter(p.tmax, region.TMax)
	}
	if rest.shown = append(rest.shown, seen[0]...); len(all) > 0 && len(rest.shown) > 0 {
		all = append(all, rest)
	}
	return all
}

// overlapping is the area that two sets of rectangles share, in m2; the rectangles of each set are apart.
func overlapping(a, b []stack.Rect) float64 {
	sum := 0.0
	for _, p := range a {
		for _, q := range b {
			sum += shared(p, q)
		}
	}
	return sum
}

func shared(p, q stack.Rect) float64 {
	w := min(p.X+p.Width, q.X+q.Width) - max(p.X, q.X)
	h := min(p.Y+p.Height, q.Y+q.Height) - max(p.Y, q.Y)
	return max(w, 0) * max(h, 0)
}

// powered says whether a source of the layer reaches a part, whatever its watts at a time.
func (p *part) powered(s *stack.Stack) bool {
	const sliver = 1e-6 // of the part
	for i := range s.Layers[p.layer].Powers {
		power := &s.Layers[p.layer].Powers[i]
		var rects []stack.Rect
		for b := range power.Blocks {
			rects = append(rects, blockArea(&power.Blocks[b])...)
		}
		if len(power.Blocks) == 0 {
			rects = powerArea(s, power)
		}
		if overlapping(rects, p.shown) > sliver*p.area {
			return true
		}
	}
	return false
}

// fillers are those of a layer's parts that fill the room around its chips, such as mould, underfill and air: without power or inclusions, and either no better than
// fillerK in any direction, or in the plane less than a tenth as conductive as the best of the layer. Where nothing else is there, none is one.
func fillers(s *stack.Stack, parts []*part) []*part {
	const (
		fillerK = 1.5 // W/(m K); mould and underfill have 0.3 to 1, wiring and bumps 2 or more
		tenth   = 0.1
	)
	inPlane := func(p *part) float64 { return max(s.Materials[p.material].K[0], s.Materials[p.material].K[1]) }
	best := 0.0
	for _, p := range parts {
		if p.area > 0 {
			best = max(best, inPlane(p))
		}
	}
	var out []*part
	chip := false
	for _, p := range parts {
		poor := max(inPlane(p), s.Materials[p.material].K[2]) < fillerK || inPlane(p) < tenth*best
		switch {
		case p.area == 0:
		case poor && !p.filled && !p.powered(s):
			out = append(out, p)
		default:
			chip = true
		}
	}
	if !chip {
		return nil
	}
	return out
}
