package heatsink

import "math"

// Orientation is where a face looks.
type Orientation string

// The orientations.
const (
	Up       Orientation = "up"
	Down     Orientation = "down"
	Vertical Orientation = "vertical" // an upright face, which looks sideways
)

// minDifference in K between a surface and the air: below, the coefficient of this difference holds, so that it does
// not vanish.
const minDifference = 0.1

// gravity is the standard acceleration in m/s2.
const gravity = 9.80665

// Natural is the heat transfer coefficient in W/(m2 K) between a plane surface and still air at given temperatures. It
// also returns the Rayleigh number of the length L in m, with the properties of air at Tf = (Ts + Ta)/2:
//
//	Ra = g |Ts - Ta| L^3 Pr / (Tf nu^2).
//
// For a vertical surface of the height L, it is the larger of two formulas of S. W. Churchill and H. H. S. Chu (Int. J.
// Heat Mass Transfer 18, 1323, 1975). The first is for laminar flow, the second for all Ra:
//
//	Nu = 0.68 + 0.670 Ra^(1/4) / f^(4/9)               f = 1 + (0.492/Pr)^(9/16)
//	Nu = (0.825 + 0.387 Ra^(1/6) / f^(8/27))^2.
//
// For a horizontal one, L is its area over its perimeter. The formulas are those of W. H. McAdams, Heat Transmission,
// 3rd ed., 1954, as given by F. P. Incropera et al. in section 9.6. If the surface faces up and is warmer than the air,
// or faces down and is colder, it is the larger of
//
//	Nu = 0.54 Ra^(1/4),   Nu = 0.15 Ra^(1/3)           10^4 < Ra < 10^11.
//
// Otherwise it is
//
//	Nu = 0.27 Ra^(1/4)                                 10^5 < Ra < 10^10.
//
// The formulas are used beyond these ranges too; Range returns them. The error is that of AirAt at Tf.
func Natural(o Orientation, surface, ambient, length float64) (h, rayleigh float64, err error) {
	film := (surface + ambient) / 2
	air, err := AirAt(film)
	if err != nil {
		return 0, 0, err
	}
	difference := math.Max(math.Abs(surface-ambient), minDifference)
	rayleigh = gravity * difference * length * length * length * air.Pr / (film * air.Nu * air.Nu)
	return nusselt(o.rises(surface > ambient), rayleigh, air.Pr) * air.K / length, rayleigh, nil
}

// rises is the orientation of a warm face along which air flows as along a face that is warm or cold.
func (o Orientation) rises(warm bool) Orientation {
	switch {
	case warm || o == Vertical:
		return o
	case o == Up:
		return Down
	}
	return Up
}

func nusselt(o Orientation, ra, pr float64) float64 {
	fourth := math.Sqrt(math.Sqrt(ra))
	switch o {
	case Up:
		return math.Max(0.54*fourth, 0.15*math.Cbrt(ra))
	case Down:
		return 0.27 * fourth
	}
	f := 1 + math.Pow(0.492/pr, 9.0/16)
	all := 0.825 + 0.387*math.Pow(ra, 1.0/6)/math.Pow(f, 8.0/27)
	return math.Max(0.68+0.670*fourth/math.Pow(f, 4.0/9), all*all)
}

// Range is that of the Rayleigh numbers for which Natural's formula holds, for a surface that is warmer than the air or
// colder.
func (o Orientation) Range(warm bool) (from, to float64) {
	switch o.rises(warm) {
	case Up:
		return 1e4, 1e11
	case Down:
		return 1e5, 1e10
	}
	return 0, 1e12
}

// StefanBoltzmann is the constant of radiation in W/(m2 K4).
const StefanBoltzmann = 5.670374419e-8

// Surfaces are temperatures in K of a surface for which Natural is defined, ascending, from the coldest to the hottest.
// They are dense near the temperature of the air, where h changes fast. Empty if the air itself is too cold or too hot.
func Surfaces(ambient float64) []float64 {
	const within = 1e-6 // for rounding
	low, high := math.Max(2*ColdestAir-ambient+within, 1), 2*HottestAir-ambient-within
	if !(low < ambient-minDifference && ambient+minDifference < high) {
		return nil
	}
	var above []float64
	const growth, step = 0.03, 1.0
	for v := minDifference; ambient+v < high || ambient-v > low; v += math.Min(growth*v, step) {
		above = append(above, v)
	}
	all := []float64{low}
	for i := len(above) - 1; i >= 0; i-- {
		if t := ambient - above[i]; t > low {
			all = append(all, t)
		}
	}
	for _, v := range above {
		if t := ambient + v; t < high {
			all = append(all, t)
		}
	}
	return append(all, high)
}
