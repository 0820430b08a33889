package stack

import (
	"math"
	"slices"
)

// Coolant is what flows through a layer: along straight channels between walls, or past pins. The layer's material is
// that of walls and pins.
type Coolant struct {
	Fluid     Fluid       `toml:",inline"`
	Inlet     float64     `toml:"inlet"`     // K
	Direction Direction   `toml:"direction"` // of the flow
	Flow      float64     `toml:"flow,own"`  // m3/s through the whole cavity
	Zones     []Zone      // with flows of their own, over the width of the cavity; nil where the flow is even
	Model     CavityModel `toml:"model"`
	Channels  *Channels   `toml:",inline"` // one of the three
	Pins      *Pins       `toml:",inline"`
	Medium    *Medium     `toml:",inline"`
	// Permeability in m2 of pins or a medium, by which pressure drives the flow; 0 where not told.
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
	// Central discretises the advection by central differences, as 3D-ICE does, and leaves out conduction along the
	// flow. It is for the comparison with 3D-ICE.
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
	Density   float64 `toml:"rho"`       // kg/m3, 0 where not told
	Viscosity float64 `toml:"viscosity"` // dynamic, Pa s, 0 where not told
	Boiling   float64 `toml:"boiling"`   // K, 0 where not told
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

// The models: every channel with walls of its own, four resistances around a cell of coolant; or coolant and walls at
// every place of the ground plan, which exchange heat with the layers below and above through two resistances.
const (
	ResolvedChannels CavityModel = "channels"
	PorousCavity     CavityModel = "porous"
)

// Channels are straight, of one width, with walls of one width between; FirstWall lies before the first of them.
type Channels struct {
	Width     float64 `toml:"channel_width"`   // m
	Wall      float64 `toml:"wall_width"`      // m
	FirstWall float64 `toml:"first_wall,zero"` // m
	Count     int     `toml:"channel_count"`
}

// Fit sets the number of channels, where it is not given, to that which a chip of a width in m holds, and the first
// wall, where it is not given, to half of what they leave.
func (c *Channels) Fit(width float64) {
	free := width - c.FirstWall
	if c.FirstWall == 0 {
		free = width
	}
	const most = 1e6
	if c.Count == 0 {
		c.Count = int(math.Min(most, math.Max(0, math.Floor((free+c.Wall)/(c.Width+c.Wall)+tolerance))))
	}
	if c.FirstWall == 0 {
		c.FirstWall = (width - float64(c.Count)*c.Width - float64(c.Count-1)*c.Wall) / 2
	}
}

// start is where channel n begins, in m across the flow.
func (c *Channels) start(n int) float64 { return c.FirstWall + float64(n)*(c.Width+c.Wall) }

// middle of channel n.
func (c *Channels) middle(n int) float64 { return c.start(n) + c.Width/2 }

// maxChannels is more than any chip has.
const maxChannels = 40_000

// axis has a cell for each channel and each wall of a chip of a width in m.
func (c *Channels) axis(width float64) Axis {
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

// Pins are round and stand on a square grid of the pitch, every other row shifted by half of it where they are
// staggered.
type Pins struct {
	Diameter  float64 `toml:"pin_diameter"` // m
	Pitch     float64 `toml:"pin_pitch"`    // m
	Staggered bool    `toml:"pin_arrangement"`
}

// Medium is a porous one of any form.
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
