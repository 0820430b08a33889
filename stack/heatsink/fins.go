// Package heatsink works out how plain faces and finned heat sinks give heat to air, in SI units.
package heatsink

import "math"

// Fins are straight fins of rectangular profile on a base, upright and evenly spaced, the outermost on its edges.
type Fins struct {
	Count     int     `toml:"count"`
	Thickness float64 `toml:"thickness"` // m
	Height    float64 `toml:"height"`    // m, from the base to the tip
	Length    float64 // m, of the base along the fins
	Width     float64 // m, of the base across them
	K         float64 // W/(m K)
	H         float64 // W/(m2 K), on the fins and on the base between them
}

// Gap between two fins in m; not positive where they do not fit. A single fin has none.
func (f *Fins) Gap() float64 {
	return (f.Width - float64(f.Count)*f.Thickness) / float64(max(1, f.Count-1))
}

// Efficiency is the heat of a fin over that of one at the temperature of its base throughout:
//
//	eta = tanh(m L) / (m L),   m = sqrt(h P / (k A)),   L = height + thickness/2.
//
// P is the perimeter and A the cross-section; the added half thickness represents the tip (D. R. Harper and W. B.
// Brown, Report 158 of the National Advisory Committee for Aeronautics, 1922). It is valid for h thickness / k << 1.
func (f *Fins) Efficiency() float64 {
	m := math.Sqrt(f.H * f.perimeter() / (f.K * f.Thickness * f.Length))
	x := m * f.corrected()
	if x < 1e-6 {
		return 1
	}
	return math.Tanh(x) / x
}

func (f *Fins) perimeter() float64 { return 2 * (f.Thickness + f.Length) }

func (f *Fins) corrected() float64 { return f.Height + f.Thickness/2 }

// OnBase is the heat transfer coefficient that the fins and the base between them make together, per area of the base,
// in W/(m2 K).
func (f *Fins) OnBase() float64 {
	n, base := float64(f.Count), f.Width*f.Length
	free := base - n*f.Thickness*f.Length
	return f.H * (free + n*f.Efficiency()*f.perimeter()*f.corrected()) / base
}

// Volume of all fins in m3.
func (f *Fins) Volume() float64 { return float64(f.Count) * f.Thickness * f.Height * f.Length }
