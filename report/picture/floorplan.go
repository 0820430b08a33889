package picture

import (
	"cmp"
	"errors"
	"io"
	"math"
	"slices"

	"thermsim/gpusolve/reduction"
	"thermsim/stack"
)

// Floorplan is a layer coloured by power density, or by another density on a grid.
type Floorplan struct {
	Title, Subtitle string
	Extent          stack.Rect // what is shown, with cells cut at those around it
	Blocks          []Outline
	// Density of each block in W/cm2.
	Density []float64
	// Cells is the density on a grid instead, for powers that are no blocks; Blocks are then outlines only.
	Cells   *DensityGrid
	Unit    string // of the density, W/cm2 if empty
	Regions []Outline
	Look    Look
}

// DensityGrid is a density on cells, x fastest, with face coordinates in m.
type DensityGrid struct {
	X, Y   []float64
	Values []float64
}

// Write draws the floorplan.
func (p *Floorplan) Write(w io.Writer, format Format) error {
	if len(p.Density) != len(p.Blocks) || !(p.Extent.Width > 0) || !(p.Extent.Height > 0) {
		return errors.New("drawing a floorplan: it needs an area, and a density for every block")
	}
	values := p.Density
	if p.Cells != nil {
		values = p.Cells.Values
	}
	s := scale{colors: Density(), unit: cmp.Or(p.Unit, "W/cm²")}
	for _, v := range values {
		if !math.IsInf(v, 0) { // NaN fails both comparisons
			s.lo, s.hi = min(s.lo, v), max(s.hi, v)
		}
	}
	if !(s.hi > s.lo) {
		s.hi = s.lo + 1
	}
	extent, cells := p.Extent, p.Cells
	if cells != nil {
		cells = cells.crop(extent)
		extent = (&HeatMap{X: cells.X, Y: cells.Y}).extent()
	}
	f, err := newFrame(p.Title, p.Subtitle, extent, s, p.Look, format)
	if err != nil {
		return err
	}
	f.fill(f.area, s.colors.At(s.part(0)))
	if cells != nil {
		f.paint(cells.X, cells.Y, func(x, y reduction.Bins) []float64 {
			return reduce(cells.Values, len(cells.X)-1, x, y)
		}, unchanged)
	} else {
		for i := range p.Blocks {
			for _, r := range p.Blocks[i].Rects() {
				f.fill(f.box(r), s.colors.At(s.part(p.Density[i])))
			}
		}
	}
	for i := range p.Blocks {
		f.outline(p.Blocks[i].Rects(), 0, 0.7)
	}
	for i := range p.Regions {
		f.outline(p.Regions[i].Rects(), 5, 0.8)
	}
	for i := range p.Blocks {
		f.nameOutline(&p.Blocks[i], p.Cells == nil)
	}
	for i := range slices.Backward(p.Regions) {
		f.nameRegion(&p.Regions[i])
	}
	return f.write(w, format)
}
