package hotspot

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"thermsim/importer"
	"thermsim/stack"
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
	table, err := stack.ReadPTrace(path, []byte(printable(data)))
	if err != nil {
		c.Faults.AddError(err)
		return
	}
	c.trace = table
	// Columns are grouped by layer, in any order inside a layer: a name that several layers have counts once for each, in turn.
	free := map[string][]int{}
	for i, name := range table.Names {
		free[name] = append(free[name], i)
	}
	for s := range c.slabs {
		if !c.slabs[s].power {
			continue
		}
		for u := range c.slabs[s].units {
			name := c.slabs[s].units[u].name
			if len(free[name]) == 0 {
				c.Faults.Add(c.slabs[s].units[u].pos, "give it a column, or set its layer's power to N", "block %q of layer %s has no column in %s", importer.Shorten(name), c.slabs[s].name, path)
				continue
			}
			c.column[[2]int{s, u}] = free[name][0]
			free[name] = free[name][1:]
		}
	}
	for i, name := range table.Names {
		if slices.Contains(free[name], i) {
			c.Faults.Add(table.Pos[i], "take the column out, or set the power of its layer to Y", "no layer with power has a block %q", importer.Shorten(name))
		}
	}
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
			Name: f.name, Rects: []stack.Rect{clip(stack.Rect{X: x + f.x, Y: y + f.y, Width: f.width, Height: f.height}, c.stack.Size)}, Watts: c.mean(s, u), Pos: f.pos,
		})
		if p.Trace != nil {
			for n, row := range c.trace.Rows {
				p.Trace.Watts[n] = append(p.Trace.Watts[n], row[c.column[[2]int{s, u}]])
			}
		}
	}
	if a, b, found := importer.FirstOverlap(boxes(sl.units)); found {
		p.AllowOverlap = true
		c.Note(importer.Warning, sl.units[b].pos, "block %q overlaps block %q of line %d; their powers add there, as in HotSpot", sl.units[b].name, sl.units[a].name, sl.units[a].pos.Line)
	}
	c.stack.Layers[layer].Powers = []stack.Power{p}
	c.comments.Powers[&c.stack.Layers[layer].Powers[0]] = []string{fmt.Sprintf("floorplan %s, powers %s", filepath.Base(sl.units[0].pos.File), filepath.Base(c.trace.File))}
}

// clip takes off what rounding puts beyond the domain.
func clip(r stack.Rect, size [2]float64) stack.Rect {
	r.X, r.Y = max(0, r.X), max(0, r.Y)
	r.Width, r.Height = min(r.Width, size[0]-r.X), min(r.Height, size[1]-r.Y)
	return r
}

// checkFloorplan warns of gaps, and of figures that do not count. In detailed mode HotSpot crashes on a cell without a block.
func (c *converter) checkFloorplan(s *slab) {
	for _, u := range s.units {
		if u.resistivity > 0 && !c.detailed {
			c.Note(importer.NotCarried, u.pos, "heat capacity and resistivity of block %q: HotSpot heeds them with detailed_3D only", u.name)
		}
	}
	area := 0.0
	for _, u := range s.units {
		area += u.width * u.height
	}
	_, _, overlap := importer.FirstOverlap(boxes(s.units))
	if gap := 1 - area/(c.width*c.height); gap > 1e-6 && !overlap {
		if c.detailed {
			c.Faults.Add(s.units[0].pos, "fill the gaps with blocks without power", "%.3g %% of the floorplan has no block; HotSpot crashes on it with detailed_3D", 100*gap)
			return
		}
		c.Note(importer.Warning, s.units[0].pos, "%.3g %% of the floorplan has no block; it is taken for layer without power, as in HotSpot", 100*gap)
	}
}

func boxes(units []unit) []stack.Rect {
	var all []stack.Rect
	for _, u := range units {
		all = append(all, stack.Rect{X: u.x, Y: u.y, Width: u.width, Height: u.height})
	}
	return all
}

// readInitial reads the temperatures that a transient begins with.
func (c *converter) readInitial() {
	k := c.config
	c.stack.Transient.Initial = k.number("init_temp")
	name := k.path("init_file")
	if name == "" {
		return
	}
	path, data, ok := c.open(name, k.pos("init_file"))
	if !ok {
		return
	}
	c.initial = parseInitial(path, data, &c.Faults)
	lo, hi, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
	for _, s := range c.slabs {
		for _, u := range s.units {
			v, have := c.initial[s.prefix+u.name]
			if !have {
				c.Faults.Add(stack.Pos{File: path}, "HotSpot's .steady files have every block of every layer", "the initial temperature of %s%s is missing", s.prefix, u.name)
				return
			}
			lo, hi, sum, n = min(lo, v), max(hi, v), sum+v, n+1
		}
	}
	if n == 0 {
		return
	}
	c.stack.Transient.Initial = sum / float64(n)
	if hi-lo > 1e-9 {
		c.Note(importer.Adapted, k.pos("init_file"), "initial temperatures from %.2f to %.2f K: with --compat every block begins with its own; thermsim's own way begins with their mean, %.2f K", lo, hi, c.stack.Transient.Initial)
	}
}

// times sets the steps of a transient: one for each row of the trace.
func (c *converter) times() {
	c.stack.Transient.Dt = c.config.number("sampling_intvl")
	c.stack.Transient.Steps = len(c.trace.Rows)
}
