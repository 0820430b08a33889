package report

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/report/field"
	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/report/tables"
	"thermsim/report/webpage"
	"thermsim/stack"
)

// pageRecorder writes report.html, with the field at every step that the page shows.
type pageRecorder struct {
	files  *staging.Transaction
	mesh   *mesh.Mesh
	grid   *field.Grid
	fields *webpage.Fields
	powers map[int]*webpage.Power // by layer; the packed ones
	unit   *quantity.Scale        // of temperatures; nil for °C
}

// newPageRecorder never drops the steps at which peaks of a transient occur; over may be nil.
func newPageRecorder(files *staging.Transaction, m *mesh.Mesh, steps int, b PageBudget,
	over *statistics.Peaks) *pageRecorder {
	g := field.GridOf(m)
	fields := webpage.NewFields(g, m.Stack.Ambient, max(1, steps), b)
	if over != nil {
		fields.Keep(steps, over.At, func(step int) bool { return over.Hottest().Step == step })
	}
	return &pageRecorder{files: files, mesh: m, grid: g, fields: fields}
}

// Reads implements Recorder. The peaks of a step are known after its statistics.
func (p *pageRecorder) Reads(n int) bool { return p.fields.MayWant(n) }

// Step implements Recorder.
func (p *pageRecorder) Step(n int, step solution.Step, f solution.Field) error {
	if !p.fields.Wants(n) {
		return nil
	}
	if err := p.fields.Add(n, step.Time, p.grid, f); err != nil || p.powers != nil {
		return err
	}
	return p.packPowers() // in parallel with the temperatures
}

// packPowers packs the power densities at the current resolution of the page.
func (p *pageRecorder) packPowers() error {
	p.powers = map[int]*webpage.Power{}
	for i := range p.mesh.Power.Layers {
		l := &p.mesh.Power.Layers[i]
		packed, err := p.fields.PackPower(densityRows(p.mesh, l))
		if err != nil {
			return err
		}
		p.powers[l.Layer] = packed
	}
	return nil
}

// Finish implements Recorder.
func (p *pageRecorder) Finish(ctx context.Context, e *End) error {
	if p.fields.Last() != e.N {
		if err := p.fields.Add(e.N, e.Step.Time, p.grid, e.Field); err != nil {
			return err
		}
	}
	d, err := pageDocument(e, p.fields, p.unit)
	if err != nil {
		return err
	}
	for l, packed := range p.powers {
		d.Layers[l].Power = packed
	}
	return p.files.Write(ctx, PageName, func(w io.Writer) error { return webpage.Write(w, d) })
}

// PageName of the interactive report.
const PageName = "report.html"

// pageDocument builds the page of a run. f may be nil if the page shows no fields.
func pageDocument(e *End, f *webpage.Fields, unit *quantity.Scale) (*webpage.Document, error) {
	m, s := e.Run.Mesh, e.Summary
	b := &pageBuilder{mesh: m, s: s, deg: quantity.DigitsFor(s.Temperature.MaxK - s.Temperature.MinK),
		unit: unit}
	moments, chosen, err := instants(e.Trace)
	if err != nil {
		return nil, err
	}
	start := s.Temperature.MaxAt
	startTime, peak := 0.0, s.Temperature.MaxK
	if s.Steps > 0 {
		peak, startTime = s.HottestStep()
	}
	if s.Peak.TimeS > 0 {
		start = s.Peak.At
	}
	hot, err := b.hotSpots(f)
	if err != nil {
		return nil, err
	}
	d := &webpage.Document{
		Title: pictureTitle(m.Stack), Caveat: s.Caveat(), Warnings: warningLines(s, b.unit), Version: s.Version,
		Byline: byline(e.Run), Verdict: b.verdict(),
		Lead: b.lead(), Facts: b.facts(), Tables: b.tables(moments, hot),
		Groups: []webpage.Group{b.inputs(), b.heat(), b.solver(), b.run()},
		Runs:   []webpage.Run{{Name: "this run", Fields: f}}, Start: planeAt(m, start.ZM), StartTime: startTime,
		Pick: [2]float64{start.XM, start.YM},
	}
	if quantity.Finite(peak) {
		d.Peak = peak
	}
	d.Instants = chosen
	describeStack(d, m)
	for _, st := range s.StepMaxima {
		d.Steps = append(d.Steps, webpage.Step{Time: st.TimeS, MaxK: st.MaxK})
	}
	d.Measured = measuredPlaces(m, s.Measured, b.unit)
	d.In(unit)
	d.Drawing, err = drawing(m, b.unit)
	return d, err
}

// measuredPlaces are the places with measured temperatures, with all values of each.
func measuredPlaces(m *mesh.Mesh, from *summary.Measured, unit *quantity.Scale) (places []webpage.Measured) {
	if from == nil {
		return nil
	}
	at := map[string]int{}
	for i := range from.Places {
		w := &from.Places[i].Worst
		at[w.Probe] = len(places)
		places = append(places, webpage.Measured{Name: measuredName(w, unit), X: w.XM, Y: w.YM,
			Plane: planeBelow(m, w.ZM)})
	}
	for _, v := range from.Values {
		if n, ok := at[v.Probe]; ok && !math.IsNaN(v.TimeS) {
			places[n].Values = append(places[n].Values, [2]float64{v.TimeS, v.MeasuredK})
		}
	}
	return places
}

// measuredName names a place on maps, with the difference of its worst value.
func measuredName(v *summary.MeasuredValue, unit *quantity.Scale) string {
	unit = unit.Or("degC")
	return fmt.Sprintf("%s %+.2g %s", v.Probe, unit.Difference(v.DifferenceK()), unit.DifferenceSymbol())
}

// describeStack adds the geometry, materials and limits of the stack to a page.
func describeStack(d *webpage.Document, m *mesh.Mesh) {
	d.Size, d.Z, d.TMax = m.Stack.Size, m.Z, m.Stack.TMax
	for _, p := range m.Planes {
		d.PlaneLayer = append(d.PlaneLayer, p.Layer)
	}
	for l := range m.Stack.Layers {
		layer := &m.Stack.Layers[l]
		d.Layers = append(d.Layers, webpage.Layer{
			Name: layer.Name, Material: materialsText(m.Stack, l), Thickness: layer.Thickness,
			Blocks: pageBlocks(m.Stack, l), Regions: pageRegions(m.Stack, l), TMax: layer.TMax,
			Limits: pageLimits(m.Stack, l), Flow: pageFlow(m, l), Open: open(m.Stack, layer.Material),
		})
	}
	for i := range m.Power.Layers {
		p := &m.Power.Layers[i]
		d.Layers[p.Layer].Density = densityRows(m, p)
	}
	if r := poweredPart(m); r != nil {
		d.Powered = &[4]float64{r.X, r.Y, r.Width, r.Height}
	}
	for _, name := range picture.Colormaps() {
		if colours, err := picture.NamedColormap(name); err == nil { // as it is for all listed names
			d.Colormaps = append(d.Colormaps, webpage.Colormap{Name: name, Colours: colours[:]})
		}
	}
	d.PowerColors = picture.Density()[:]
}

func pageFlow(m *mesh.Mesh, layer int) *webpage.Flow {
	f := flowOf(m, layer)
	if f == nil {
		return nil
	}
	w := &webpage.Flow{Along: f.Along, Backward: f.Backward, Resolved: f.Resolved}
	every := len(f.Lanes)/tables.MostPageStreams + 1 // enough for arrows
	for n := 0; n < len(f.Lanes); n += every {
		l := &f.Lanes[n]
		w.Lanes = append(w.Lanes, [3]float64{l.From, l.To, l.Speed})
	}
	return w
}

// pageBuilder converts a summary into parts of a page.
type pageBuilder struct {
	mesh *mesh.Mesh
	s    *summary.Summary
	deg  quantity.Digits
	unit *quantity.Scale // nil for °C
}

// difference is a temperature difference in K, in the unit of the page.
func (b *pageBuilder) difference(kelvin float64) string {
	unit := b.unit.Or("degC")
	return b.deg.Kelvin(unit.Difference(kelvin)) + " " + unit.DifferenceSymbol()
}

func (b *pageBuilder) degrees(kelvin float64) webpage.Part {
	return webpage.Degrees(kelvin, int(b.deg), true)
}

// planeAt is the plane at a height.
func planeAt(m *mesh.Mesh, z float64) int {
	for k := range m.Planes {
		if z < m.Z[k+1] {
			return k
		}
	}
	return len(m.Planes) - 1
}

// planeBelow is the plane at a height, on an interface the lower one.
func planeBelow(m *mesh.Mesh, z float64) int { return planeAt(m, z-stack.Tolerance*m.Stack.Height()) }

// place is a cell that shows a place on the map.
func (b *pageBuilder) place(text string, at *summary.Place) webpage.Cell {
	return webpage.Place(text, planeBelow(b.mesh, at.ZM), at.XM, at.YM)
}

func (b *pageBuilder) lead() []webpage.Part {
	t := &b.s.Temperature
	if math.IsNaN(t.MaxK) {
		return webpage.Words("No cell has a finite temperature: the solve broke down.")
	}
	kelvin, where := t.MaxK, summary.PlaceWords(t.MaxAt)
	if b.s.Steps == 0 {
		return []webpage.Part{{Text: "Peak "}, b.degrees(kelvin), {Text: where + "."}}
	}
	kelvin, at := b.s.HottestStep()
	if where = ""; b.s.Peak != (summary.Peak{}) {
		where = summary.PlaceWords(b.s.Peak.At)
	}
	return []webpage.Part{
		{Text: "Peak "}, b.degrees(kelvin),
		{Text: " at t = " + quantity.Seconds(at) + where + ". Last step, t = " +
			quantity.Seconds(b.s.StepMaxima[b.s.Steps-1].TimeS) +
			": "},
		b.degrees(t.MaxK), {Text: summary.PlaceWords(t.MaxAt) + "."},
	}
}

func (b *pageBuilder) facts() []webpage.Fact {
	s, t := b.s, &b.s.Temperature
	kelvin, watts := t.MaxK, s.Power.MappedW+s.Power.LeakageW
	if s.Steps > 0 {
		kelvin, _ = s.HottestStep()
		watts = s.StepMaxima[s.Steps-1].PowerW
	}
	f := []webpage.Fact{
		{Label: "Peak", Value: []webpage.Part{b.degrees(kelvin)}},
		{Label: "Rise", Value: webpage.Words(b.difference(kelvin - t.AmbientK))},
		{Label: "Ambient", Value: []webpage.Part{webpage.Degrees(t.AmbientK, int(b.deg), true)}},
	}
	if s.Steps > 0 {
		f = append(f,
			webpage.Fact{Label: "Max, last step", Value: []webpage.Part{b.degrees(t.MaxK)}},
			webpage.Fact{Label: "Mean, last step", Value: []webpage.Part{b.degrees(t.MeanK)}},
			webpage.Fact{Label: "Power, last step", Value: webpage.Words(quantity.Significant(watts, 4) + " W")})
	} else {
		f = append(f,
			webpage.Fact{Label: "Mean", Value: []webpage.Part{b.degrees(t.MeanK)}},
			webpage.Fact{Label: "Power", Value: webpage.Words(quantity.Significant(watts, 4) + " W")},
			webpage.Fact{Label: "R_th", Value: webpage.Words(quantity.Significant(s.RthKPerW, 4) + " K/W")})
	}
	if n := len(s.Limits); n > 0 {
		f = append(f,
			webpage.Fact{Label: "Smallest margin", Value: webpage.Words(b.difference(s.Limits[0].MarginK))})
	}
	return append(f,
		webpage.Fact{Label: "Grid", Value: webpage.Words(fmt.Sprintf("%d × %d × %d", s.Grid.NX, s.Grid.NY, s.Grid.NZ))})
}

func (b *pageBuilder) tables(moments, hot *tables.Table) []webpage.Table {
	return pageTables(b.deg, b.place, tables.Limits(b.s), tables.Measured(b.s), moments, tables.Jedec(b.s), hot,
		tables.Dies(b.s), tables.Regions(b.s), tables.Blocks(b.s), b.layers(),
		tables.Coolant(b.s, b.inCoolant), tables.Segments(b.s), tables.Probes(b.s), tables.Sources(b.mesh.Stack),
		tables.Materials(b.mesh.Stack))
}

// hotSpots is the table of hot spots: in a transient of those at its peak, if the page has a frame of it.
func (b *pageBuilder) hotSpots(f *webpage.Fields) (*tables.Table, error) {
	if b.s.Steps == 0 || f == nil {
		return tables.HotSpots(b.s), nil
	}
	kelvin, at := b.s.HottestStep()
	step := 1 + slices.IndexFunc(b.s.StepMaxima, func(s summary.Step) bool { return s.TimeS == at })
	planes, nx, err := f.At(step)
	if err != nil || planes == nil || step == b.s.Steps {
		return tables.HotSpots(b.s), err
	}
	spots := statistics.HotSpotsOf(b.mesh, planes, nx, f.Factor())
	if len(spots) > 0 && math.Abs(spots[0].MaxK-kelvin) <= 2*f.ErrorK() {
		spots[0].MaxK = kelvin // which is rounded in the frame
	}
	return tables.HotSpotsAt(b.s, spots, "At the peak, t = "+quantity.Seconds(at)+". "), nil
}

// layers is the table of layers with all materials of each.
func (b *pageBuilder) layers() *tables.Table {
	t := tables.Layers(b.s)
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Page == "material" {
			c.Words = func(n int) string { return materialsText(b.mesh.Stack, n) }
		}
	}
	return t
}

// pageTables converts the tables that have rows.
func pageTables(deg quantity.Digits, place func(string, *summary.Place) webpage.Cell,
	all ...*tables.Table) []webpage.Table {
	var out []webpage.Table
	for _, t := range all {
		if t.Count > 0 {
			out = append(out, t.Page(deg, place))
		}
	}
	return out
}

// inCoolant is a point in the coolant of a cavity at a coordinate across the flow; NaN for the center.
func (b *pageBuilder) inCoolant(cavity int, across float64) summary.Place {
	m := b.mesh
	c, size := m.Cavities[cavity], m.Stack.Size
	at := [2]float64{size[0] / 2, size[1] / 2}
	if !math.IsNaN(across) {
		at[1-c.Along] = across
	}
	return summary.Place{XM: at[0], YM: at[1], ZM: (m.Z[c.Fluid] + m.Z[c.Fluid+1]) / 2}
}

func fact(label, text string) webpage.Fact {
	return webpage.Fact{Label: label, Value: webpage.Words(text)}
}

func (b *pageBuilder) heat() webpage.Group {
	s, e := b.s, &b.s.Energy
	d := summary.HeatDecimals(s)
	g := webpage.Group{ID: "heat", Title: "Heat", Facts: []webpage.Fact{
		fact("Power requested", quantity.Fixed(s.Power.RequestedW, d)+" W"),
		fact("Power on the grid", quantity.Fixed(s.Power.MappedW, d)+" W"),
		fact("In", quantity.Fixed(e.InW, d)+" W"), fact("Out", quantity.Fixed(e.OutW, d)+" W"),
	}}
	if s.Steps > 0 {
		g.Facts = append(g.Facts, fact("Stored", quantity.Fixed(e.StoredW, d)+" W"))
	}
	if v := s.Solver.Nonlinear; v != nil && v.Leakage != nil {
		g.Facts = append(g.Facts, fact("Leakage", v.Leakage.String()))
	}
	if s.PowerGrid != nil {
		g.Facts = append(g.Facts, fact("Power grid", s.PowerGrid.String()))
	}
	for i := range s.Coolant {
		c := &s.Coolant[i]
		g.Facts = append(g.Facts, fact("Coolant in "+c.Layer, c.Text(d)))
	}
	return webpage.Group{ID: g.ID, Title: g.Title, Facts: append(g.Facts,
		fact("Leaving by face", strings.Join(summary.FacesText(e, d), ", ")),
		fact("Imbalance", quantity.Relative(e.ImbalanceRel)+" of the largest flow"))}
}

func (b *pageBuilder) solver() webpage.Group {
	s, v, t := b.s, &b.s.Solver, &b.s.Time
	iterations := s.Iterations("")
	method := solution.MethodText(v.Method, v.Preconditioner)
	if v.Fallback != "" {
		method += ": " + v.Fallback
	}
	if v.Nonlinear != nil {
		iterations += strings.TrimRight("; "+v.Nonlinear.String()+"; "+v.Nonlinear.Warning(), "; ")
	}
	g := webpage.Group{ID: "solver", Title: "Solver", Facts: []webpage.Fact{
		fact("Ended", s.Ended()), fact("Method", method), fact("Iterations", iterations),
		fact("Estimated error", strings.Replace(s.ErrorText(b.unit), "deg", "°", 1)),
		fact("Residual", quantity.Relative(v.ResidualNormW)+" W, "+quantity.Relative(v.RelativeResidual)+" relative"),
		fact("Device", summary.DeviceText(s)), fact("Setup and solve",
			quantity.Seconds(t.SetupS)+" and "+quantity.Seconds(t.SolveS)),
		fact("Memory",
			quantity.Bytes(s.Memory.DeviceBytes)+" on the device, "+quantity.Bytes(
				s.Memory.HostPeakBytes)+" host peak"),
	}}
	if s.Stepping != nil {
		g.Facts = slices.Insert(g.Facts, 3, fact("Steps in time", s.Stepping.Text()))
	}
	return g
}

func (b *pageBuilder) run() webpage.Group {
	s := b.s
	g := webpage.Group{ID: "run", Title: "Run", Facts: []webpage.Fact{
		fact("Command", s.Command), fact("Stack", s.Stack), fact("SHA-256 of inputs", s.InputSHA256),
	}}
	for _, set := range s.Set {
		g.Facts = append(g.Facts, fact("Set", set))
	}
	return g
}

// inputs describes the domain, its boundaries and its grid.
func (b *pageBuilder) inputs() webpage.Group {
	s := b.mesh.Stack
	accuracy := "not estimated; 'thermsim converge' or --grid auto estimates it"
	if s.Grid.ErrorK > 0 {
		unit := b.unit.Or("degC")
		accuracy = fmt.Sprintf("%.2g %s, estimated for the maxima", unit.Difference(s.Grid.ErrorK),
			unit.DifferenceSymbol())
	}
	g := webpage.Group{ID: "inputs", Title: "Boundaries and grid", Facts: []webpage.Fact{
		fact("Size", fmt.Sprintf("%s × %s mm, %s high", quantity.Trimmed(s.Size[0]*1e3),
			quantity.Trimmed(s.Size[1]*1e3), quantity.Length(s.Height()))),
		{Label: "Ambient", Value: []webpage.Part{webpage.Degrees(s.Ambient, int(b.deg), true)}},
		fact("Cells", fmt.Sprintf("%d × %d × %d = %s", b.s.Grid.NX, b.s.Grid.NY, b.s.Grid.NZ,
			quantity.Count(b.s.Grid.Cells))),
		fact("Error of the grid", accuracy),
	}}
	for f := range stack.Face(stack.NumFaces) {
		bound, title := &s.Boundary[f], strings.ToUpper(f.String()[:1])+f.String()[1:]+" face"
		if !bound.Adiabatic() {
			g.Facts = append(g.Facts, fact(title, boundaryText(bound, b.unit)))
		}
		for n := range bound.Patches {
			g.Facts = append(g.Facts, fact(title+", patch", patchText(&bound.Patches[n], b.unit)))
		}
	}
	return g
}

// densityRows computes the power density of a layer.
func densityRows(m *mesh.Mesh, l *powermap.LayerMap) webpage.Rows {
	return func(lo, hi int, dst []float64) {
		l.Rows(lo, hi, dst)
		for j := lo; j < hi; j++ {
			row := dst[(j-lo)*m.NX():][:m.NX()]
			for i, w := range row {
				if w != 0 {
					row[i] = w / (m.DX(i) * m.DY(j)) * 1e-4
				}
			}
		}
	}
}

// warningLines formats the warnings for a page.
func warningLines(s *summary.Summary, unit *quantity.Scale) []string {
	var lines []string
	for _, w := range s.Warnings {
		w.Text = unit.Convert(w.Text)
		lines = append(lines, w.String())
	}
	return lines
}
