package summary

import (
	"fmt"
	"math"

	"thermsim/report/quantity"
)

// Coolant is what the coolant of a cavity does. Numbers that are not known, as the pressure drop of pins, are
// null in the file.
type Coolant struct {
	Layer      string  `json:"layer"`         // the cavity
	Direction  string  `json:"direction"`     // where the coolant flows: +x, -x, +y or -y
	FlowM3PerS float64 `json:"flow_m3_per_s"` // through the whole cavity
	// mean one in the channels; past pins and in a medium that over the section of the empty cavity
	VelocityMPerS float64 `json:"velocity_m_per_s"`
	Reynolds      float64 `json:"reynolds"` // largest one of the streams; null where none is known
	// of a wall between resolved channels, h t/(2 k), the largest; null where h is not that of walls
	Biot float64 `json:"biot"`
	// over which laminar flow in channels develops thermally, 0.05 Re Pr D; null of pins and media
	EntryLengthM float64 `json:"entry_length_m"`
	// from inlet to outlet, the largest of the streams; null where none is known
	PressureDrop float64 `json:"pressure_drop_Pa"`
	PumpingW     float64 `json:"pumping_W"`    // flow times pressure drop; null where none is known
	InletK       float64 `json:"inlet_K"`      // at which the coolant enters
	OutletK      float64 `json:"outlet_K"`     // mixed: the mean weighted by what each line carries
	OutletMinK   float64 `json:"outlet_min_K"` // of the coldest line
	OutletMaxK   float64 `json:"outlet_max_K"` // of the hottest line
	HeatW        float64 `json:"heat_W"`       // what it carries out, above what it brings in
	// Along are its temperatures along the flow, from the inlet on.
	Along []CoolantAlong `json:"along"`
	// Streams are the parts with flows of their own, channels or zones, from the west or the south.
	Streams []CoolantStream `json:"streams"`
}

// CoolantStream is a channel, or a zone of a porous cavity.
type CoolantStream struct {
	// where it begins across the flow, from the western or southern side
	FromM         float64 `json:"from_m"`
	ToM           float64 `json:"to_m"`             // where it ends
	FlowM3PerS    float64 `json:"flow_m3_per_s"`    // through it
	VelocityMPerS float64 `json:"velocity_m_per_s"` // as that of the cavity
	// of a channel by its hydraulic diameter, of pins by their diameter and the velocity in the gap, of a medium by the
	// root of its permeability
	Reynolds     float64 `json:"reynolds"`
	PressureDrop float64 `json:"pressure_drop_Pa"` // from inlet to outlet; null where none is known
	OutletK      float64 `json:"outlet_K"`         // mixed
	HeatW        float64 `json:"heat_W"`           // what it carries out, above what it brings in
}

// CoolantAlong are the temperatures of a cavity's coolant at a distance from the inlet.
type CoolantAlong struct {
	DistanceM float64 `json:"distance_m"` // from the inlet
	MixedK    float64 `json:"mixed_K"`    // mean weighted by what each line carries
	MinK      float64 `json:"min_K"`      // of the coldest line
	MaxK      float64 `json:"max_K"`      // of the hottest line
}

// Uneven says whether streams have different velocities.
func (c *Coolant) Uneven() bool {
	for i := range c.Streams {
		if math.Abs(c.Streams[i].VelocityMPerS-c.Streams[0].VelocityMPerS) > 1e-9*c.Streams[0].VelocityMPerS {
			return true
		}
	}
	return false
}

// Text is a cavity in a line.
func (c *Coolant) Text(decimals int) string {
	t := fmt.Sprintf("%s W leave, %s, %.4g ml/min, from %.2f to %.2f degC", quantity.Fixed(c.HeatW, decimals),
		c.Direction,
		c.FlowM3PerS*6e7, c.InletK-quantity.ZeroCelsius, c.OutletK-quantity.ZeroCelsius)
	if !math.IsNaN(c.PressureDrop) {
		t += fmt.Sprintf(", %.4g kPa, %.4g mW of pumping", c.PressureDrop*1e-3, c.PumpingW*1e3)
	}
	if !math.IsNaN(c.Reynolds) {
		t += fmt.Sprintf(", Re %.4g", c.Reynolds)
	}
	return t
}
