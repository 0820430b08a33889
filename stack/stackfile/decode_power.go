package stackfile

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/tree"
	"thermsim/stack/internal/units"
)

// power reads one power table.
func (l *loader) power(t *table, o owner) (stack.Power, bool) {
	before := len(l.faults.Found)
	p := stack.Power{Area: o.area, Shape: o.shape, Pos: t.node.Pos, AllowOverlap: t.boolean("allow_overlap"),
		Schedule: l.schedule(t)}
	t.into(&p)
	l.powerShape(t, &p, o)
	if n, k := t.get("area"); n != nil {
		if r, ok := t.rect(n, k); ok {
			r.X += o.area.X
			r.Y += o.area.Y
			// Clamping to the domain too makes the area read back the same when it is printed outside its region.
			p.Area = clamp(clamp(r, o.area, l.slack()), l.stack.Domain(), l.slack())
			l.checkArea(n.Pos, p.Area, o)
		}
	}
	kinds := t.given("floorplan", "block", "uniform", "density", "map")
	if len(kinds) != 1 {
		l.fail(t.node.Pos, "use an array of tables for several sources", "power of %s needs exactly one of "+
			"floorplan, block, uniform, density and map, got %s", o.what, cmp.Or(faults.JoinWords(kinds), "none"))
		return p, false
	}
	kind := kinds[0]
	if kind != "uniform" && kind != "density" {
		l.plainOwner(t.pos(kind), kind, o)
	}
	t.onlyWith(kind, "a power with "+kind)
	switch kind {
	case "floorplan", "block":
		l.blockPower(t, &p, o)
	case "uniform":
		p.Uniform = t.scalar("uniform")
		l.areaLeakage(t, &p)
	case "density":
		p.Uniform = t.scalar("density") * p.ActsOn()
		l.areaLeakage(t, &p)
	case "map":
		l.mapPower(t, &p)
	}
	return p, len(l.faults.Found) == before
}

// powerShape reads the circle or polygon of a uniform power. Its coordinates count from the corner of the owner, as
// those of area.
func (l *loader) powerShape(t *table, p *stack.Power, o owner) {
	given := t.given("area", "circle", "polygon")
	if len(given) == 0 {
		return
	}
	what := "power of " + o.what
	l.plainOwner(t.pos(given[0]), given[0], o)
	if s := t.shape(what); s != nil {
		p.Shape = s.Moved(o.area.X, o.area.Y)
		p.Area = stack.Around(p.Shape)
		l.checkArea(t.pos(given[0]), p.Area, o)
	}
}

func (l *loader) checkArea(pos stack.Pos, r stack.Rect, o owner) {
	if out := stack.Protrusion(r, o.area, l.slack()); out != "" {
		l.fail(pos, "", "area of a power of %s extends beyond it %s", o.what, out)
	}
}

func (l *loader) schedule(t *table) []stack.ScalePoint {
	var points []stack.ScalePoint
	for i, pt := range t.tables("schedule") {
		var p stack.ScalePoint
		pt.into(&p)
		switch {
		case i == 0 && p.Time != 0:
			l.fail(pt.pos("t"), `start with { t = "0 s", factor = 1 }`, "a schedule must start at 0 s")
		case i > 0 && p.Time <= points[i-1].Time:
			l.fail(pt.pos("t"), "", "times of a schedule must ascend")
		}
		points = append(points, p)
	}
	return points
}

// blockPower reads a floorplan, or blocks written in the table, and their watts.
func (l *loader) blockPower(t *table, p *stack.Power, o owner) {
	var given []bool
	ok := true
	if t.has("floorplan") {
		p.Blocks, ok = l.floorplan(t)
		given = make([]bool, len(p.Blocks))
	} else {
		p.Blocks, given, ok = l.inlineBlocks(t, !t.has("watts") && !t.has("trace"))
	}
	if !ok {
		return
	}
	origin, _ := t.pair("origin")
	l.moveBlocks(p, o.area.X+origin[0], o.area.Y+origin[1])
	if t.has("floorplan") && !t.has("watts") && !t.has("trace") {
		l.fail(t.node.Pos, `add watts = "file.ptrace" or watts = { block = "5 W" }`, "floorplan without watts")
		return
	}
	l.watts(t, p, given)
	l.blockLeakage(t, p)
}

func (l *loader) floorplan(t *table) ([]stack.Block, bool) {
	n, _ := t.get("floorplan")
	if t.text("floorplan") == "" {
		return nil, false
	}
	path, data, ok := l.input(n, "floorplan")
	if !ok {
		return nil, false
	}
	blocks, err := ReadFLP(path, data)
	if err != nil {
		l.addAll(err)
		return nil, false
	}
	return blocks, true
}

// mapPower reads a power map from files or from rows in the table.
func (l *loader) mapPower(t *table, p *stack.Power) {
	if !l.mapMeaning(t, "a power map", `add unit = "W" (per tile) or unit = "W/m^2" (per area)`,
		`for example scale = 100 with unit = "W/cm^2"`) {
		return
	}
	g, ok := l.powerMap(t, p)
	if !ok {
		return
	}
	planes := max(1, len(g.temperatures))
	unit := cmp.Or(t.text("unit"), "W")
	m := &stack.PowerMap{NX: len(g.rows[0]), NY: len(g.rows) / planes, Temperatures: g.temperatures}
	scale, err := units.Power.Scale(unit)
	if err != nil {
		density, fluxErr := units.Flux.Scale(unit)
		if fluxErr != nil {
			l.fail(t.pos("unit"), "", "unit of a map must be a power (\"W\", per tile) or a power per area "+
				"(\"W/m^2\"), got %q", faults.Shorten(unit))
			return
		}
		scale = density * (p.Area.Width / float64(m.NX)) * (p.Area.Height / float64(m.NY))
	}
	scale *= t.scalar("scale")
	for rows := range slices.Chunk(g.rows, m.NY) {
		plane := densityGrid{rows: rows}
		m.Hotter = append(m.Hotter, plane.tiles(t, func(v float64) float64 { return v * scale }))
	}
	m.Values, m.Hotter = m.Hotter[0], m.Hotter[1:]
	p.Map = m
}

// mapMeaning reports maps without unit or orientation. unit and scale are the remedies if those are missing.
func (l *loader) mapMeaning(t *table, what, unit, scale string) bool {
	before := len(l.faults.Found)
	n, _ := t.get("map")
	if listed(n) {
		n = n.Items[0]
	}
	picture := n.Kind == tree.String && strings.EqualFold(filepath.Ext(n.Text), ".png")
	if n.Kind == tree.String && isChipThermalModel(n.Text) {
		for _, name := range t.given("unit", "orientation") {
			l.fail(t.pos(name), "remove it", "%s is fixed in a chip thermal model", name)
		}
		return len(l.faults.Found) == before
	}
	if !t.has("unit") {
		l.fail(t.node.Pos, unit, "%s needs unit", what)
	}
	if !t.has("orientation") && !picture {
		l.fail(t.node.Pos, `add orientation = "south-first" or "north-first", by which row comes first`,
			"%s needs orientation", what)
	}
	if !t.has("scale") && picture {
		l.fail(t.node.Pos, scale, "an image as %s needs scale, the value of white", what)
	}
	t.text("unit")
	t.text("orientation")
	t.scalar("scale")
	return len(l.faults.Found) == before
}

// powerMap returns the numbers of a map in the order of the files, with one plane after the other of a power that
// depends on temperature.
func (l *loader) powerMap(t *table, p *stack.Power) (g densityGrid, ok bool) {
	n, _ := t.get("map")
	nodes := []*tree.Node{n}
	if listed(n) {
		nodes = n.Items
	}
	for i, node := range nodes {
		part, ok := l.densities(node, true)
		if !ok {
			return g, false
		}
		for j, row := range part.rows {
			for i, v := range row {
				if !(v >= 0) || math.IsInf(v, 0) {
					l.fail(part.pos(i, j), "", "a value of a power map must be finite and not negative, got %v", v)
					return g, false
				}
			}
		}
		if i == 0 {
			g = part
			continue
		}
		if rows := len(g.rows) / i; len(part.rows) != rows || len(part.rows[0]) != len(g.rows[0]) {
			l.fail(node.Pos, "", "%d by %d tiles, the first file has %d by %d", len(part.rows[0]), len(part.rows),
				len(g.rows[0]), rows)
			return g, false
		}
		g.rows, g.planes = append(g.rows, part.rows...), len(nodes)
	}
	return g, l.temperatures(t, p, &g)
}

// listed says that a map is in several files.
func listed(n *tree.Node) bool {
	return n.Kind == tree.Array && len(n.Items) > 0 && n.Items[0].Kind == tree.String
}

// temperatures reads those of the planes of a map.
func (l *loader) temperatures(t *table, p *stack.Power, g *densityGrid) bool {
	before := len(l.faults.Found)
	n, k := t.get("temperatures")
	switch {
	case n != nil && len(g.temperatures) > 0:
		l.fail(n.Pos, "remove it", "temperatures are in addition to those in %s", g.file)
	case n != nil && t.list(n, k, `["25 degC", "85 degC"]`):
		g.temperatures, _ = t.vector(n, k, len(n.Items), "")
	}
	planes := max(1, len(g.temperatures))
	if planes > k.Max {
		l.fail(t.pos("map"), "", "a power map has %d temperatures at most, this one %d", k.Max, planes)
	}
	if ratio := p.Area.Width / p.Area.Height; g.aspect > 0 && !(math.Abs(ratio/g.aspect-1) <= 0.01) {
		l.fail(t.pos("map"), "give the area of the die",
			"the tiles of %s are %.4g times as wide as high together, the area is %.4g times", g.file, g.aspect, ratio)
	}
	if len(l.faults.Found) == before && (len(g.rows)%planes != 0 || g.planes > 1 && g.planes != planes) {
		l.fail(t.pos("map"), `add temperatures = ["25 degC", "85 degC"], one for each plane`,
			"the map has %d rows in %d planes for %d temperatures", len(g.rows), max(1, g.planes),
			len(g.temperatures))
	}
	return len(l.faults.Found) == before
}

// numberRows reads an array of equally long rows of numbers that are not negative.
func (d *decoder) numberRows(n *tree.Node, name string) ([][]float64, bool) {
	if !d.array(n, name, -1, "[[0.1, 0.2], [0.3, 0.4]]") {
		return nil, false
	}
	var rows [][]float64
	for _, item := range n.Items {
		row, ok := d.numbers(item, name)
		if !ok {
			return nil, false
		}
		for i, x := range row {
			if x < 0 {
				d.fail(item.Items[i].Pos, "", "%s must not hold negative numbers, got %v", name, x)
				return nil, false
			}
		}
		if len(rows) > 0 && len(row) != len(rows[0]) {
			d.fail(item.Pos, "", "%s: row %d has %d numbers, the first has %d", name, len(rows)+1, len(row),
				len(rows[0]))
			return nil, false
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 || len(rows[0]) == 0 {
		d.fail(n.Pos, "", "%s is empty", name)
		return nil, false
	}
	return rows, true
}

// addAll adds the faults of a reader.
func (l *loader) addAll(err error) {
	if list, ok := err.(stack.ErrorList); ok {
		for _, e := range list {
			l.faults.Add(e)
		}
		return
	}
	l.faults.Add(&stack.Error{Msg: err.Error(), Err: err})
}
