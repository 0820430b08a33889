// Package printout writes the tables that people read in a terminal.
package printout

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"thermsim/mesh/plausibility"
	"thermsim/report/quantity"
	"thermsim/report/summary"
	"thermsim/report/tables"
)

// Style of the tables.
type Style struct {
	Color bool // ANSI escapes; the caller looks at the terminal and NO_COLOR
	Width int  // characters per line, 100 when 0
}

// MaxTextBlocks is how many blocks the tables list; blocks.csv has them all.
const MaxTextBlocks = 20

// Write writes the tables that people read, the verdict first.
func Write(w io.Writer, s *summary.Summary, st Style) error {
	p := NewPage(w, st, s.Temperature.MaxK-s.Temperature.MinK)
	p.verdict(s)
	p.warnings(s)
	p.limits(s)
	p.jedec(s)
	p.hotSpots(s)
	p.extents(s, tables.Layers(s))
	p.meansWithout(s)
	p.extents(s, tables.Dies(s))
	p.extents(s, tables.Regions(s))
	p.extents(s, tables.Blocks(s))
	p.probes(s)
	p.coolant(s)
	p.steps(s)
	p.policies(s)
	p.heat(s)
	p.solver(s)
	return p.Flush()
}

// Page writes the parts of a report. Write errors stay in the bufio.Writer until Flush.
type Page struct {
	w     *bufio.Writer
	style Style
	Deg   quantity.Digits
}

// NewPage starts a page with temperatures that span so many K.
func NewPage(w io.Writer, st Style, spanK float64) *Page {
	if st.Width <= 0 {
		st.Width = 100
	}
	return &Page{w: bufio.NewWriter(w), style: st, Deg: quantity.DigitsFor(spanK)}
}

// Flush ends the page.
func (p *Page) Flush() error { return p.w.Flush() }

// Colours of Paint.
const (
	Bold = "1"
	dim  = "2"
	Red  = "1;31"
)

// Paint gives a text a colour, where the page has colours.
func (p *Page) Paint(code, text string) string {
	if !p.style.Color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Line writes a line.
func (p *Page) Line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

// Heading writes the title of a part, with a note behind it.
func (p *Page) Heading(title, note string) {
	if note != "" {
		note = "  " + p.Paint(dim, note)
	}
	p.Line("\n%s%s", p.Paint(Bold, title), note)
}

// Table writes a table.
func (p *Page) Table(t *tables.Table) {
	for i, l := range t.Lines(p.style.Width - 2) {
		if i == 0 {
			l = p.Paint(dim, l)
		}
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
		p.Line("The figures below are those of the last step it finished.")
	case caveat == summary.Runaway:
		p.Line("%s %s.", p.Paint(Red, caveat+":"), s.Doubt())
	case caveat != "":
		p.Line("%s the solve ended by %s.", p.Paint(Red, caveat+":"), s.Doubt())
		p.Line("The figures below are the best found, not the answer.")
	}
	if n := s.Temperature.NonFiniteCells; n > 0 {
		p.Line("%s %s cells have no finite temperature and are left out below", p.Paint(Red, "BROKEN FIELD:"),
			quantity.Count(n))
	}
	p.peak(s)
}

// peak tells the hottest cell: of a transient over all its steps, and at the end.
func (p *Page) peak(s *summary.Summary) {
	t := &s.Temperature
	place := func(at summary.Place) string {
		return fmt.Sprintf("%s at x %s, y %s mm", PlaceText(at, (p.style.Width-52)/2), quantity.Millimetres(at.XM),
			quantity.Millimetres(at.YM))
	}
	rise := func(max float64) string {
		return fmt.Sprintf("%s K above the ambient of %s degC", p.Deg.Kelvin(max-t.AmbientK), p.Deg.Celsius(t.AmbientK))
	}
	if s.Steps == 0 {
		p.Line("%s in %s", p.Paint(Bold, "Peak "+p.Deg.Celsius(t.MaxK)+" degC"), place(t.MaxAt))
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
	p.Line("%s%s", p.Paint(Bold, "Peak "+p.Deg.Celsius(kelvin)+" degC"), where)
	of := fmt.Sprintf("%d steps", s.Steps)
	if s.Stepping != nil {
		of = fmt.Sprintf("%d times", s.Steps)
	}
	p.Line("%s, at t = %s of %s to %s", rise(kelvin), quantity.Seconds(at), of, quantity.Seconds(last))
	if v := s.Stepping; v != nil && v.PeakK > kelvin+v.TolK {
		p.Line("Between these times a step ended with %s degC, at t = %s", p.Deg.Celsius(v.PeakK),
			quantity.Seconds(v.PeakS))
	}
	p.Line("Last step: %s degC in %s", p.Deg.Celsius(t.MaxK), PlaceText(t.MaxAt, (p.style.Width-52)/2))
}

// lastStep puts before a note that figures are of the end of a transient.
func lastStep(s *summary.Summary, note string) string {
	switch {
	case s.Steps == 0:
		return note
	case note == "":
		return "last step"
	case s.Peak == (summary.Peak{}):
		return "last step; " + note
	}
	return "last step, and the peak over time; " + note
}

func (p *Page) hotSpots(s *summary.Summary) {
	if len(s.HotSpots) == 0 {
		return
	}
	t := tables.New("##", "#degC", "#rise K", "#x mm", "#y mm", "layer", "block")
	for i, h := range s.HotSpots {
		t.Add(fmt.Sprint(i+1), p.Deg.Celsius(h.MaxK), p.Deg.Kelvin(h.MaxK-s.Temperature.AmbientK),
			quantity.Millimetres(h.XM), quantity.Millimetres(h.YM), h.Layer, quantity.Dash(cmp.Or(h.Block, h.Region)))
	}
	p.Heading("Hot spots", lastStep(s, ""))
	p.Table(t)
}

func (p *Page) probes(s *summary.Summary) {
	if len(s.Probes) == 0 {
		return
	}
	t := tables.New("probe", "#degC", "#rise K", "#x mm", "#y mm", "#z mm")
	for _, b := range s.Probes {
		t.Add(b.Name, p.Deg.Celsius(b.TemperatureK), p.Deg.Kelvin(b.TemperatureK-s.Temperature.AmbientK),
			quantity.Millimetres(b.XM), quantity.Millimetres(b.YM), quantity.Fixed(b.ZM*1e3, 4))
	}
	p.Heading("Probes", lastStep(s, ""))
	p.Table(t)
}

// steps sums up a transient: its hottest step, when it was, and the last one.
func (p *Page) steps(s *summary.Summary) {
	if len(s.StepMaxima) == 0 {
		return
	}
	hottest := slices.MaxFunc(s.StepMaxima, func(a, b summary.Step) int { return cmp.Compare(a.MaxK, b.MaxK) })
	last := s.StepMaxima[len(s.StepMaxima)-1]
	t := tables.New("step", "#t", "#max degC", "#power W")
	row := func(label string, st summary.Step) {
		t.Add(label, quantity.Seconds(st.TimeS), p.Deg.Celsius(st.MaxK), quantity.Significant(st.PowerW, 4))
	}
	row("first", s.StepMaxima[0])
	row("hottest", hottest)
	row("last", last)
	if s.Stepping == nil {
		p.Heading("Time steps", "trace.csv has every step")
		p.Table(t)
		return
	}
	p.Heading("Times", "trace.csv has every time")
	p.Table(t)
	p.wrapped("stepping   ", s.Stepping.Parts())
}

// PlaceText names a layer and a block or region, each in at most n characters.
func PlaceText(at summary.Place, n int) string {
	switch {
	case at.Block == "" && at.Region == "":
		return quantity.Shorten(at.Layer, n)
	case at.Block == "":
		return quantity.Shorten(at.Layer, n) + ", region " + quantity.Shorten(at.Region, n)
	}
	return quantity.Shorten(at.Layer, n) + ", block " + quantity.Shorten(at.Block, n)
}

// policies lists what they did.
func (p *Page) policies(s *summary.Summary) {
	if len(s.Policies) == 0 {
		return
	}
	t := tables.New("policy", "#above degC", "#below degC", "#peak degC", "#factor", "#first", "#throttled", "#changes")
	for i := range s.Policies {
		o := &s.Policies[i]
		first := "-"
		if o.FirstS != nil {
			first = quantity.Seconds(*o.FirstS)
		}
		t.Add(o.Name, p.Deg.Celsius(o.AboveK), p.Deg.Celsius(o.BelowK), p.Deg.Celsius(o.PeakK),
			quantity.Significant(o.Factor, 3), first, quantity.Seconds(o.ThrottledS), strconv.Itoa(o.Changes))
	}
	p.Heading("Policies", "")
	p.Table(t)
}

// warnings come right after the verdict, which they qualify.
func (p *Page) warnings(s *summary.Summary) {
	if len(s.Warnings) == 0 {
		return
	}
	p.Heading(fmt.Sprintf("Warnings (%d)", len(s.Warnings)), "possible, but seldom meant; --strict refuses them")
	_ = plausibility.Write(p.w, s.Warnings, p.style.Width) // errors stay in the writer until Flush
}

// extents is a table of layers, dies, regions or blocks.
func (p *Page) extents(s *summary.Summary, t *tables.Extents) {
	if !t.Empty() {
		table, note := t.Text(p.Deg, MaxTextBlocks)
		p.Heading(t.Title, lastStep(s, note))
		p.Table(table)
	}
}

// meansWithout tells what the means of layers leave out.
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
		p.Line("  %s", p.Paint(dim, quantity.Shorten("* without "+strings.Join(materials, ", "), p.style.Width-2)))
	}
}
