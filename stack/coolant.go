package stack

import (
	"math"
	"slices"

	"thermsim/stack/coolant"
)

// Coolant is a liquid that flows through a layer: along straight channels between walls, or past pins. The material of
// the layer is that of walls and pins.
type Coolant struct {
	Fluid     Fluid       `toml:",inline"`
	Inlet     float64     `toml:"inlet"`     // K
	Direction Direction   `toml:"direction"` // of the flow
	Flow      float64     `toml:"flow,own"`  // m3/s through the whole cavity
	Zones     []Zone      // with separate flows, over the width of the cavity; nil for a uniform flow
	Model     CavityModel `toml:"model"`
	Channels  *Channels   `toml:",inline"` // one of the three
	Pins      *Pins       `toml:",inline"`
	Medium    *Medium     `toml:",inline"`
	// Permeability in m2 of pins or a medium, by which pressure drives the flow; 0 if unknown.
	Permeability float64 `toml:"permeability,own"`
	// Developing flow enters channels with one velocity and one temperature: friction and coefficients are larger near
	// the inlet.
	Developing bool `toml:"entrance,own"`
	// Heat transfer coefficients in W/(m2 K). Those of a resolved channel refer to its own walls: sides, bottom and
	// top; those of the porous model to the ground plan of the whole cavity. Where coolant is Local, 0 means that the
	// coefficient follows cell by cell from a correlation: Layer.Films.
	HSide   float64 `toml:"h_side,own"`
	HBottom float64 `toml:"h_bottom,own"`
	HTop    float64 `toml:"h_top,own"`
	// Central discretizes the advection by central differences and neglects conduction along the flow, as 3D-ICE does.
	// It is for the comparison with 3D-ICE.
	Central bool `toml:"advection"`
	Pos     Pos
}

// Local says that coefficients may differ from cell to cell.
func (c *Coolant) Local() bool { return c.Channels != nil && (c.Developing || len(c.Zones) > 0) }

// Zone is a part of a cavity, from the zone before it, or the western or southern side, on.
type Zone struct {
	To           float64 `toml:"to"`           // m across the flow from the western or southern side
	Flow         float64 `toml:"flow"`         // m3/s
	Permeability float64 `toml:"permeability"` // m2, of pins or a medium; 0 where it is the cavity's
}

// Cooled says whether coolant flows through a layer.
func (s *Stack) Cooled() bool {
	return slices.ContainsFunc(s.Layers, func(y Layer) bool { return y.Coolant != nil })
}

// Fluid is a liquid at the temperature that its properties were taken at.
type Fluid struct {
	K         float64 `toml:"k,zero"`    // thermal conductivity, W/(m K)
	C         float64 `toml:"c"`         // volumetric heat capacity, J/(m3 K)
	Density   float64 `toml:"rho"`       // kg/m3, 0 if unknown
	Viscosity float64 `toml:"viscosity"` // dynamic, Pa s, 0 if unknown
	Boiling   float64 `toml:"boiling"`   // K, 0 if unknown
}

// Direction of a flow.
type Direction string

// The directions.
const (
	TowardsEast  Direction = "+x"
	TowardsWest  Direction = "-x"
	TowardsNorth Direction = "+y"
	TowardsSouth Direction = "-y"
)

// Axis is 0 of a flow along x, 1 along y.
func (d Direction) Axis() int {
	if d == TowardsEast || d == TowardsWest {
		return 0
	}
	return 1
}

// Backward says that the flow runs towards smaller coordinates.
func (d Direction) Backward() bool { return d == TowardsWest || d == TowardsSouth }

// CavityModel is how a cavity is represented.
type CavityModel string

// The models: separate channels and walls, with four resistances around a cell of coolant; or coolant and walls at
// every point of the plan, which exchange heat with the layers below and above through two resistances.
const (
	ResolvedChannels CavityModel = "channels"
	PorousCavity     CavityModel = "porous"
)

// Channels are straight, of equal width, with walls of equal width between them. FirstWall is the wall before the first
// channel.
type Channels struct {
	Width     float64 `toml:"channel_width"`   // m
	Wall      float64 `toml:"wall_width"`      // m
	FirstWall float64 `toml:"first_wall,zero"` // m
	Count     int     `toml:"channel_count"`
}

// Fit sets the number of channels, unless it is given, to the largest that fits between two walls into a chip of a
// width in m, and the first wall, unless it is given, to half of the remaining width.
func (c *Channels) Fit(width float64) {
	free := width - c.FirstWall
	if c.FirstWall == 0 {
		free = width
	}
	const most = 1e6
	if c.Count == 0 {
		c.Count = int(math.Min(most, math.Max(0, math.Ceil((free+c.Wall)/(c.Width+c.Wall)-Tolerance)-1)))
	}
	if c.FirstWall == 0 {
		c.FirstWall = (width - float64(c.Count)*c.Width - float64(c.Count-1)*c.Wall) / 2
	}
}

// start is where channel n begins, in m across the flow.
func (c *Channels) start(n int) float64 { return c.FirstWall + float64(n)*(c.Width+c.Wall) }

// middle of channel n.
func (c *Channels) middle(n int) float64 { return c.start(n) + c.Width/2 }

// MaxChannels is more than any chip has.
const MaxChannels = 40_000

// Axis has a cell for each channel and each wall of a chip of a width in m.
func (c *Channels) Axis(width float64) Axis {
	var a Axis
	add := func(to float64) { a.Segments = append(a.Segments, Segment{To: to, Cells: 1, Ratio: 1}) }
	at := c.FirstWall
	for n := range c.Count {
		add(at)
		add(at + c.Width)
		at = c.FirstWall + float64(n+1)*(c.Width+c.Wall)
	}
	add(width)
	a.Cells = len(a.Segments)
	return a
}

// Pins are round and form a square array; if they are staggered, every other row is shifted by half a pitch.
type Pins struct {
	Diameter  float64 `toml:"pin_diameter"` // m
	Pitch     float64 `toml:"pin_pitch"`    // m
	Staggered bool    `toml:"pin_arrangement"`
}

// Medium is a general porous medium.
type Medium struct {
	Porosity float64 `toml:"porosity"` // share of coolant
}

// Porosity is the share of coolant in the cavity.
func (c *Coolant) Porosity() float64 {
	if c.Medium != nil {
		return c.Medium.Porosity
	}
	if p := c.Pins; p != nil {
		return 1 - math.Pi*p.Diameter*p.Diameter/4/(p.Pitch*p.Pitch)
	}
	return c.Channels.Width / (c.Channels.Width + c.Channels.Wall)
}

// Hydraulics are the properties of the flow through a cavity. Unknown numbers are NaN: those of a coolant without
// density or viscosity, and the pressure drop of pins without permeability.
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

// Stream is a part of a cavity with a separate flow: a channel, or a zone of a porous cavity.
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
	channel, liquid := s.channel(y), c.Fluid.Liquid()
	if c.Fluid.Viscosity > 0 && c.Fluid.K > 0 {
		h.Entry = channel.EntryLength(liquid, fastest)
	}
	if c.Model == ResolvedChannels {
		films := s.WallH(y, fastest, 0, channel.Length)
		h.Biot = math.Max(films.Side, math.Max(films.Bottom, films.Top)) * c.Channels.Wall /
			(2 * s.Materials[y.Material].K[1-c.Direction.Axis()])
	}
	return h
}

// streams are the parts with separate flows, from the west or the south.
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
	c, liquid := y.Coolant, y.Coolant.Fluid.Liquid()
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
		most = math.Max(most, coolant.PoreReynolds(c.Fluid.Liquid(), t.Velocity, k))
	}
	return most
}

// channel is one of the cavity's.
func (s *Stack) channel(y *Layer) coolant.Channel {
	c := y.Coolant
	return coolant.Channel{Width: c.Channels.Width, Height: y.Thickness, Length: s.Size[c.Direction.Axis()],
		Developing: c.Developing}
}

// Liquid is the fluid for correlations.
func (f *Fluid) Liquid() coolant.Fluid {
	l := coolant.Fluid{K: f.K, Density: f.Density, Viscosity: f.Viscosity}
	if f.Density > 0 {
		l.Cp = f.C / f.Density
	}
	return l
}

// WallH are heat-transfer coefficients in W/(m2 K), as those of Coolant.
type WallH struct{ Side, Bottom, Top float64 }

// WallH returns the coefficients of a layer's coolant at a velocity in m/s, averaged from x0 to x1 m after the inlet.
func (s *Stack) WallH(y *Layer, velocity, x0, x1 float64) WallH {
	c := y.Coolant
	f := WallH{c.HSide, c.HBottom, c.HTop}
	if !c.Local() || f.Bottom > 0 && f.Top > 0 && (f.Side > 0 || c.Model == PorousCavity) {
		return f
	}
	h := s.channel(y).HeatTransferBetween(c.Fluid.Liquid(), velocity, x0, x1)
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
