package stack

import "slices"

// fill reads the inclusions of a region; nil if it has none.
func (l *loader) fill(t *table, region Rect) *Fill {
	f := t.sub("fill")
	if f == nil {
		return nil
	}
	out := &Fill{NX: 1, NY: 1}
	if name := f.text("inclusion"); name != "" {
		out.Inclusion, _ = l.materials.use(name, f.pos("inclusion"))
	}
	if !f.has("map") {
		for _, name := range []string{"orientation", "scale"} {
			if f.has(name) {
				l.fail(f.pos(name), "remove it", "%s needs a map", name)
			}
		}
		var fraction float64
		out.Rule, fraction, _ = f.fraction(region)
		out.Values = []float64{fraction}
		return out
	}
	for _, name := range []string{"fraction", "diameter", "pitch", "count"} {
		if f.has(name) {
			l.fail(f.pos(name), "leave one of them out", "a fill takes map or %s, not both", name)
		}
	}
	out.Rule = Cylinders
	if f.has("rule") {
		out.Rule = Rule(f.text("rule"))
	}
	l.fillMap(f, out)
	return out
}

// fillMap reads the fractions of the tiles.
func (l *loader) fillMap(t *table, f *Fill) {
	grid, ok := l.densities(t)
	if !ok {
		return
	}
	scale := t.scalar("scale")
	northFirst := t.text("orientation") == "north-first"
	if !t.has("orientation") {
		if !grid.picture {
			l.fail(t.node.pos, `say which row comes first: orientation = "south-first" or "north-first"`,
				"a map of fractions needs orientation")
			return
		}
		northFirst = true
	}
	faults := 0
	for j, row := range grid.rows {
		for i, v := range row {
			if x := v * scale; !(x >= 0 && x <= f.Rule.Most()) {
				if faults++; faults <= maxOverlaps {
					l.fail(grid.pos(i, j), "", "a fraction must lie between 0 and %.4g, got %v", f.Rule.Most(), x)
				}
			}
		}
	}
	if northFirst {
		slices.Reverse(grid.rows)
	}
	f.NX, f.NY, f.File = len(grid.rows[0]), len(grid.rows), grid.file
	for _, row := range grid.rows {
		for _, v := range row {
			f.Values = append(f.Values, v*scale)
		}
	}
}
