// Package display writes the result of an optimisation as tables and pictures.
package display

import (
	"fmt"
	"io"
	"strconv"

	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/report/tables"
	"thermsim/study/optimise"
)

func number(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }

// CSV writes a row for each design, the initial one first as number 0.
func CSV(w io.Writer, r *optimise.Result) error {
	header := []string{"design", "wire_weight", "objective", "max_K", "cost_K", "wire_m", "dominated"}
	header = append(header, r.Keys...)
	for _, name := range r.Parts {
		header = append(header, name+"_x_m", name+"_y_m")
	}
	rows := [][]string{header}
	for n, d := range append([]optimise.Design{r.Initial}, r.Designs...) {
		row := []string{strconv.Itoa(n), number(d.Weight), number(d.Value), number(d.Max), number(d.Cost),
			number(d.Length), strconv.FormatBool(d.Dominated)}
		for _, x := range d.Numbers {
			row = append(row, number(x))
		}
		for _, at := range d.Places {
			row = append(row, number(at[0]), number(at[1]))
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
	if a.Length > 0 {
		text += fmt.Sprintf("; wires %.4g mm, initially %.4g mm", b.Length*1e3, a.Length*1e3)
	}
	if !r.Legal {
		text += " (with overlaps)"
	}
	return text + fmt.Sprintf("; %d evaluations", r.Solves)
}

// Front is the temperature of each design against its wires.
func Front(title string, r *optimise.Result) *picture.Chart {
	initial := picture.Curve{Name: "initial", Points: true, X: []float64{r.Initial.Length * 1e3},
		Y: []float64{r.Initial.Max - quantity.ZeroCelsius}}
	designs := picture.Curve{Name: "designs", Points: true}
	for _, d := range r.Designs {
		designs.X, designs.Y = append(designs.X, d.Length*1e3), append(designs.Y, d.Max-quantity.ZeroCelsius)
	}
	return &picture.Chart{Title: title, Subtitle: "Maximum temperature against wire length", X: "wires (mm)",
		Y: "maximum (degC)", Curves: []picture.Curve{designs, initial}}
}
