package stack

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"thermsim/stack/internal/units"
)

// Print writes the stack as a stack file that needs no other: materials, floorplans, watts, maps and traces stand in
// it, every coordinate is one of the domain, and every value reads back as the same bits. Loading it gives the same
// stack apart from File, Inputs, the places and the files of maps and traces. The error is that of Validate or of the
// writer.
func Print(w io.Writer, s *Stack) error { return PrintCommented(w, s, Comments{}) }

// PrintCommented is Print with comments for people.
func PrintCommented(w io.Writer, s *Stack, c Comments) error {
	if err := Validate(s); err != nil {
		return err
	}
	p := &printer{w: bufio.NewWriter(w), s: s, comments: c}
	p.comment(c.Head...)
	p.top()
	for i, m := range s.Materials {
		p.line("")
		p.comment(c.Materials[i]...)
		p.material(m)
	}
	for i := range s.Layers {
		p.line("")
		p.comment(c.Layers[i]...)
		p.layer(&s.Layers[i], c.Contacts[i])
	}
	for _, pr := range s.Probes {
		p.line("\n[[probe]]")
		p.text("name", pr.Name)
		p.lengths("x", pr.X, "y", pr.Y, "z", pr.Z)
		p.text("side", string(pr.Side))
	}
	if j := s.Jedec; j != (Jedec{}) {
		p.line("\n[jedec]")
		p.text("environment", j.Environment)
		p.text("case", j.Case)
		p.text("board", j.Board)
	}
	p.wishes()
	return p.w.Flush()
}

// Comments are remarks that PrintCommented puts into the file. Lines are without the leading "#"; layers and materials
// are counted as in the stack, and any of them may be missing.
type Comments struct {
	Head      []string            // lines before everything else
	Grid      []string            // lines before the grid
	Boundary  [NumFaces]string    // behind the face's line
	Materials map[int][]string    // lines before the material
	Layers    map[int][]string    // lines before the layer
	Contacts  map[int]string      // behind the layer's contact resistance
	Powers    map[*Power][]string // lines before the power
	Transient []string            // lines before [transient]
}

type printer struct {
	w        *bufio.Writer // keeps the first error until Flush
	s        *Stack
	comments Comments
}

// comment writes lines of comment. What would end a comment or is not allowed in one becomes a space.
func (p *printer) comment(lines ...string) {
	for _, l := range lines {
		p.line("%s", strings.TrimRight("# "+harmless(l), " "))
	}
}

// behind is a comment at the end of a line.
func behind(text string) string {
	if text == "" {
		return ""
	}
	return " # " + harmless(text)
}

func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p.w, format+"\n", args...)
}

func (p *printer) text(key, value string) {
	if value != "" {
		p.line("%s = %s", key, quote(value))
	}
}

// value writes a quantity unless it is zero, which stands for not given.
func (p *printer) value(key string, q units.Quantity, x float64) {
	if x != 0 {
		p.line("%s = %s", key, quantity(q, x))
	}
}

func (p *printer) count(key string, n int) {
	if n != 0 {
		p.line("%s = %d", key, n)
	}
}

// lengths writes pairs of key and length.
func (p *printer) lengths(pairs ...any) {
	for i := 0; i+1 < len(pairs); i += 2 {
		key, _ := pairs[i].(string)
		x, _ := pairs[i+1].(float64)
		p.line("%s = %s", key, quantity(units.Length, x))
	}
}

func (p *printer) top() {
	s := p.s
	p.line("schema = 1")
	p.text("title", s.Title)
	p.line("ambient = %s", quantity(units.Temperature, s.Ambient))
	p.value("tmax", units.Temperature, s.TMax)
	p.line("size = %s", lengthList(s.Size[:]...))
	p.comment(p.comments.Grid...)
	p.line("grid = %s", grid(&s.Grid))
	for f := range s.Boundary {
		b := &s.Boundary[f]
		if len(b.Patches) > 0 {
			p.patches(Face(f), b)
		} else if own := faceEntry(b); own != "" {
			p.line("boundary.%s = { %s }%s", Face(f), own, behind(p.comments.Boundary[f]))
		}
	}
}

func grid(g *Grid) string {
	switch a := g.Auto; {
	case a == nil:
		return fmt.Sprintf("{ %s, %s }", axis("nx", "x", g.X), axis("ny", "y", g.Y))
	case a.Error > 0:
		return fmt.Sprintf("{ error = %s, max_cells = %d }", quantity(units.TemperatureRise, a.Error), a.MaxCells)
	default:
		return fmt.Sprintf("{ relative_error = %s, max_cells = %d }", number(a.Relative), a.MaxCells)
	}
}

func axis(count, runs string, a Axis) string {
	if len(a.Segments) == 0 {
		return fmt.Sprintf("%s = %d", count, a.Cells)
	}
	segments := make([]string, len(a.Segments))
	for i, s := range a.Segments {
		segments[i] = fmt.Sprintf("{ to = %s, cells = %d, ratio = %s }", quantity(units.Length, s.To), s.Cells,
			number(s.Ratio))
	}
	return fmt.Sprintf("%s = [%s]", runs, strings.Join(segments, ", "))
}

func (p *printer) material(m Material) {
	p.line("[materials.%s]", quote(m.Name))
	p.text("title", m.Title)
	var k [3]string
	for axis := range k {
		k[axis] = property(units.Conductivity, m.K[axis], m.KCurve[axis])
	}
	if k[0] == k[1] && k[0] == k[2] {
		p.line("k = %s", k[0])
	} else {
		p.line("k = [%s, %s, %s]", k[0], k[1], k[2])
	}
	p.line("c = %s", property(units.VolumetricHeat, m.C, m.CCurve))
	p.text("source", m.Source)
	p.value("t_ref", units.Temperature, m.TRef)
	p.text("notes", m.Notes)
}

// property writes a quantity, or the curve that it follows.
func property(q units.Quantity, x float64, c *Curve) string {
	if c == nil {
		return quantity(q, x)
	}
	list := func(v []float64) string {
		words := make([]string, len(v))
		for i, x := range v {
			words[i] = number(x)
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	var rows []string
	for i, t := range c.Temperatures {
		rows = append(rows, list([]float64{t, c.Values[i]}))
	}
	holds := fmt.Sprintf("at = %s, range = [%s, %s]", quantity(units.Temperature, c.At),
		quantity(units.Temperature, c.Range[0]), quantity(units.Temperature, c.Range[1]))
	switch c.Law {
	case TableLaw:
		return "{ table = [" + strings.Join(rows, ", ") + "] }"
	case PolynomialLaw:
		return fmt.Sprintf("{ polynomial = %s, %s }", list(c.Coefficients), holds)
	case ExponentialLaw:
		return fmt.Sprintf("{ beta = %s, %s }", quantity(units.PerKelvin, c.Exponent), holds)
	}
	return fmt.Sprintf("{ value = %s, exponent = %s, %s }", quantity(q, c.Value), number(c.Exponent), holds)
}

func (p *printer) layer(y *Layer, contact string) {
	p.line("[[layer]]")
	p.text("name", y.Name)
	p.text("material", p.s.Materials[y.Material].Name)
	p.line("thickness = %s", quantity(units.Length, y.Thickness))
	p.line("cells = %d", y.Cells)
	p.text("power_at", string(y.PowerAt))
	if y.AtSurface() {
		p.line("power_depth = %s", quantity(units.Length, min(y.PowerDepth, y.Thickness)))
	}
	if y.ContactResistance != 0 {
		p.line("contact_resistance = %s%s", quantity(units.ContactResistance, y.ContactResistance), behind(contact))
	}
	p.value("tmax", units.Temperature, y.TMax)
	if y.MeanOfAll {
		p.text("mean", "all")
	}
	for _, r := range y.Regions {
		p.line("\n[[layer.region]]")
		p.text("name", r.Name)
		p.text("material", p.s.Materials[r.Material].Name)
		if r.Shape != nil {
			p.line("%s", shapeEntry(r.Shape))
		} else {
			p.lengths("x", r.X, "y", r.Y, "width", r.Width, "height", r.Height)
		}
		p.value("tmax", units.Temperature, r.TMax)
		p.text("die", r.Die)
		if r.Fill != nil { // a table of its own: keys behind it would be its
			p.fill(r.Fill)
		}
	}
	if y.Coolant != nil {
		p.coolant(y.Coolant)
	}
	for i := range y.Powers {
		p.power(&y.Powers[i])
	}
}

func (p *printer) wishes() {
	if t := p.s.Transient; t.given() {
		p.line("")
		p.comment(p.comments.Transient...)
		p.line("[transient]")
		p.value("dt", units.Time, t.Dt)
		p.count("steps", t.Steps)
		p.value("until", units.Time, t.Until)
		p.value("dt_tol", units.TemperatureRise, t.DtTol)
		p.value("to_steady", units.TemperatureRise, t.ToSteady)
		p.value("every", units.Time, t.Every)
		if len(t.At) > 0 {
			words := make([]string, len(t.At))
			for i, x := range t.At {
				words[i] = number(x)
			}
			p.line("at = [%s]", strings.Join(words, ", "))
		}
		if t.Periodic {
			p.line("periodic = true")
		}
		p.value("initial", units.Temperature, t.Initial)
	}
	if v := p.s.Solver; v != (Solver{}) {
		p.line("\n[solver]")
		p.text("preconditioner", v.Preconditioner)
		p.text("device", v.Device)
		p.value("tol", units.TemperatureRise, v.Tol)
		if v.RTol != 0 {
			p.line("rtol = %s", number(v.RTol))
		}
		p.value("atol", units.Power, v.ATol)
		p.count("max_iter", v.MaxIter)
	}
	if len(p.s.Output.Maps) > 0 {
		p.line("\n[output]")
		p.line("maps = %s", quoteAll(p.s.Output.Maps))
	}
}

// quantity writes a value with its unit as a TOML string.
func quantity(q units.Quantity, x float64) string { return `"` + q.Format(x) + `"` }

func lengthList(xs ...float64) string {
	words := make([]string, len(xs))
	for i, x := range xs {
		words[i] = quantity(units.Length, x)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// number writes the shortest decimal that reads back as the same bits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// quote writes a TOML basic string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
