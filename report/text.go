package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Style of the tables.
type Style struct {
	Color bool // ANSI escapes; the caller looks at the terminal and NO_COLOR
	Width int  // characters per line, 100 when 0
}

// maxTextBlocks is how many blocks the tables list; blocks.csv has them all.
const maxTextBlocks = 20

// WriteText writes the tables that people read, the verdict first.
func WriteText(w io.Writer, s *Summary, st Style) error {
	p := newPage(w, st, s.Temperature.MaxK-s.Temperature.MinK)
	p.verdict(s)
	p.warnings(s)
	p.limits(s)
	p.jedec(s)
	p.hotSpots(s)
	p.layers(s)
	p.dies(s)
	p.regions(s)
	p.blocks(s)
	p.probes(s)
	p.coolant(s)
	p.steps(s)
	p.policies(s)
	p.heat(s)
	p.solver(s)
	return p.flush()
}

// page writes the parts of a report. Write errors stay in the bufio.Writer until Flush.
type page struct {
	w     *bufio.Writer
	style Style
	deg   digits
}

// newPage starts a page with temperatures that span so many K.
func newPage(w io.Writer, st Style, spanK float64) *page {
	if st.Width <= 0 {
		st.Width = 100
	}
	return &page{w: bufio.NewWriter(w), style: st, deg: digitsFor(spanK)}
}

// flush ends the page.
func (p *page) flush() error { return p.w.Flush() }

const (
	bold = "1"
	dim  = "2"
	red  = "1;31"
)

func (p *page) paint(code, text string) string {
	if !p.style.Color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

func (p *page) heading(title, note string) {
	if note != "" {
		note = "  " + p.paint(dim, note)
	}
	p.line("\n%s%s", p.paint(bold, title), note)
}

func (p *page) table(t *table) {
	for i, l := range t.lines(p.style.Width - 2) {
		if i == 0 {
			l = p.paint(dim, l)
		}
		p.line("  %s", l)
	}
}

func (p *page) verdict(s *Summary) {
	title := s.Title
	if title == "" {
		title = s.Stack
	}
	p.line("%s", p.paint(bold, shorten(title, p.style.Width)))
	p.line("%s", p.paint(dim, fmt.Sprintf("%s, %d x %d x %d = %s cells on %s",
		s.Command, s.Grid.NX, s.Grid.NY, s.Grid.NZ, cellCount(s.Grid.Cells), deviceText(s))))
	p.line("")
	switch caveat := s.Caveat(); {
	case caveat == "INTERRUPTED":
		p.line("%s the run ended before its last step.", p.paint(red, caveat+":"))
		p.line("The figures below are those of the last step it finished.")
	case caveat == runaway:
		p.line("%s %s.", p.paint(red, caveat+":"), s.Doubt())
	case caveat != "":
		p.line("%s the solve ended by %s.", p.paint(red, caveat+":"), s.Doubt())
		p.line("The figures below are the best found, not the answer.")
	}
	if n := s.Temperature.NonFiniteCells; n > 0 {
		p.line("%s %s cells have no finite temperature and are left out below", p.paint(red, "BROKEN FIELD:"),
			cellCount(n))
	}
	p.peak(s)
}

// peak tells the hottest cell: of a transient over all its steps, and at the end.
func (p *page) peak(s *Summary) {
	t := &s.Temperature
	place := func(at Place) string {
		return fmt.Sprintf("%s at x %s, y %s mm", placeText(at, (p.style.Width-52)/2), millimetres(at.XM),
			millimetres(at.YM))
	}
	rise := func(max float64) string {
		return fmt.Sprintf("%s K above the ambient of %s degC", p.deg.kelvin(max-t.AmbientK), p.deg.celsius(t.AmbientK))
	}
	if s.Steps == 0 {
		p.line("%s in %s", p.paint(bold, "Peak "+p.deg.celsius(t.MaxK)+" degC"), place(t.MaxAt))
		above := rise(t.MaxK)
		if !math.IsNaN(s.RthKPerW) {
			above += fmt.Sprintf(": R_th %s K/W", significant(s.RthKPerW, 4))
		}
		p.line("%s", above)
		return
	}
	kelvin, at := s.hottestStep()
	where := ""
	if s.Peak != (Peak{}) {
		where = " in " + place(s.Peak.At)
	}
	last := s.StepMaxima[s.Steps-1].TimeS
	p.line("%s%s", p.paint(bold, "Peak "+p.deg.celsius(kelvin)+" degC"), where)
	of := fmt.Sprintf("%d steps", s.Steps)
	if s.Stepping != nil {
		of = fmt.Sprintf("%d times", s.Steps)
	}
	p.line("%s, at t = %s of %s to %s", rise(kelvin), seconds(at), of, seconds(last))
	if v := s.Stepping; v != nil && v.PeakK > kelvin+v.TolK {
		p.line("Between these times a step ended with %s degC, at t = %s", p.deg.celsius(v.PeakK), seconds(v.PeakS))
	}
	p.line("Last step: %s degC in %s", p.deg.celsius(t.MaxK), placeText(t.MaxAt, (p.style.Width-52)/2))
}

// hottestStep is the peak of a transient and when it was.
func (s *Summary) hottestStep() (kelvin, time float64) {
	if s.Peak.TimeS > 0 {
		return s.Peak.MaxK, s.Peak.TimeS
	}
	hottest := slices.MaxFunc(s.StepMaxima, func(a, b StepSummary) int { return cmp.Compare(a.MaxK, b.MaxK) })
	return hottest.MaxK, hottest.TimeS
}

// lastStep puts before a note that figures are of the end of a transient.
func lastStep(s *Summary, note string) string {
	switch {
	case s.Steps == 0:
		return note
	case note == "":
		return "last step"
	case s.Peak == (Peak{}):
		return "last step; " + note
	}
	return "last step, and the peak over time; " + note
}

// lastStepNote says in titles that a map is of the end of a transient.
func (s *Summary) lastStepNote() string {
	if s.Steps == 0 {
		return ""
	}
	return "last step, t = " + seconds(s.StepMaxima[s.Steps-1].TimeS)
}

func (p *page) hotSpots(s *Summary) {
	if len(s.HotSpots) == 0 {
		return
	}
	t := table{columns: []column{number("#"), number("degC"), number("rise K"), number("x mm"), number("y mm"),
		name("layer"), name("block")}}
	for i, h := range s.HotSpots {
		t.add(fmt.Sprint(i+1), p.deg.celsius(h.MaxK), p.deg.kelvin(h.MaxK-s.Temperature.AmbientK),
			millimetres(h.XM), millimetres(h.YM), h.Layer, dash(cmp.Or(h.Block, h.Region)))
	}
	p.heading("Hot spots", lastStep(s, ""))
	p.table(&t)
}

func (p *page) probes(s *Summary) {
	if len(s.Probes) == 0 {
		return
	}
	t := table{columns: []column{name("probe"), number("degC"), number("rise K"), number("x mm"), number("y mm"),
		number("z mm")}}
	for _, b := range s.Probes {
		t.add(b.Name, p.deg.celsius(b.TemperatureK), p.deg.kelvin(b.TemperatureK-s.Temperature.AmbientK),
			millimetres(b.XM), millimetres(b.YM), fixed(b.ZM*1e3, 4))
	}
	p.heading("Probes", lastStep(s, ""))
	p.table(&t)
}

// steps sums up a transient: its hottest step, when it was, and the last one.
func (p *page) steps(s *Summary) {
	if len(s.StepMaxima) == 0 {
		return
	}
	hottest := slices.MaxFunc(s.StepMaxima, func(a, b StepSummary) int { return cmp.Compare(a.MaxK, b.MaxK) })
	last := s.StepMaxima[len(s.StepMaxima)-1]
	t := table{columns: []column{name("step"), number("t"), number("max degC"), number("power W")}}
	row := func(label string, st StepSummary) {
		t.add(label, seconds(st.TimeS), p.deg.celsius(st.MaxK), significant(st.PowerW, 4))
	}
	row("first", s.StepMaxima[0])
	row("hottest", hottest)
	row("last", last)
	if s.Stepping == nil {
		p.heading("Time steps", "trace.csv has every step")
		p.table(&t)
		return
	}
	p.heading("Times", "trace.csv has every time")
	p.table(&t)
	p.wrapped("stepping   ", s.Stepping.parts())
}

func deviceText(s *Summary) string {
	if s.Device.Name == "" {
		return cmp.Or(s.Device.Kind, "an unnamed device")
	}
	text := s.Device.Kind + " " + s.Device.Name
	if s.Device.Ranks > 0 {
		text = fmt.Sprintf("%d ranks, the first on %s; joined by %s", s.Device.Ranks, text, s.Device.Transport)
	}
	return text
}

// placeText names a layer and a block or region, each in at most n characters.
func placeText(at Place, n int) string {
	switch {
	case at.Block == "" && at.Region == "":
		return shorten(at.Layer, n)
	case at.Block == "":
		return shorten(at.Layer, n) + ", region " + shorten(at.Region, n)
	}
	return shorten(at.Layer, n) + ", block " + shorten(at.Block, n)
}

func dash(s string) string { return cmp.Or(strings.TrimSpace(s), "-") }
