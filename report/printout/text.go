// Package printout writes reports to a terminal.
package printout

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/mesh/plausibility"
	"thermsim/report/quantity"
	"thermsim/report/summary"
	"thermsim/report/tables"
	"thermsim/stack/packaging"
)

// Style of the tables.
type Style struct {
	Color bool // escape sequences for colors; the caller checks the terminal and NO_COLOR
	Width int  // characters per line, 100 when 0
	quantity.Units
	Details bool // all rows of all tables; otherwise the verdict, and the rows that matter most
}

// Write writes the report, the result first.
func Write(w io.Writer, s *summary.Summary, st Style) error {
	p := NewPage(w, st, s.Temperature.MaxK-s.Temperature.MinK)
	p.verdict(s)
	p.warnings(s)
	all := tables.OfSummary(s, st.Details)
	p.brief = briefRows(all)
	for _, t := range all {
		p.Table(t)
		if t.File == "layers.csv" {
			p.meansWithout(s)
		}
		if t.Title == "Times" {
			p.wrapped("stepping   ", s.Stepping.Parts())
		}
	}
	if st.Details {
		p.heat(s)
		p.solver(s)
	} else {
		p.Line("\n%s", p.Paint(dim, "-v prints all rows, the hot spots, the heat flow, the solver and its times."))
	}
	return p.Flush()
}

// briefRows is the number of rows of each table without details: fewer if the tables do not fit on a screen or two.
func briefRows(all []*tables.Table) int {
	const screens, few = 30, 5
	lines := 0
	for _, t := range all {
		lines += 3 + min(t.Count, tables.BriefRows)
	}
	if lines > screens {
		return few
	}
	return tables.BriefRows
}

// Page writes the parts of a report. Flush returns write errors.
type Page struct {
	w     *bufio.Writer
	style Style
	brief int // rows of a table without details
	Deg   quantity.Digits
}

// NewPage starts a page whose temperatures span spanK.
func NewPage(w io.Writer, st Style, spanK float64) *Page {
	if st.Width <= 0 {
		st.Width = 100
	}
	return &Page{w: bufio.NewWriter(w), style: st, brief: tables.BriefRows, Deg: quantity.DigitsFor(spanK)}
}

// temperature formats a temperature with its unit.
func (p *Page) temperature(kelvin float64) string {
	s := p.style.Scale.Or("degC")
	return p.Deg.Kelvin(s.Of(kelvin)) + " " + s.Name
}

// difference formats a temperature difference with its unit.
func (p *Page) difference(kelvin float64) string {
	s := p.style.Scale.Or("degC")
	return p.Deg.Kelvin(s.Difference(kelvin)) + " " + s.Differences()
}

// Flush completes the page.
func (p *Page) Flush() error { return p.w.Flush() }

// Colors of Paint.
const (
	Bold = "1"
	dim  = "2"
	Red  = "1;31"
)

// Paint colors a text if the page has colors.
func (p *Page) Paint(code, text string) string {
	if !p.style.Color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Line writes a line.
func (p *Page) Line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

// Heading writes the title of a part, followed by a note.
func (p *Page) Heading(title, note string) {
	if note != "" {
		note = "  " + p.Paint(dim, note)
	}
	p.Line("\n%s%s", p.Paint(Bold, title), note)
}

// Table writes a table with its title, unless it has no rows to print.
func (p *Page) Table(t *tables.Table) {
	most := p.brief
	if p.style.Details {
		most = 0
	}
	lines, note := t.In(p.style.Units).Text(p.Deg, p.style.Width-2, most)
	if len(lines) == 0 {
		return
	}
	title := t.Title
	if t.Alarm != "" {
		title += p.Paint(Red, t.Alarm)
	}
	p.Heading(title, note)
	p.Line("  %s", p.Paint(dim, lines[0]))
	for _, l := range lines[1:] {
		p.Line("  %s", l)
	}
}

func (p *Page) verdict(s *summary.Summary) {
	title := s.Title
	if title == "" {
		title = s.Stack
	}
	p.Line("%s", p.Paint(Bold, quantity.Shorten(title, p.style.Width)))
	p.Line("%s", p.Paint(dim, fmt.Sprintf("%s, %d x %d x %d = %s cells on %s",
		s.Command, s.Grid.NX, s.Grid.NY, s.Grid.NZ, quantity.Count(s.Grid.Cells), summary.DeviceText(s))))
	p.Line("")
	switch caveat := s.Caveat(); {
	case caveat == "INTERRUPTED":
		p.Line("%s the run ended before its last step.", p.Paint(Red, caveat+":"))
		p.Line("The values below are those of the last completed step.")
	case caveat == summary.Runaway:
		p.Line("%s %s.", p.Paint(Red, caveat+":"), s.Doubt())
	case caveat != "":
		p.Line("%s the solve ended by %s.", p.Paint(Red, caveat+":"), s.Doubt())
		p.Line("The values below are the best approximation found, not the solution.")
	}
	if n := s.Temperature.NonFiniteCells; n > 0 {
		p.Line("%s %s cells have no finite temperature and are excluded below", p.Paint(Red, "BROKEN FIELD:"),
			quantity.Count(n))
	}
	p.peak(s)
	p.limits(s)
	p.measured(s)
	p.solved(s)
}

// limits writes whether all limits are met, and the smallest margin.
func (p *Page) limits(s *summary.Summary) {
	if len(s.Limits) == 0 {
		return
	}
	l := &s.Limits[0]
	if bad := len(s.Exceeded()); bad > 0 {
		p.folded(Red, "Limit EXCEEDED by %s: %s (%d of %d limits)", p.difference(-l.MarginK), l.Label(), bad,
			len(s.Limits))
		return
	}
	text := "Limit met, with a margin"
	if n := len(s.Limits); n > 1 {
		text = fmt.Sprintf("All %d limits met, with a smallest margin", n)
	}
	text = fmt.Sprintf("%s of %s: %s", text, p.difference(l.MarginK), l.Label())
	least := slices.MinFunc(s.Limits, func(a, b summary.Limit) int { return cmp.Compare(a.MarginW, b.MarginW) })
	if s.Steps == 0 && least.MarginW < l.MarginW {
		text += fmt.Sprintf("; the smallest in power is %s W: %s", quantity.Significant(least.MarginW, 3),
			least.Label())
	}
	p.folded("", "%s", text)
}

// measured summarizes the differences from measured temperatures, and the limits that they exceed.
func (p *Page) measured(s *summary.Summary) {
	if s.Measured == nil {
		return
	}
	p.folded("", "Measured: %s", s.Measured.Text())
	for _, l := range s.ExceededMeasured() {
		p.folded(Red, "Limit EXCEEDED: %s", l.Text())
	}
}

// solved writes whether the solve converged, and the balance of energy.
func (p *Page) solved(s *summary.Summary) {
	how := s.Iterations("iterations")
	if s.Solver.Method == solution.MethodDirect {
		how = "direct solve"
	}
	scale := p.style.Scale.Or("K")
	how += ", estimated maximum error " + quantity.Relative(scale.Difference(s.Solver.EstimatedErrorK)) + " " +
		scale.Differences()
	if s.Solver.Converged {
		p.folded("", "C%s; %s", s.Ended()[1:], how)
	} else {
		p.folded(Red, "%s; %s", s.Caveat(), how) // why is in the first lines
	}
	if n := s.Solver.Nonlinear; n != nil {
		if n.Leakage != nil {
			p.folded("", "L%s", n.Leakage.String()[1:])
		}
		if warning := n.Warning(); warning != "" {
			p.folded(Red, "%s", warning)
		}
	}
	if s.PowerGrid != nil {
		p.folded("", "P%s", s.PowerGrid.String()[1:])
	}
	p.folded("", "Energy: %s", strings.Join(balance(s), ", "))
	p.folded("", "Heat by face in W: %s", strings.Join(summary.FacesText(&s.Energy, summary.HeatDecimals(s)), ", "))
}

// balance lists the heat flows of the whole stack.
func balance(s *summary.Summary) []string {
	d := summary.HeatDecimals(s)
	parts := []string{"in " + quantity.Fixed(s.Energy.InW, d) + " W", "out " + quantity.Fixed(s.Energy.OutW, d) + " W"}
	if s.Steps > 0 {
		parts = append(parts, "stored "+quantity.Fixed(s.Energy.StoredW, d)+" W")
	}
	return append(parts, "imbalance "+quantity.Relative(s.Energy.ImbalanceRel)+" of the largest flow")
}

// folded writes a text, on several lines if it is wide.
func (p *Page) folded(code, format string, args ...any) {
	for _, l := range plausibility.Fold(fmt.Sprintf(format, args...), p.style.Width) {
		if code != "" {
			l = p.Paint(code, l)
		}
		p.Line("%s", l)
	}
}

// peak writes the hottest cell; of a transient over all steps and at the end.
func (p *Page) peak(s *summary.Summary) {
	t := &s.Temperature
	place := func(at summary.Place) string {
		l := p.style.Length.Or()
		return fmt.Sprintf("%s at x %s, y %s %s", PlaceText(at, (p.style.Width-52)/2), l.Text(at.XM), l.Text(at.YM),
			l.Name)
	}
	rise := func(max float64) string {
		return fmt.Sprintf("%s above the ambient of %s", p.difference(max-t.AmbientK), p.temperature(t.AmbientK))
	}
	if s.Steps == 0 {
		p.Line("%s in %s", p.Paint(Bold, "Peak "+p.temperature(t.MaxK)), place(t.MaxAt))
		above := rise(t.MaxK)
		if !math.IsNaN(s.RthKPerW) {
			above += fmt.Sprintf(": R_th %s K/W", quantity.Significant(s.RthKPerW, 4))
		}
		p.Line("%s", above)
		return
	}
	kelvin, at := s.HottestStep()
	where := ""
	if s.Peak != (summary.Peak{}) {
		where = " in " + place(s.Peak.At)
	}
	last := s.StepMaxima[s.Steps-1].TimeS
	p.Line("%s%s", p.Paint(Bold, "Peak "+p.temperature(kelvin)), where)
	of := "steps"
	if s.Stepping != nil {
		of = "times"
	}
	p.Line("%s, at t = %s (%d %s, end %s)", rise(kelvin), quantity.Seconds(at), s.Steps, of,
		quantity.Seconds(last))
	if v := s.Stepping; v != nil && v.PeakK > kelvin+v.TolK {
		p.Line("Maximum between output times: %s, at t = %s", p.temperature(v.PeakK),
			quantity.Seconds(v.PeakS))
	}
	p.Line("Last step: %s in %s", p.temperature(t.MaxK), PlaceText(t.MaxAt, (p.style.Width-52)/2))
}

// PlaceText names a layer and its block or region, each in at most n characters.
func PlaceText(at summary.Place, n int) string {
	switch {
	case at.Block == "" && at.Region == "":
		return quantity.Shorten(at.Layer, n)
	case at.Block == "":
		return quantity.Shorten(at.Layer, n) + ", region " + quantity.Shorten(at.Region, n)
	}
	return quantity.Shorten(at.Layer, n) + ", block " + quantity.Shorten(at.Block, n)
}

// warnings follow the result, which they qualify.
func (p *Page) warnings(s *summary.Summary) {
	if len(s.Warnings) == 0 {
		return
	}
	p.Heading(fmt.Sprintf("Warnings (%d)", len(s.Warnings)), "valid, but probably not intended; "+
		"--strict makes them errors")
	warnings := slices.Clone(s.Warnings)
	for i := range warnings {
		warnings[i].Text = p.style.Scale.Convert(warnings[i].Text)
	}
	_ = plausibility.Write(p.w, warnings, p.style.Width) // Flush returns errors
}

// meansWithout lists the materials that the means of layers exclude.
func (p *Page) meansWithout(s *summary.Summary) {
	var materials []string
	for i := range s.Layers {
		for _, m := range s.Layers[i].MeanWithout {
			if !slices.Contains(materials, m) {
				materials = append(materials, m)
			}
		}
	}
	if len(materials) > 0 {
		note := "* excludes unpowered materials below 1.5 W/(m K) around dies: "
		if slices.Contains(materials, packaging.OpenSpace) {
			note = "* excludes unpowered materials around dies: "
		}
		note += strings.Join(materials, ", ")
		p.Line("  %s", p.Paint(dim, quantity.Shorten(note, p.style.Width-2)))
	}
}

// patchesText lists the patches of each face with their heat flow.
func patchesText(rows []summary.Patch, decimals int) (faces []string, parts [][]string) {
	for i := range rows {
		r := &rows[i]
		if len(faces) == 0 || faces[len(faces)-1] != r.Face {
			faces, parts = append(faces, r.Face), append(parts, nil)
		}
		name := r.Name
		if name == "" {
			name = "the rest"
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], fmt.Sprintf("%s %s (%.4g mm2)", name, quantity.Fixed(r.HeatW, decimals),
			r.AreaM2*1e6))
	}
	return faces, parts
}

// heat compares the requested power, the power on the grid and the heat that leaves.
func (p *Page) heat(s *summary.Summary) {
	p.Heading("Heat", "W, leaving counts as positive")
	e := &s.Energy
	d := summary.HeatDecimals(s)
	onGrid := "on the grid " + quantity.Fixed(s.Power.MappedW, d)
	if s.Power.RequestedW != 0 {
		onGrid += fmt.Sprintf(" (off by %s)",
			quantity.Relative((s.Power.MappedW-s.Power.RequestedW)/s.Power.RequestedW))
	}
	power := []string{"requested " + quantity.Fixed(s.Power.RequestedW, d), onGrid}
	if s.Power.LeakageW > 0 {
		power = append(power, "leaking "+quantity.Fixed(s.Power.LeakageW, d))
	}
	if s.Steps > 0 {
		power[0] = "requested for a steady state " + quantity.Fixed(s.Power.RequestedW, d)
		power = append(power, "in the last step "+quantity.Fixed(s.StepMaxima[s.Steps-1].PowerW, d))
	}
	p.wrapped("power      ", power)
	p.wrapped("faces      ", summary.FacesText(e, d))
	faces, patches := patchesText(e.Patches, d)
	for i, face := range faces {
		p.wrapped(fmt.Sprintf("%-11s", "on "+face), patches[i])
	}
	for i := range e.Films {
		f := &e.Films[i]
		p.wrapped("film       ", f.Parts())
		if f.Outside != "" {
			p.wrapped("           ", strings.Split(f.Face+": "+f.Outside, ", "))
		}
	}
	if len(s.Coolant) > 0 {
		p.wrapped("coolant    ", coolantText(s, d))
	}
	p.wrapped("balance    ", balance(s))
}

// wrapped writes parts after a label and wraps lines.
func (p *Page) wrapped(label string, parts []string) {
	line := "  " + label
	indent := strings.Repeat(" ", len(line))
	for i, part := range parts {
		if i < len(parts)-1 {
			part += ","
		}
		if len(line)+1+len(part) > p.style.Width && len(line) > len(indent) {
			p.Line("%s", strings.TrimRight(line, " "))
			line = indent
		}
		if len(line) > len(indent) {
			line += " "
		}
		line += part
	}
	p.Line("%s", line)
}

func (p *Page) solver(s *summary.Summary) {
	v := &s.Solver
	p.Heading("Solver", "")
	ended := s.Ended()
	if !v.Converged {
		ended = p.Paint(Red, ended)
	}
	p.Line("  %s: %s, %s", solution.MethodText(v.Method, v.Preconditioner), s.Iterations("iterations"), ended)
	if v.Fallback != "" {
		p.Line("  %s", v.Fallback)
	}
	if v.Nonlinear != nil {
		p.Line("  %s", v.Nonlinear)
		if v.Nonlinear.Leakage != nil {
			p.Line("  %s", v.Nonlinear.Leakage)
		}
		if warning := v.Nonlinear.Warning(); warning != "" {
			p.Line("  %s", p.Paint(Red, warning))
		}
	}
	p.Line("  residual %s W, %s relative; estimated maximum error %s",
		quantity.Relative(v.ResidualNormW), quantity.Relative(v.RelativeResidual), s.ErrorText(p.style.Scale))
	t := &s.Time
	p.wrapped("time     ", []string{
		"parse " + quantity.Seconds(t.ParseS), "mesh " + quantity.Seconds(t.MeshS),
		"device " + quantity.Seconds(t.DeviceS),
		"setup " + quantity.Seconds(t.SetupS),
		"solve " + quantity.Seconds(t.SolveS), "report " + quantity.Seconds(t.ReportS),
		"total " + quantity.Seconds(t.TotalS),
	})
	p.Line("  memory   device %s, host peak %s", quantity.Bytes(s.Memory.DeviceBytes),
		quantity.Bytes(s.Memory.HostPeakBytes))
}

// coolantText lists the heat that the coolant of each cavity removes.
func coolantText(s *summary.Summary, decimals int) []string {
	var parts []string
	for i := range s.Coolant {
		c := &s.Coolant[i]
		parts = append(parts, c.Layer+" "+quantity.Fixed(c.HeatW, decimals))
	}
	return parts
}
