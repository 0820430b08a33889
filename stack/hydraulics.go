package stack

import (
	"math"

	"thermsim/stack/coolant"
)

// Hydraulics is what the flow through a cavity takes. Numbers that are not known are NaN: those of a coolant without
// density or viscosity, and the pressure of pins without permeability.
type Hydraulics struct {
	Velocity float64 // m/s, mean in the channels; past pins and in a medium, flow over the section of the empty cavity
	Reynolds float64 // the largest of the streams'
	Drop     float64 // Pa, from inlet to outlet, the largest of the streams'
	Pumping  float64 // W, sum over the streams of flow times drop
	Entry    float64 // m, over which laminar flow in channels develops thermally, the longest; NaN of pins and media
	// of a wall between channels, h t/(2 k), the largest: far below one, a wall has one temperature over its thickness;
	// NaN where h is not that of walls
	Biot    float64
	Streams []Stream
}

// Stream is a part of a cavity that has a flow of its own: a channel, or a zone of a porous cavity.
type Stream struct {
	From, To float64 // m across the flow from the western or southern side
	Flow     float64 // m3/s
	Velocity float64 // m/s
	// Reynolds is that of a channel by its hydraulic diameter, of pins by their diameter and the velocity in the gap
	// between two, of a medium by the root of its permeability. NaN where it is not known.
	Reynolds float64
	Drop     float64 // Pa, NaN where it is not known
}

// Hydraulics of the layer's coolant, which must be there.
func (s *Stack) Hydraulics(y *Layer) Hydraulics {
	c := y.Coolant
	h := Hydraulics{Reynolds: math.Inf(-1), Drop: math.Inf(-1), Entry: math.NaN(), Biot: math.NaN(),
		Streams: s.streams(y)}
	section, fastest := 0.0, 0.0
	for i := range h.Streams {
		t := &h.Streams[i]
		section += t.Flow / t.Velocity
		h.Reynolds, h.Drop = math.Max(h.Reynolds, t.Reynolds), math.Max(h.Drop, t.Drop)
		h.Pumping += t.Flow * t.Drop
		fastest = math.Max(fastest, t.Velocity)
	}
	h.Velocity = c.Flow / section
	if c.Channels == nil {
		return h
	}
	channel, liquid := s.channel(y), c.Fluid.liquid()
	if c.Fluid.Viscosity > 0 && c.Fluid.K > 0 {
		h.Entry = channel.EntryLength(liquid, fastest)
	}
	if c.Model == ResolvedChannels {
		films := s.Films(y, fastest, 0, channel.Length)
		h.Biot = math.Max(films.Side, math.Max(films.Bottom, films.Top)) * c.Channels.Wall /
			(2 * s.Materials[y.Material].K[1-c.Direction.Axis()])
	}
	return h
}

// streams are the parts with flows of their own, from the west or the south.
func (s *Stack) streams(y *Layer) []Stream {
	c := y.Coolant
	width := s.Size[1-c.Direction.Axis()]
	zones := c.Zones
	if len(zones) == 0 {
		zones = []Zone{{To: width, Flow: c.Flow}}
	}
	var all []Stream
	from, next := 0.0, 0
	for _, z := range zones {
		if c.Model != ResolvedChannels {
			section := (z.To - from) * y.Thickness
			if c.Channels != nil {
				section *= c.Porosity()
			}
			all = append(all, s.stream(y, Stream{From: from, To: z.To, Flow: z.Flow, Velocity: z.Flow / section},
				z.Permeability))
			from = z.To
			continue
		}
		first := next
		for next < c.Channels.Count && c.Channels.middle(next) < z.To {
			next++
		}
		for n := first; n < next; n++ {
			lo := c.Channels.start(n)
			flow := z.Flow / float64(next-first)
			all = append(all,
				s.stream(y,
					Stream{From: lo, To: lo + c.Channels.Width, Flow: flow,
						Velocity: flow / (c.Channels.Width * y.Thickness)}, 0))
		}
	}
	return all
}

// stream adds Reynolds number and pressure drop.
func (s *Stack) stream(y *Layer, t Stream, permeability float64) Stream {
	c, liquid := y.Coolant, y.Coolant.Fluid.liquid()
	t.Reynolds, t.Drop = math.NaN(), math.NaN()
	if permeability == 0 {
		permeability = c.Permeability
	}
	length := s.Size[c.Direction.Axis()]
	viscous, dense := liquid.Viscosity > 0, liquid.Density > 0 && liquid.Viscosity > 0
	if permeability > 0 && viscous {
		t.Drop = coolant.DarcyDrop(liquid, t.Velocity, permeability, length)
	}
	switch {
	case !dense:
	case c.Channels != nil:
		channel := s.channel(y)
		t.Reynolds, t.Drop = channel.Reynolds(liquid, t.Velocity), channel.Drop(liquid, t.Velocity)
	case c.Pins != nil:
		t.Reynolds = liquid.Density * t.Velocity / (1 - c.Pins.Diameter/c.Pins.Pitch) * c.Pins.Diameter /
			liquid.Viscosity
	case permeability > 0:
		t.Reynolds = coolant.PoreReynolds(liquid, t.Velocity, permeability)
	}
	return t
}

// PoreReynolds is the largest Reynolds number of the layer's streams by the root of the permeability, 0 where none is
// given.
func (s *Stack) PoreReynolds(y *Layer) float64 {
	c, most := y.Coolant, 0.0
	if c.Channels != nil || c.Fluid.Viscosity == 0 {
		return 0
	}
	for i, t := range s.streams(y) {
		k := c.Permeability
		if i < len(c.Zones) && c.Zones[i].Permeability > 0 {
			k = c.Zones[i].Permeability
		}
		most = math.Max(most, coolant.PoreReynolds(c.Fluid.liquid(), t.Velocity, k))
	}
	return most
}

// channel is one of the cavity's.
func (s *Stack) channel(y *Layer) coolant.Channel {
	c := y.Coolant
	return coolant.Channel{Width: c.Channels.Width, Height: y.Thickness, Length: s.Size[c.Direction.Axis()],
		Developing: c.Developing}
}

// liquid is the fluid for correlations.
func (f *Fluid) liquid() coolant.Fluid {
	l := coolant.Fluid{K: f.K, Density: f.Density, Viscosity: f.Viscosity}
	if f.Density > 0 {
		l.Cp = f.C / f.Density
	}
	return l
}

// Films are heat transfer coefficients in W/(m2 K), as those of Coolant.
type Films struct{ Side, Bottom, Top float64 }

// Films of the layer's coolant at a velocity in m/s, averaged from x0 to x1 m behind the inlet.
func (s *Stack) Films(y *Layer, velocity, x0, x1 float64) Films {
	c := y.Coolant
	f := Films{c.HSide, c.HBottom, c.HTop}
	if !c.Local() || f.Bottom > 0 && f.Top > 0 && (f.Side > 0 || c.Model == PorousCavity) {
		return f
	}
	h := s.channel(y).HeatTransferBetween(c.Fluid.liquid(), velocity, x0, x1)
	plan := h
	if c.Model == PorousCavity {
		plan = coolant.OnPlan(h, c.Channels.Width, c.Channels.Wall, y.Thickness, s.Materials[y.Material].K[2])
	} else if f.Side == 0 {
		f.Side = h
	}
	if f.Bottom == 0 {
		f.Bottom = plan
	}
	if f.Top == 0 {
		f.Top = plan
	}
	return f
}

// Regimes of the flow in channels: laminar up to MostLaminar, turbulent from LeastTurbulent on, transitional between.
// MostDarcy is the Reynolds number of a medium up to which Darcy's law holds.
const (
	MostLaminar    = coolant.LeastTurbulent
	LeastTurbulent = coolant.FullyTurbulent
	MostDarcy      = coolant.MostDarcy
)
