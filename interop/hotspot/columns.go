package hotspot

import (
	"slices"
	"strings"

	"thermsim/interop/importer"
)

// findColumns finds the column of every block with power. HotSpot takes columns layer by layer, in the order of the
// layers and in any order inside one; capitals do not count.
func (c *converter) findColumns() {
	if c.groupedColumns() {
		return
	}
	c.namedColumns()
	if c.Faults.Len() > 0 {
		return
	}
	// Every block has a column, though not where HotSpot looks for it.
	pos, file := c.trace.Pos[0], c.trace.File
	if c.Request.Compat {
		c.Faults.Add(pos, "sort the columns by layers, the one furthest from the sink first",
			"the columns of %s are not grouped by layer as HotSpot reads them: it would give blocks the powers of "+
				"others, or stop", file)
		return
	}
	c.Note(importer.Warning, pos, "the columns are not grouped by layer, as HotSpot reads them; here they count by "+
		"name, and of layers that share a name in turn")
}

// groupedColumns takes the columns as HotSpot does, where that leaves none over and no block without.
func (c *converter) groupedColumns() bool {
	c.columns = c.columns[:0]
	names := c.trace.Names
	for s := range c.slabs {
		sl := &c.slabs[s]
		if !sl.power {
			continue
		}
		if len(names) < len(sl.units) {
			return false
		}
		byName := map[string]int{}
		for u := range sl.units {
			byName[strings.ToLower(sl.units[u].name)] = u
		}
		for _, name := range names[:len(sl.units)] {
			key := strings.ToLower(name)
			u, known := byName[key]
			if !known {
				return false
			}
			delete(byName, key)
			c.columns = append(c.columns, OutputColumn{s, u, name})
		}
		names = names[len(sl.units):]
	}
	if len(names) > 0 {
		return false
	}
	for i, at := range c.columns {
		c.column[[2]int{at.Layer, at.Block}] = i
	}
	return true
}

// namedColumns finds columns by name: one that several layers have counts once for each, in turn.
func (c *converter) namedColumns() {
	c.columns = make([]OutputColumn, len(c.trace.Names))
	free := map[string][]int{}
	for i, name := range c.trace.Names {
		free[strings.ToLower(name)] = append(free[strings.ToLower(name)], i)
	}
	for s := range c.slabs {
		if !c.slabs[s].power {
			continue
		}
		for u := range c.slabs[s].units {
			f := &c.slabs[s].units[u]
			name := strings.ToLower(f.name)
			if len(free[name]) == 0 {
				c.Faults.Add(f.pos, "give it a column, or set its layer's power to N", "block %q of layer %s has no "+
					"column in %s", importer.Shorten(f.name), c.slabs[s].name, c.trace.File)
				continue
			}
			at := free[name][0]
			c.column[[2]int{s, u}], c.columns[at] = at, OutputColumn{s, u, c.trace.Names[at]}
			free[name] = free[name][1:]
		}
	}
	known := map[string]bool{}
	for _, at := range c.columns {
		known[strings.ToLower(at.Name)] = true
	}
	for i, name := range c.trace.Names {
		switch key := strings.ToLower(name); {
		case !slices.Contains(free[key], i):
		case known[key]:
			c.Faults.Add(c.trace.Pos[i], "give each block one column", "column %q is there more often than layers "+
				"with power have such a block", importer.Shorten(name))
		default:
			c.Faults.Add(c.trace.Pos[i], "take the column out, or set the power of its layer to Y",
				"no layer with power has a block %q", importer.Shorten(name))
		}
	}
}
