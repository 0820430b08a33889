package ecxml

import (
	"math"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// add makes solids and sources of an object.
func (r *reader) add(kind string, o *object) {
	switch kind {
	case "monitorpoint":
		r.probes = append(r.probes, stack.Probe{Name: o.name, X: o.lo[0], Y: o.lo[1], Z: o.lo[2], Pos: o.pos})
		return
	case "solid2dblock", "source2dblock":
		r.plate(o)
		return
	}
	for axis := range 3 {
		if !(o.size(axis) > 0) {
			r.Faults.Add(o.pos, "", "%s %.40q has no size along %c", o.tag, o.name, "xyz"[axis])
			return
		}
	}
	switch kind {
	case "solid3dblock", "printedcircuitboard":
		r.solid(o, o.box, o.material)
		r.heat(o, o.box, o.watts)
	case "sourceblock":
		r.heat(o, o.box, o.watts)
	case "solidcylinder":
		r.cylinder(o)
	case "enclosure":
		r.enclosure(o)
	case "tworesistormodel":
		r.twoResistors(o)
	}
}

func (r *reader) solid(o *object, b box, m *material) {
	r.solids = append(r.solids, solid{box: b, name: o.name, material: m, pos: o.pos})
}

func (r *reader) heat(o *object, b box, watts float64) {
	if watts != 0 {
		r.sources = append(r.sources, source{box: b, name: o.name, watts: watts, pos: o.pos})
	}
}

// plate is a solid if it has a thickness. Otherwise it does not conduct, and its heat arises at a surface.
func (r *reader) plate(o *object) {
	thick := o.size(o.normal) > 0
	if thick && o.material != nil {
		r.solid(o, o.box, o.material)
		r.heat(o, o.box, o.watts)
		return
	}
	if o.material != nil {
		r.Note(importer.NotCarried, o.pos, "plate %.40q has no thickness: it does not conduct", o.name)
	}
	r.heat(o, o.box, o.watts)
	if n := len(r.sources); o.watts != 0 && !thick {
		r.sources[n-1].flat = o.normal + 1
	}
}

// cylinder along z is a circle of its layers. One along x or y becomes slabs on one another, each as wide as the
// cylinder is on average over their height.
func (r *reader) cylinder(o *object) {
	if o.normal == 2 {
		r.solid(o, o.box, o.material)
		r.solids[len(r.solids)-1].round = true
		if r.heat(o, o.box, o.watts); o.watts != 0 {
			r.sources[len(r.sources)-1].round = true
		}
		return
	}
	const slabs = 16
	r.Note(importer.Adapted, o.pos, "cylinder %.40q along %c: %d slabs of the same cross-section", o.name,
		"xyz"[o.normal], slabs)
	across := 1 - o.normal
	// The area of the unit circle's half between -1 and t is half that of the circle and this integral.
	under := func(t float64) float64 { return (t*math.Sqrt(1-t*t) + math.Asin(t)) / 2 }
	for i := range slabs {
		from, to := 2*float64(i)/slabs-1, 2*float64(i+1)/slabs-1
		part := (under(to) - under(from)) / (to - from)
		b := o.box
		middle, half := (b.lo[across]+b.hi[across])/2, b.size(across)/2
		b.lo[across], b.hi[across] = middle-part*half, middle+part*half
		b.lo[2] = o.lo[2] + o.size(2)*float64(i)/slabs
		b.hi[2] = o.lo[2] + o.size(2)*float64(i+1)/slabs
		r.solid(o, b, o.material)
		r.heat(o, b, o.watts*part*(to-from)/(math.Pi/2))
	}
}

// enclosure is six walls.
func (r *reader) enclosure(o *object) {
	wall := r.number(o.element, "wallThickness", 0)
	for axis := range 3 {
		if !(wall > 0 && 2*wall < o.size(axis)) {
			r.Faults.Add(o.pos, "", "<wallThickness> of %.40q: got %g m; expected more than 0 and less than half of "+
				"the size", o.name, wall)
			return
		}
		low, high := o.box, o.box
		low.hi[axis], high.lo[axis] = o.lo[axis]+wall, o.hi[axis]-wall
		r.solid(o, low, o.material)
		r.solid(o, high, o.material)
	}
}

// Conductivities in W/(m K) of two-resistor models: of the junction, as of diamond, and of the resistances sideways.
const isothermal, insulating = 2500.0, 0.02

// twoResistors is a two-resistor model of JESD15-3: an isothermal junction between the resistances to the case, where
// the object points, and to the board. Each is a third of the body.
func (r *reader) twoResistors(o *object) {
	toCase, toBoard := r.number(o.element, "thetaJC", 0), r.number(o.element, "thetaJB", 0)
	if !o.upward {
		toCase, toBoard = toBoard, toCase
	}
	height, area := o.size(o.normal)/3, 1.0
	for axis := range 3 {
		if axis != o.normal {
			area *= o.size(axis)
		}
	}
	resistive := func(what string, kelvinPerWatt float64) *material {
		m := &material{Material: stack.Material{Name: o.name + "_" + what, C: 1e6, Pos: o.pos}}
		m.K = [3]float64{insulating, insulating, insulating}
		m.K[o.normal] = min(isothermal, height/(area*kelvinPerWatt))
		return m
	}
	junction := &material{Material: stack.Material{Name: o.name + "_junction", C: 1e6, Pos: o.pos,
		K: [3]float64{isothermal, isothermal, isothermal}}}
	for i, m := range []*material{resistive("low", toBoard), junction, resistive("high", toCase)} {
		b := o.box
		b.lo[o.normal] = o.lo[o.normal] + float64(i)*height
		b.hi[o.normal] = o.lo[o.normal] + float64(i+1)*height
		if i == 2 {
			b.hi[o.normal] = o.hi[o.normal]
		}
		r.solid(o, b, m)
		if m == junction {
			r.heat(o, b, o.watts)
		}
	}
	r.Note(importer.Adapted, o.pos, "two-resistor model %.40q: a resistance to either side of an isothermal junction, "+
		"each a third of the body; its heat capacity is arbitrary", o.name)
}
