package hotspot

import (
	"slices"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// findColumns finds the column of every block with power. HotSpot expects columns layer by layer, in the order of the
// layers and in any order inside one; the case of letters does not matter.
func (c *converter) findColumns() {
	if c.groupedColumns() {
		return
	}
	c.namedColumns()
	if c.Faults.Len() > 0 {
		return
	}
	// Every block has a column, but not where HotSpot expects it.
	pos, file := c.trace.Pos[0], c.trace.File
	if c.Compat {
		c.Faults.Add(pos, "sort the columns by layers, the one furthest from the sink first",
			"the columns of %s are not grouped by layer as HotSpot reads them: it gives blocks the powers of "+
				"others, or stops", file)
		return
	}
	c.Note(importer.Warning, pos, "the columns are not grouped by layer as HotSpot reads them; thermsim assigns "+
		"them by name, and equal names to the layers in turn")
}

// groupedColumns assigns the columns as HotSpot does. It reports whether every column has a block and every block a
// column.
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
		c.slabs[at.Layer].units[at.Block].column = i
	}
	return true
}

// namedColumns finds columns by name: equal names are assigned to the layers in turn.
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
					"column in %s", stack.Shorten(f.name), c.slabs[s].name, c.trace.File)
				continue
			}
			at := free[name][0]
			f.column, c.columns[at] = at, OutputColumn{s, u, c.trace.Names[at]}
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
			c.Faults.Add(c.trace.Pos[i], "give each block one column", "column %q is given more often than layers "+
				"with power have such a block", stack.Shorten(name))
		default:
			c.Faults.Add(c.trace.Pos[i], "remove the column, or set the power of its layer to Y",
				"no layer with power has a block %q", stack.Shorten(name))
		}
	}
}
