package plausibility

import (
	"fmt"
	"math"

	"thermsim/stack"
	"thermsim/stack/gridding"
)

// source is a block, or a power without blocks, which heats its area.
type source struct {
	layer       int
	power       *stack.Power
	block       *stack.Block // nil of a power without blocks
	watts, area float64      // including the leakage at which its law is 1; m2
	name        string
	pos         stack.Pos
}

// eachSource visits the sources of heat from the bottom to the top.
func eachSource(s *stack.Stack, visit func(source)) {
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			power := &s.Layers[l].Powers[p]
			if len(power.Blocks) == 0 {
				visit(source{l, power, nil, power.Watts() + power.Leakage.Watts, power.Area.Area(), s.Layers[l].Name,
					power.Pos})
			}
			for b := range power.Blocks {
				block := &power.Blocks[b]
				visit(source{l, power, block, block.Watts + block.Leakage.Watts, block.Area(), block.Name, block.Pos})
			}
		}
	}
}

// sources checks power densities, and the heights over which power is distributed.
func (j *judge) sources() {
	const most = 2000.0    // W/cm2: above the hot spots of chips
	const thickest = 50e-6 // m: a die without thinning
	var dense, thick group
	densest, any := 0.0, false
	eachSource(j.s, func(q source) {
		any = any || q.watts != 0 || q.power.Trace != nil
		if d := q.watts / q.area * 1e-4; d > most {
			dense.add(q.name, q.pos)
			densest = max(densest, d)
		}
		if l := &j.s.Layers[q.layer]; l.HeatedDepth() > thickest && l.PowerAt != stack.HeatedVolume {
			thick.add(l.Name, l.Pos)
		}
	})
	j.warnOf(Density, &dense, "hot spots of chips reach 1000 W/cm2; check the units of power and lengths",
		"power density up to %.4g W/cm2 in %s", densest, dense.list("source", "sources"))
	j.warnOf(ThickSource, &thick, `set power_at = "bottom", "top" or "volume"`, "the power in %s is distributed over "+
		"the full thickness (more than %s), but transistors heat one surface only",
		thick.list("layer", "layers"), length(thickest))
	if !any && !j.driven() && !j.s.Leaks() {
		j.warn(NoPower, stack.Pos{}, "add a block, a map or a uniform power to a layer",
			"the stack has no heat source: all temperatures will be the ambient temperature")
	}
}

// driven reports whether the faces alone cause heat flow: one has an incoming flux, or two have different temperatures.
func (j *judge) driven() bool {
	low, high, flux := j.s.References()
	initial := j.s.Transient.Initial
	return flux || low < high || low == high && initial != 0 && initial != low
}

// fewCells is the number of cells across a source below which its hottest point is not resolved.
const fewCells = 4

// resolution checks the number of cells across sources of heat.
func (j *judge) resolution() {
	var few group
	powered, least := 0, math.Inf(1)
	narrowest, width, height := "", math.Inf(1), math.Inf(1)
	eachSource(j.s, func(q source) {
		if q.watts == 0 && q.power.Trace == nil {
			return
		}
		powered++
		name, r := fmt.Sprintf("the power in layer %q", q.name), q.power.Area
		if q.block != nil {
			name, r = fmt.Sprintf("block %q", q.name), extent(q.block)
		}
		width, height = min(width, r.Width), min(height, r.Height)
		across := j.cellsAcross(r)
		if across >= fewCells*(1-1e-6) {
			return
		}
		few.add(q.name, q.pos)
		if across < least {
			least, narrowest = across, name
		}
	})
	if len(few.names) == 0 {
		return
	}
	remedy := "refine the grid there"
	if grid := &j.s.Grid; (grid.Default || len(grid.X.Segments)+len(grid.Y.Segments) == 0) && !j.s.Cooled() {
		remedy = "use --grid auto"
	}
	const most = 20e6 // cells in all, beyond which only a graded grid makes sense
	nx, ny := equalCells(j.s.Size[0], width), equalCells(j.s.Size[1], height)
	if nx*ny*float64(j.m.NZ()) <= most {
		remedy += fmt.Sprintf(", or --grid %.0fx%.0f for at least %d cells across each", nx, ny, fewCells)
	}
	j.warn(CoarseGrid, few.pos, remedy, "%s is only %.2g cells wide (%d of %d sources are below %d), so its peak "+
		"temperature is underestimated", narrowest, least, len(few.names), powered, fewCells)
}

// equalCells is the number of equal cells of a domain, a multiple of 32, that resolves a block by fewCells.
func equalCells(domain, block float64) float64 {
	const step = 32
	return step * math.Ceil(domain/block*fewCells/step*(1-1e-9))
}

// extent is a block's largest rectangle, or the bounding rectangle of its shape.
func extent(b *stack.Block) stack.Rect {
	var r stack.Rect
	for _, next := range b.Rects {
		if next.Area() > r.Area() {
			r = next
		}
	}
	if len(b.Rects) == 0 && len(b.Shapes) > 0 {
		r = stack.Around(b.Shapes[0])
	}
	return r
}

// cellsAcross is the number of cells, with fractions, along the shorter side of a rectangle.
func (j *judge) cellsAcross(r stack.Rect) float64 {
	return min(gridding.Position(j.m.X, r.X+r.Width)-gridding.Position(j.m.X, r.X),
		gridding.Position(j.m.Y, r.Y+r.Height)-gridding.Position(j.m.Y, r.Y))
}

// crowds counts the cells whose material shares were sampled.
func (j *judge) crowds() {
	for l, cells := range j.m.Rough {
		if cells == 0 {
			continue
		}
		y := &j.s.Layers[l]
		j.warn(CrowdedCells, y.Regions[0].Pos, "use more cells, or one region with fill instead of many",
			"layer %q: in %d of %d cells of a plane too many regions overlap to be resolved; the material shares "+
				"there are accurate to a few percent", y.Name, cells, j.m.NX()*j.m.NY())
	}
}
