package statistics

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
	"thermsim/report/summary"
	"thermsim/stack"
	"thermsim/stack/geometry"
	"thermsim/stack/packaging"
)

// footprint is an area of a layer, over the layer's whole thickness.
type footprint struct {
	Layer  int
	shown  []stack.Rect // without overlaps
	shapes []geometry.Shape
	Cells  []reduction.Cell // replaces both if too many regions overlap
}

// rects returns the cells, plane by plane, weighted by volume.
func (f *footprint) rects(m *mesh.Mesh) []reduction.Rect {
	if f.Cells != nil {
		return reduction.CoverCells(m, f.Layer, f.Cells)
	}
	return reduction.Cover(m, f.Layer, f.shown, f.shapes)
}

// Part is a row of the table of regions.
type Part struct {
	footprint
	Kind     string
	Name     string        // may be empty
	Die      string        // may be empty
	Material int           // index in the stack; -1 for a power
	Area     float64       // m2
	Tmax     float64       // K; 0 for none
	filled   bool          // with inclusions, which conduct better than the material
	only     *stack.Region // the region, if the row has only one
	power    *stack.Power
	Sampled  bool // areas are sampled along lines
}

// NewParts returns the parts of all layers, bottom to top. First come the visible parts of regions; regions of a layer
// with the same name and die form one part, as do regions without a name with the same material and die. The rest of
// the layer follows, then its uniform powers and maps, except those that fill a region.
func NewParts(m *mesh.Mesh) []*Part {
	var all []*Part
	for l := range m.Stack.Layers {
		first := len(all)
		all = append(all, regionParts(m, l)...)
		regions := all[first:]
		nameless := 0
		for p := range m.Stack.Layers[l].Powers {
			power := &m.Stack.Layers[l].Powers[p]
			if len(power.Blocks) > 0 {
				continue
			}
			if n := slices.IndexFunc(regions, func(p *Part) bool { return p.filledBy(m.Stack, power) }); n >= 0 {
				regions[n].Tmax = stricter(regions[n].Tmax, power.TMax)
				continue
			}
			name := power.Name
			if name == "" {
				nameless++
				name = fmt.Sprintf("power %d", nameless)
			}
			area := powerArea(m.Stack, power)
			all = append(all, &Part{footprint: footprint{Layer: l, shown: area}, Kind: summary.KindPower, Name: name,
				Material: -1, Area: areaOf(area), Tmax: power.TMax, power: power})
		}
	}
	return all
}

// filledBy reports whether a uniform power or a map fills a fully visible region.
func (p *Part) filledBy(s *stack.Stack, power *stack.Power) bool {
	if p.only == nil || (p.only.Shape == nil) != (power.Shape == nil) {
		return false
	}
	around, slack := power.Area, 1e-9
	switch {
	case power.Shape != nil:
		around, slack = stack.Around(power.Shape), 0.01 // strips of a shape may differ
	case p.Cells != nil:
		slack = 1e-7 // edges close to grid lines snap to them
	}
	whole := areaOf(powerArea(s, power))
	return same(p.only.Rect, around) && math.Abs(p.Area-whole) <= slack*whole
}

// stricter is the lower of two limits in K; 0 is none.
func stricter(a, b float64) float64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// same reports whether rectangles are equal within rounding.
func same(a, b stack.Rect) bool {
	const rounding = 1e-9
	near := func(x, y, scale float64) bool { return math.Abs(x-y) <= rounding*scale }
	return near(a.X, b.X, a.Width) && near(a.Y, b.Y, a.Height) && near(a.Width, b.Width, a.Width) &&
		near(a.Height, b.Height, a.Height)
}

// regionParts returns the regions of a layer and its rest; none without regions.
func regionParts(m *mesh.Mesh, l int) []*Part {
	s := m.Stack
	layer := &s.Layers[l]
	if len(layer.Regions) == 0 {
		return nil
	}
	type key struct {
		name     string
		material int // for those without a name
		die      string
	}
	groups := map[key]int{}
	all := []*Part{{footprint: footprint{Layer: l}, Kind: summary.KindRest, Material: layer.Material}}
	of := make([]int, len(layer.Regions)+1) // the part of every item of the sheet
	for r := range layer.Regions {
		region := &layer.Regions[r]
		// the layer's own inclusions
		if region.Fill != nil && region.Name == "" && region.Shape == nil && same(region.Rect, s.Domain()) {
			all[0].filled = true
			continue
		}
		k := key{name: region.Name, die: region.Die}
		if region.Name == "" {
			k.material = region.Material
		}
		n, found := groups[k]
		if !found {
			n = len(all)
			groups[k] = n
			all = append(all, &Part{footprint: footprint{Layer: l}, Kind: summary.KindRegion, Name: region.Name,
				Die: region.Die, Material: region.Material, only: region})
		} else {
			all[n].only = nil
		}
		of[r+1] = n
		all[n].filled = all[n].filled || region.Fill != nil
		all[n].Tmax = stricter(all[n].Tmax, region.TMax)
	}
	sheet := newSheet(s, l)
	if seen, ok := sheet.visible(); ok {
		for r, rects := range seen[1:] {
			p := all[of[r+1]]
			p.shown = append(p.shown, rects...)
		}
		all[0].shown = append(all[0].shown, seen[0]...)
	} else {
		for n, cells := range sheet.crowd(m, of, len(all)) {
			all[n].Cells, all[n].Sampled = cells, sheet.sampled
		}
	}
	for _, p := range all {
		p.Area = areaOf(p.shown)
		for _, c := range p.Cells {
			p.Area += c.Share * cellOf(m, c).Area()
		}
		if p.Area == 0 && !p.Sampled { // hidden: it has no limit
			p.Tmax = 0
		}
	}
	rest, regions := all[0], all[1:]
	if len(regions) > 0 && len(rest.shown)+len(rest.Cells) > 0 {
		return append(regions, rest)
	}
	return regions
}

// overlapping is the common area of two sets of rectangles in m2. The rectangles of each set do not overlap.
func overlapping(a, b []stack.Rect) float64 {
	sum := 0.0
	for _, p := range a {
		for _, q := range b {
			sum += shared(p, q)
		}
	}
	return sum
}

// cellOf is a cell in x and y.
func cellOf(m *mesh.Mesh, c reduction.Cell) stack.Rect {
	return stack.Rect{X: m.X[c.I], Y: m.Y[c.J], Width: m.DX(int(c.I)), Height: m.DY(int(c.J))}
}

// under is the area of a part that rectangles cover, in m2. If the part is given by cells, its share of a cell applies
// to partially covered cells.
func (p *Part) under(m *mesh.Mesh, rects []stack.Rect) float64 {
	sum := overlapping(rects, p.shown)
	p.meet(m, rects, func(n int, area float64) { sum += area * p.Cells[n].Share })
	return sum
}

// leastUnder is the smallest possible area in m2 of a part that rectangles cover, for any position of the part in its
// cells.
func (p *Part) leastUnder(m *mesh.Mesh, rects []stack.Rect) float64 {
	sum := overlapping(rects, p.shown)
	covered := make([]float64, len(p.Cells))
	p.meet(m, rects, func(n int, area float64) { covered[n] += area })
	for n, c := range p.Cells {
		cell := cellOf(m, c).Area()
		sum += max(0, min(covered[n], cell)-(1-c.Share)*cell)
	}
	return sum
}

// meet calls f with the area, in m2, of each of a part's cells that rectangles cover.
func (p *Part) meet(m *mesh.Mesh, rects []stack.Rect, f func(n int, area float64)) {
	if len(p.Cells) == 0 {
		return
	}
	for _, r := range rects {
		i, x := reduction.Lengths(m.X, r.X, r.X+r.Width, nil)
		j, y := reduction.Lengths(m.Y, r.Y, r.Y+r.Height, nil)
		for n, dy := range y {
			at, _ := slices.BinarySearchFunc(p.Cells, reduction.Cell{I: int32(i), J: int32(j + n)},
				func(a, b reduction.Cell) int { return cmp.Or(cmp.Compare(a.J, b.J), cmp.Compare(a.I, b.I)) })
			for ; at < len(p.Cells) && int(p.Cells[at].J) == j+n && int(p.Cells[at].I) < i+len(x); at++ {
				f(at, dy*x[int(p.Cells[at].I)-i])
			}
		}
	}
}

func shared(p, q stack.Rect) float64 {
	w := min(p.X+p.Width, q.X+q.Width) - max(p.X, q.X)
	h := min(p.Y+p.Height, q.Y+q.Height) - max(p.Y, q.Y)
	return max(w, 0) * max(h, 0)
}

// powered reports whether a source of the layer overlaps a part. Parts that only share cells with a source, such as
// mold compound at the edge of a chip, are not powered.
func (p *Part) powered(m *mesh.Mesh) bool {
	const sliver = 1e-6 // of the part
	s := m.Stack
	for i := range s.Layers[p.Layer].Powers {
		power := &s.Layers[p.Layer].Powers[i]
		var rects []stack.Rect
		for b := range power.Blocks {
			rects = append(rects, blockArea(&power.Blocks[b])...)
		}
		if len(power.Blocks) == 0 {
			rects = powerArea(s, power)
		}
		if p.leastUnder(m, rects) > sliver*p.Area {
			return true
		}
	}
	return false
}

// FillerK is the conductivity in W/(m K) below which an unpowered part fills the space around chips: mold compound and
// underfill have 0.3 to 1, interfaces, wiring and bumps 2 or more.
const FillerK = 1.5

// Fillers returns the parts of a layer that fill the space around its chips, such as mold compound, underfill and air.
// They have no power and no inclusions, and conduct below FillerK in every direction. A layer of such parts only has no
// fillers, except open space next to others.
func Fillers(m *mesh.Mesh, parts []*Part) []*Part {
	materials := m.Stack.Materials
	var out, space []*Part
	chip := false
	for _, p := range parts {
		switch {
		case p.Area == 0:
		case p.InOpenSpace(m) && !p.powered(m):
			space = append(space, p)
		case slices.Max(materials[p.Material].K[:]) < FillerK && !p.filled && !p.powered(m):
			out = append(out, p)
		default:
			chip = true
		}
	}
	switch {
	case chip:
		return append(out, space...)
	case len(out) > 0:
		return space
	}
	return nil
}

// InOpenSpace reports whether a part is the space around a board or a heat sink, which is no real material.
func (p *Part) InOpenSpace(m *mesh.Mesh) bool {
	return m.Stack.Materials[p.Material].Name == packaging.OpenSpace
}
