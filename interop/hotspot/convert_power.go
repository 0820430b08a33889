package hotspot

import (
	"fmt"
	"path/filepath"

	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// readTrace reads the powers and finds the column of every block with power.
func (c *converter) readTrace() {
	k := c.config
	if k.path("p") == "" {
		c.Faults.Add(stack.Pos{File: k.file}, "give it with --ptrace", "the project has no power trace")
		return
	}
	path, data, ok := c.open(k.path("p"), k.pos("p"))
	if !ok {
		return
	}
	table, err := stackfile.ReadLayeredPTrace(path, []byte(printable(data)))
	if err != nil {
		c.Faults.AddError(err)
		return
	}
	c.trace = table
	c.findColumns()
}

// mean is the power of a block in a steady state: HotSpot takes the mean of all rows.
func (c *converter) mean(slab, unit int) float64 {
	column, ok := c.column[[2]int{slab, unit}]
	if !ok {
		return 0
	}
	sum := 0.0
	for _, row := range c.trace.Rows {
		sum += row[column]
	}
	return sum / float64(len(c.trace.Rows))
}

// power puts a slab's floorplan into a layer of the stack; the die's corner is at (x, y).
func (c *converter) power(layer, s int, x, y float64) {
	sl := &c.slabs[s]
	if !sl.power {
		return
	}
	p := stack.Power{Area: c.stack.Domain(), Pos: sl.units[0].pos}
	interval := c.config.number("sampling_intvl")
	if len(c.trace.Rows) > 1 {
		p.Trace = &stack.Trace{End: float64(len(c.trace.Rows)) * interval}
		for n := range c.trace.Rows {
			p.Trace.Times = append(p.Trace.Times, float64(n)*interval)
			p.Trace.Watts = append(p.Trace.Watts, nil)
		}
	}
	for u := range sl.units {
		f := &sl.units[u]
		p.Blocks = append(p.Blocks, stack.Block{
			Name: f.name,
			Rects: []stack.Rect{clip(stack.Rect{X: x + f.x, Y: y + f.y, Width: f.width, Height: f.height},
				c.stack.Size)}, Watts: c.mean(s, u), Pos: f.pos,
		})
		if p.Trace != nil {
			for n, row := range c.trace.Rows {
				p.Trace.Watts[n] = append(p.Trace.Watts[n], row[c.column[[2]int{s, u}]])
			}
		}
	}
	if a, b, found := importer.FirstOverlap(boxes(sl.units)); found {
		p.AllowOverlap = true
		c.Note(importer.Warning, sl.units[b].pos, "block %q overlaps block %q of line %d; their powers add there, "+
			"as in HotSpot", sl.units[b].name, sl.units[a].name, sl.units[a].pos.Line)
	}
	c.stack.Layers[layer].Powers = []stack.Power{p}
	c.comments.Powers[&c.stack.Layers[layer].Powers[0]] =
		[]string{fmt.Sprintf("floorplan %s, powers %s", filepath.Base(sl.units[0].pos.File),
			filepath.Base(c.trace.File))}
}

// clip takes off what rounding puts beyond the domain.
func clip(r stack.Rect, size [2]float64) stack.Rect {
	r.X, r.Y = max(0, r.X), max(0, r.Y)
	r.Width, r.Height = min(r.Width, size[0]-r.X), min(r.Height, size[1]-r.Y)
	return r
}

// times sets the steps of a transient: one for each row of the trace.
func (c *converter) times() {
	c.stack.Transient.Dt = c.config.number("sampling_intvl")
	c.stack.Transient.Steps = len(c.trace.Rows)
}
