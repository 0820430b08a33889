package ecxml

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"

	"thermsim/stack"
	"thermsim/stack/geometry"
	"thermsim/stack/stackfile"
)

// Write writes a stack as an ECXML model: every layer and region is a solid, every source a block of heat. What ECXML
// has no elements for (heat-transfer coefficients, the grid, contact resistances) goes into a processing instruction,
// which [Format] reads. notes lists what only approximates the stack.
func Write(w io.Writer, s *stack.Stack) (notes []string, err error) {
	x := &writer{w: bufio.NewWriter(w), s: flattened(s)}
	for i := range s.Layers {
		if s.Layers[i].Coolant != nil {
			return nil, &stack.Error{Pos: s.Layers[i].Pos, Msg: fmt.Sprintf("layer %.40q is a cavity with coolant; "+
				"expected solids", s.Layers[i].Name), Remedy: "export a stack without coolant"}
		}
	}
	x.head(s.Title, [3]float64{s.Size[0], s.Size[1], s.Height()}, s.Ambient)
	var geometry bytes.Buffer // materials of fills come before it
	file := x.w
	x.w, x.depth = bufio.NewWriter(&geometry), 1
	x.geometry()
	if err := x.w.Flush(); err != nil {
		return nil, err
	}
	x.w = file
	x.materials()
	if _, err := x.w.Write(geometry.Bytes()); err != nil {
		return nil, err
	}
	if err := x.instruction(); err != nil {
		return nil, err
	}
	x.close("neutralXML")
	if x.objects > maxObjects {
		return nil, &stack.Error{Pos: stack.Pos{File: s.File}, Msg: fmt.Sprintf("%d regions and blocks or tiles with "+
			"power are too many for ECXML; expected %d at most", x.objects, maxObjects),
			Remedy: "use a coarser power map"}
	}
	return x.notes, x.w.Flush()
}

// writer keeps the first error in its buffered file until the end.
type writer struct {
	w       *bufio.Writer
	s       *stack.Stack // without heated slices
	depth   int
	mixed   []stack.Material // homogenized fills
	objects int
	notes   []string
}

func (x *writer) note(format string, args ...any) {
	x.notes = append(x.notes, fmt.Sprintf(format, args...))
}

func (x *writer) indent() {
	for range x.depth {
		x.w.WriteByte(' ')
	}
}

func (x *writer) open(tag string) {
	x.indent()
	x.w.WriteString("<" + tag + ">\n")
	x.depth++
}

func (x *writer) close(tag string) {
	x.depth--
	x.indent()
	x.w.WriteString("</" + tag + ">\n")
}

func (x *writer) text(tag, value string) {
	x.indent()
	x.w.WriteString("<" + tag + ">")
	xml.EscapeText(x.w, []byte(value)) // an error stays in the buffered file
	x.w.WriteString("</" + tag + ">\n")
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func (x *writer) number(tag string, v float64) { x.text(tag, number(v)) }

func (x *writer) vector(tag string, v [3]float64) {
	x.indent()
	fmt.Fprintf(x.w, "<%s><x>%s</x><y>%s</y><z>%s</z></%s>\n", tag, number(v[0]), number(v[1]), number(v[2]), tag)
}

// head begins a model.
func (x *writer) head(title string, size [3]float64, ambient float64) {
	x.w.WriteString(xml.Header)
	x.open("neutralXML")
	if title == "" {
		title = "stack"
	}
	x.text("name", title)
	x.text("producer", "thermsim")
	x.open("solutionDomain")
	x.vector("location", [3]float64{})
	x.vector("size", size)
	x.open("ambientConditions")
	x.number("temperature", ambient)
	x.number("radiantTemperature", ambient)
	x.number("pressure", 0)
	x.close("ambientConditions")
	x.close("solutionDomain")
}

// flattened is the stack with the heated slices of its layers as layers.
func flattened(s *stack.Stack) *stack.Stack {
	flat := *s
	flat.Layers = nil
	names := map[string]bool{}
	for i := range s.Layers {
		names[s.Layers[i].Name] = true
	}
	for _, y := range s.Layers {
		contact := y.ContactResistance
		slice, rest := y, y
		slice.PowerAt, slice.PowerDepth, rest.PowerAt, rest.PowerDepth = "", 0, "", 0
		if !y.Sliced() {
			flat.Layers = append(flat.Layers, slice)
			continue
		}
		slice.Name += "_heated"
		for names[slice.Name] {
			slice.Name += "_"
		}
		names[slice.Name] = true
		slice.Thickness, slice.Cells = y.PowerDepth, 1
		rest.Thickness, rest.Powers = y.Thickness-y.PowerDepth, nil
		slice.ContactResistance, rest.ContactResistance = 0, 0
		pair := []stack.Layer{slice, rest}
		if y.PowerAt == stack.HeatedTop {
			pair[0], pair[1] = rest, slice
		}
		pair[1].ContactResistance = contact
		flat.Layers = append(flat.Layers, pair...)
	}
	return &flat
}

// geometry writes the layers with their sources and regions, then the monitor points. Heated cylinders are solids, too:
// they have the material of the layer, and regions follow.
func (x *writer) geometry() {
	x.open("geometry")
	z := 0.0
	for i := range x.s.Layers {
		y := &x.s.Layers[i]
		material := x.s.Materials[y.Material].Name
		x.solid("solid3dBlock", y.Name, x.s.Domain(), z, y.Thickness, material, 0)
		for p := range y.Powers {
			x.power(y, &y.Powers[p], z)
		}
		for j := range y.Regions {
			x.region(y, &y.Regions[j], z)
		}
		z += y.Thickness
	}
	for _, p := range x.s.Probes {
		x.begin("monitorPoint", p.Name)
		x.vector("location", [3]float64{p.X, p.Y, p.Z})
		x.close("monitorPoint")
	}
	x.close("geometry")
}

func (x *writer) begin(kind, name string) {
	x.objects++
	x.open(kind)
	x.text("name", name)
	x.text("active", "true")
}

func (x *writer) box(r stack.Rect, z, height float64) {
	x.vector("location", [3]float64{r.X, r.Y, z})
	x.vector("size", [3]float64{r.Width, r.Height, height})
}

func (x *writer) solid(kind, name string, r stack.Rect, z, height float64, material string, watts float64) {
	x.begin(kind, name)
	x.box(r, z, height)
	if kind == "solidCylinder" {
		x.text("plane", "+xy")
	}
	x.text("material", material)
	x.number("powerDissipation", watts)
	x.close(kind)
}

// strips is the number of rectangles that represent a shape other than a circle.
const strips = 50

func (x *writer) region(y *stack.Layer, r *stack.Region, z float64) {
	name := r.Name
	if name == "" {
		name = y.Name + "_region"
	}
	material := x.s.Materials[r.Material].Name
	if r.Fill != nil {
		material = x.mixture(y, r)
	}
	switch r.Shape.(type) {
	case nil:
		x.solid("solid3dBlock", name, r.Rect, z, y.Thickness, material, 0)
	case geometry.Circle:
		x.solid("solidCylinder", name, r.Rect, z, y.Thickness, material, 0)
	default:
		x.note("layer %.40q: %s is written as %d strips or fewer", y.Name, r.Describe(), strips)
		for _, strip := range stack.Outline(r.Shape, r.Height/strips) {
			x.solid("solid3dBlock", name, strip, z, y.Thickness, material, 0)
		}
	}
}

// mixture is the name of a material with the properties of a fill.
func (x *writer) mixture(y *stack.Layer, r *stack.Region) string {
	f := r.Fill
	matrix := x.s.Materials[r.Material]
	if len(f.Values) > 1 {
		x.note("layer %.40q: %s has the mean of its density map", y.Name, r.Describe())
	}
	m := stack.Material{Name: fmt.Sprintf("%s_fill%d", matrix.Name, len(x.mixed)+1)}
	m.K, m.C = f.Rule.Mix(&x.s.Materials[f.Inclusion], &matrix, f.Mean())
	x.mixed = append(x.mixed, m)
	return m.Name
}

func (x *writer) source(name string, r stack.Rect, z, height, watts float64) {
	if watts == 0 {
		return
	}
	x.begin("sourceBlock", name)
	x.box(r, z, height)
	x.number("powerDissipation", watts)
	x.close("sourceBlock")
}

func (x *writer) power(y *stack.Layer, p *stack.Power, z float64) {
	if p.Trace != nil || len(p.Schedule) > 0 {
		x.note("layer %.40q: powers in time are written as those of a steady state", y.Name)
	}
	name := p.Name
	if name == "" {
		name = y.Name + "_power"
	}
	leaks := p.Leakage.Factor != nil || p.Map != nil && len(p.Map.Hotter) > 0
	for i := range p.Blocks {
		b := &p.Blocks[i]
		leaks = leaks || b.Leakage.Factor != nil
		for _, r := range b.Rects {
			x.source(b.Name, r, z, y.Thickness, b.Watts*(r.Area()/b.Area()))
		}
		for _, shape := range b.Shapes {
			x.heated(y, b.Name, shape, z, b.Watts*(shape.Area()/b.Area()))
		}
	}
	if leaks {
		x.note("layer %.40q: leakage is not written", y.Name)
	}
	switch {
	case p.Map != nil:
		dx, dy := p.Area.Width/float64(p.Map.NX), p.Area.Height/float64(p.Map.NY)
		for n, watts := range p.Map.Values {
			i, j := n%p.Map.NX, n/p.Map.NX
			x.source(name, stack.Rect{X: p.Area.X + float64(i)*dx, Y: p.Area.Y + float64(j)*dy, Width: dx, Height: dy},
				z, y.Thickness, watts)
		}
	case p.Shape != nil:
		x.heated(y, name, p.Shape, z, p.Uniform)
	default:
		x.source(name, p.Area, z, y.Thickness, p.Uniform)
	}
}

// heated writes the power in a shape: of a circle, as the heat of a cylinder.
func (x *writer) heated(y *stack.Layer, name string, shape geometry.Shape, z, watts float64) {
	around := stack.Around(shape)
	if _, circle := shape.(geometry.Circle); circle {
		x.solid("solidCylinder", name, around, z, y.Thickness, x.s.Materials[y.Material].Name, watts)
		return
	}
	x.note("layer %.40q: power %.40q is written as %d strips or fewer", y.Name, name, strips)
	for _, r := range stack.Outline(shape, around.Height/strips) {
		x.source(name, r, z, y.Thickness, watts*(r.Area()/shape.Area()))
	}
}

// instruction writes what ECXML has no elements for, as a stack file of layers without regions and powers.
func (x *writer) instruction() error {
	s := *x.s
	s.Probes, s.Measured, s.Jedec = nil, stack.Measured{}, stack.Jedec{}
	s.Layers = nil
	for _, y := range x.s.Layers {
		y.Regions, y.Powers = nil, nil
		s.Layers = append(s.Layers, y)
	}
	for i := range s.Materials { // stack files keep those that are used
		if !slices.ContainsFunc(s.Layers, func(y stack.Layer) bool { return y.Material == i }) {
			s.Layers[0].Regions = append(s.Layers[0].Regions, stack.Region{Material: i, Rect: s.Domain()})
		}
	}
	var text bytes.Buffer
	if err := stackfile.Print(&text, &s); err != nil {
		return err
	}
	x.indent()
	fmt.Fprintf(x.w, "<?%s\n%s?>\n", instruction, bytes.ReplaceAll(text.Bytes(), []byte("?>"), []byte(`?\u003e`)))
	return nil
}
