// Package display writes the results of a tolerance analysis as a table and a picture.
package display

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/report/tables"
	"thermsim/study/tolerance"
)

// Sort sorts the parameters by descending total index.
func Sort(r *tolerance.Result) {
	slices.SortStableFunc(r.Parameters, func(a, b tolerance.Parameter) int { return cmp.Compare(b.Total, a.Total) })
}

// Verdict is the answer in one sentence.
func Verdict(r *tolerance.Result) string {
	if y := r.Yield; y != nil {
		return fmt.Sprintf("%.4g %% of the runs meet all limits (95 %% confidence: %.4g to %.4g %%)", 100*y.Part,
			100*y.Low, 100*y.High)
	}
	q := r.At(0.95)
	return fmt.Sprintf("95 %% of the runs stay below %s degC (95 %% confidence: %s to %s)", Celsius(q.Kelvin),
		Celsius(q.Low), Celsius(q.High))
}

// Celsius is a temperature in text.
func Celsius(kelvin float64) string {
	if math.IsInf(kelvin, 0) {
		return "runaway"
	}
	return fmt.Sprintf("%.2f", kelvin-quantity.ZeroCelsius)
}

// CSV writes a row for each parameter.
func CSV(w io.Writer, r *tolerance.Result) error {
	rows := [][]string{{"parameter", "spread", "unit", "mean", "sigma", "S1", "S1_error", "ST", "ST_error",
		"first_order_K_per_unit", "first_order_share"}}
	for _, p := range r.Parameters {
		row := []string{p.Name, p.Spread, p.Unit}
		for _, x := range []float64{p.Mean, p.Sigma, p.Alone, p.AloneError, p.Total, p.TotalError, p.Derivative,
			p.Share} {
			row = append(row, quantity.Number(x))
		}
		rows = append(rows, row)
	}
	return tables.WriteRows(w, rows)
}

// bars is the number of bars between the quantiles P1 and P99.
const bars = 30

// Picture draws the distribution of temperatures, its quantiles, and the normal distribution of the first order.
func Picture(title string, r *tolerance.Result, kelvin []float64) *picture.Chart {
	c := &picture.Chart{Title: title, Subtitle: Verdict(r), X: r.Output + " (°C)", Y: "% of runs per bar"}
	low := r.Low - quantity.ZeroCelsius
	width := max((r.At(0.99).Kelvin-r.At(0.01).Kelvin)/bars, 1e-4)
	if !quantity.Finite(width) {
		width = max(6*r.Sigma/bars, 1e-4)
	}
	runs := picture.Curve{Name: "runs", Bars: true}
	for _, t := range kelvin {
		if t -= quantity.ZeroCelsius; !quantity.Finite(t) {
			continue
		}
		n := int((t - low) / width)
		for len(runs.X) <= n {
			runs.X = append(runs.X, low+width*(float64(len(runs.X))+0.5))
			runs.Y = append(runs.Y, 0)
		}
		runs.Y[n] += 100 / float64(r.Runs)
	}
	top := slices.Max(runs.Y)
	c.Curves = append(c.Curves, runs)
	if f := r.First; f != nil && f.Sigma > 0 {
		k := picture.Curve{Name: "first order"}
		for _, x := range runs.X {
			z := (x + quantity.ZeroCelsius - f.Kelvin) / f.Sigma
			k.X, k.Y = append(k.X, x), append(k.Y, 100*width*math.Exp(-z*z/2)/math.Sqrt(2*math.Pi)/f.Sigma)
		}
		c.Curves = append(c.Curves, k)
	}
	for _, part := range []float64{0.5, 0.95, 0.99} {
		if t := r.At(part).Kelvin - quantity.ZeroCelsius; quantity.Finite(t) {
			c.Curves = append(c.Curves, picture.Curve{Name: fmt.Sprintf("P%.0f %.2f °C", 100*part, t),
				X: []float64{t, t}, Y: []float64{0, top}})
		}
	}
	return c
}
