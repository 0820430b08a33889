package assembly

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"thermsim/interop/importer"
)

// chipletFile is the contents of a .chiplet file.
type chipletFile struct {
	Version  scalar `yaml:"format_version"`
	Metadata struct {
		Preliminary scalar `yaml:"finalize_required"`
	} `yaml:"_metadata"`
	Assembly *struct{ Name, Units scalar }
	Stacks   named[struct{ Layers list[pillar] }] `yaml:"connection_stacks"`
	Bumps    list[struct {
		From, To struct{ Component scalar }
		Physical struct{ Pitch number }
	}] `yaml:"interfaces"`
	Components list[component]
}

// pillar is a layer of a connection stack.
type pillar struct {
	Name, Material   scalar
	Height, Diameter number
}

// component is an interposer, a substrate, a die or an array of dies.
type component struct {
	ID, Type, Technology scalar
	Anchor, Orientation  scalar
	Connection           scalar
	Position             point // the center in x and y, the lower side in z
	Rotation             struct{ Z number }
	Dimensions           struct{ Width, Height, Thickness number }
	Surface              number `yaml:"attachment_surface_z"`
	Array                struct {
		Pattern      scalar
		Count, Pitch point
		Start        point `yaml:"start_position"`
	}
	*kind  `yaml:"-"`
	turned placement
}

type point struct{ X, Y, Z number }

func (p *point) um() [3]float64 { return [3]float64{p.X.value, p.Y.value, p.Z.value} }

// chiplet reads a .chiplet file.
type chiplet struct {
	*assembly
	source
	stacks  map[string][]plane
	pitches map[string]float64 // um, of the interfaces of components
}

func (a *assembly) readChiplet(data []byte) {
	r := &chiplet{assembly: a, source: source{&a.Faults, a.Request.Files[0]}, stacks: map[string][]plane{},
		pitches: map[string]float64{}}
	var f chipletFile
	others, ok := r.parse(data, &f, "format_version", "assembly", "_metadata", "connection_stacks", "components",
		"technologies", "interfaces")
	if !ok {
		return
	}
	a.Notes = append(a.Notes, others...)
	r.header(&f)
	for _, e := range f.Stacks {
		for _, p := range e.value.Layers {
			r.stacks[e.key.text] = append(r.stacks[e.key.text], plane{name: p.Name.text, metal: p.Material.text,
				height: p.Height.value, diameter: p.Diameter.value})
			if !(p.Height.value > near) || p.Material.text == "" {
				r.fail(e.key, "", "connection stack %.40q: a layer needs a height and a material", e.key.text)
			}
		}
	}
	for _, b := range f.Bumps {
		for _, id := range []string{b.From.Component.text, b.To.Component.text} {
			r.pitches[id] = cmp.Or(r.pitches[id], b.Physical.Pitch.value)
		}
	}
	r.components(f.Components)
}

// version has a major and a minor number.
var version = regexp.MustCompile(`^(\d+)\.(\d+)$`)

// header checks the version, by the policy of the format, the name and the units.
func (r *chiplet) header(f *chipletFile) {
	v := f.Version
	if m := version.FindStringSubmatch(v.text); m == nil || m[1] != "1" {
		r.fail(v, "", "format_version: got %.40q; expected \"1.0\"", v.text)
	} else if strings.Trim(m[2], "0") != "" {
		r.Note(importer.Warning, r.source.pos(v), "format_version %.40s is newer than 1.0: what it added is not read",
			v.text)
	}
	if p := f.Metadata.Preliminary; p.text == "true" {
		r.fail(p, "run the finalizer that it names", "the file is intermediate: its positions are preliminary")
	}
	if f.Assembly == nil || f.Assembly.Name.text == "" {
		r.fail(scalar{}, "add assembly: {name: ...}", "the assembly has no name")
	} else if u := f.Assembly.Units; u.text != "" && u.text != "um" {
		r.fail(u, "", "units: got %.40q; expected um", u.text)
	} else {
		r.Stack.Title = importer.Label(f.Assembly.Name.text, r.Stack.Title)
	}
}

// components places interposers and substrates, and then the dies, upwards.
func (r *chiplet) components(all []component) {
	ids := map[string]bool{}
	var dies []*component
	for i := range all {
		c := &all[i]
		if !r.prepare(c) {
			return
		}
		if ids[c.ID.text] {
			r.fail(c.ID, "rename one of them", "two components are called %.40q", c.ID.text)
		}
		ids[c.ID.text] = true
		if strings.HasPrefix(c.class, "die") {
			dies = append(dies, c)
		} else {
			r.carrier(c)
		}
	}
	slices.SortStableFunc(dies, func(c, d *component) int { return cmp.Compare(c.start()[2], d.start()[2]) })
	for _, c := range dies {
		r.die(c)
	}
}

// prepare makes a kind of part of a component; false after a fault.
func (r *chiplet) prepare(c *component) bool {
	if c.ID.text == "" || c.Type.text == "" {
		r.fail(cmp.Or(c.ID, c.Type), "", "component %.40q of type %.40q: expected an id and a type", c.ID.text,
			c.Type.text)
		return false
	}
	c.kind = &kind{class: c.Type.text, names: []string{c.ID.text, c.Technology.text, c.Type.text},
		pos: r.source.pos(c.ID)}
	c.size = [3]float64{c.Dimensions.Width.value, c.Dimensions.Height.value,
		r.thickness(c.Dimensions.Thickness.value, c.names...)}
	c.design = box{hi: c.size}
	if at := c.start(); max(math.Abs(at[0]), math.Abs(at[1])) > 1e5 {
		r.Note(importer.Warning, c.pos, "component %.40q is more than 0.1 m from the origin: are its coordinates "+
			"those of the interposer?", c.ID.text)
	}
	if c.Anchor.text == "" {
		r.NoteOnce(importer.Warning, r.source.pos(scalar{}), "components without an anchor are placed by their centers")
	}
	quarters := int(math.Round(c.Rotation.Z.value / 90))
	if c.Rotation.Z.value != float64(90*quarters) {
		r.fail(c.Rotation.Z.scalar, "", "rotation: got %s degrees; expected a multiple of 90", c.Rotation.Z.text)
	}
	orientation := fmt.Sprintf("R%d", (quarters%4+4)%4*90)
	switch c.Orientation.text {
	case "", "face_up":
	case "flip_chip", "face_down": // a turn about the axis along y
		orientation = "MZ_MY_" + orientation
	default:
		r.fail(c.Orientation, "", "orientation: got %.40q; expected face_up, flip_chip or face_down",
			c.Orientation.text)
	}
	c.turned, _ = oriented(orientation)
	return r.Len() == 0
}

// start is the position of a component, or of the first of an array.
func (c *component) start() [3]float64 {
	if c.Type.text == "die_array" {
		return c.Array.Start.um()
	}
	return c.Position.um()
}

// centered places a copy of a component with its center at x and y.
func (r *chiplet) centered(c *component, name string, at [3]float64) *part {
	p := c.turned.moved(c.size, [3]float64{})
	b := p.box(box{hi: c.size})
	for axis := range 2 {
		at[axis] -= b.hi[axis] / 2
	}
	return r.place(name, c.kind, c.turned.moved(c.size, at), c.pos)
}

// carrier places an interposer or a substrate. The body of an interposer ends at its attachment surface, if it has one.
func (r *chiplet) carrier(c *component) {
	at := c.Position.um()
	if c.Surface.text != "" {
		at[2] += c.Surface.value - c.size[2]
	}
	q := r.centered(c, c.ID.text, at)
	if q == nil {
		return
	}
	for _, p := range r.parts {
		distance := min(math.Abs(p.hi[2]-q.lo[2]), math.Abs(q.hi[2]-p.lo[2]))
		if common := q.common(&p.box); common.wide() && distance <= near {
			hold(q, p)
		}
	}
}

// die places a die or an array of dies.
func (r *chiplet) die(c *component) {
	at := c.start()
	if c.class != "die_array" {
		r.mount(c, c.ID.text, at)
		return
	}
	nx, ny := int(c.Array.Count.X.value), int(c.Array.Count.Y.value)
	if c.Array.Pattern.text == "custom" || nx < 1 || ny < 1 || nx > maxParts || ny > maxParts {
		r.fail(c.ID, "describe other dies one by one", "array %.40q: got pattern %.40q of %d by %d dies; expected "+
			"grid or linear, and counts from 1 to %d", c.ID.text, c.Array.Pattern.text, nx, ny, maxParts)
	}
	for i := range nx * ny {
		if r.Len() > 0 {
			return
		}
		r.mount(c, fmt.Sprintf("%s-%d", c.ID.text, i), [3]float64{at[0] + float64(i%nx)*c.Array.Pitch.X.value,
			at[1] + float64(i/nx)*c.Array.Pitch.Y.value, at[2]})
	}
}

// mount places a die on what carries it, with the bumps between them.
func (r *chiplet) mount(c *component, name string, at [3]float64) {
	layers, height := r.stacks[c.Connection.text], 0.0
	for _, p := range layers {
		height += p.height
	}
	below := r.below(at)
	if at[2] == 0 && below != nil {
		at[2] = below.hi[2] + height
	}
	q := r.centered(c, name, at)
	if q == nil || below == nil {
		return
	}
	b := &bond{box: q.common(&below.box), name: name, stack: c.Connection.text, layers: layers,
		pitch: r.pitches[c.ID.text], pos: c.pos}
	b.lo[2], b.hi[2] = below.hi[2], q.lo[2]
	gap := b.extent(2)
	if !b.wide() || b.stack == "" && gap > near || gap < -near {
		return // it floats, or overlaps
	}
	hold(q, below)
	switch {
	case gap <= near:
		return
	case layers == nil:
		r.NoteOnce(importer.Warning, r.source.pos(c.Connection), "connection stack %.40q is not in the file: bumps of "+
			"one material over the gap of %.6g um are assumed", b.stack, gap)
		b.layers = []plane{{name: "bumps"}}
	case math.Abs(gap-height) > gapTolerance:
		r.fail(c.ID, "correct position.z, or set it to 0", "%s lies %.6g um above %s; expected the height of "+
			"connection stack %.40q, %.6g um", describe(q), gap, describe(below), b.stack, height)
	}
	r.bonds = append(r.bonds, b)
}

// below is the highest part below a point, and for one without a height the highest that is not a die.
func (r *chiplet) below(at [3]float64) (found *part) {
	for _, p := range r.parts {
		inside := at[0] >= p.lo[0] && at[0] <= p.hi[0] && at[1] >= p.lo[1] && at[1] <= p.hi[1]
		fits := p.hi[2] <= at[2]+near
		if at[2] == 0 {
			fits = !strings.HasPrefix(p.class, "die")
		}
		if inside && fits && (found == nil || p.hi[2] > found.hi[2]) {
			found = p
		}
	}
	return found
}
