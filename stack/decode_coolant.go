package stack

import "thermsim/stack/coolant"

// coolant reads what flows through a layer.
func (l *loader) coolant(t *table, y *Layer) {
	s := t.sub("coolant")
	if s == nil {
		return
	}
	before := len(l.faults.list)
	c := &Coolant{Inlet: l.stack.Ambient, Pos: s.node.pos}
	s.into(c)
	liquid := l.fluid(s, c)
	l.cavityGeometry(s, c)
	if len(l.faults.list) > before || !(y.Thickness > 0 && min(l.stack.Size[0], l.stack.Size[1]) > 0) {
		for _, name := range s.given("flow", "velocity", "pressure_drop", "h", "h_side", "h_bottom", "h_top") {
			s.scalar(name) // reports what is wrong with it
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
func (l *loader) fluid(s *table, c *Coolant) (liquid coolant.Fluid) {
	own := s.has("c") || s.has("k") || s.has("rho") || s.has("viscosity") || s.has("boiling")
	switch {
	case s.has("fluid") && own:
		l.fail(s.pos("fluid"), "leave out fluid, or k, c, rho and viscosity", "a coolant has the properties of a "+
			"liquid or its own, and not both")
	case s.has("fluid"):
		of := coolant.Find(s.text("fluid"))
		if of == nil {
			return
		}
		if c.Inlet >= of.Boiling {
			l.fail(s.posOr("inlet"), "lower it", "%s boils at %.4g K and would enter at %.4g K", of.Title, of.Boiling,
				c.Inlet)
			return
		}
		var err error
		at, where := c.Inlet, "inlet"
		if s.has("properties_at") {
			at, where = s.scalar("properties_at"), "properties_at"
		}
		if _, err = of.At(c.Inlet); err != nil {
			l.fail(s.posOr("inlet"), "give k, c, rho and viscosity", "%v", err)
			return
		}
		if liquid, err = of.At(at); err != nil {
			l.fail(s.posOr(where), "give another temperature, or k, c, rho and viscosity", "%v", err)
			return
		}
		c.Fluid = Fluid{K: liquid.K, C: liquid.Cp * liquid.Density, Density: liquid.Density,
			Viscosity: liquid.Viscosity, Boiling: of.Boiling}
	case !s.has("c"):
		l.fail(s.node.pos, `add fluid = "water", or k and c`, "the coolant has no heat capacity")
	case s.has("properties_at"):
		l.fail(s.pos("properties_at"), "leave it out", "the coolant has its own properties, which are taken "+
			"as they stand")
	default:
		s.into(&c.Fluid)
		if c.Fluid.Boiling > 0 && c.Inlet >= c.Fluid.Boiling {
			l.fail(s.posOr("inlet"), "lower it", "the coolant boils at %.4g K and would enter at %.4g K",
				c.Fluid.Boiling, c.Inlet)
		}
		liquid = c.Fluid.liquid()
	}
	return liquid
}

// posOr is the place of a key, that of the table where it is missing.
func (t *table) posOr(name string) Pos {
	if t.has(name) {
		return t.pos(name)
	}
	return t.node.pos
}

// cavityGeometry reads channels, pins or a medium.
func (l *loader) cavityGeometry(s *table, c *Coolant) {
	if len(s.given("channel_width", "pin_diameter", "porosity")) != 1 {
		l.fail(s.node.pos, "add channel_width and wall_width, or pin_diameter and pin_pitch, or porosity",
			"a cavity needs channels, pins or a porosity, and one of them alone")
		return
	}
	c.Developing = s.text("entrance") == "developing"
	c.Permeability = s.scalar("permeability")
	if !s.has("channel_width") {
		l.porousGeometry(s, c)
		return
	}
	if c.Permeability > 0 {
		l.fail(s.pos("permeability"), "leave it out", "the pressure drop of channels follows from their "+
			"friction factor")
	}
	if c.Model == "" {
		c.Model = ResolvedChannels
	}
	if !s.has("wall_width") {
		l.fail(s.node.pos, "add wall_width", "channels need walls between them")
		return
	}
	width := l.stack.Size[1-c.Direction.Axis()]
	ch := &Channels{}
	s.into(ch)
	if !(ch.Width > 0 && ch.Wall > 0 && width > 0) {
		return // reported
	}
	ch.Fit(width)
	if ch.Count < 1 || ch.Count*2+1 > 100_000 {
		l.fail(s.pos("channel_width"), "take narrower ones", "no channel of %s fits into a chip of %s",
			metres(ch.Width), metres(width))
	}
	c.Channels = ch
}

// porousGeometry reads pins or a medium.
func (l *loader) porousGeometry(s *table, c *Coolant) {
	if c.Model == ResolvedChannels {
		l.fail(s.pos("model"), `take model = "porous"`, "pins and media are not resolved")
	}
	if c.Developing {
		l.fail(s.pos("entrance"), "leave it out", "developing flow is known of channels alone")
	}
	c.Model = PorousCavity
	if s.has("porosity") {
		c.Medium = &Medium{}
		s.into(c.Medium)
		if c.Medium.Porosity >= 1 {
			l.fail(s.pos("porosity"), "give the share of coolant, as in porosity = 0.8", "the porosity must be below 1")
		}
		return
	}
	c.Pins = &Pins{}
	s.into(c.Pins)
	switch {
	case !s.has("pin_pitch"):
		l.fail(s.node.pos, "add pin_pitch", "pins need a pitch")
	case c.Pins.Diameter >= c.Pins.Pitch:
		l.fail(s.pos("pin_diameter"), "take thinner ones or a larger pitch", "pins of %s do not fit into a pitch of %s",
			metres(c.Pins.Diameter), metres(c.Pins.Pitch))
	}
}

// gridOfChannels makes the grid follow resolved channels across their flow, where the file says nothing of that axis: a
// cell for each channel and each wall.
func (l *loader) gridOfChannels(t *table) {
	if l.stack.Grid.Auto != nil {
		return // refused when all is read
	}
	g := t.sub("grid")
	for i := range l.stack.Layers {
		c := l.stack.Layers[i].Coolant
		if c == nil || c.Model != ResolvedChannels || c.Channels == nil || c.Channels.Count < 1 ||
			c.Channels.Count > maxChannels || !(c.Channels.FirstWall > 0) {
			continue
		}
		across := 1 - c.Direction.Axis()
		if g != nil && (g.has([2]string{"nx", "ny"}[across]) || g.has([2]string{"x", "y"}[across])) {
			continue
		}
		axis := [2]*Axis{&l.stack.Grid.X, &l.stack.Grid.Y}[across]
		if len(axis.Segments) == 0 {
			*axis = c.Channels.axis(l.stack.Size[across])
		}
	}
}
