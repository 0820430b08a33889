package ecxml

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/internal/inputfile"
	"thermsim/interop/importer"
	"thermsim/stack"
)

// box is an axis-aligned box by two corners, in the coordinates of the file.
type box struct{ lo, hi [3]float64 }

func (b *box) size(axis int) float64 { return b.hi[axis] - b.lo[axis] }

// solid is a box of one material, or the cylinder along z in it.
type solid struct {
	box
	name     string
	round    bool
	material *material
	pos      stack.Pos
}

// source is heat in a box or a cylinder along z. A flat one has no size along an axis.
type source struct {
	box
	name  string
	round bool
	flat  int // the axis and 1; 0 where it is not flat
	watts float64
	pos   stack.Pos
}

// reader collects the objects of a model.
type reader struct {
	*importer.Collector
	defined map[string]*material
	taken   map[string]bool // names of materials of the stack

	domain  *box    // of the solution, nil if not given
	ambient float64 // K
	solids  []solid
	sources []source
	probes  []stack.Probe // in the coordinates of the file
	flow    []*object     // objects that need the flow of air
	unknown map[string]*unknown
}

// unknown counts elements that the format does not have.
type unknown struct {
	first *element
	count int
}

// object is an element of the geometry with the values that all kinds share.
type object struct {
	*element
	box
	name     string
	normal   int // axis of the plane
	upward   bool
	material *material
	watts    float64
}

// fields are the values of every kind of object.
var fields = map[string]string{
	"solid3dblock":        "location size material powerDissipation",
	"solid2dblock":        "location size plane material powerDissipation",
	"solidcylinder":       "location size plane material powerDissipation",
	"sourceblock":         "location size powerDissipation",
	"source2dblock":       "location size plane powerDissipation",
	"printedcircuitboard": "location size plane material powerDissipation",
	"enclosure":           "location size material wallThickness",
	"heatsink":            "parts location size",
	"tworesistormodel":    "location size plane powerDissipation thetaJC thetaJB",
	"monitorpoint":        "location",
	"assembly":            "geometry",
	"grille":              "location size plane lossCoefficient freeAreaRatio",
	"flowresistance":      "location size lossCoefficient freeAreaRatio",
	"rectangular2dfan":    "location size plane flowDefinition",
	"axial3dfan":          "location size plane hubSize flowDefinition",
	externalCAD:           "location rotationMatrix material powerDissipation fileName",
}

// flowKinds need the flow of air.
var flowKinds = []string{"grille", "flowresistance", "rectangular2dfan", "axial3dfan"}

func needsFlow(kind string) bool { return slices.Contains(flowKinds, kind) }

const externalCAD = "externalmcadfile"

// read fills the reader from the root element.
func (r *reader) read(root *element) {
	r.others(root, "name", "producer", "solutionDomain", "materials", "geometry")
	r.ambient = 298.15
	if d := root.child("solutionDomain"); d != nil {
		r.solutionDomain(d)
	}
	if m := root.child("materials"); m != nil {
		r.materials(m)
	}
	if g := r.required(root, "geometry"); g != nil {
		r.geometry(g)
	}
	r.reportFlow()
	r.reportUnknown()
}

func (r *reader) solutionDomain(e *element) {
	r.others(e, "location", "size", "ambientConditions")
	r.domain = new(box)
	r.corners(e, r.domain)
	a := e.child("ambientConditions")
	if a == nil {
		return
	}
	r.others(a, "temperature", "radiantTemperature", "pressure")
	if a.child("temperature") != nil {
		r.ambient = r.number(a, "temperature", 0)
	}
	if t := a.child("radiantTemperature"); t != nil && r.number(a, t.tag, 0) != r.ambient {
		r.Note(importer.NotCarried, t.pos, "radiant temperature: faces radiate to the ambient temperature")
	}
}

// geometry reads a list of objects.
func (r *reader) geometry(list *element) {
	for _, e := range list.children {
		kind := strings.ToLower(e.tag)
		known, ok := fields[kind]
		if !ok {
			r.count(e)
			continue
		}
		r.others(e, append(strings.Fields(known), "name", "active")...)
		if r.inactive(e) {
			continue
		}
		if len(r.solids)+len(r.sources) > 2*maxObjects {
			r.Faults.Add(e.pos, "simplify the model", "more than %d solids and sources", 2*maxObjects)
			return
		}
		o := &object{element: e, name: e.tag}
		if n := e.child("name"); n != nil && n.value() != "" {
			o.name = n.value()
		}
		switch kind {
		case "assembly":
			if g := r.required(e, "geometry"); g != nil {
				r.geometry(g)
			}
		case "heatsink":
			if parts := r.required(e, "parts"); parts != nil {
				r.geometry(parts)
			}
		case externalCAD:
			r.Note(importer.NotCarried, e.pos, "external CAD file of %q: its geometry is not in the model", o.name)
		default:
			if needsFlow(kind) {
				r.flow = append(r.flow, o)
				continue
			}
			r.values(o, known)
			r.add(kind, o)
		}
	}
}

// inactive reports whether an object is switched off.
func (r *reader) inactive(e *element) bool {
	a := e.child("active")
	if a == nil {
		return false
	}
	switch strings.ToLower(a.value()) {
	case "true", "1":
		return false
	case "false", "0":
		return true
	}
	r.Faults.Add(a.pos, "", "<active> of <%s>: got %q; expected true or false", e.tag, a.value())
	return true
}

// values reads the values that a kind of object has.
func (r *reader) values(o *object, known string) {
	for _, tag := range strings.Fields(known) {
		switch tag {
		case "location":
			r.corners(o.element, &o.box)
		case "plane":
			r.plane(o)
		case "material":
			if m := r.required(o.element, tag); m != nil {
				o.material = r.materialOf(m)
			}
		case "powerDissipation":
			if o.child(tag) != nil || !strings.Contains(known, "material") {
				o.watts = r.number(o.element, tag, math.Inf(-1))
			}
		}
	}
}

// corners are location and size of an element.
func (r *reader) corners(e *element, b *box) {
	b.lo = r.vector(e, "location", math.Inf(-1))
	b.hi = b.lo
	if !strings.EqualFold(e.tag, "monitorPoint") {
		size := r.vector(e, "size", 0)
		for i := range size {
			b.hi[i] += size[i]
		}
	}
}

// plane reads the direction of an object: the axis normal to its plane, and the sign.
func (r *reader) plane(o *object) {
	p := r.required(o.element, "plane")
	if p == nil {
		return
	}
	text := strings.ToLower(p.value())
	o.upward = !strings.HasPrefix(text, "-")
	if o.normal = slices.Index([]string{"yz", "xz", "xy"}, strings.TrimLeft(text, "+-")); o.normal < 0 {
		o.normal = 2
		r.Faults.Add(p.pos, "", "<plane> of %q: got %q; expected +xy, -xy, +yz, -yz, +xz or -xz", o.name, text)
	}
}

// vector reads three numbers.
func (r *reader) vector(e *element, tag string, least float64) (v [3]float64) {
	if x := r.required(e, tag); x != nil {
		r.others(x, "x", "y", "z")
		v = [3]float64{r.number(x, "x", least), r.number(x, "y", least), r.number(x, "z", least)}
	}
	return v
}

// number reads a number of at least a bound.
func (r *reader) number(e *element, tag string, least float64) float64 {
	x := r.required(e, tag)
	if x == nil {
		return 0
	}
	v, err := inputfile.Number(x.value())
	switch {
	case err != nil || math.Abs(v) > stack.MaxQuantity:
		text := x.value()
		r.Faults.Add(x.pos, "", "<%s> of <%s>: got %.40q; expected a number", x.tag, e.tag, text)
		return 0
	case v < least:
		r.Faults.Add(x.pos, "", "<%s> of <%s>: got %g; expected %g or more", x.tag, e.tag, v, least)
		return 0
	}
	return v
}

// required is a child that an element must have.
func (r *reader) required(e *element, tag string) *element {
	c := e.child(tag)
	if c == nil {
		r.Faults.Add(e.pos, "add <"+tag+">", "<%s> has no <%s>", e.tag, tag)
	}
	return c
}

// others counts children that are not known.
func (r *reader) others(e *element, known ...string) {
	for _, c := range e.children {
		if !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, c.tag) }) {
			r.count(c)
		}
	}
}

func (r *reader) count(e *element) {
	u := r.unknown[e.tag]
	if u == nil {
		u = &unknown{first: e}
		r.unknown[e.tag] = u
	}
	u.count++
}

// reportUnknown lists unknown elements, in the order of the file.
func (r *reader) reportUnknown() {
	var all []*unknown
	for _, u := range r.unknown {
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b *unknown) int {
		return cmp.Or(a.first.pos.Line-b.first.pos.Line, a.first.pos.Col-b.first.pos.Col)
	})
	const most = 50
	for i, u := range all {
		if i == most {
			r.Note(importer.NotCarried, u.first.pos, "%d more kinds of unknown elements", len(all)-most)
			break
		}
		r.Note(importer.NotCarried, u.first.pos, "unknown element <%s>: %s", u.first.tag,
			importer.Plural(u.count, "occurrence"))
	}
}

// reportFlow refuses what needs the flow of air, or notes that it was dropped.
func (r *reader) reportFlow() {
	const most = 20
	var list []string
	for i, o := range r.flow {
		if r.Request.Named[ignoreFlow] != "" {
			r.Note(importer.NotCarried, o.pos, "%s %q: --%s drops it", o.tag, o.name, ignoreFlow)
		} else if i < most {
			list = append(list, fmt.Sprintf("%s %.40q (line %d)", o.tag, o.name, o.pos.Line))
		}
	}
	if len(list) == 0 {
		return
	}
	if n := len(r.flow) - most; n > 0 {
		list = append(list, fmt.Sprintf("%d more", n))
	}
	r.Faults.Add(r.flow[0].pos, "add --"+ignoreFlow+" to drop them, and check the heat-transfer coefficients of the "+
		"faces", "the model needs the flow of air, which thermsim does not compute: %s", strings.Join(list, ", "))
}
