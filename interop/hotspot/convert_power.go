package hotspot

import (
	"fmt"
	"path/filepath"

	"thermsim/internal/inputfile"
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
	path, data, ok := c.Open(k.path("p"), k.pos("p"))
	if !ok {
		return
	}
	if text, err := inputfile.Unpacked(data); err == nil { // otherwise ReadLayeredPTrace reports it
		data = toUTF8(text)
	}
	table, err := stackfile.ReadLayeredPTrace(path, data)
	if err != nil {
		c.Faults.AddError(err)
		return
	}
	c.trace = table
	c.findColumns()
}

// mean is the power of a block in a steady state: the mean of all rows, as in HotSpot.
func (c *converter) mean(u *unit) float64 {
	sum := 0.0
	for _, row := range c.trace.Rows {
		sum += row[u.column]
	}
	return sum / float64(len(c.trace.Rows))
}

// power adds the floorplan and the powers of a slab to its layer of the stack.
func (c *converter) power(s int) {
	sl := &c.slabs[s]
	if !sl.power {
		return
	}
	p := stack.Power{Area: c.Stack.Domain(), Pos: sl.units[0].pos}
	interval := c.config.number("sampling_intvl")
	if c.Transient {
		p.Trace = &stack.Trace{End: float64(len(c.trace.Rows)) * interval}
		for n := range c.trace.Rows {
			p.Trace.Times = append(p.Trace.Times, float64(n)*interval)
			p.Trace.Watts = append(p.Trace.Watts, nil)
		}
	}
	for u := range sl.units {
		f := &sl.units[u]
		p.Blocks = append(p.Blocks, stack.Block{Name: f.name, Rects: []stack.Rect{c.inStack(f)}, Watts: c.mean(f),
			Leakage: c.leakage(f), Pos: f.pos})
		if p.Trace != nil {
			for n, row := range c.trace.Rows {
				p.Trace.Watts[n] = append(p.Trace.Watts[n], row[f.column])
			}
		}
	}
	if a, b, found := importer.FirstOverlap(sl.units, (*unit).box); found {
		p.AllowOverlap = true
		c.Note(importer.Warning, b.pos, "block %q overlaps block %q of line %d; their powers add up there, as in %s",
			b.name, a.name, a.pos.Line, c.Format.Title)
	}
	c.Stack.Layers[s].Powers = []stack.Power{p}
	c.Comments.Powers[&c.Stack.Layers[s].Powers[0]] =
		[]string{fmt.Sprintf("floorplan %s, powers %s", filepath.Base(sl.units[0].pos.File),
			filepath.Base(c.trace.File))}
}

// inStack is the area of a block in the stack, without what rounding puts beyond the domain.
func (c *converter) inStack(u *unit) stack.Rect {
	r := stack.Rect{X: max(0, c.x+u.x), Y: max(0, c.y+u.y)}
	r.Width, r.Height = min(u.width, c.Stack.Size[0]-r.X), min(u.height, c.Stack.Size[1]-r.Y)
	return r
}
