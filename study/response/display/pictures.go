package display

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"thermsim/report/picture"
	"thermsim/study/response"
	"thermsim/study/response/ladder"
)

// MatrixPicture shows the matrix of the means in colors.
func MatrixPicture(title string, x *response.Matrix) *picture.Matrix {
	m := &picture.Matrix{
		Title: title, Subtitle: fmt.Sprintf("Thermal resistances between %d inputs: mean temperature for 1 W",
			len(x.Inputs)),
		Down: "observed", Across: "heated", Unit: "K/W",
	}
	for n := range x.Inputs {
		m.Columns = append(m.Columns, x.Inputs[n].Name)
	}
	for o, out := range x.Outputs {
		if out.Kind != "peak" {
			m.Rows = append(m.Rows, out.Name)
			m.Values = append(m.Values, x.R[o]...)
		}
	}
	return m
}

// shownCurves is the maximum number of curves in a picture.
const shownCurves = 12

// StepPicture shows the driving-point responses, the highest first, or all curves if a single input was heated.
func StepPicture(title string, x *response.Steps) *picture.Chart {
	c := &picture.Chart{Title: title, Subtitle: "Thermal impedance: mean over the heated area after a step of 1 W",
		X: "time (s)", Y: "Zth (K/W)", LogX: true}
	var shown []*response.Curve
	one := true
	for n := range x.Curves {
		one = one && x.Curves[n].From == x.Curves[0].From
	}
	for n := range x.Curves {
		if one || x.Curves[n].Own() {
			shown = append(shown, &x.Curves[n])
		}
	}
	slices.SortStableFunc(shown, func(a, b *response.Curve) int { return cmp.Compare(b.Steady, a.Steady) })
	for _, k := range shown[:min(len(shown), shownCurves)] {
		c.Curves = append(c.Curves, picture.Curve{Name: k.To.Name, X: x.Times, Y: k.Z})
	}
	if one {
		c.Subtitle = "Thermal impedance: a step of 1 W in " + x.Inputs[x.Curves[0].From].Name
	} else if len(shown) > shownCurves {
		c.Subtitle += fmt.Sprintf("; the %d highest of %d", shownCurves, len(shown))
	}
	return c
}

// highest are the networks with the highest resistances, in descending order.
func highest(networks []Network) []Network {
	const most = 6
	all := slices.Clone(networks)
	slices.SortStableFunc(all, func(a, b Network) int { return cmp.Compare(b.Foster.Total(), a.Foster.Total()) })
	return all[:min(most, len(all))]
}

// SpectrumPicture shows the resistance per decade of time constants.
func SpectrumPicture(title string, x *response.Steps, networks []Network) *picture.Chart {
	c := &picture.Chart{Title: title, Subtitle: "Spectrum of time constants", X: "time constant (s)",
		Y: "resistance per decade (K/W)", LogX: true}
	perDecade := 1 / math.Log10(x.Times[1]/x.Times[0])
	for _, n := range highest(networks) {
		k := picture.Curve{Name: x.Inputs[n.Of].Name, X: x.Times, Y: make([]float64, len(x.Times))}
		for i, tau := range n.Foster.Tau {
			if at, found := slices.BinarySearch(x.Times, tau); found {
				k.Y[at] = n.Foster.R[i] * perDecade
			}
		}
		c.Curves = append(c.Curves, k)
	}
	return c
}

// shown is the length of the reliable part of a structure function: near the ambient, in the last hundredth of the
// resistance, it diverges.
func shown(s *ladder.Structure, total float64) int {
	if n := slices.IndexFunc(s.R, func(r float64) bool { return r > 0.99*total }); n >= 0 {
		return n
	}
	return len(s.R)
}

// CumulativePicture shows the cumulative heat capacity up to each resistance.
func CumulativePicture(title string, x *response.Steps, networks []Network) *picture.Chart {
	return structurePicture(title, "Cumulative", "heat capacity (J/K)", x, networks,
		func(s *ladder.Structure) []float64 { return s.C })
}

// DifferentialPicture shows its derivative.
func DifferentialPicture(title string, x *response.Steps, networks []Network) *picture.Chart {
	return structurePicture(title, "Differential", "dC/dR (W2 s/K2)", x, networks,
		func(s *ladder.Structure) []float64 { return s.K })
}

func structurePicture(title, kind, unit string, x *response.Steps, networks []Network,
	values func(s *ladder.Structure) []float64) *picture.Chart {
	c := &picture.Chart{Title: title, Subtitle: kind + " structure function, from the heated volume to the ambient",
		X: "thermal resistance (K/W)", Y: unit, Log: true}
	for _, n := range highest(networks) {
		to := shown(n.Structure, n.Foster.Total())
		c.Curves = append(c.Curves, picture.Curve{Name: x.Inputs[n.Of].Name, X: n.Structure.R[:to],
			Y: values(n.Structure)[:to]})
	}
	return c
}
