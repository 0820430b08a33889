package stack

import (
	"math"

	"thermsim/coolant"
)

// coolant reads what flows through a layer.
func (l *loader) coolant(t *table, y *Layer) {
	s := t.sub("coolant")
	if s == nil {
		return
	}
	before := len(l.faults.list)
	c := &Coolant{Direction: Direction(s.text("direction")), Model: CavityModel(s.text("model")), Central: s.text("advection") == "central", Inlet: l.stack.Ambient, Pos: s.node.pos}
	if s.has("inlet") {
		c.Inlet = s.scalar("inlet")
	}
	liquid := l.fluid(s, c)
	l.cavityGeometry(s, c)
	if len(l.faults.list) > before || !(y.Thickness > 0) {
		return
	}
	y.Coolant = c
	r := resolver{l, s, c, liquid, y.Thickness, l.stack.Size[c.Direction.Axis()], l.stack.Size[1-c.Direction.Axis()], y.Material}
	r.flow()
	r.coefficients()
}

// fluid reads the coolant's properties; those of the library at the inlet.
func (l *loader) fluid(s *table, c *Coolant) (liquid coolant.Fluid) {
	own := s.has("c") || s.has("k") || s.has("rho") || s.has("viscosity") || s.has("boiling")
	switch {
	case s.has("fluid") && own:
		l.fail(s.pos("fluid"), "leave out fluid, or k, c, rho and viscosity", "a coolant has the properties of a liquid or its own, and not both")
	case s.has("fluid"):
		of := coolant.Find(s.text("fluid"))
		if of == nil {
			return
		}
		if c.Inlet >= of.Boiling {
			l.fail(s.posOr("inlet"), "lower it", "%s boils at %.4g K and would enter at %.4g K", of.Title, of.Boiling, c.Inlet)
			return
		}
		var err error
		if liquid, err = of.At(c.Inlet); err != nil {
			l.fail(s.posOr("inlet"), "give k, c, rho and viscosity", "%v", err)
			return
		}
		c.Fluid = Fluid{K: liquid.K, C: liquid.Cp * liquid.Density, Density: liquid.Density, Viscosity: liquid.Viscosity, Boiling: of.Boiling}
	case !s.has("c"):
		l.fail(s.node.pos, `add fluid = "water", or k and c`, "the coolant has no heat capacity")
	default:
		c.Fluid = Fluid{K: s.scalar("k"), C: s.scalar("c"), Density: s.scalar("rho"), Viscosity: s.scalar("viscosity"), Boiling: s.scalar("boiling")}
		if c.Fluid.Boiling > 0 && c.Inlet >= c.Fluid.Boiling {
			l.fail(s.posOr("inlet"), "lower it", "the coolant boils at %.4g K and would enter at %.4g K", c.Fluid.Boiling, c.Inlet)
		}
		if c.Fluid.Density > 0 {
			liquid = coolant.Fluid{K: c.Fluid.K, Cp: c.Fluid.C / c.Fluid.Density, Density: c.Fluid.Density, Viscosity: c.Fluid.Viscosity}
		}
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

// cavityGeometry reads channels or pins.
func (l *loader) cavityGeometry(s *table, c *Coolant) {
	if s.has("channel_width") == s.has("pin_diameter") {
		l.fail(s.node.pos, `add channel_width and wall_width, or pin_diameter and pin_pitch`, "a cavity needs channels or pins, and not both")
		return
	}
	if s.has("pin_diameter") {
		c.Pins = &Pins{Diameter: s.scalar("pin_diameter"), Pitch: s.scalar("pin_pitch"), Staggered: s.text("pin_arrangement") == "staggered"}
		switch {
		case !s.has("pin_pitch"):
			l.fail(s.node.pos, "add pin_pitch", "pins need a pitch")
		case c.Pins.Diameter >= c.Pins.Pitch:
			l.fail(s.pos("pin_diameter"), "take thinner ones or a larger pitch", "pins of %s do not fit into a pitch of %s", metres(c.Pins.Diameter), metres(c.Pins.Pitch))
		case c.Model == ResolvedChannels:
			l.fail(s.pos("model"), `take model = "porous"`, "pins are not resolved")
		}
		c.Model = PorousCavity
		return
	}
	if c.Model == "" {
		c.Model = ResolvedChannels
	}
	if !s.has("wall_width") {
		l.fail(s.node.pos, "add wall_width", "channels need walls between them")
		return
	}
	width := l.stack.Size[1-c.Direction.Axis()]
	ch := &Channels{Width: s.scalar("channel_width"), Wall: s.scalar("wall_width"), FirstWall: s.scalar("first_wall"), Count: s.integer("channel_count")}
	if !(ch.Width > 0 && ch.Wall > 0 && width > 0) {
		return // reported
	}
	ch.Fit(width)
	if ch.Count < 1 || ch.Count*2+1 > 100_000 {
		l.fail(s.pos("channel_width"), "take narrower ones", "no channel of %s fits into a chip of %s", metres(ch.Width), metres(width))
	}
	c.Channels = ch
}

// resolver finds flow and coefficients of a coolant.
type resolver struct {
	*loader
	s                     *table
	c                     *Coolant
	liquid                coolant.Fluid
	height, length, width float64 // m, of the cavity; width across the flow
	material              int
}

// channel is one of them.
func (r *resolver) channel() coolant.Channel {
	return coolant.Channel{Width: r.c.Channels.Width, Height: r.height, Length: r.length}
}

// section is that of the flow in m2: of all channels, or of the empty cavity with pins.
func (r *resolver) section() float64 {
	switch {
	case r.c.Pins != nil:
		return r.width * r.height
	case r.c.Model == PorousCavity:
		return r.c.Porosity() * r.width * r.height
	}
	return float64(r.c.Channels.Count) * r.c.Channels.Width * r.height
}

// known says whether density and viscosity are given, and otherwise reports what for they are needed.
func (r *resolver) known(pos Pos, what string) bool {
	if r.liquid.Density > 0 && r.liquid.Viscosity > 0 && r.liquid.K > 0 {
		return true
	}
	r.fail(pos, "add k, rho and viscosity", "%s needs the coolant's conductivity, density and viscosity", what)
	return false
}

func (r *resolver) flow() {
	s := r.s
	given := s.given("flow", "velocity", "pressure_drop")
	if len(given) != 1 {
		r.fail(s.node.pos, `give one, as in flow = "42 ml/min"`, "a coolant needs flow, velocity or pressure_drop, and one of them alone")
		return
	}
	switch given[0] {
	case "flow":
		r.c.Flow = s.scalar("flow")
	case "velocity":
		r.c.Flow = s.scalar("velocity") * r.section()
	default:
		pos := s.pos("pressure_drop")
		if r.c.Pins != nil {
			r.fail(pos, "give flow or velocity", "no correlation for the pressure drop of pins is known here")
			return
		}
		if r.known(pos, "a pressure drop") {
			r.c.Flow = r.channel().Velocity(r.liquid, s.scalar("pressure_drop")) * r.section()
		}
	}
}

// coefficients sets those that are given, and the others by correlation.
func (r *resolver) coefficients() {
	s, c := r.s, r.c
	if len(r.faults.list) > 0 && c.Flow == 0 {
		return // reported
	}
	h := s.scalar("h")
	rest := !s.has("h_bottom") || !s.has("h_top") || c.Model == ResolvedChannels && !s.has("h_side")
	if h == 0 && rest {
		if h = r.correlation(); h == 0 {
			return
		}
	}
	c.HSide, c.HBottom, c.HTop = h, h, h
	if c.Model == PorousCavity {
		c.HSide = 0
		if c.Channels != nil && h > 0 {
			c.HBottom = coolant.OnPlan(h, c.Channels.Width, c.Channels.Wall, r.height, r.materials.used[r.material].K[2])
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

// correlation is the coefficient on the walls of channels, or on the ground plan of pins; 0, and the fault noted, where none is known.
func (r *resolver) correlation() float64 {
	if p := r.c.Pins; p != nil {
		const slack = 1e-6
		if math.Abs(p.Diameter-coolant.PinDiameter) > slack*p.Diameter || math.Abs(p.Pitch-coolant.PinPitch) > slack*p.Pitch || r.s.text("fluid") != "water" {
			r.fail(r.s.node.pos, "give h_bottom and h_top", "the correlation of pins is for pins of %s in a pitch of %s in water", metres(coolant.PinDiameter), metres(coolant.PinPitch))
			return 0
		}
		return coolant.PinFins(r.c.Flow/r.section(), p.Staggered)
	}
	if !r.known(r.s.node.pos, "the heat transfer coefficient") {
		return 0
	}
	return r.channel().HeatTransfer(r.liquid, r.c.Flow/r.section())
}

// gridOfChannels makes the grid follow resolved channels across their flow, where the file says nothing of that axis: a cell for each channel and each wall.
func (l *loader) gridOfChannels(t *table) {
	if l.stack.Grid.Auto != nil {
		return // refused when all is read
	}
	g := t.sub("grid")
	for i := range l.stack.Layers {
		c := l.stack.Layers[i].Coolant
		if c == nil || c.Model != ResolvedChannels || c.Channels == nil || c.Channels.Count < 1 || c.Channels.Count > maxChannels || !(c.Channels.FirstWall > 0) {
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
