package stackfile

import (
	"math"
	"strings"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/keys"
	"thermsim/stack/internal/tree"
)

// defaultCells is the number of cells along an axis that the file does not mention.
const defaultCells = 128

func (l *loader) decodeStack(root *tree.Node) {
	t, ok := l.openRoot(root)
	if !ok {
		return
	}
	l.define(t)
	s := l.stack
	t.into(s)
	l.materials = newMaterialTable(l.decoder, t)
	s.Boundary = l.boundaries(t)
	if t.has("package") {
		l.expandPackage(t)
	}
	s.Grid = l.grid(t)
	l.dies(t)
	for _, lt := range t.tables("layer") {
		if l.faults.Dropped > 0 { // faults of the others would not be reported
			break
		}
		s.Layers = append(s.Layers, l.layersOf(lt)...)
	}
	if l.templates != nil || l.ofBlock != nil {
		l.materials.inOrder(s.Layers)
	}
	l.gridOfChannels(t)
	l.heatSink(t)
	l.characterise()
	l.patches(t)
	s.Materials = l.materials.used
	if p := t.sub("package"); p != nil && !t.has("grid") && len(l.faults.Found) == 0 {
		l.defaultGrid(p.node.Pos)
	}
	l.checkColumns()
	l.powerGrid(t)
	for _, pt := range t.tables("probe") {
		s.Probes = append(s.Probes, l.probe(pt))
	}
	l.jedec(t)
	l.measured(t)
	s.Transient = l.transient(t)
	s.Solver = l.solver(t)
	if o := t.sub("output"); o != nil {
		s.Output.Maps = l.maps(o)
	}
	l.unusedOverrides()
}

// openRoot checks the version first, so that a file of another version is not reported as a list of unknown keys.
func (l *loader) openRoot(root *tree.Node) (*table, bool) {
	if !l.knownVersion(root) {
		return nil, false
	}
	return l.decoder.open(root, "stack")
}

func (l *loader) knownVersion(root *tree.Node) bool {
	e := root.Find("schema")
	if e == nil || e.Value.Kind != tree.Integer || e.Value.Text == "1" {
		return true
	}
	l.fail(e.Value.Pos, "this version reads schema = 1; a newer one may read this file",
		"schema %s is not supported", faults.Shorten(e.Value.Text))
	return false
}

func (l *loader) grid(t *table) stack.Grid {
	n, k := t.get("grid")
	switch {
	case n == nil:
		return stack.Grid{X: stack.Axis{Cells: defaultCells}, Y: stack.Axis{Cells: defaultCells}}
	case n.Kind == tree.String:
		if n.Text != k.Enum[0] {
			l.fail(n.Pos, `write "auto", or a table such as { nx = 256, ny = 256 }`, "grid cannot be %q",
				faults.Shorten(n.Text))
		}
		auto := stack.DefaultAutoGrid()
		auto.Pos = n.Pos
		return stack.Grid{Auto: auto}
	}
	g := t.sub("grid")
	if g == nil {
		return stack.Grid{}
	}
	if auto := l.autoGrid(g); auto != nil {
		return stack.Grid{Auto: auto}
	}
	grid := stack.Grid{X: l.axis(g, "nx", "x"), Y: l.axis(g, "ny", "y")}
	if grid.X.Cells*grid.Y.Cells > keys.MaxPlaneCells {
		l.fail(g.node.Pos, "ask for fewer", "%d x %d cells are more than %d in one plane", grid.X.Cells, grid.Y.Cells,
			keys.MaxPlaneCells)
	}
	return grid
}

// autoGrid reads the criteria of an automatic grid; nil if the table divides the axes.
func (l *loader) autoGrid(g *table) *stack.AutoGrid {
	if len(g.given("error", "relative_error", "max_cells")) == 0 {
		return nil
	}
	a := &stack.AutoGrid{Pos: g.node.Pos}
	g.into(a)
	if !g.has("error") && !g.has("relative_error") {
		a.Relative = stack.DefaultRelativeError
	}
	return a
}

// axis reads a number of equal cells or runs of graded ones.
func (l *loader) axis(g *table, count, runs string) stack.Axis {
	if !g.has(runs) {
		if !g.has(count) {
			return stack.Axis{Cells: defaultCells, Pos: g.node.Pos}
		}
		return stack.Axis{Cells: g.integer(count), Pos: g.pos(count)}
	}
	a := stack.Axis{Pos: g.pos(runs)}
	for _, st := range g.tables(runs) {
		var seg stack.Segment
		st.into(&seg)
		a.Cells += seg.Cells
		a.Segments = append(a.Segments, seg)
	}
	if most := keys.StackKey("grid", count).Max; a.Cells > most {
		l.fail(g.pos(runs), "ask for fewer", "%d cells along %s are more than %d", a.Cells, runs, most)
	}
	// The last run ends at the size to the bit, whatever the rounding of the two numbers.
	size := l.stack.Size[strings.Index("xy", runs)]
	if n := len(a.Segments); n > 0 && math.Abs(a.Segments[n-1].To-size) <= stack.Tolerance*size {
		a.Segments[n-1].To = size
	}
	return a
}

func (l *loader) probe(t *table) stack.Probe {
	p := stack.Probe{Pos: t.node.Pos}
	t.into(&p)
	if t.has("layer") == t.has("z") {
		l.fail(t.node.Pos, "", "probe %q needs either layer or z", faults.Shorten(p.Name))
		return p
	}
	if t.has("z") {
		return p
	}
	layer := t.text("layer")
	z, ok := l.middles()[layer]
	if p.Z = z; !ok {
		l.noName(t.pos("layer"), l.suggest(layer, l.layerNames), "layer", layer)
	}
	return p
}

// middles must be called after all layers are read.
func (l *loader) middles() map[string]float64 {
	if len(l.middle) == 0 {
		l.middle = middlesOf(l.stack)
	}
	return l.middle
}

// middlesOf are the heights of the middles of the layers above the bottom of the stack, by name; of several layers of
// one name that of the lowest.
func middlesOf(s *stack.Stack) map[string]float64 {
	middles := make(map[string]float64, len(s.Layers))
	z := 0.0
	for i := range s.Layers {
		y := &s.Layers[i]
		if _, twice := middles[y.Name]; !twice {
			middles[y.Name] = z + y.Thickness/2
		}
		z += y.Thickness
	}
	return middles
}

func (l *loader) layerNames() []string {
	return each(l.stack.Layers, func(y stack.Layer) string { return y.Name })
}

func (l *loader) transient(t *table) stack.Transient {
	tr := stack.Transient{Initial: l.stack.Ambient}
	if r := t.sub("transient"); r != nil {
		r.into(&tr)
		l.adaptive(r, &tr)
	}
	return tr
}

// adaptive checks the keys of adaptive time steps.
func (l *loader) adaptive(r *table, tr *stack.Transient) {
	for i, t := range tr.At {
		if !(t > 0) || math.IsInf(t, 0) || i > 0 && !(t > tr.At[i-1]) {
			l.fail(r.pos("at"), "give positive times in s, in ascending order", "the times in at do not ascend: "+
				"entry %d is %s", i+1, number(t))
			break
		}
	}
	switch {
	case tr.Dt > 0 && tr.Adaptive():
		l.fail(r.pos("dt"), "remove dt, or dt_tol, to_steady, every, at and periodic",
			"dt selects fixed time steps; dt_tol, to_steady, every, at and periodic require adaptive ones")
	case tr.Until > 0 && tr.Steps > 0 && (tr.Dt > 0 || tr.Adaptive()):
		l.fail(r.pos("steps"), "remove steps or until", "steps and until both define the end of the run")
	case tr.Periodic && (tr.Until > 0 || tr.ToSteady > 0):
		l.fail(r.pos("periodic"), "remove until and to_steady", "a periodic run covers exactly one period")
	}
}

func (l *loader) solver(t *table) stack.Solver {
	var s stack.Solver
	v := t.sub("solver")
	if v == nil {
		return s
	}
	v.into(&s)
	if !validDevice(s.Device) {
		l.fail(v.pos("device"), "write auto, cpu, gpu or gpu:0", "device cannot be %q", faults.Shorten(s.Device))
	}
	return s
}

func validDevice(d string) bool {
	if n, ok := strings.CutPrefix(d, "gpu:"); ok {
		return n != "" && len(n) < 4 && strings.Trim(n, "0123456789") == ""
	}
	return d == "" || d == "auto" || d == "cpu" || d == "gpu"
}

func (l *loader) maps(o *table) []string {
	words, nodes := o.texts("maps")
	for i, w := range words {
		if _, known := l.middles()[w]; !known && w != "all" {
			l.noName(nodes[i].Pos, l.suggest(w, func() []string {
				return append(l.layerNames(), "all")
			}), "layer", w)
		}
	}
	return words
}
