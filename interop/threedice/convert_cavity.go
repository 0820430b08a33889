package threedice

import (
	"fmt"
	"math"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// cavity appends the layer of a channel, stack element i.
func (c *converter) cavity(i int) {
	e, from := &c.project.stack[i], c.project.cavity
	if from == nil {
		c.Faults.Add(e.pos, "add a microchannel or pinfin section", "channel %q: no cavity is declared", e.name)
		return
	}
	title := "micro-channels " + from.kind
	if from.pins() {
		title = "pin fins, " + from.kind
	}
	n := c.addLayer(origin{element: i}, e.named, &layer{height: from.height, material: from.material},
		fmt.Sprintf("%s (%s)", title, line(from.pos)))
	w := &stack.Coolant{
		Fluid: stack.Fluid{C: from.capacity.shifted(18)}, Inlet: from.incoming.value, Direction: stack.TowardsNorth,
		Pos:   from.pos,
		HSide: from.side.shifted(12), HTop: from.top.shifted(12), HBottom: from.bottom.shifted(12),
	}
	switch {
	case from.pins():
		c.pinFins(w, from)
	case from.kind == "4rm":
		w.Model = stack.ResolvedChannels
		w.Flow = from.flow.shifted(-6) / 60
		w.Channels = &stack.Channels{Width: from.channel.shifted(-6), Wall: from.wall.shifted(-6),
			FirstWall: from.first.shifted(-6),
			Count:     (c.Stack.Grid.X.Cells - 1) / 2}
		c.outputs.Channels = w.Channels.Count
	default:
		c.porousChannels(w, from)
	}
	w.Central = c.Emulates(importer.Deviation{
		Name: "central-advection", Pos: from.pos, Field: true,
		What: "3D-ICE gives a face between two cells of coolant the mean of their temperatures, which may " +
			"oscillate from cell to cell",
		Instead: "a face has the temperature of the cell upstream",
	})
	c.Stack.Layers[n].Coolant = w
}

// pinFins sets the coefficient that is built into 3D-ICE: a fit to measurements of pins of 50 um with a pitch of 100
// um, whatever the geometry.
func (c *converter) pinFins(w *stack.Coolant, from *cavity) {
	w.Model = stack.PorousCavity
	w.Pins = &stack.Pins{Diameter: from.diameter.shifted(-6), Pitch: from.pitch.shifted(-6),
		Staggered: from.kind == "staggered"}
	if w.Pins.Diameter >= w.Pins.Pitch {
		c.Faults.Add(from.pitch.pos, "", "pins of %s um do not fit into a pitch of %s um", from.diameter.text,
			from.pitch.text)
	}
	velocity := from.darcy.shifted(-6)
	w.Flow = velocity * from.height.shifted(-6) * c.Stack.Size[0]
	exponent := 0.64
	if w.Pins.Staggered {
		exponent = 1.52
	}
	h := 1 / (2.527e-5/math.Pow(velocity+1.35, exponent) + 1.533e-6)
	w.HTop, w.HBottom = h, h
}

// porousChannels uses 3D-ICE's number of channels, a rounded quotient. Its flow per channel does not add up to that of
// the cavity if the chip is not a multiple of the pitch.
func (c *converter) porousChannels(w *stack.Coolant, from *cavity) {
	w.Model, w.HSide = stack.PorousCavity, 0
	w.Flow = from.flow.shifted(-6) / 60
	channel, wall := from.channel.shifted(-6), from.wall.shifted(-6)
	pitch := channel + wall
	count := int((c.project.dimensions.length.value / (from.channel.value + from.wall.value)) + 0.5)
	c.outputs.Channels = count
	w.Channels = &stack.Channels{Width: channel, Wall: wall}
	if w.Channels.Fit(c.Stack.Size[0]); w.Channels.Count < 1 {
		c.Faults.Add(from.channel.pos, "", "no channel of %s um fits into a chip of %s um", from.channel.text,
			c.project.dimensions.length.text)
	}
	exact := c.Stack.Size[0] / (float64(max(1, count)) * pitch)
	if math.Abs(exact-1) > 1e-9 && c.Emulates(importer.Deviation{
		Name: "channel-count", Pos: from.pos, Field: true,
		What: fmt.Sprintf("3D-ICE divides the flow among %d channels, although the width of the chip is that of %.4g "+
			"channels", count, exact*float64(count)),
		Instead: "the whole cavity has the given flow",
	}) {
		w.Flow *= exact
	}
}

// resolvedColumns are the columns of channels and walls of a 4rm cavity, which replace the cells of the dimensions.
func (c *converter) resolvedColumns() stack.Axis {
	from, d := c.project.cavity, c.project.dimensions
	count := (d.length.value - from.first.value - from.last.value - from.channel.value) /
		(from.channel.value + from.wall.value)
	whole := math.Round(count)
	if !(whole >= 0 && math.Abs(count-whole) <= 1e-9*math.Max(1, whole)) || whole > 50_000 {
		c.Faults.Add(from.pos, "", "channels of %s um, walls of %s um and outer walls of %s and %s um do not make up "+
			"a chip of %s um", from.channel.text, from.wall.text,
			from.first.text, from.last.text, d.length.text)
		return stack.Axis{Cells: 1}
	}
	if from.last.value > from.wall.value {
		c.Note(importer.Warning, from.last.pos, "3D-ICE adds the power of elements on the last wall beyond %s um "+
			"to the first column of the next row; this is not emulated", from.wall.text)
	}
	a := stack.Axis{Cells: 2*int(whole) + 3, Pos: from.pos}
	at := 0.0
	add := func(width decimal) {
		at += width.value
		a.Segments = append(a.Segments, stack.Segment{To: at * micro, Cells: 1, Ratio: 1})
	}
	add(from.first)
	for n := range int(whole) + 1 {
		add(from.channel)
		if n < int(whole) {
			add(from.wall)
		}
	}
	add(from.last)
	a.Segments[len(a.Segments)-1].To = c.Stack.Size[0]
	return a
}
