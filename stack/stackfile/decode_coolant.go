package stackfile

import (
	"cmp"
	"math"

	"thermsim/stack"
	"thermsim/stack/coolant"
	"thermsim/stack/internal/faults"
)

// coolant reads the coolant of a layer.
func (l *loader) coolant(t *table, y *stack.Layer) {
	s := t.sub("coolant")
	if s == nil {
		return
	}
	before := len(l.faults.Found)
	c := &stack.Coolant{Inlet: l.stack.Ambient, Pos: s.node.Pos}
	s.into(c)
	liquid := l.fluid(s, c)
	l.cavityGeometry(s, c)
	if len(l.faults.Found) > before || !(y.Thickness > 0 && min(l.stack.Size[0], l.stack.Size[1]) > 0) {
		for _, name := range s.given("flow", "velocity", "pressure_drop", "h", "h_side", "h_bottom", "h_top") {
			s.scalar(name) // reports errors
		}
		return
	}
	y.Coolant = c
	r := resolver{loader: l, s: s, c: c, liquid: liquid, height: y.Thickness, length: l.stack.Size[c.Direction.Axis()],
		width: l.stack.Size[1-c.Direction.Axis()], material: y.Material}
	r.zones()
	r.flow()
	r.coefficients()
}

// fluid reads the coolant's properties; those of the library at the inlet.
func (l *loader) fluid(s *table, c *stack.Coolant) (liquid coolant.Fluid) {
	own := s.has("c") || s.has("k") || s.has("rho") || s.has("viscosity") || s.has("boiling")
	switch {
	case s.has("fluid") && own:
		l.fail(s.pos("fluid"), "remove fluid, or k, c, rho and viscosity", "a coolant has either fluid or its own "+
			"properties")
	case s.has("fluid"):
		of := coolant.Find(s.text("fluid"))
		if of == nil {
			return
		}
		if c.Inlet >= of.Boiling {
			l.fail(s.pos("inlet"), "lower it", "%s boils at %.4g K, but its inlet temperature is %.4g K", of.Title,
				of.Boiling,
				c.Inlet)
			return
		}
		var err error
		at, where := c.Inlet, "inlet"
		if s.has("properties_at") {
			at, where = s.scalar("properties_at"), "properties_at"
		}
		if _, err = of.At(c.Inlet); err != nil {
			l.fail(s.pos("inlet"), "give k, c, rho and viscosity", "%v", err)
			return
		}
		if liquid, err = of.At(at); err != nil {
			l.fail(s.pos(where), "give another temperature, or k, c, rho and viscosity", "%v", err)
			return
		}
		c.Fluid = stack.Fluid{K: liquid.K, C: liquid.Cp * liquid.Density, Density: liquid.Density,
			Viscosity: liquid.Viscosity, Boiling: of.Boiling}
	case !s.has("c"):
		l.fail(s.node.Pos, `add fluid = "water", or k and c`, "the coolant has no heat capacity")
	case s.has("properties_at"):
		l.fail(s.pos("properties_at"), "remove it", "properties_at applies only to the properties of fluid")
	default:
		if c.Fluid.Boiling > 0 && c.Inlet >= c.Fluid.Boiling {
			l.fail(s.pos("inlet"), "lower it", "the coolant boils at %.4g K, but its inlet temperature is %.4g K",
				c.Fluid.Boiling, c.Inlet)
		}
		liquid = c.Fluid.Liquid()
	}
	return liquid
}

// cavityGeometry reads channels, pins or a medium.
func (l *loader) cavityGeometry(s *table, c *stack.Coolant) {
	if len(s.given("channel_width", "pin_diameter", "porosity")) != 1 {
		l.fail(s.node.Pos, "add channel_width and wall_width, or pin_diameter and pin_pitch, or porosity",
			"a cavity needs exactly one of channels, pins and porosity")
		return
	}
	c.Developing = s.text("entrance") == "developing"
	c.Permeability = s.scalar("permeability")
	if !s.has("channel_width") {
		l.porousGeometry(s, c)
		return
	}
	if c.Permeability > 0 {
		l.fail(s.pos("permeability"), "remove it", "the pressure drop of channels is computed from their friction "+
			"factor, not from a permeability")
	}
	if c.Model == "" {
		c.Model = stack.ResolvedChannels
	}
	if !s.has("wall_width") {
		l.fail(s.node.Pos, "add wall_width", "channels need walls between them")
		return
	}
	width := l.stack.Size[1-c.Direction.Axis()]
	ch := &stack.Channels{}
	s.into(ch)
	if !(ch.Width > 0 && ch.Wall > 0 && width > 0) {
		return // reported
	}
	ch.Fit(width)
	if ch.Count < 1 || ch.Count*2+1 > 100_000 {
		l.fail(s.pos("channel_width"), "use narrower channels", "no channel of width %s fits into a chip of width %s",
			faults.Metres(ch.Width), faults.Metres(width))
	}
	c.Channels = ch
}

// porousGeometry reads pins or a medium.
func (l *loader) porousGeometry(s *table, c *stack.Coolant) {
	if c.Model == stack.ResolvedChannels {
		l.fail(s.pos("model"), `take model = "porous"`, "model = \"channels\" does not apply to pins and porous media")
	}
	if c.Developing {
		l.fail(s.pos("entrance"), "remove it", "developing flow is supported for channels only")
	}
	c.Model = stack.PorousCavity
	if s.has("porosity") {
		c.Medium = &stack.Medium{}
		s.into(c.Medium)
		if c.Medium.Porosity >= 1 {
			l.fail(s.pos("porosity"), "give the coolant fraction, for example porosity = 0.8",
				"the porosity must be below 1")
		}
		return
	}
	c.Pins = &stack.Pins{}
	s.into(c.Pins)
	switch {
	case !s.has("pin_pitch"):
		l.fail(s.node.Pos, "add pin_pitch", "pins need a pitch")
	case c.Pins.Diameter >= c.Pins.Pitch:
		l.fail(s.pos("pin_diameter"), "use thinner pins or a larger pitch", "pins of diameter %s do not fit into a "+
			"pitch of %s",
			faults.Metres(c.Pins.Diameter), faults.Metres(c.Pins.Pitch))
	}
}

// gridOfChannels makes a cell for each channel and each wall across the flow of resolved channels, unless the file
// divides that axis.
func (l *loader) gridOfChannels(t *table) {
	if l.stack.Grid.Auto != nil {
		return // refused when all is read
	}
	g, _ := t.get("grid")
	given := func(name string) bool { return g != nil && g.Find(name) != nil }
	for i := range l.stack.Layers {
		c := l.stack.Layers[i].Coolant
		if c == nil || c.Model != stack.ResolvedChannels || c.Channels == nil || c.Channels.Count < 1 ||
			c.Channels.Count > stack.MaxChannels || !(c.Channels.FirstWall > 0) {
			continue
		}
		across := 1 - c.Direction.Axis()
		if given([2]string{"nx", "ny"}[across]) || given([2]string{"x", "y"}[across]) {
			continue
		}
		axis := [2]*stack.Axis{&l.stack.Grid.X, &l.stack.Grid.Y}[across]
		if len(axis.Segments) == 0 {
			*axis = c.Channels.Axis(l.stack.Size[across])
		}
	}
}

// resolver finds flow and coefficients of a coolant.
type resolver struct {
	*loader
	s                     *table
	c                     *stack.Coolant
	liquid                coolant.Fluid
	height, length, width float64 // m, of the cavity; width across the flow
	material              int
	zoneFlows             bool // zones have flows
}

// channel is that of the cavity.
func (r *resolver) channel() coolant.Channel {
	return coolant.Channel{Width: r.c.Channels.Width, Height: r.height, Length: r.length, Developing: r.c.Developing}
}

// section is that of the flow in m2: of all channels, or of the empty cavity with pins or a medium.
func (r *resolver) section() float64 {
	switch {
	case r.c.Channels == nil:
		return r.width * r.height
	case r.c.Model == stack.PorousCavity:
		return r.c.Porosity() * r.width * r.height
	}
	return float64(r.c.Channels.Count) * r.c.Channels.Width * r.height
}

// hasProperties says whether density, viscosity and conductivity are given, and otherwise reports what they are needed
// for.
func (r *resolver) hasProperties(pos stack.Pos, what string) bool {
	if r.liquid.Density > 0 && r.liquid.Viscosity > 0 && r.liquid.K > 0 {
		return true
	}
	r.fail(pos, "add k, rho and viscosity", "%s needs the coolant's conductivity, density and viscosity", what)
	return false
}

// zones reads the parts across the flow.
func (r *resolver) zones() {
	from := 0.0
	tables := r.s.tables("zone")
	r.zoneFlows = len(tables) > 0 && tables[0].has("flow")
	for i, t := range tables {
		var z stack.Zone
		t.into(&z)
		switch {
		case !(z.To > from) && z.To > 0:
			r.fail(t.pos("to"), "list zones from the west or south side",
				"a zone ends at %s, but the previous one at %s", faults.Metres(z.To), faults.Metres(from))
		case z.To > r.width*(1+stack.Tolerance):
			r.fail(t.pos("to"), "end the last zone at the chip's side", "a zone ends at %s, but the chip at %s",
				faults.Metres(z.To), faults.Metres(r.width))
		case i == len(tables)-1 && z.To < r.width*(1-stack.Tolerance):
			r.fail(t.pos("to"), "end the last zone at the chip's side", "the last zone ends at %s, but the chip at %s",
				faults.Metres(z.To), faults.Metres(r.width))
		case z.Permeability > 0 && r.c.Channels != nil:
			r.fail(t.pos("permeability"), "remove it", "the pressure drop of channels is computed from their "+
				"friction factor, not from a permeability")
		case t.has("flow") != r.zoneFlows:
			r.fail(t.node.Pos, "give every zone a flow, or none", "some zones have a flow, others do not")
		}
		from = z.To
		r.c.Zones = append(r.c.Zones, z)
	}
}

// flow finds the flow of the cavity and of its zones.
func (r *resolver) flow() {
	s := r.s
	given := s.given("flow", "velocity", "pressure_drop")
	if r.zoneFlows {
		if len(given) > 0 {
			r.fail(s.pos(given[0]), "remove it, or the flows of the zones", "the flow of the cavity is already given "+
				"by the sum of its zones")
			return
		}
		for _, z := range r.c.Zones {
			r.c.Flow += z.Flow
		}
		return
	}
	if len(given) != 1 {
		r.fail(s.node.Pos, `give one, for example flow = "42 ml/min"`, "a coolant needs exactly one of flow, "+
			"velocity and pressure_drop")
		return
	}
	switch given[0] {
	case "flow":
		r.c.Flow = s.scalar("flow")
	case "velocity":
		r.c.Flow = s.scalar("velocity") * r.section()
	default:
		r.flowOfPressure(s.pos("pressure_drop"), s.scalar("pressure_drop"))
	}
	r.divideFlow()
}

// flowOfPressure finds the flow that a pressure drop drives.
func (r *resolver) flowOfPressure(pos stack.Pos, drop float64) {
	if !r.hasProperties(pos, "a pressure drop") {
		return
	}
	if r.c.Channels != nil {
		r.c.Flow = r.channel().Velocity(r.liquid, drop) * r.section()
		return
	}
	k := r.permeability()
	if k == 0 {
		r.fail(pos, "add permeability, or give flow or velocity", "there is no pressure-drop correlation for pins "+
			"and porous media")
		return
	}
	r.c.Flow = coolant.DarcyVelocity(r.liquid, drop, k, r.length) * r.section()
}

// permeability is the cavity's, the mean over the zones; 0 where one has none.
func (r *resolver) permeability() float64 {
	if len(r.c.Zones) == 0 {
		return r.c.Permeability
	}
	sum, from := 0.0, 0.0
	for _, z := range r.c.Zones {
		k := cmp.Or(z.Permeability, r.c.Permeability)
		if k == 0 {
			return 0
		}
		sum += k * (z.To - from)
		from = z.To
	}
	return sum / from
}

// divideFlow gives zones their share of the flow, by permeability times width.
func (r *resolver) divideFlow() {
	if len(r.c.Zones) == 0 || r.c.Flow == 0 {
		return
	}
	mean := r.permeability()
	if mean == 0 {
		r.fail(r.s.pos("zone"), "give every zone a flow, or pins and media a permeability",
			"the division of the flow among the zones is not defined")
		return
	}
	from, whole := 0.0, r.c.Flow
	r.c.Flow = 0
	for i := range r.c.Zones {
		z := &r.c.Zones[i]
		z.Flow = whole * cmp.Or(z.Permeability, r.c.Permeability) * (z.To - from) / (mean * r.width)
		r.c.Flow += z.Flow
		from = z.To
	}
}

// coefficients sets those that are given, and the others by correlation.
func (r *resolver) coefficients() {
	s, c := r.s, r.c
	if len(r.faults.Found) > 0 && c.Flow == 0 {
		return // reported
	}
	h := s.scalar("h")
	rest := !s.has("h_bottom") || !s.has("h_top") || c.Model == stack.ResolvedChannels && !s.has("h_side")
	if h == 0 && rest {
		if h = r.correlation(); h == 0 {
			return
		}
		if c.Local() {
			h = 0 // cell by cell
		}
	}
	c.HSide, c.HBottom, c.HTop = h, h, h
	if c.Model == stack.PorousCavity {
		c.HSide = 0
		if c.Channels != nil && h > 0 && r.material < len(r.materials.used) { // an unknown material is reported
			c.HBottom = coolant.OnPlan(h, c.Channels.Width, c.Channels.Wall, r.height,
				r.materials.used[r.material].K[2])
			c.HTop = c.HBottom
		}
	}
	for _, k := range []struct {
		name string
		to   *float64
	}{{"h_side", &c.HSide}, {"h_bottom", &c.HBottom}, {"h_top", &c.HTop}} {
		if s.has(k.name) {
			*k.to = s.scalar(k.name)
		}
	}
}

// correlation is the coefficient on the walls of channels, or per area of a cavity with pins; 0, after reporting a
// fault, if none is known.
func (r *resolver) correlation() float64 {
	if r.c.Medium != nil {
		r.fail(r.s.node.Pos, "give h_bottom and h_top, per floor area", "there is no heat-transfer correlation for "+
			"porous media")
		return 0
	}
	if p := r.c.Pins; p != nil {
		const slack = 1e-6
		if math.Abs(p.Diameter-coolant.PinDiameter) > slack*p.Diameter ||
			math.Abs(p.Pitch-coolant.PinPitch) > slack*p.Pitch || r.s.text("fluid") != "water" {
			r.fail(r.s.node.Pos, "give h_bottom and h_top", "the heat-transfer correlation of pins is valid only for "+
				"diameter %s, pitch %s and water", faults.Metres(coolant.PinDiameter), faults.Metres(coolant.PinPitch))
			return 0
		}
		return coolant.PinFins(r.c.Flow/r.section(), p.Staggered)
	}
	if !r.hasProperties(r.s.node.Pos, "the heat transfer coefficient") {
		return 0
	}
	return r.channel().HeatTransfer(r.liquid, r.c.Flow/r.section())
}
