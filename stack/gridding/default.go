package gridding

import (
	"math"
	"slices"

	"thermsim/stack"
)

// Default grids.
const (
	// MaxCells is the maximum number of cells of a default grid: a steady state takes about a second on two cores.
	MaxCells = 1_000_000

	// defaultSlope is the increase of the cell size per m.
	defaultSlope = 0.1
)

// TestDefaultGrids of study/autogrid measures the errors with this resolution.
var usual = resolution{domain: 40, source: 6, region: 4, power: 40, tiles: 64}

// Default is the grid of a stack whose file has none. It depends on the geometry and the powers alone. Cells have a
// size for an error of 1 % of the rise in usual packages. They are larger in proportion if there would be more than
// MaxCells.
type Default struct {
	Axes   [2]Lines
	Planes []int   // cells over each layer
	Larger float64 // cells in proportion to those without a maximum number
}

// NewDefault chooses the default grid.
func NewDefault(s *stack.Stack) *Default {
	steady := *s
	steady.Transient.Dt = 0
	d := &Default{Planes: usualPlanes(s)}
	planes := 0
	for _, l := range d.layers(s) {
		planes += l.Planes()
	}
	spans := [2][]Span{usual.spans(&steady, 0), usual.spans(&steady, 1)}
	fits := func(larger float64) bool {
		d.Larger = larger
		for axis := range spans {
			scaled := slices.Clone(spans[axis])
			for i := range scaled {
				scaled[i].Size *= larger
			}
			d.Axes[axis] = linesOf(scaled, 0, min(slope, defaultSlope*larger))
		}
		g := d.grid(1)
		return g.X.Cells*g.Y.Cells*planes <= MaxCells
	}
	if fits(1) {
		return d
	}
	low, high := 1.0, 2.0
	for high < 1<<20 && !fits(high) {
		low, high = high, 2*high
	}
	for range 8 {
		if middle := math.Sqrt(low * high); fits(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	fits(high)
	return d
}

// grid has cells that are scale times as wide.
func (d *Default) grid(scale float64) stack.Grid {
	return stack.Grid{X: d.Axes[0].Axis(scale), Y: d.Axes[1].Axis(scale)}
}

// layers are those of a stack, with the chosen number of cells.
func (d *Default) layers(s *stack.Stack) []stack.Layer {
	layers := slices.Clone(s.Layers)
	for l := range layers {
		layers[l].Cells = d.Planes[l]
	}
	return layers
}

// On is a stack on the grid with cells that are scale times as wide.
func (d *Default) On(s *stack.Stack, scale float64) *stack.Stack {
	on := *s
	on.Grid, on.Layers = d.grid(scale), d.layers(s)
	return &on
}

// usualPlanes are the cells over each layer: near the source with the largest rise as high as they are wide there,
// growing with the distance, and at least as many as in the stack file.
func usualPlanes(s *stack.Stack) []int {
	const most, slope = 16, 0.3
	size := dominant(s) / usual.source
	n := make([]int, len(s.Layers))
	for l := range s.Layers {
		layer := &s.Layers[l]
		height := equivalent(s, layer, layer.Material)
		for r := range layer.Regions {
			height = max(height, equivalent(s, layer, layer.Regions[r].Material))
		}
		cells := math.Ceil(height/(size+slope*distance(s, l)) - spare)
		n[l] = max(layer.Cells, int(min(most, max(1, cells))))
	}
	return n
}

// dominant is the shorter side of the source with the largest power per side, to which its own rise is proportional.
func dominant(s *stack.Stack) float64 {
	side, most := min(s.Size[0], s.Size[1]), 0.0
	compare := func(r stack.Rect, watts float64) {
		if short := min(r.Width, r.Height); short > 0 && watts/short > most {
			side, most = short, watts/short
		}
	}
	for p := range stack.Sources(s.Layers) {
		if len(p.Blocks) == 0 {
			compare(p.Area, p.Watts()+p.Leakage.Watts)
		}
		for _, b := range p.Blocks {
			area := b.Area()
			for _, r := range b.Rects {
				compare(r, (b.Watts+b.Leakage.Watts)*r.Area()/area)
			}
			for _, shape := range b.Shapes {
				compare(stack.Around(shape), b.Watts+b.Leakage.Watts)
			}
		}
	}
	return side
}
