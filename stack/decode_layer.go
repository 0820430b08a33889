package stack

import (
	"fmt"
	"strings"
)

// owner is what a power belongs to: a layer or a region of it.
type owner struct {
	what string // for messages
	area Rect   // in domain coordinates; block coordinates count from its corner
}

func (l *loader) layer(t *table) Layer {
	y := Layer{
		Name:              t.text("name"),
		Thickness:         t.scalar("thickness"),
		Cells:             t.integer("cells"),
		ContactResistance: t.scalar("contact_resistance"),
		Pos:               t.node.pos,
	}
	l.heated(t, &y)
	y.Material = l.material(t)
	o := owner{fmt.Sprintf("layer %q", shorten(y.Name)), l.stack.Domain()}
	y.Powers = l.powers(t, o)
	for _, rt := range t.tables("region") {
		r, powers := l.region(rt)
		y.Regions = append(y.Regions, r)
		y.Powers = append(y.Powers, powers...)
	}
	return y
}

// heated reads where over its height a layer is heated.
func (l *loader) heated(t *table, y *Layer) {
	if y.PowerAt = HeatedPart(t.text("power_at")); y.AtSurface() {
		y.PowerDepth = DefaultPowerDepth
	}
	if !t.has("power_depth") {
		return
	}
	if !y.AtSurface() {
		l.fail(t.pos("power_depth"), `add power_at = "bottom" or "top"`, "layer %q has a power_depth without a surface to measure it from", shorten(y.Name))
		return
	}
	y.PowerDepth = t.scalar("power_depth")
	if y.PowerDepth > y.Thickness && y.Thickness > 0 {
		l.fail(t.pos("power_depth"), "", "layer %q is %s thick, less than its power_depth of %s", shorten(y.Name), metres(y.Thickness), metres(y.PowerDepth))
	}
}

func (l *loader) region(t *table) (Region, []Power) {
	rect := Rect{t.scalar("x"), t.scalar("y"), t.scalar("width"), t.scalar("height")}
	r := Region{Name: t.text("name"), Material: l.material(t), Rect: clamp(rect, l.stack.Domain(), l.slack()), Pos: t.node.pos}
	return r, l.powers(t, owner{r.what(), r.Rect})
}

func (r *Region) what() string {
	if r.Name == "" {
		return "region"
	}
	return fmt.Sprintf("region %q", shorten(r.Name))
}

// material resolves the material of a layer or region.
func (l *loader) material(t *table) int {
	name := t.text("material")
	if name == "" {
		return 0
	}
	i, _ := l.materials.use(name, t.pos("material"))
	return i
}

// slack is how far rounding may carry a coordinate: tolerance times the size of the domain.
func (l *loader) slack() float64 { return tolerance * max(l.stack.Size[0], l.stack.Size[1]) }

// powers reads the sources of a layer or region: its power tables, then its own blocks.
func (l *loader) powers(t *table, o owner) []Power {
	var powers []Power
	for _, pt := range t.tables("power") {
		if p, ok := l.power(pt, o); ok {
			powers = append(powers, p)
		}
	}
	if !t.has("block") {
		return powers
	}
	p := Power{Area: o.area, Pos: t.pos("block")}
	var ok bool
	if p.Blocks, _, ok = l.inlineBlocks(t, true); !ok {
		return powers
	}
	l.place(&p, o.area.X, o.area.Y)
	return append(powers, p)
}

// inlineBlocks reads the block tables of t. given tells which of them carry a power.
func (l *loader) inlineBlocks(t *table, needPower bool) (blocks []Block, given []bool, ok bool) {
	before := len(l.faults.list)
	for _, bt := range t.tables("block") {
		b := Block{Name: bt.text("name"), Watts: bt.scalar("power"), Pos: bt.node.pos}
		b.Rects = l.blockRects(bt, b.Name)
		if needPower && !bt.has("power") {
			l.fail(bt.node.pos, `add power = "0 W" if it has none`, "block %q has no power", shorten(b.Name))
		}
		blocks = append(blocks, b)
		given = append(given, bt.has("power"))
	}
	if len(blocks) == 0 && len(l.faults.list) == before {
		l.fail(t.pos("block"), "add a block or remove the key", "block holds no blocks")
	}
	return blocks, given, len(l.faults.list) == before
}

func (l *loader) blockRects(t *table, name string) []Rect {
	n, k := t.get("rects")
	var missing, present []string
	for _, key := range []string{"x", "y", "width", "height"} {
		if t.has(key) {
			present = append(present, key)
		} else {
			missing = append(missing, key)
		}
	}
	switch {
	case n != nil && len(present) > 0:
		l.fail(t.pos(present[0]), "leave one of them out", "block %q has both rects and %s", shorten(name), joinWords(present))
	case n != nil:
		if !t.array(n, "rects", -1, "["+rectExample+"]") {
			return nil
		}
		var rects []Rect
		for _, item := range n.items {
			if r, ok := t.rect(item, k); ok {
				rects = append(rects, r)
			}
		}
		if len(n.items) == 0 {
			l.fail(n.pos, "add "+rectExample, "block %q has no rectangles", shorten(name))
		}
		return rects
	case len(missing) > 0:
		l.fail(t.node.pos, "give x, y, width and height, or rects", "block %q lacks %s", shorten(name), strings.Join(missing, ", "))
	}
	return []Rect{{t.scalar("x"), t.scalar("y"), t.scalar("width"), t.scalar("height")}}
}

// place moves the blocks of a power to domain coordinates and takes the rounding off their edges.
func (l *loader) place(p *Power, dx, dy float64) {
	for i := range p.Blocks {
		for j, r := range p.Blocks[i].Rects {
			r.X += dx
			r.Y += dy
			p.Blocks[i].Rects[j] = clamp(r, p.Area, l.slack())
		}
	}
}

// clamp pulls edges that lie outside the area by no more than slack back onto its border.
func clamp(r, area Rect, slack float64) Rect {
	r.X, r.Width = clampSpan(r.X, r.Width, area.X, area.Width, slack)
	r.Y, r.Height = clampSpan(r.Y, r.Height, area.Y, area.Height, slack)
	return r
}

func clampSpan(at, length, low, extent, slack float64) (float64, float64) {
	if at < low && at >= low-slack {
		length -= low - at
		at = low
	}
	if end := low + extent; at+length > end && at+length <= end+slack {
		length = end - at
	}
	return at, length
}
