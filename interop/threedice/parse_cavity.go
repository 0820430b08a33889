package threedice

import "thermsim/stack"

// cavity is a microchannel or pinfin section, in 3D-ICE's units.
type cavity struct {
	kind                       string // 4rm, 2rm, inline or staggered
	height                     decimal
	channel, wall, first, last decimal // lengths across the flow
	diameter, pitch            decimal
	material                   named
	flow                       decimal // ml/min, of 4rm and 2rm
	darcy                      decimal // um/s, of pin fins
	side, top, bottom          decimal // heat transfer coefficients, of 4rm and 2rm
	capacity, incoming         decimal
	pos                        stack.Pos
}

// pins reports whether the coolant flows past pin fins.
func (c *cavity) pins() bool { return c.kind == "inline" || c.kind == "staggered" }

// readCavity reads a section of micro-channels or pin fins.
func (p *stkParser) readCavity() {
	c := &cavity{pos: p.tok.pos}
	p.only(p.project.cavity != nil, "a cavity")
	if p.advance().text == "pinfin" {
		p.pinFins(c)
	} else {
		p.microChannels(c)
	}
	c.capacity = p.quantity("coolant volumetric heat capacity", "the volumetric heat capacity of the coolant")
	c.incoming = p.quantity("; coolant incoming temperature", "the incoming temperature of the coolant")
	p.expect(";")
	p.project.cavity = c
}

// microChannels reads microchannel 4rm|2rm : ... ;
func (p *stkParser) microChannels(c *cavity) {
	c.kind = p.oneOf("4rm", "2rm")
	c.height = p.quantity(": height", "the height of the cavity")
	c.channel = p.quantity("; channel length", "the length of a channel")
	c.wall = p.quantity("; wall length", "the length of a wall")
	p.expect(";")
	c.first, c.last = c.wall, c.wall
	if c.kind == "4rm" {
		c.first = p.outerWall("first", c.wall)
		c.last = p.outerWall("last", c.wall)
	}
	p.expect("wall material")
	c.material = p.identifier("a material")
	c.flow = p.quantity("; coolant flow rate", "the flow rate of the coolant")
	p.expect("; coolant heat transfer coefficient")
	sides := p.accept("side")
	if sides {
		c.side = p.positive("the heat transfer coefficient of the sides")
		p.expect(",")
	}
	if sides || p.is("top") {
		c.top = p.quantity("top", "the heat transfer coefficient of the top")
		c.bottom = p.quantity(", bottom", "the heat transfer coefficient of the bottom")
	} else {
		c.side = p.positive("the heat transfer coefficient")
		c.top, c.bottom = c.side, c.side
	}
	p.expect(";")
}

// outerWall reads the optional length of the first or last wall, by default that of the other walls.
func (p *stkParser) outerWall(which string, wall decimal) decimal {
	if !p.accept(which) {
		return wall
	}
	d := p.quantity("wall length", "the length of the "+which+" wall")
	p.expect(";")
	return d
}

// pinFins reads pinfin : ... ;
func (p *stkParser) pinFins(c *cavity) {
	c.height = p.quantity(": height", "the height of the cavity")
	c.diameter = p.quantity("; pin diameter", "the diameter of a pin")
	c.pitch = p.quantity("; pin pitch", "the pitch of the pins")
	p.expect("; pin distribution")
	c.kind = p.oneOf("inline", "staggered")
	p.expect("; pin material")
	c.material = p.identifier("a material")
	c.darcy = p.quantity("; darcy velocity", "the Darcy velocity")
	p.expect(";")
}
