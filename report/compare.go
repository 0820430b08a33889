package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/field"
	"thermsim/report/jsonfile"
	"thermsim/report/picture"
	"thermsim/report/printout"
	"thermsim/report/quantity"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/report/tables"
	"thermsim/report/webpage"
)

// Comparison holds the differences of two fields: first minus second, on the grid of the first. Differences are in K.
type Comparison struct {
	First    string       `json:"first"`
	Second   string       `json:"second"`
	SameGrid bool         `json:"same_grid"` // otherwise the second field is interpolated
	PeakK    [2]float64   `json:"peak_K"`
	Runs     [2]Judgement `json:"runs"`
	// why the differences are unreliable; empty if they are reliable
	Doubts  []string          `json:"doubts"`
	Layers  []LayerDifference `json:"layers"` // layers with the same name in both, bottom to top
	Missing []string          `json:"missing"`
	Blocks  []BlockDifference `json:"blocks"`
	All     Difference        `json:"all"`
}

// Difference summarizes the differences of a set of cells.
type Difference struct {
	MaxK  float64       `json:"max_K"`
	MinK  float64       `json:"min_K"`
	MeanK float64       `json:"mean_K"` // by volume
	RMSK  float64       `json:"rms_K"`  // by volume
	At    summary.Place `json:"at"`     // location of the largest absolute difference
	// Skipped counts cells where one of the fields has no finite temperature; the values above exclude them.
	Skipped int `json:"cells_not_compared"`
}

// Most is the largest absolute difference in K.
func (d *Difference) Most() float64 { return max(-d.MinK, d.MaxK) }

// differences gathers a Difference.
type differences struct {
	Difference
	largest, sum, square, volume float64
	cells                        int
}

// LayerDifference is the difference of one layer.
type LayerDifference struct {
	Name string `json:"name"`
	Difference
}

// BlockDifference compares the maximum and the mean of a block.
type BlockDifference struct {
	Layer string  `json:"layer"`
	Name  string  `json:"name"`
	MaxK  float64 `json:"max_K"`
	AvgK  float64 `json:"mean_K"`
}

// Compare computes the differences between the fields of two runs plane by plane. The stacks must have the same size in
// x and y. Layers are matched by name, and planes by their relative height in the layer.
func Compare(ctx context.Context, a, b *Run, names [2]string) (*Comparison, error) {
	on, err := newOverlay(a, b)
	if err != nil {
		return nil, err
	}
	var sums [2]*summary.Summary
	for n, r := range []*Run{a, b} {
		if sums[n], err = Summarise(r); err != nil {
			return nil, err
		}
	}
	c := &Comparison{First: names[0], Second: names[1], SameGrid: on.same,
		PeakK: [2]float64{sums[0].Temperature.MaxK, sums[1].Temperature.MaxK}, Missing: on.missing}
	all := newDifferences()
	m := a.Mesh
	first, second := make([]float64, m.NX()*m.NY()), make([]float64, m.NX()*m.NY())
	for l := range m.Stack.Layers {
		if !on.has(l) {
			continue
		}
		d := newDifferences()
		for k := m.LayerPlanes[l][0]; k < m.LayerPlanes[l][1]; k++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := a.Solution.Field.Plane(k, first); err != nil {
				return nil, err
			}
			if err := on.Plane(k, second); err != nil {
				return nil, err
			}
			d.plane(m, k, first, second)
		}
		all.merge(&d)
		c.Layers = append(c.Layers, LayerDifference{m.Stack.Layers[l].Name, d.result()})
	}
	c.All = all.result()
	c.judge([2]*Run{a, b}, sums, all.cells)
	c.Blocks = blockDifferences(sums[0].Blocks, sums[1].Blocks)
	return c, nil
}

// blockDifferences compares blocks with the same name in the same layer. A layer has each name once.
func blockDifferences(first, second []summary.Block) []BlockDifference {
	type place struct{ layer, name string }
	theirs := make(map[place]*summary.Block, len(second))
	for i := range second {
		theirs[place{second[i].Layer, second[i].Name}] = &second[i]
	}
	var all []BlockDifference
	for _, x := range first {
		if y := theirs[place{x.Layer, x.Name}]; y != nil {
			all = append(all, BlockDifference{x.Layer, x.Name, x.MaxK - y.MaxK, x.AvgK - y.AvgK})
		}
	}
	return all
}

func newDifferences() differences {
	return differences{Difference: Difference{MaxK: math.Inf(-1), MinK: math.Inf(1)}, largest: -1}
}

func (d *differences) plane(m *mesh.Mesh, k int, first, second []float64) {
	nx := m.NX()
	dz, best := m.DZ(k), -1
	for j := range m.NY() {
		for i := range nx {
			v := first[j*nx+i] - second[j*nx+i]
			d.cells++
			if !quantity.Finite(v) {
				d.Skipped++
				continue
			}
			volume := m.DX(i) * m.DY(j) * dz
			d.sum += v * volume
			d.square += v * v * volume
			d.volume += volume
			d.MaxK, d.MinK = max(d.MaxK, v), min(d.MinK, v)
			if math.Abs(v) > d.largest {
				d.largest, best = math.Abs(v), j*nx+i
			}
		}
	}
	if best >= 0 {
		d.At = statistics.PlaceOf(m, best%nx, best/nx, k)
	}
}

func (d *differences) merge(o *differences) {
	d.sum += o.sum
	d.square += o.square
	d.volume += o.volume
	d.cells += o.cells
	d.Skipped += o.Skipped
	d.MaxK, d.MinK = max(d.MaxK, o.MaxK), min(d.MinK, o.MinK)
	if o.largest > d.largest {
		d.largest, d.At = o.largest, o.At
	}
}

// result is NaN if no cell has a difference.
func (d *differences) result() Difference {
	r := d.Difference
	r.MeanK, r.RMSK = d.sum/d.volume, math.Sqrt(d.square/d.volume)
	if d.volume == 0 {
		r.MaxK, r.MinK = math.NaN(), math.NaN()
	}
	return r
}

// Judgement describes how reliable the field of a compared run is.
type Judgement struct {
	Converged      bool   `json:"converged"`
	Reason         string `json:"reason"`
	NonFiniteCells int    `json:"non_finite_cells"`
	caveat         string
}

// judge lists the reasons for which the runs and their differences are unreliable. cells is the number of all cells.
func (c *Comparison) judge(runs [2]*Run, sums [2]*summary.Summary, cells int) {
	c.Doubts = []string{}
	for n, s := range sums {
		c.Runs[n] = Judgement{s.Solver.Converged, s.Solver.Reason, s.Temperature.NonFiniteCells, s.Caveat()}
		name := [2]string{c.First, c.Second}[n]
		how, why := strings.ToLower(s.Caveat()), s.Doubt()
		switch e, limit := &s.Energy, solution.ImbalanceLimit(runs[n].Mesh, runs[n].Solution); {
		case s.Solver.Reason == solution.ReasonImbalance || why == "" && !(e.ImbalanceRel <= limit):
			c.Runs[n].caveat = "NOT CONVERGED"
			c.Doubts = append(c.Doubts,
				fmt.Sprintf("%s: the energy balance is off by %.2g of the heat flow, above the limit of %.2g", name,
					e.ImbalanceRel, limit))
		case why == how && why != "":
			c.Doubts = append(c.Doubts, fmt.Sprintf("%s was %s", name, how))
		case why != "":
			c.Doubts = append(c.Doubts, fmt.Sprintf("%s: %s (%s)", name, how, why))
		}
	}
	if n := c.All.Skipped; n > 0 {
		c.Doubts = append(c.Doubts,
			fmt.Sprintf("%d of %d cells are not compared: one of the fields has no finite temperature there", n, cells))
	}
}

// Caveat is the most important reason for which the differences are unreliable, in capitals; empty if they are
// reliable. A run that did not converge outranks an interrupted one.
func (c *Comparison) Caveat() string {
	worst := ""
	for _, r := range c.Runs {
		if worst == "" || worst == "INTERRUPTED" && r.caveat != "" {
			worst = r.caveat
		}
	}
	if worst == "" && c.All.Skipped > 0 {
		return "INCOMPLETE COMPARISON"
	}
	return worst
}

// WriteText writes the tables for a terminal.
func (c *Comparison) WriteText(w io.Writer, st printout.Style) error {
	p := printout.NewPage(w, st, c.All.Most())
	p.Line("%s", p.Paint(printout.Bold, fmt.Sprintf("%s minus %s", c.First, c.Second)))
	for _, doubt := range c.Doubts {
		p.Line("  %s %s", p.Paint(printout.Red, c.Caveat()+":"), doubt)
	}
	p.Line("  peak %s and %s degC: %s K apart", p.Deg.Celsius(c.PeakK[0]), p.Deg.Celsius(c.PeakK[1]),
		p.Deg.Kelvin(c.PeakK[0]-c.PeakK[1]))
	if math.IsNaN(c.All.MaxK) {
		p.Line("  no cell can be compared")
		return p.Flush()
	}
	p.Line("  differences from %s to %s K, mean %s, rms %s\n  largest in %s at x %s, y %s mm", p.Deg.Kelvin(c.All.MinK),
		p.Deg.Kelvin(c.All.MaxK),
		p.Deg.Kelvin(c.All.MeanK), p.Deg.Kelvin(c.All.RMSK), printout.PlaceText(c.All.At, 30),
		quantity.Millimetres(c.All.At.XM),
		quantity.Millimetres(c.All.At.YM))
	if !c.SameGrid {
		p.Line("  the grids differ: the second field was interpolated to the first grid")
	}
	if len(c.Missing) > 0 {
		p.Line("  in one stack only, not compared: %s", strings.Join(c.Missing, ", "))
	}
	for _, t := range c.tables(true) {
		p.Table(t)
	}
	return p.Flush()
}

// tables lists the layers from top to bottom, and the blocks, optionally sorted by their difference.
func (c *Comparison) tables(sorted bool) []*tables.Table {
	l, b := slices.Clone(c.Layers), slices.Clone(c.Blocks)
	slices.Reverse(l)
	if sorted {
		slices.SortStableFunc(b, func(x, y BlockDifference) int {
			return cmp.Compare(math.Abs(y.MaxK), math.Abs(x.MaxK))
		})
	}
	layers := &tables.Table{ID: "layers-table", Title: "Layers", Count: len(l), Short: true,
		Note: "top to bottom; x, y: location of the largest difference",
		Cut:  "the %d that differ most; +%d more in diff.json",
		Shown: func(most int) []int {
			rows := make([]int, len(l))
			for n := range rows {
				rows[n] = n
			}
			if len(l) > most {
				slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(l[j].Most(), l[i].Most()) })
			}
			return rows[:min(most, len(l))]
		},
		PageNote: "Differences in K, top to bottom. Click a row to show its largest difference on the map.",
		Columns: []tables.Column{
			{Text: "layer", Page: "layer", Words: func(n int) string { return l[n].Name },
				At: func(n int) *summary.Place { return &l[n].At }},
			{Text: "max K", Page: "max", Unit: tables.Kelvin, Value: func(n int) float64 { return l[n].MaxK }},
			{Text: "min", Page: "min", Unit: tables.Kelvin, Value: func(n int) float64 { return l[n].MinK }},
			{Text: "mean", Page: "mean", Unit: tables.Kelvin, Value: func(n int) float64 { return l[n].MeanK }},
			{Text: "rms", Page: "rms", Unit: tables.Kelvin, Value: func(n int) float64 { return l[n].RMSK }},
			{Text: "x mm", Unit: tables.Millimetres, Value: func(n int) float64 { return l[n].At.XM }},
			{Text: "y mm", Unit: tables.Millimetres, Value: func(n int) float64 { return l[n].At.YM }},
			{Text: "block", Words: func(n int) string { return quantity.Dash(l[n].At.Block) }},
		}}
	blocks := &tables.Table{ID: "blocks", Title: "Blocks", Count: len(b),
		Note: "largest difference first", PageNote: "Differences in K.",
		Cut: "the %d that differ most; +%d more in diff.json",
		Columns: []tables.Column{
			{Text: "block", Page: "block", Words: func(n int) string { return b[n].Name }},
			{Text: "layer", Page: "layer", Words: func(n int) string { return b[n].Layer }},
			{Text: "of maxima K", Page: "of maxima", Unit: tables.Kelvin,
				Value: func(n int) float64 { return b[n].MaxK }},
			{Text: "of means K", Page: "of means", Unit: tables.Kelvin,
				Value: func(n int) float64 { return b[n].AvgK }},
		}}
	return []*tables.Table{layers, blocks}
}

// ComparisonOptions say what is drawn of a comparison.
type ComparisonOptions struct {
	Maps  []string     // layers to draw in addition to those with power
	Style PictureStyle // of which the formats matter
	Page  PageBudget
}

// Write stages diff.json, diff.html, and diff_<layer>.png for those layers with power and layers in o.Maps that both
// stacks have. All pictures share one color range.
func (c *Comparison) Write(ctx context.Context, st *staging.Transaction, a, b *Run, o ComparisonOptions) error {
	on, err := newOverlay(a, b)
	if err != nil {
		return err
	}
	layers, err := mappedLayers(a.Mesh, o.Maps)
	if err != nil {
		return err
	}
	names := fileNames(a.Mesh.Stack)
	for _, l := range layers {
		if !on.has(l) || len(o.Style.formats()) == 0 {
			continue
		}
		h, err := differencePicture(c, a, on, l)
		if err != nil {
			return err
		}
		if err := writePicture(ctx, st, o.Style.files("diff_"+names[l], h.Write)); err != nil {
			return err
		}
	}
	doc, err := comparisonDocument(c, a, on, o.Page)
	if err != nil {
		return err
	}
	if err := st.Write(ctx, "diff.html", func(w io.Writer) error { return webpage.Write(w, doc) }); err != nil {
		return err
	}
	return st.Write(ctx, "diff.json", func(w io.Writer) error { return jsonfile.Write(w, *c) })
}

// differencePicture shows the largest difference over the planes of a layer in every column.
func differencePicture(c *Comparison, a *Run, on *overlay, l int) (*picture.HeatMap, error) {
	m := a.Mesh
	cells := m.NX() * m.NY()
	most, first, second := make([]float64, cells), make([]float64, cells), make([]float64, cells)
	for k := m.LayerPlanes[l][0]; k < m.LayerPlanes[l][1]; k++ {
		if err := a.Solution.Field.Plane(k, first); err != nil {
			return nil, err
		}
		if err := on.Plane(k, second); err != nil {
			return nil, err
		}
		for n := range most {
			if d := first[n] - second[n]; k == m.LayerPlanes[l][0] || math.IsNaN(d) || math.Abs(d) > math.Abs(most[n]) {
				most[n] = d
			}
		}
	}
	return &picture.HeatMap{
		Title: summary.Marked(c.Caveat(), fmt.Sprintf("%s minus %s", c.First, c.Second)), Subtitle: "layer " +
			m.Stack.Layers[l].Name + ", difference in K", X: m.X, Y: m.Y, Kelvin: most,
		Lo: c.All.MinK, Hi: c.All.MaxK, Blocks: blockOutlines(m.Stack, l), Regions: regionOutlines(m.Stack, l),
		Flow: flowOf(m, l), Difference: true,
	}, nil
}

// comparisonDocument is a page with both runs on the grid of the first. It opens on the difference.
func comparisonDocument(c *Comparison, a *Run, on *overlay, budget webpage.Budget) (*webpage.Document, error) {
	grid := field.GridOf(a.Mesh)
	if budget.Bytes <= 0 {
		budget.Bytes = webpage.DefaultBytes
	}
	budget.Bytes /= 2
	if most := c.All.Most(); !(budget.ErrorK > 0) && most > 0 {
		budget.ErrorK = min(webpage.DefaultErrorK, max(most/500, 1e-5)) // small differences need finer steps
	}
	var fields [2]*webpage.Fields
	for n, source := range []field.Source{a.Solution.Field, on} {
		fields[n] = webpage.NewFields(grid, a.Mesh.Stack.Ambient, 1, budget)
		if err := fields[n].Add(0, 0, grid, source); err != nil {
			return nil, err
		}
	}
	if err := fields[0].Match(fields[1]); err != nil {
		return nil, err
	}
	deg := quantity.DigitsFor(c.All.Most())
	plane := planeAt(a.Mesh, c.All.At.ZM)
	d := &webpage.Document{
		Title: fmt.Sprintf("%s minus %s", c.First, c.Second), Caveat: c.Caveat(), Version: a.Version, Start: plane,
		Pick: [2]float64{c.All.At.XM, c.All.At.YM}, CompareRuns: true,
		Runs: []webpage.Run{{Name: c.First, Fields: fields[0]}, {Name: c.Second, Fields: fields[1]}},
		Lead: webpage.Words(c.lead(deg)),
		Facts: []webpage.Fact{
			{Label: "Peak of the first", Value: []webpage.Part{webpage.Degrees(c.PeakK[0], int(deg), true)}},
			{Label: "Peak of the second", Value: []webpage.Part{webpage.Degrees(c.PeakK[1], int(deg), true)}},
			{Label: "Peak difference", Value: webpage.Words(deg.Kelvin(c.PeakK[0]-c.PeakK[1]) + " K")},
			{Label: "Mean difference", Value: webpage.Words(deg.Kelvin(c.All.MeanK) + " K")},
			{Label: "rms", Value: webpage.Words(deg.Kelvin(c.All.RMSK) + " K")},
		},
	}
	describeStack(d, a.Mesh)
	d.Tables = pageTables(deg, (&pageBuilder{mesh: a.Mesh}).place, c.tables(false)...)
	return d, nil
}

// lead is the first sentence of the page, after the reasons why it is unreliable.
func (c *Comparison) lead(deg quantity.Digits) string {
	text := ""
	for _, doubt := range c.Doubts {
		text += doubt + ". "
	}
	if math.IsNaN(c.All.MaxK) {
		return text + "No cell can be compared."
	}
	return text + fmt.Sprintf("Differences from %s to %s K, largest in %s at x %s, y %s mm.", deg.Kelvin(c.All.MinK),
		deg.Kelvin(c.All.MaxK),
		printout.PlaceText(c.All.At, 40), quantity.Millimetres(c.All.At.XM), quantity.Millimetres(c.All.At.YM))
}
