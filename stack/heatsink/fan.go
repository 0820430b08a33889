package heatsink

import (
	"sort"

	"thermsim/stack/coolant"
)

// FanPoint is a pressure in Pa at a volume flow in m3/s.
type FanPoint struct {
	Flow     float64 `toml:"flow,zero"`
	Pressure float64 `toml:"pressure,zero"`
}

// Fan blows air through fins and whatever else resists the flow.
type Fan struct {
	Curve  []FanPoint `toml:"curve,own"` // flow ascends from 0, pressure descends to 0
	System FanPoint   `toml:"system"`    // pressure at a flow, of all but the fins; it grows as the flow squared
	Bypass float64    `toml:"bypass"`    // part of the flow that passes the fins
}

// Pressure of the fan at a flow, linear between the points of its curve.
func (f *Fan) Pressure(flow float64) float64 {
	n := sort.Search(len(f.Curve), func(i int) bool { return f.Curve[i].Flow > flow })
	if n == len(f.Curve) {
		return f.Curve[n-1].Pressure
	}
	a, b := f.Curve[n-1], f.Curve[n]
	return a.Pressure + (b.Pressure-a.Pressure)*(flow-a.Flow)/(b.Flow-a.Flow)
}

// Resistance is the pressure that a flow of the fan takes: that of the system and that of the fins.
func (f *Fan) Resistance(air Air, fins *Fins, flow float64) float64 {
	p := fins.Drop(air, f.velocity(fins, flow))
	if f.System.Flow > 0 {
		ratio := flow / f.System.Flow
		p += f.System.Pressure * ratio * ratio
	}
	return p
}

// Operate finds the flow at which the fan makes the pressure that it takes, and the velocity between the fins.
func (f *Fan) Operate(air Air, fins *Fins) (at FanPoint, velocity float64) {
	low, high := 0.0, f.Curve[len(f.Curve)-1].Flow
	for range 60 {
		at.Flow = (low + high) / 2
		if f.Pressure(at.Flow) > f.Resistance(air, fins, at.Flow) {
			low = at.Flow
		} else {
			high = at.Flow
		}
	}
	at.Pressure = f.Pressure(at.Flow)
	return at, f.velocity(fins, at.Flow)
}

func (f *Fan) velocity(fins *Fins, flow float64) float64 {
	return (1 - f.Bypass) * flow / (float64(fins.Count-1) * fins.Gap() * fins.Height)
}

// Drop is the pressure in Pa that air between the fins takes: the friction of developing flow, and the losses at
// contraction and expansion,
//
//	(0.42 (1 - s^2) + (1 - s^2)^2) rho v^2 / 2,
//
// where s is the open part of the front (F. M. White, Fluid Mechanics, 4th ed., 1999, section 6.10; R. E. Simons,
// ElectronicsCooling 9, no. 2, 2003).
func (f *Fins) Drop(air Air, velocity float64) float64 {
	gap := f.Gap()
	channel := coolant.Channel{Width: gap, Height: f.Height, Length: f.Length, Developing: true}
	fluid := coolant.Fluid{Density: air.Density(), Viscosity: air.Nu * air.Density()}
	s := float64(f.Count-1) * gap / f.Width
	closed := 1 - s*s
	return channel.Drop(fluid, velocity) + (0.42*closed+closed*closed)*air.Density()*velocity*velocity/2
}
