// Package display writes the result of a fit as tables and pictures.
package display

import (
	"io"
	"math"

	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/report/tables"
	"thermsim/study/fit"
)

// CSV writes a row for each parameter.
func CSV(w io.Writer, r *fit.Result) error {
	rows := [][]string{{"parameter", "unit", "low", "high", "start", "fitted", "state", "low_95", "high_95"}}
	number := quantity.Number
	for _, e := range r.Fitted {
		row := []string{e.Key, e.Unit, number(e.Low), number(e.High), number(e.Start), number(e.Value), string(e.State),
			"", ""}
		if e.Interval != nil {
			row[7], row[8] = number(e.Interval[0]), number(e.Interval[1])
		}
		rows = append(rows, row)
	}
	return tables.WriteRows(w, rows)
}

// Values writes a row for each measured value, in K or K/W.
func Values(w io.Writer, r *fit.Result) error {
	rows := [][]string{{"kind", "name", "time_s", "measured", "start", "fitted", "sigma"}}
	number := quantity.Number
	for n, v := range r.Values {
		rows = append(rows, []string{string(v.Kind), v.Name, number(v.Time), number(v.Measured), number(r.Start[n]),
			number(r.End[n]), number(v.Sigma * r.Sigma)})
	}
	return tables.WriteRows(w, rows)
}

// Responses shows measured and computed responses, before and after; nil without any.
func Responses(title string, r *fit.Result) *picture.Chart {
	c := &picture.Chart{Title: title, Subtitle: "Thermal impedance: measured, before and after the fit",
		X: "time (s)", Y: "Zth (K/W)", LogX: true}
	at := map[string]int{}
	for n, v := range r.Values {
		if v.Kind != fit.Impedance {
			continue
		}
		if _, ok := at[v.Name]; !ok {
			at[v.Name] = len(c.Curves)
			c.Curves = append(c.Curves, picture.Curve{Name: v.Name + ", measured", Points: true}, // below the curves
				picture.Curve{Name: v.Name + ", start"}, picture.Curve{Name: v.Name + ", fitted"})
		}
		for i, z := range []float64{v.Measured, r.Start[n], r.End[n]} {
			k := &c.Curves[at[v.Name]+i]
			k.X, k.Y = append(k.X, v.Time), append(k.Y, z)
		}
	}
	if len(c.Curves) == 0 {
		return nil
	}
	return c
}

// Residuals shows what remains after the fit: computed minus measured values in standard deviations, by their numbers.
func Residuals(title string, r *fit.Result) *picture.Chart {
	c := &picture.Chart{Title: title, Subtitle: "Residuals of the fit: computed minus measured, in standard deviations",
		X: "row of fit_values.csv", Y: "residual / sigma",
		Limits: []picture.Limit{{Name: "+2 sigma", Y: 2, Always: true}, {Name: "-2 sigma", Y: -2, Always: true}}}
	for _, d := range r.Deviations {
		points := picture.Curve{Name: string(d.Kind), Points: true}
		for n, v := range r.Values {
			if v.Kind == d.Kind {
				points.X = append(points.X, float64(n+1))
				points.Y = append(points.Y, (r.End[n]-v.Measured)/v.Sigma/max(r.Sigma, math.SmallestNonzeroFloat64))
			}
		}
		c.Curves = append(c.Curves, points)
	}
	return c
}
