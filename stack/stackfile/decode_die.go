package stackfile

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
)

// die is the template of a [[die]]; coordinates are relative to its south-west corner.
type die struct {
	name          string
	width, height float64
	layers        []stack.Layer // bottom to top
}

// thickness of the die in m.
func (d *die) thickness() float64 { return stack.Height(d.layers) }

// dies reads the templates.
func (l *loader) dies(t *table) {
	for _, dt := range t.tables("die") {
		d := l.die(dt)
		if l.templates[d.name] != nil {
			l.fail(dt.pos("name"), "rename one of them", "two dies are called %q", faults.Shorten(d.name))
			continue
		}
		if l.templates == nil {
			l.templates = map[string]*die{}
		}
		l.templates[d.name] = d
	}
}

// die reads a template. Its layers are read as those of a stack of its size.
func (l *loader) die(t *table) *die {
	d := &die{name: t.text("name")}
	size, ok := t.pair("size")
	if !ok {
		return d
	}
	d.width, d.height = size[0], size[1]
	domain := l.stack.Size
	l.stack.Size = size
	defer func() { l.stack.Size = domain }()
	names := map[string]bool{}
	for _, lt := range t.tables("layer") {
		if given := lt.given("die", "coolant", "contact_resistance"); len(given) > 0 {
			l.fail(lt.pos(given[0]), "remove it", "a layer of a die has no %s", given[0])
			return d
		}
		y := l.layer(lt)
		if names[y.Name] {
			l.fail(lt.pos("name"), "rename one of them", "two layers of die %q are called %q", faults.Shorten(d.name),
				faults.Shorten(y.Name))
		}
		names[y.Name] = true
		d.layers = append(d.layers, y)
	}
	l.within(d)
	return d
}

// within reports parts that extend beyond a die. Validate finds those that extend beyond the stack.
func (l *loader) within(d *die) {
	area := stack.Rect{X: 0, Y: 0, Width: d.width, Height: d.height}
	report := func(pos stack.Pos, r stack.Rect, what string) {
		if out := stack.Protrusion(r, area, l.slack()); out != "" {
			l.fail(pos, "shrink or move it", "%s extends beyond die %q %s", what, faults.Shorten(d.name), out)
		}
	}
	for i := range d.layers {
		y := &d.layers[i]
		for j := range y.Regions {
			report(y.Regions[j].Pos, y.Regions[j].Rect, y.Regions[j].Describe())
		}
		for j := range y.Powers {
			for b := range y.Powers[j].Blocks {
				block := &y.Powers[j].Blocks[b]
				for _, r := range block.Bounds() {
					report(block.Pos, r, fmt.Sprintf("block %q", faults.Shorten(block.Name)))
				}
			}
		}
	}
}

// placedDie is a die in a layer.
type placedDie struct {
	*die
	stack.Orientation
	name    string
	z       float64 // of its lower side above the bottom of the layer
	flipped bool    // the uppermost layer comes first
	scale   float64 // of its powers
	tmax    float64 // K, 0 for those of the template
	pos     stack.Pos
}

// maxDies is the largest number of dies in a layer.
const maxDies = 10_000

// placements reads the dies of a layer.
func (l *loader) placements(t *table) (list []placedDie) {
	for _, pt := range t.tables("die") {
		p, ok := l.placement(pt)
		if !ok {
			continue
		}
		nx, ny, pitch := pt.repeats()
		copies := pt.integer("copies")
		if nx*ny*copies+len(list) > maxDies {
			l.fail(pt.node.Pos, "place fewer", "a layer holds at most %d dies", maxDies)
			return nil
		}
		for k := range nx * ny {
			for c := range copies {
				q := p
				q.name = p.name + numbered(k, nx*ny, "-") + numbered(c, copies, ".")
				q.X, q.Y = p.X+float64(k%nx)*pitch[0], p.Y+float64(k/nx)*pitch[1]
				q.z = p.z + float64(c)*p.thickness()
				list = append(list, q)
			}
		}
	}
	return list
}

// numbered is the end of the name of one of several: the first has 0.
func numbered(i, of int, mark string) string {
	if of == 1 {
		return ""
	}
	return fmt.Sprintf("%s%0*d", mark, len(fmt.Sprint(of-1)), i)
}

// placement reads the location of a die.
func (l *loader) placement(t *table) (p placedDie, ok bool) {
	before := len(l.faults.Found)
	name := t.text("die")
	p = placedDie{die: l.templates[name], name: t.text("name"), z: t.scalar("z"), flipped: t.boolean("flip"), scale: 1,
		tmax: t.scalar("tmax"), pos: t.node.Pos}
	if p.die == nil {
		names := func() []string { return slices.Sorted(maps.Keys(l.templates)) }
		l.noName(t.pos("die"), cmp.Or(l.suggest(name, names), "describe it in a [[die]] table"), "die", name)
		return p, false
	}
	if p.name == "" {
		p.name = name
	}
	turn := t.integer("rotate")
	if turn%90 != 0 {
		l.fail(t.pos("rotate"), "write 0, 90, 180 or 270", "rotate must be a multiple of 90, got %d", turn)
	}
	mirror := t.text("mirror")
	p.Orientation = stack.Orientation{Width: p.die.width, Height: p.die.height, MirrorX: (mirror == "x") != p.flipped,
		MirrorY: mirror == "y", Quarters: turn / 90,
		X: t.scalar("x"), Y: t.scalar("y")}
	if t.has("power") {
		if w := stack.Watts(p.layers); w > 0 {
			p.scale = t.scalar("power") / w
		} else {
			l.fail(t.pos("power"), "add a power to its layers", "die %q has no power that could be scaled",
				faults.Shorten(name))
		}
	}
	return p, len(l.faults.Found) == before
}

// footprint of the die.
func (p *placedDie) footprint() stack.Rect {
	w, h := p.Size()
	return stack.Rect{X: p.X, Y: p.Y, Width: w, Height: h}
}

// part is a slice of a placed die that is uniform along z: a layer, or the heated slice of one, or the rest of it.
type part struct {
	of       *placedDie
	layer    *stack.Layer
	from, to float64 // m above the bottom of the layer that the die lies in
	thick    float64 // m
	cells    int
	heated   bool // the power of the layer arises in it
}

// parts of a placed die from its lower side to its upper.
func (p *placedDie) parts() (list []part) {
	z := p.z
	for i := range p.layers {
		y := &p.layers[i]
		if p.flipped {
			y = &p.layers[len(p.layers)-1-i]
		}
		top := z + y.Thickness
		slice, rest := part{p, y, z, z + y.PowerDepth, y.PowerDepth, 1, true},
			part{p, y, z + y.PowerDepth, top, y.Thickness - y.PowerDepth, y.Cells, false}
		switch {
		case !y.Sliced():
			list = append(list, part{p, y, z, top, y.Thickness, y.Cells, true})
		case (y.PowerAt == stack.HeatedBottom) != p.flipped:
			list = append(list, slice, rest)
		default:
			rest.from, rest.to = z, top-y.PowerDepth
			slice.from, slice.to = rest.to, top
			list = append(list, rest, slice)
		}
		z = top
	}
	return list
}

// share is the fraction of a part's thickness between two heights, which cross its faces by slack at most.
func (p *part) share(from, to, slack float64) float64 {
	if p.from >= to-slack || p.to <= from+slack {
		return 0
	}
	return math.Min(1, (to-from)/(p.to-p.from))
}
