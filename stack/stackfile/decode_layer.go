package stackfile

import (
	"fmt"

	"thermsim/stack"
	"thermsim/stack/geometry"
	"thermsim/stack/internal/faults"
)

// owner is the layer or region of a power.
type owner struct {
	what  string     // for messages
	area  stack.Rect // in domain coordinates; block coordinates count from its corner
	shape geometry.Shape
}

func (l *loader) layer(t *table) stack.Layer {
	y := stack.Layer{Pos: t.node.Pos}
	t.into(&y)
	l.heated(t, &y)
	y.Material = l.material(t)
	l.coolant(t, &y)
	o := owner{what: fmt.Sprintf("layer %q", faults.Shorten(y.Name)), area: l.stack.Domain()}
	y.Powers = l.powers(t, o)
	if f := l.fill(t, o.area); f != nil {
		y.Regions = append(y.Regions, stack.Region{Material: y.Material, Rect: o.area, Fill: f, Pos: t.pos("fill")})
	}
	for _, rt := range t.tables("region") {
		regions, powers := l.region(rt)
		if y.Regions == nil {
			y.Regions = regions // a large array as it is
		} else {
			y.Regions = append(y.Regions, regions...)
		}
		y.Powers = append(y.Powers, powers...)
	}
	y.Regions = append(y.Regions, l.blockMaterials(y.Powers)...)
	return y
}

// blockMaterials are the regions of blocks with a material.
func (l *loader) blockMaterials(powers []stack.Power) (regions []stack.Region) {
	for i := range powers {
		for j := range powers[i].Blocks {
			b := &powers[i].Blocks[j]
			material, ok := l.ofBlock[b.Pos]
			if !ok {
				continue
			}
			if fault := faults.Name(b.Name); fault != "" {
				l.fail(b.Pos, "choose a name that can be part of a file name", "block %q has a material, and "+
					"its name %s", faults.Shorten(b.Name), fault)
				continue
			}
			r := stack.Region{Name: b.Name, Material: material, TMax: b.TMax, Pos: b.Pos}
			for _, r.Rect = range b.Rects {
				regions = append(regions, r)
			}
			for _, r.Shape = range b.Shapes {
				r.Rect = stack.Around(r.Shape)
				regions = append(regions, r)
			}
		}
	}
	return regions
}

// heated reads where over its height a layer is heated.
func (l *loader) heated(t *table, y *stack.Layer) {
	if y.AtSurface() {
		y.PowerDepth = stack.DefaultPowerDepth
	}
	if !t.has("power_depth") {
		return
	}
	if !y.AtSurface() {
		l.fail(t.pos("power_depth"), `add power_at = "bottom" or "top"`, "layer %q has power_depth without power_at",
			faults.Shorten(y.Name))
		return
	}
	y.PowerDepth = t.scalar("power_depth")
	if y.PowerDepth > y.Thickness && y.Thickness > 0 {
		l.fail(t.pos("power_depth"), "", "layer %q is %s thick, less than its power_depth of %s",
			faults.Shorten(y.Name),
			faults.Metres(y.Thickness), faults.Metres(y.PowerDepth))
	}
}

// region reads a region, or as many of them as its array repeats it.
func (l *loader) region(t *table) (regions []stack.Region, powers []stack.Power) {
	r := stack.Region{Material: l.material(t), Pos: t.node.Pos}
	t.into(&r)
	what := r.Describe()
	switch r.Shape = t.shape(what); {
	case r.Shape != nil:
		r.Rect = stack.Around(r.Shape)
	case t.has("circle") || t.has("polygon"): // faulty, and reported
	default:
		r.Rect = clamp(t.rectangle(what, "give x, y, width and height, or circle, or polygon"), l.stack.Domain(),
			l.slack())
	}
	r.Fill = l.fill(t, r.Rect)
	if t.has("array") {
		if t.has("power") || t.has("block") {
			l.fail(t.pos("array"), "move the power to the layer, or write the regions one by one",
				"%s with array cannot have a power", what)
		}
		return l.copies(t, r), nil
	}
	return []stack.Region{r}, l.regionPowers(t, &r)
}

// regionPowers are the sources of a region. Those without blocks are called like it unless they have a name.
func (l *loader) regionPowers(t *table, r *stack.Region) []stack.Power {
	powers := l.powers(t, owner{r.Describe(), r.Rect, r.Shape})
	for i := range powers {
		if p := &powers[i]; p.Name == "" && len(p.Blocks) == 0 {
			p.Name = r.Name
		}
	}
	return powers
}

// copies repeats a region along x and y.
func (l *loader) copies(t *table, r stack.Region) (regions []stack.Region) {
	nx, ny, pitch := t.repeats()
	if !l.mayCopy(t.pos("array"), nx*ny) {
		return nil
	}
	regions = make([]stack.Region, 0, nx*ny)
	domain := l.stack.Domain()
	for j := range ny {
		for i := range nx {
			c := r
			dx, dy := float64(i)*pitch[0], float64(j)*pitch[1]
			if r.Shape != nil {
				c.Shape = r.Shape.Moved(dx, dy)
				c.Rect = stack.Around(c.Shape)
			} else {
				c.Rect = clamp(stack.Rect{X: r.X + dx, Y: r.Y + dy, Width: r.Width, Height: r.Height}, domain,
					l.slack())
			}
			regions = append(regions, c)
		}
	}
	return regions
}

// maxCopies is the largest number of regions that arrays and dies expand to.
const maxCopies = 1_000_000

// mayCopy counts regions, or sources of the same size in memory, that are made from arrays and dies, and says whether
// they are within the limit: one line can make a million of them.
func (l *loader) mayCopy(pos stack.Pos, regions int) bool {
	if l.copied > maxCopies {
		return false
	}
	if l.copied += regions; l.copied > maxCopies {
		l.fail(pos, "homogenize arrays with fill, or align the heights of dies", "arrays and dies of the stack "+
			"expand to more than %d regions and sources", maxCopies)
		return false
	}
	return true
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
func (l *loader) slack() float64 { return stack.Tolerance * max(l.stack.Size[0], l.stack.Size[1]) }

// powers reads the sources of a layer or region: its power tables, then its blocks.
func (l *loader) powers(t *table, o owner) []stack.Power {
	var powers []stack.Power
	for _, pt := range t.tables("power") {
		if l.faults.Dropped > 0 {
			break
		}
		if p, ok := l.power(pt, o); ok {
			powers = append(powers, p)
		}
	}
	if !t.has("block") {
		return l.splitTimed(powers)
	}
	l.plainOwner(t.pos("block"), "blocks", o)
	p := stack.Power{Area: o.area, Pos: t.pos("block")}
	var ok bool
	if p.Blocks, _, ok = l.inlineBlocks(t, true); !ok {
		return powers
	}
	l.lawsOf(p.Blocks, nil)
	l.moveBlocks(&p, o.area.X, o.area.Y)
	return l.splitTimed(append(powers, p))
}

// inlineBlocks reads the block tables of t. given reports which of them have a power.
func (l *loader) inlineBlocks(t *table, needPower bool) (blocks []stack.Block, given []bool, ok bool) {
	before := len(l.faults.Found)
	for _, bt := range t.tables("block") {
		b := stack.Block{Pos: bt.node.Pos}
		bt.into(&b)
		l.blockPosition(bt, &b)
		b.Leakage = l.ownLeakage(bt, b.Area())
		if bt.has("material") {
			if l.ofBlock == nil {
				l.ofBlock = map[stack.Pos]int{}
			}
			l.ofBlock[b.Pos] = l.material(bt)
		}
		timed := l.blockTrace(bt, &b)
		if needPower && !timed && !bt.has("power") {
			l.fail(bt.node.Pos, `add power = "0 W" if it has none`, "block %q has no power", faults.Shorten(b.Name))
		}
		blocks = append(blocks, b)
		given = append(given, timed || bt.has("power"))
	}
	return blocks, given, len(l.faults.Found) == before
}

// blockPosition reads the location of a block.
func (l *loader) blockPosition(t *table, b *stack.Block) {
	what := fmt.Sprintf("block %q", faults.Shorten(b.Name))
	if t.has("circle") || t.has("polygon") {
		if s := t.shape(what); s != nil {
			b.Shapes = []geometry.Shape{s}
		}
		return
	}
	n, k := t.get("rects")
	if n == nil {
		b.Rects = []stack.Rect{t.rectangle(what, "give x, y, width and height, or rects, circle or polygon")}
		return
	}
	if !t.list(n, k, "["+rectExample+"]") {
		return
	}
	for _, item := range n.Items {
		if r, ok := t.rect(item, k); ok {
			b.Rects = append(b.Rects, r)
		}
	}
}

// plainOwner reports blocks, maps and areas in a region that is not a rectangle, because they could heat outside of it.
func (l *loader) plainOwner(pos stack.Pos, what string, o owner) {
	if o.shape != nil {
		l.fail(pos, "give the power to the layer", "%s is not a rectangle and accepts only uniform or density, not %s",
			o.what,
			what)
	}
}

// moveBlocks moves the blocks of a power to domain coordinates and takes the rounding off their edges.
func (l *loader) moveBlocks(p *stack.Power, dx, dy float64) {
	for i := range p.Blocks {
		for j, r := range p.Blocks[i].Rects {
			r.X += dx
			r.Y += dy
			p.Blocks[i].Rects[j] = clamp(r, p.Area, l.slack())
		}
		for j, s := range p.Blocks[i].Shapes {
			p.Blocks[i].Shapes[j] = s.Moved(dx, dy)
		}
	}
}

// clamp moves edges that are outside the area by slack at most to its border.
func clamp(r, area stack.Rect, slack float64) stack.Rect {
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
