package stack

import (
	"fmt"
	"math"

	"thermsim/stack/internal/faults"
)

// coolant checks a cavity, layer i.
func (v *validator) coolant(i int) {
	y := &v.s.Layers[i]
	c := y.Coolant
	if c == nil {
		return
	}
	what := fmt.Sprintf("layer %q: coolant", faults.Shorten(y.Name))
	if i == 0 || i == len(v.s.Layers)-1 {
		v.fail(c.Pos, "add a solid layer on each side", "layer %q: a cavity needs solid layers on both sides",
			faults.Shorten(y.Name))
	} else if v.s.Layers[i-1].Coolant != nil {
		v.fail(c.Pos, "add a solid layer between them", "layers %q and %q: two cavities are adjacent",
			faults.Shorten(v.s.Layers[i-1].Name), faults.Shorten(y.Name))
	}
	if y.Cells != 1 || y.PowerAt != "" {
		v.fail(c.Pos, "remove cells and power_at", "layer %q: a cavity has exactly one cell over its height",
			faults.Shorten(y.Name))
	}
	if len(y.Regions) > 0 || len(y.Powers) > 0 {
		v.fail(c.Pos, "move them to a solid layer", "layer %q: a cavity cannot have regions or power",
			faults.Shorten(y.Name))
	}
	if c.Central && v.s.Leaks() {
		v.fail(c.Pos, "remove advection (upwind differences), or remove leakage",
			"%s: advection = \"central\" does not support leakage, because thermal runaway could not be "+
				"distinguished from a solution", what)
	}
	v.positive(c.Pos, c.Flow, "%s: flow", what)
	v.positive(c.Pos, c.Fluid.C, "%s: volumetric heat capacity", what)
	v.notNegative(c.Pos, c.Fluid.K, "%s: thermal conductivity", what)
	v.notNegative(c.Pos, c.Fluid.Density, "%s: density", what)
	v.notNegative(c.Pos, c.Fluid.Viscosity, "%s: viscosity", what)
	v.positive(c.Pos, c.Inlet, "%s: inlet", what)
	v.notNegative(c.Pos, c.Fluid.Boiling, "%s: boiling", what)
	v.coefficient(c, c.HBottom, "%s: h_bottom", what)
	v.coefficient(c, c.HTop, "%s: h_top", what)
	v.notNegative(c.Pos, c.Permeability, "%s: permeability", what)
	switch c.Direction {
	case TowardsEast, TowardsWest, TowardsNorth, TowardsSouth:
	default:
		v.fail(c.Pos, "", "%s: direction cannot be %q", what, string(c.Direction))
		return
	}
	v.cavity(y, what)
}

// cavity checks what a cavity is made of.
func (v *validator) cavity(y *Layer, what string) {
	c := y.Coolant
	switch c.Model {
	case ResolvedChannels:
		v.coefficient(c, c.HSide, "%s: h_side", what)
	case PorousCavity:
	default:
		v.fail(c.Pos, "", "%s: model cannot be %q", what, string(c.Model))
	}
	forms := 0
	for _, there := range []bool{c.Channels != nil, c.Pins != nil, c.Medium != nil} {
		if there {
			forms++
		}
	}
	switch {
	case forms != 1 || c.Channels == nil && c.Model == ResolvedChannels:
		v.fail(c.Pos, "", "%s: a cavity needs channels, or the porous model with pins or a medium", what)
	case c.Medium != nil:
		v.positive(c.Pos, c.Medium.Porosity, "%s: porosity", what)
		v.positive(c.Pos, 1-c.Medium.Porosity, "%s: one less porosity", what)
	case c.Pins != nil:
		v.positive(c.Pos, c.Pins.Diameter, "%s: pin_diameter", what)
		v.positive(c.Pos, c.Pins.Pitch-c.Pins.Diameter, "%s: pin_pitch less pin_diameter", what)
		v.positive(c.Pos, c.Pins.Pitch, "%s: pin_pitch", what)
	default:
		v.channels(c, what)
	}
	if c.Developing && c.Channels == nil {
		v.fail(c.Pos, "", "%s: developing flow is supported for channels only", what)
	}
	v.zones(c, what)
}

// coefficient checks a heat transfer coefficient, which may be left to a correlation where coolant is local and its
// properties are known.
func (v *validator) coefficient(c *Coolant, h float64, format string, args ...any) {
	if h == 0 && c.Local() && c.Fluid.K > 0 && c.Fluid.Density > 0 && c.Fluid.Viscosity > 0 {
		return
	}
	v.positive(c.Pos, h, format, args...)
}

// zones checks the parts across the flow, each of which needs a channel where they are resolved.
func (v *validator) zones(c *Coolant, what string) {
	if len(c.Zones) == 0 {
		return
	}
	width := v.s.Size[1-c.Direction.Axis()]
	from, next, sum := 0.0, 0, 0.0
	for i := range c.Zones {
		z := &c.Zones[i]
		v.positive(c.Pos, z.To-from, "%s: width of zone %d", what, i+1)
		v.positive(c.Pos, z.Flow, "%s: flow of zone %d", what, i+1)
		v.notNegative(c.Pos, z.Permeability, "%s: permeability of zone %d", what, i+1)
		first := next
		for c.Channels != nil && next < c.Channels.Count && c.Channels.middle(next) < z.To {
			next++
		}
		if c.Model == ResolvedChannels && next == first {
			v.fail(c.Pos, "make it wider", "%s: no channel has its middle in zone %d, from %s to %s", what, i+1,
				faults.Metres(from), faults.Metres(z.To))
		}
		from = z.To
		sum += z.Flow
	}
	if math.Abs(from-width) > Tolerance*width {
		v.fail(c.Pos, "end the last zone at the chip's side", "%s: the zones end at %s, but the chip at %s", what,
			faults.Metres(from), faults.Metres(width))
	}
	if math.Abs(sum-c.Flow) > 1e-9*c.Flow {
		v.fail(c.Pos, "", "%s: the flow is %g m3/s, but its zones total %g m3/s", what, c.Flow, sum)
	}
}

func (v *validator) channels(c *Coolant, what string) {
	ch := c.Channels
	v.positive(c.Pos, ch.Width, "%s: channel_width", what)
	v.positive(c.Pos, ch.Wall, "%s: wall_width", what)
	width := v.s.Size[1-c.Direction.Axis()]
	taken := math.Max(ch.FirstWall, v.slack) + float64(ch.Count)*(ch.Width+ch.Wall) - ch.Wall
	switch {
	case ch.Count < 1 || c.Model == ResolvedChannels && !(taken <= width*(1+Tolerance)):
		v.fail(c.Pos, "use fewer or narrower channels", "%s: %d channels of width %s with walls of %s do not fit "+
			"into a chip of width %s", what, ch.Count, faults.Metres(ch.Width), faults.Metres(ch.Wall),
			faults.Metres(width))
	case c.Model == ResolvedChannels && !(ch.FirstWall > 0 && width-taken > v.slack) || math.IsNaN(ch.FirstWall):
		v.fail(c.Pos, "use fewer channels or give first_wall", "%s: the outermost channels need walls beyond them",
			what)
	}
}
