package summary

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/report/quantity"
)

// Coolant is the coolant of a cavity. Unknown numbers, such as the pressure drop of pins, are null in the file.
type Coolant struct {
	Layer      string  `json:"layer"`         // the cavity
	Direction  string  `json:"direction"`     // flow direction: +x, -x, +y or -y
	FlowM3PerS float64 `json:"flow_m3_per_s"` // through the whole cavity
	// mean velocity in the channels; for pins and porous media relative to the cross-section of the empty cavity
	VelocityMPerS float64 `json:"velocity_m_per_s"`
	Reynolds      float64 `json:"reynolds"` // largest of the streams; null if unknown
	// largest of a wall between resolved channels, h t/(2 k); null otherwise
	Biot float64 `json:"biot"`
	// thermal entry length of laminar flow in channels, 0.05 Re Pr D; null for pins and porous media
	EntryLengthM float64 `json:"entry_length_m"`
	// from inlet to outlet, largest of the streams; null if unknown
	PressureDrop float64 `json:"pressure_drop_Pa"`
	PumpingW     float64 `json:"pumping_W"`    // flow times pressure drop; null if unknown
	InletK       float64 `json:"inlet_K"`      // inlet temperature
	OutletK      float64 `json:"outlet_K"`     // mixed: mean weighted by the heat capacity rate of each line
	OutletMinK   float64 `json:"outlet_min_K"` // of the coldest line
	OutletMaxK   float64 `json:"outlet_max_K"` // of the hottest line
	HeatW        float64 `json:"heat_W"`       // heat removed by the coolant
	// Along holds the temperatures along the flow, from the inlet.
	Along []CoolantAlong `json:"along"`
	// Streams are the channels or zones with separate flows, from the west or the south.
	Streams []CoolantStream `json:"streams"`
}

// CoolantStream is a channel, or a zone of a porous cavity.
type CoolantStream struct {
	// start across the flow, from the western or southern side
	FromM         float64 `json:"from_m"`
	ToM           float64 `json:"to_m"`             // end across the flow
	FlowM3PerS    float64 `json:"flow_m3_per_s"`    // through it
	VelocityMPerS float64 `json:"velocity_m_per_s"` // defined as for the cavity
	// channels: hydraulic diameter; pins: pin diameter and velocity in the gap; porous media: square root of the
	// permeability
	Reynolds     float64 `json:"reynolds"`
	PressureDrop float64 `json:"pressure_drop_Pa"` // from inlet to outlet; null if unknown
	OutletK      float64 `json:"outlet_K"`         // mixed
	HeatW        float64 `json:"heat_W"`           // heat removed by the coolant
}

// CoolantAlong holds the temperatures of a cavity's coolant at a distance from the inlet.
type CoolantAlong struct {
	DistanceM float64 `json:"distance_m"` // from the inlet
	MixedK    float64 `json:"mixed_K"`    // mean weighted by the heat capacity rate of each line
	MinK      float64 `json:"min_K"`      // of the coldest line
	MaxK      float64 `json:"max_K"`      // of the hottest line
}

// Uneven reports whether the streams have different velocities.
func (c *Coolant) Uneven() bool {
	for i := range c.Streams {
		if math.Abs(c.Streams[i].VelocityMPerS-c.Streams[0].VelocityMPerS) > 1e-9*c.Streams[0].VelocityMPerS {
			return true
		}
	}
	return false
}

// Text describes the coolant of a cavity in a line.
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

// Film is a face with a temperature-dependent heat-transfer coefficient, at the end.
type Film struct {
	Face        string  `json:"face"`          // bottom, top, west, east, south or north
	MeanH       float64 `json:"mean_h_W_m2K"`  // over the area
	SurfaceMinK float64 `json:"surface_min_K"` // lowest of the surface
	SurfaceMaxK float64 `json:"surface_max_K"` // highest of the surface
	ConvectionW float64 `json:"convection_W"`  // constant part, law and natural convection; positive if heat leaves
	RadiationW  float64 `json:"radiation_W"`   // positive if heat leaves
	// Rayleigh number at the surface's temperature farthest from ambient; absent without natural convection.
	Rayleigh float64 `json:"rayleigh,omitempty"`
	// Values beyond the range of the formula or the law; absent without any.
	Outside string `json:"outside,omitempty"`
}

// String describes the face in a line.
func (f *Film) String() string { return strings.Join(f.Parts(), ", ") }

// Parts are the parts of String.
func (f *Film) Parts() []string {
	parts := []string{fmt.Sprintf("%s mean h %.4g W/(m2 K)", f.Face, f.MeanH),
		fmt.Sprintf("surface %.2f to %.2f degC", f.SurfaceMinK-quantity.ZeroCelsius,
			f.SurfaceMaxK-quantity.ZeroCelsius)}
	if f.ConvectionW != 0 {
		parts = append(parts, fmt.Sprintf("convection %.4g", f.ConvectionW))
	}
	if f.RadiationW != 0 {
		parts = append(parts, fmt.Sprintf("radiation %.4g", f.RadiationW))
	}
	return parts
}

// Patch is a patch of a face, or the rest of a face with patches, at the end.
type Patch struct {
	Face   string  `json:"face"`    // bottom, top, west, east, south or north
	Name   string  `json:"name"`    // of the patch; "" for the rest of the face
	AreaM2 float64 `json:"area_m2"` // without the parts that later patches cover
	HeatW  float64 `json:"heat_W"`  // positive if heat leaves
}

// Limit is a maximum temperature that the stack allows, and its margin. In a transient it refers to the peak over time.
type Limit struct {
	Kind    string  `json:"kind"`     // stack, layer, die, region, power or block
	Layer   string  `json:"layer"`    // "" of the stack's and of a die's
	Name    string  `json:"name"`     // of the die, region, power or block; "" of the others
	TMaxK   float64 `json:"tmax_K"`   // highest temperature allowed
	MaxK    float64 `json:"max_K"`    // highest found
	MarginK float64 `json:"margin_K"` // negative if the limit is exceeded
	// Allowed increase of the total power (same distribution) until the limit is reached; negative if the power must
	// decrease. In a transient, of the mean power of traces and schedules. Null if the temperature rise is not
	// proportional to the power: faces with different temperatures, heat fluxes, a transient from another temperature.
	MarginW float64 `json:"margin_W"`
	TimeS   float64 `json:"time_s,omitzero"` // of the maximum, in a transient; absent otherwise
	At      Place   `json:"at"`              // hottest cell
	OK      bool    `json:"ok"`              // the limit is met
}

// Label names the part to which the limit applies.
func (l *Limit) Label() string {
	switch l.Kind {
	case "stack":
		return "the whole stack"
	case "layer":
		return "layer " + l.Layer
	case "die":
		return "die " + l.Name
	}
	return l.Kind + " " + l.Name + " of layer " + l.Layer
}

// Text describes the margin, its location, and in a transient its time, in a unit; nil for degrees Celsius.
func (l *Limit) Text(unit *quantity.Scale) string {
	unit = unit.Or("degC")
	return l.text(unit, unit.Name, unit.Differences())
}

// TextIn is the text for a page, in a unit; nil for degrees Celsius.
func (l *Limit) TextIn(unit *quantity.Scale) string {
	unit = unit.Or("degC")
	return l.text(unit, unit.Symbol(), unit.DifferenceSymbol())
}

func (l *Limit) text(unit *quantity.Scale, symbol, difference string) string {
	if math.IsNaN(l.MaxK) {
		return fmt.Sprintf("%s has no temperature to compare with its tmax of %.2f %s", l.Label(), unit.Of(l.TMaxK),
			symbol)
	}
	at := l.At.Layer
	switch {
	case l.At.Block != "":
		at += ", block " + l.At.Block
	case l.At.Region != "":
		at += ", region " + l.At.Region
	}
	when := ""
	if l.TimeS > 0 {
		when = " at t = " + quantity.Seconds(l.TimeS)
	}
	verb := "stays below its tmax of"
	if !l.OK {
		verb = "exceeds its tmax of"
	}
	where := ""
	if l.At.Layer != "" {
		where = fmt.Sprintf(" in %s, x %s, y %s mm", at, quantity.Millimetres(l.At.XM), quantity.Millimetres(l.At.YM))
	}
	return fmt.Sprintf("%s reaches %.2f %s%s%s: it %s %.2f %s by %.3g %s", l.Label(), unit.Of(l.MaxK), symbol, when,
		where, verb, unit.Of(l.TMaxK), symbol, unit.Difference(math.Abs(l.MarginK)),
		difference)
}

// Exceeded returns the limits that are not met, sorted by margin.
func (s *Summary) Exceeded() []Limit {
	return slices.DeleteFunc(slices.Clone(s.Limits), func(l Limit) bool { return l.OK })
}

// Jedec holds the JEDEC metrics: empty if the stack requests none, in transients, without power and after a runaway.
// The junction is the hottest cell. Thermal resistances theta (JESD51-12) apply between the junction and a point that
// all heat passes. Parameters psi use the same total power, although only a part of the heat takes that path.
type Jedec struct {
	Environment string        `json:"environment"` // the standard, such as jesd51-2a
	JunctionK   float64       `json:"junction_K"`  // hottest cell
	PowerW      float64       `json:"power_W"`     // of the package
	Figures     []JedecFigure `json:"figures"`     // metrics of the environment
}

// JedecFigure is (junction - reference) / power.
type JedecFigure struct {
	Name       string  `json:"name"`        // theta_JA, theta_JB, theta_JC(top), psi_JT or psi_JB
	KPerW      float64 `json:"K_per_W"`     // (junction - reference) / power
	Reference  string  `json:"reference"`   // description of the reference point
	ReferenceK float64 `json:"reference_K"` // its temperature
}
