package stackfile

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"thermsim/stack"
	"thermsim/stack/geometry"
	"thermsim/stack/internal/keys"
	"thermsim/stack/internal/units"
)

// Print writes the stack as a self-contained stack file: it includes materials, floorplans, power values, maps and
// traces. All coordinates are those of the domain, and every value reads back as the same bits. Loading it gives the
// same stack except for File, Inputs, positions, and the files of maps and traces. The error is that of Validate or of
// the writer.
func Print(w io.Writer, s *stack.Stack) error { return PrintCommented(w, s, Comments{}) }

// PrintCommented is Print with comments for people.
func PrintCommented(w io.Writer, s *stack.Stack, c Comments) error {
	if err := stack.Validate(s); err != nil {
		return err
	}
	if s.PowerGrid != nil {
		return &stack.Error{Pos: s.PowerGrid.Pos, Msg: "a stack with a power grid cannot be written as one file",
			Remedy: "remove [power_grid], or keep the stack file with its netlist"}
	}
	p := &printer{w: bufio.NewWriter(w), s: s, comments: c}
	p.comment(c.Head...)
	p.top()
	for i, m := range s.Materials {
		p.line("")
		p.comment(c.Materials[i]...)
		p.define(m)
	}
	for i := range s.Layers {
		p.line("")
		p.comment(c.Layers[i]...)
		p.layer(&s.Layers[i], c.Contacts[i])
	}
	for _, pr := range s.Probes {
		p.table("\n[[probe]]", "probe", &pr)
	}
	if len(s.Measured.Values) > 0 {
		p.measured(&s.Measured)
	}
	if s.Jedec != (stack.Jedec{}) {
		p.table("\n[jedec]", "jedec", &s.Jedec)
	}
	if s.Transient.Given() {
		p.line("")
		p.comment(c.Transient...)
		p.table("[transient]", "transient", &s.Transient)
	}
	if s.Solver != (stack.Solver{}) {
		p.table("\n[solver]", "solver", &s.Solver)
	}
	if len(s.Output.Maps) > 0 {
		p.table("\n[output]", "output", &s.Output)
	}
	return p.w.Flush()
}

// Comments are remarks that PrintCommented puts into the file. Lines are without the leading "#"; layers and materials
// are counted as in the stack, and any of them may be missing.
type Comments struct {
	Head      []string                  // lines before everything else
	Grid      []string                  // lines before the grid
	Boundary  [stack.NumFaces]string    // behind the face's line
	Materials map[int][]string          // lines before the material
	Layers    map[int][]string          // lines before the layer
	Contacts  map[int]string            // behind the layer's contact resistance
	Powers    map[*stack.Power][]string // lines before the power
	Transient []string                  // lines before [transient]
}

type printer struct {
	w        *bufio.Writer // keeps the first error until Flush
	s        *stack.Stack
	comments Comments
}

// comment writes lines of comment. Characters that would end it or are not allowed become spaces.
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

func (p *printer) lines(list []string) {
	for _, l := range list {
		p.line("%s", l)
	}
}

// table writes a header and the fields of the struct that v points to below it.
func (p *printer) table(header, table string, v any) {
	p.line("%s", header)
	p.lines(entries(table, v))
}

func (p *printer) top() {
	s := *p.s
	s.Schema = 1 // also of a stack built in Go
	p.lines(entries("stack", &s))
	p.comment(p.comments.Grid...)
	p.line("grid = %s", grid(&s.Grid))
	for f := range s.Boundary {
		b := &s.Boundary[f]
		if len(b.Patches) > 0 {
			p.patches(stack.Face(f), b)
		} else if own := faceEntry(b); own != "" {
			p.line("boundary.%s = { %s }%s", stack.Face(f), own, behind(p.comments.Boundary[f]))
		}
	}
}

func grid(g *stack.Grid) string {
	if g.Auto != nil {
		return inline("grid", g.Auto)
	}
	return fmt.Sprintf("{ %s, %s }", axis("nx", "x", g.X), axis("ny", "y", g.Y))
}

func axis(count, runs string, a stack.Axis) string {
	if len(a.Segments) == 0 {
		return fmt.Sprintf("%s = %d", count, a.Cells)
	}
	return runs + " = " + array(each(a.Segments, func(s stack.Segment) string { return inline("segment", &s) }))
}

// material names the material of a layer or a region.
func (p *printer) material(i int) string { return "material = " + quote(p.s.Materials[i].Name) }

// define writes a material.
func (p *printer) define(m stack.Material) {
	p.line("[materials.%s]", quote(m.Name))
	k := make([]string, 3)
	for axis := range k {
		k[axis] = property(units.Conductivity, m.K[axis], m.KCurve[axis])
	}
	conductivity := k[0]
	if k[0] != k[1] || k[0] != k[2] {
		conductivity = array(k)
	}
	p.lines(slices.Insert(entries("material", &m), min(len(m.Title), 1), "k = "+conductivity,
		"c = "+property(units.VolumetricHeat, m.C, m.CCurve)))
}

// property writes a quantity, or the curve that it follows.
func property(q units.Quantity, x float64, c *stack.Curve) string {
	if c == nil {
		return quantity(q, x)
	}
	var rows []string
	for i, t := range c.Temperatures {
		rows = append(rows, numberList([]float64{t, c.Values[i]}))
	}
	holds := fmt.Sprintf("at = %s, range = [%s, %s]", quantity(units.Temperature, c.At),
		quantity(units.Temperature, c.Range[0]), quantity(units.Temperature, c.Range[1]))
	switch c.Law {
	case stack.TableLaw:
		return "{ table = " + array(rows) + " }"
	case stack.PolynomialLaw:
		return fmt.Sprintf("{ polynomial = %s, %s }", numberList(c.Coefficients), holds)
	case stack.ExponentialLaw:
		return fmt.Sprintf("{ beta = %s, %s }", quantity(units.PerKelvin, c.Exponent), holds)
	}
	return fmt.Sprintf("{ value = %s, exponent = %s, %s }", quantity(q, c.Value), number(c.Exponent), holds)
}

func (p *printer) layer(y *stack.Layer, contact string) {
	own := *y
	own.PowerDepth = 0
	if y.AtSurface() {
		own.PowerDepth = min(y.PowerDepth, y.Thickness)
	}
	p.line("[[layer]]")
	for _, l := range slices.Insert(entries("layer", &own), 1, p.material(y.Material)) {
		if strings.HasPrefix(l, "contact_resistance") {
			l += behind(contact)
		}
		p.line("%s", l)
	}
	for _, r := range y.Regions {
		p.line("\n[[layer.region]]")
		place := entries("region", &r.Rect)
		if r.Shape != nil {
			place = []string{shapeEntry(r.Shape)}
		}
		place = slices.Insert(place, 0, p.material(r.Material))
		p.lines(slices.Insert(entries("region", &r), min(len(r.Name), 1), place...))
		if r.Fill != nil { // last, because keys after its header belong to it
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

// coolant writes a coolant with its flow and coefficients as they were found.
func (p *printer) coolant(c *stack.Coolant) {
	own := *c
	if len(c.Zones) > 0 {
		own.Flow = 0
	}
	p.table("\n[layer.coolant]", "coolant", &own)
	for i := range c.Zones {
		p.table("\n[[layer.coolant.zone]]", "coolant_zone", &c.Zones[i])
	}
}

// faceEntry writes the condition of a face or a patch as keys; empty where it is adiabatic.
func faceEntry(b *stack.Boundary) string {
	var entry string
	if b.Kind == stack.Convective {
		entry = filmEntry(b)
	}
	for _, c := range stack.SingleValued {
		if c.Kind == b.Kind {
			entry = c.Key + " = " + quantity(keys.StackKey("face", c.Key).Quantity, *c.Value(b))
		}
	}
	if b.HasAmbient() {
		entry += ", ambient = " + quantity(units.Temperature, b.Temperature)
	}
	return entry
}

// filmEntry writes the keys of a convective face.
func filmEntry(b *stack.Boundary) string {
	var list []string
	if b.H != 0 || b.Law != nil {
		list = append(list, "h = "+property(units.HeatTransfer, b.H, b.Law))
	}
	if b.Natural != "" {
		list = append(list, `convection = "natural"`)
	}
	return strings.Join(append(list, entries("face", &b.Film)...), ", ")
}

// patches writes a face with patches, which takes several lines.
func (p *printer) patches(f stack.Face, b *stack.Boundary) {
	own := faceEntry(b)
	if own != "" {
		own += ", "
	}
	p.line("boundary.%s = { %spatch = [", f, own)
	for i := range b.Patches {
		patch := &b.Patches[i]
		condition := faceEntry(&patch.Boundary)
		if patch.Map != nil {
			condition = mapEntry(patch)
		}
		p.line("  { name = %s, %s, %s },", quote(patch.Name), p.position(patch, f), condition)
	}
	p.line("] }%s", behind(p.comments.Boundary[f]))
}

// position writes the location of a patch.
func (p *printer) position(patch *stack.Patch, f stack.Face) string {
	if patch.Shape != nil {
		return shapeEntry(patch.Shape)
	}
	if len(patch.Rects) > 1 {
		var names []string
		p.s.Bands(0, func(y *stack.Layer, middle float64) bool {
			in := stack.BesideAny(patch.Rects, middle)
			if in {
				names = append(names, quote(y.Name))
			}
			return in
		})
		return "layers = " + array(names)
	}
	axes, r := stack.FaceAxes(f), patch.Rects[0]
	return fmt.Sprintf("%s = %s, %s = %s, width = %s, height = %s", axes[0], metric(r.X), axes[1], metric(r.Y),
		metric(r.Width), metric(r.Height))
}

// mapEntry writes coefficients by place.
func mapEntry(patch *stack.Patch) string {
	rows := each(slices.Collect(slices.Chunk(patch.Map.Values, patch.Map.NX)), numberList)
	return fmt.Sprintf(`unit = "W/(m^2 K)", orientation = "south-first", map = [%s], ambient = %s`,
		strings.Join(rows, ",\n    "), quantity(units.Temperature, patch.Temperature))
}

// power writes one source. Those of regions are written in the layer, with their area.
func (p *printer) power(s *stack.Power) {
	p.line("")
	p.comment(p.comments.Powers[s]...)
	p.line("[[layer.power]]")
	if s.Shape != nil {
		p.line("%s", shapeEntry(s.Shape))
	} else if s.Area != p.s.Domain() {
		p.line("area = %s", rectList(s.Area))
	}
	p.lines(entries("power", s))
	if len(s.Schedule) > 0 {
		lines(p, "schedule", s.Schedule, func(sp stack.ScalePoint) string { return inline("scale", &sp) })
	}
	switch {
	case s.Map != nil:
		p.line(`unit = "W"`)
		if len(s.Map.Temperatures) > 0 {
			kelvin := func(x float64) string { return quantity(units.Temperature, x) }
			p.line("temperatures = %s", array(each(s.Map.Temperatures, kelvin)))
		}
		p.tiles(s.Map.NX, slices.Concat(s.Map.Planes()...))
	case len(s.Blocks) > 0:
		p.blocks(s)
	default:
		p.line("uniform = %s", quantity(units.Power, s.Uniform))
		if s.Leakage.Factor != nil {
			p.line("leakage = %s", leakageEntry(&s.Leakage))
		}
	}
}

// measured writes measured temperatures.
func (p *printer) measured(m *stack.Measured) {
	p.table("\n[measured]", "measured", m)
	lines(p, "value", m.Values, func(v stack.MeasuredValue) string {
		time := ""
		if !math.IsNaN(v.Time) {
			time = ", time = " + quantity(units.Time, v.Time)
		}
		return fmt.Sprintf("{ probe = %s%s, temperature = %s }", quote(p.s.Probes[v.Probe].Name), time,
			quantity(units.Temperature, v.Kelvin))
	})
}

// lines writes an array with a line for each element.
func lines[T any](p *printer, key string, list []T, write func(T) string) {
	p.line("%s = [", key)
	for _, x := range list {
		p.line("  %s,", write(x))
	}
	p.line("]")
}

// tiles writes a map with rows of nx values.
func (p *printer) tiles(nx int, values []float64) {
	p.line(`orientation = "south-first"`)
	lines(p, "map", slices.Collect(slices.Chunk(values, nx)), numberList)
}

func (p *printer) blocks(s *stack.Power) {
	if s.AllowOverlap {
		p.line("allow_overlap = true")
	}
	lines(p, "block", s.Blocks, func(b stack.Block) string {
		list := slices.Insert(entries("block", &b), 1, blockEntry(&b))
		if b.Leakage.Factor != nil {
			list = append(list, "leakage = "+leakageEntry(&b.Leakage))
		}
		return "{ " + strings.Join(list, ", ") + " }"
	})
	if s.Trace != nil {
		p.trace(s)
	}
}

// leakageEntry writes a leakage with its law.
func leakageEntry(l *stack.Leakage) string {
	law := strings.TrimPrefix(property(units.Number, 0, l.Factor), "{ ")
	return fmt.Sprintf("{ power = %s, %s", quantity(units.Power, l.Watts), law)
}

func (p *printer) trace(s *stack.Power) {
	t := s.Trace
	if t.Repeat {
		p.line("repeat = true")
	}
	p.line("[layer.power.trace]")
	p.line("end = %s", quantity(units.Time, t.End))
	p.line("blocks = %s", array(each(s.Blocks, func(b stack.Block) string { return quote(b.Name) })))
	lines(p, "times", t.Times, number)
	lines(p, "watts", t.Watts, numberList)
}

// shapeEntry writes a shape as key and value.
func shapeEntry(s geometry.Shape) string {
	switch s := s.(type) {
	case geometry.Circle:
		return "circle = " + inline("circle", &s)
	case geometry.Polygon:
		return "polygon = " + array(each(s, func(c geometry.Point) string { return lengthList(c.X, c.Y) }))
	}
	return ""
}

// blockEntry writes the location of a block.
func blockEntry(b *stack.Block) string {
	if len(b.Shapes) == 1 && len(b.Rects) == 0 {
		return shapeEntry(b.Shapes[0])
	}
	if r := b.Rects[0]; len(b.Rects) == 1 {
		return strings.Join(entries("block", &r), ", ")
	}
	return "rects = " + array(each(b.Rects, rectList))
}

// rectList writes [x, y, width, height].
func rectList(r stack.Rect) string { return lengthList(r.X, r.Y, r.Width, r.Height) }

// fill writes the inclusions of a region.
func (p *printer) fill(f *stack.Fill) {
	p.line("[layer.region.fill]\ninclusion = %s\nrule = %s", quote(p.s.Materials[f.Inclusion].Name),
		quote(string(f.Rule)))
	if f.NX == 1 && f.NY == 1 {
		p.line("fraction = %s", number(f.Values[0]))
		return
	}
	p.tiles(f.NX, f.Values)
}
