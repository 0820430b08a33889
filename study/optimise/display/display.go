// Package display writes the result of an optimisation as tables and pictures.
package display

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/report/tables"
	"thermsim/study/optimise"
	"thermsim/study/sweep/display"
)

// CSV writes a row for each design, the initial one first as number 0.
func CSV(w io.Writer, r *optimise.Result) error {
	header := []string{"design", "wire_weight", "objective", "max_K", "cost", "wire_m", "dominated", "margin_K"}
	header = append(header, r.Keys...)
	for _, name := range r.Parts {
		header = append(header, name+"_x_m", name+"_y_m", name+"_quarter_turns")
	}
	rows, number := [][]string{header}, quantity.Number
	for n, d := range append([]optimise.Design{r.Initial}, r.Designs...) {
		margin := math.NaN()
		if d.Margin != nil {
			margin = *d.Margin
		}
		row := []string{strconv.Itoa(n), number(d.Weight), number(d.Value), number(d.Max), number(d.Cost),
			number(d.Length), strconv.FormatBool(d.Dominated), number(margin)}
		for _, x := range d.Numbers {
			row = append(row, number(x))
		}
		for i, at := range d.Places {
			row = append(row, number(at[0]), number(at[1]), strconv.Itoa(d.Quarters[i]))
		}
		rows = append(rows, row)
	}
	return tables.WriteRows(w, rows)
}

// Value of the objective with its unit.
func Value(r *optimise.Result, value float64) string {
	if r.Unit == "K" {
		return fmt.Sprintf("%.2f degC", value-quantity.ZeroCelsius)
	}
	return fmt.Sprintf("%.4g %s", value, r.Unit)
}

// Verdict is the gain of the first design.
func Verdict(r *optimise.Result) string {
	a, b := &r.Initial, &r.Designs[0]
	text := fmt.Sprintf("maximum %.2f degC, initially %.2f degC", b.Max-quantity.ZeroCelsius,
		a.Max-quantity.ZeroCelsius)
	if b.Margin != nil {
		text = fmt.Sprintf("cost %.4g, initially %.4g; margin %+.3f K; ", b.Cost, a.Cost, *b.Margin) + text
	}
	if a.Length > 0 {
		text += fmt.Sprintf("; wires %.6g mm, initially %.6g mm", b.Length*1e3, a.Length*1e3)
	}
	if !r.Legal {
		text += " (initial parts overlap, or are closer than their spacing)"
	}
	return text + fmt.Sprintf("; %d evaluations", r.Solves)
}

// Front is the maximum temperature, or the cost, of each design against its wires; a line joins those of the Pareto
// front.
func Front(title string, r *optimise.Result) *picture.Chart {
	what, y := "Maximum temperature", "maximum (degC)"
	value := func(d *optimise.Design) float64 { return d.Max - quantity.ZeroCelsius }
	if r.Initial.Margin != nil {
		what, y = "Cost", "cost"
		value = func(d *optimise.Design) float64 { return d.Cost }
	}
	designs := picture.Curve{Name: "designs", Points: true}
	for i := range r.Designs {
		d := &r.Designs[i]
		designs.X, designs.Y = append(designs.X, d.Length), append(designs.Y, value(d))
	}
	front := display.Front(designs.X, designs.Y)
	front.Name = "Pareto front"
	return &picture.Chart{Title: title, Subtitle: what + " against wire length", X: "wires (m)", Y: y,
		Curves: []picture.Curve{front, designs,
			{Name: "initial", Points: true, X: []float64{r.Initial.Length}, Y: []float64{value(&r.Initial)}}}}
}
