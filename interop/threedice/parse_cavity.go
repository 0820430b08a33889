package threedice

import "thermsim/stack"

// cavity is what a microchannel or pinfin section says, in 3D-ICE's units.
type cavity struct {
	kind                       string // 4rm, 2rm, inline or staggered
	height                     decimal
	channel, wall, first, last decimal // lengths across the flow
	diameter, pitch            decimal
	material                   string
	materialP                  stack.Pos
	flow                       decimal // ml/min, of 4rm and 2rm
	darcy                      decimal // um/s, of pin fins
	side, top, bottom          decimal // heat transfer coefficients, of 4rm and 2rm
	capacity, incoming         decimal
	pos                        stack.Pos
}

// pins says whether the coolant flows past pin fins.
func (c *cavity) pins() bool { return c.kind == "inline" || c.kind == "staggered" }

// cavity reads a section of micro-channels or pin fins.
func (p *stkParser) readCavity() {
	pos := p.tok.pos
	p.only(p.project.cavity != nil, pos, "a cavity")
	c := &cavity{pos: pos}
	if p.advance().text == "pinfin" {
		p.pinFins(c)
	} else {
		p.microChannels(c)
	}
	p.project.cavity = c
}

// microChannels reads microchannel 4rm|2rm : ... ;
func (p *stkParser) microChannels(c *cavity) {
	c.kind = p.oneOf("4rm", "2rm")
	p.expect(":", "height")
	c.height = p.positive("the height of the cavity")
	p.expect(";", "channel", "length")
	c.channel = p.positive("the length of a channel")
	p.expect(";", "wall", "length")
	c.wall = p.positive("the length of a wall")
	p.expect(";")
	c.first, c.last = c.wall, c.wall
	if c.kind == "4rm" {
		c.first = p.outerWall("first", c.wall)
		c.last = p.outerWall("last", c.wall)
	}
	p.expect("wall", "material")
	c.material, c.materialP = p.identifier("a material")
	p.expect(";", "coolant", "flow", "rate")
	c.flow = p.positive("the flow rate of the coolant")
	p.expect(";", "coolant", "heat", "transfer", "coefficient")
	switch {
	case p.accept("side"):
		c.side = p.positive("the heat transfer coefficient of the sides")
		p.expect(",", "top")
		c.top = p.positive("the heat transfer coefficient of the top")
		p.expect(",", "bottom")
		c.bottom = p.positive("the heat transfer coefficient of the bottom")
	case p.accept("top"):
		c.top = p.positive("the heat transfer coefficient of the top")
		p.expect(",", "bottom")
		c.bottom = p.positive("the heat transfer coefficient of the bottom")
	default:
		c.side = p.positive("the heat transfer coefficient")
		c.top, c.bottom = c.side, c.side
	}
	p.expect(";")
	p.coolant(c)
}

// outerWall reads first or last wall length, the walls' own where it is missing.
func (p *stkParser) outerWall(which string, wall decimal) decimal {
	if p.failed || !p.accept(which) {
		return wall
	}
	p.expect("wall", "length")
	d := p.positive("the length of the " + which + " wall")
	p.expect(";")
	return d
}

// pinFins reads pinfin : ... ;
func (p *stkParser) pinFins(c *cavity) {
	p.expect(":", "height")
	c.height = p.positive("the height of the cavity")
	p.expect(";", "pin", "diameter")
	c.diameter = p.positive("the diameter of a pin")
	p.expect(";", "pin", "pitch")
	c.pitch = p.positive("the pitch of the pins")
	p.expect(";", "pin", "distribution")
	c.kind = p.oneOf("inline", "staggered")
	p.expect(";", "pin", "material")
	c.material, c.materialP = p.identifier("a material")
	p.expect(";", "darcy", "velocity")
	c.darcy = p.positive("the Darcy velocity")
	p.expect(";")
	p.coolant(c)
}

// coolant reads what both kinds end with.
func (p *stkParser) coolant(c *cavity) {
	p.expect("coolant", "volumetric", "heat", "capacity")
	c.capacity = p.positive("the volumetric heat capacity of the coolant")
	p.expect(";", "coolant", "incoming", "temperature")
	c.incoming = p.positive("the incoming temperature of the coolant")
	p.expect(";")
}
