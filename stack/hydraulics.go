package stack

import (
	"math"

	"thermsim/coolant"
)

// Hydraulics is what the flow through a cavity takes. Numbers that are not known are NaN: those of a coolant without density or viscosity, and of pins.
type Hydraulics struct {
	Velocity float64 // m/s, mean in the channels; past pins, flow over the section of the empty cavity
	Reynolds float64 // of a channel, by its hydraulic diameter
	Drop     float64 // Pa, from inlet to outlet
	Pumping  float64 // W, flow times drop
}

// Hydraulics of the layer's coolant, which must be there.
func (s *Stack) Hydraulics(y *Layer) Hydraulics {
	c := y.Coolant
	length, width := s.Size[c.Direction.Axis()], s.Size[1-c.Direction.Axis()]
	section := width * y.Thickness
	switch {
	case c.Pins != nil:
	case c.Model == PorousCavity:
		section *= c.Porosity()
	default:
		section = float64(c.Channels.Count) * c.Channels.Width * y.Thickness
	}
	h := Hydraulics{Velocity: c.Flow / section, Reynolds: math.NaN(), Drop: math.NaN(), Pumping: math.NaN()}
	if c.Pins != nil || c.Fluid.Density == 0 || c.Fluid.Viscosity == 0 {
		return h
	}
	channel := coolant.Channel{Width: c.Channels.Width, Height: y.Thickness, Length: length}
	liquid := coolant.Fluid{Density: c.Fluid.Density, Viscosity: c.Fluid.Viscosity}
	h.Reynolds = channel.Reynolds(liquid, h.Velocity)
	h.Drop = channel.Drop(liquid, h.Velocity)
	h.Pumping = h.Drop * c.Flow
	return h
}

// MostLaminar is the Reynolds number up to which flow in channels is laminar.
const MostLaminar = coolant.LeastTurbulent
