// Package display writes sensitivities as a table, JSON and a picture.
package display

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"thermsim/report/jsonfile"
	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/report/tables"
	"thermsim/study/sensitivity"
)

// Sort sorts parameters by descending sensitivity.
func Sort(r *sensitivity.Result) {
	slices.SortStableFunc(r.Of, func(a, b sensitivity.Sensitivity) int {
		return cmp.Compare(strength(&b), strength(&a))
	})
}

// strength is the sort key of a parameter. Temperatures come last, because 1 % of 300 K is not meaningful.
func strength(v *sensitivity.Sensitivity) float64 {
	if v.Kind == sensitivity.Temperature {
		return -1
	}
	return math.Abs(v.PerPercent())
}

// Label names a parameter.
func Label(v *sensitivity.Sensitivity) string {
	switch v.Kind {
	case sensitivity.Contact:
		return "contact above " + v.Name
	case sensitivity.Temperature:
		return "ambient of " + v.Name
	}
	return string(v.Kind) + " of " + v.Name
}

// Most is the number of parameters in a chart and on the terminal.
const Most = 25

// Picture draws the most sensitive parameters, without temperatures.
func Picture(title string, r *sensitivity.Result) *picture.Tornado {
	t := &picture.Tornado{Title: title, Subtitle: fmt.Sprintf("%s: %.2f °C", r.Name, r.Kelvin-quantity.ZeroCelsius),
		X: "K per 1 % increase"}
	for i := range r.Of {
		if v := &r.Of[i]; v.Kind != sensitivity.Temperature && len(t.Names) < Most {
			t.Names, t.Values = append(t.Names, Label(v)), append(t.Values, v.PerPercent())
		}
	}
	return t
}

// CSV writes a row for each parameter.
func CSV(w io.Writer, r *sensitivity.Result) error {
	rows := [][]string{{"kind", "name", "value", "unit", "K_per_unit", "K_per_percent"}}
	for i := range r.Of {
		v := &r.Of[i]
		number := func(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }
		rows = append(rows, []string{string(v.Kind), v.Name, number(v.Value), v.Unit,
			number(v.Derivative), number(v.PerPercent())})
	}
	return tables.WriteRows(w, rows)
}

// JSON writes all parameters.
func JSON(w io.Writer, r *sensitivity.Result) error {
	type row struct {
		Kind        sensitivity.Kind `json:"kind"`
		Name        string           `json:"name"`
		Value       float64          `json:"value"`
		Unit        string           `json:"unit"`
		KPerUnit    float64          `json:"K_per_unit"`
		KPerPercent float64          `json:"K_per_percent"`
	}
	out := struct {
		Objective string  `json:"objective"`
		Kelvin    float64 `json:"objective_K"`
		Of        []row   `json:"of"`
	}{Objective: r.Name, Kelvin: r.Kelvin}
	for i := range r.Of {
		v := &r.Of[i]
		out.Of = append(out.Of, row{v.Kind, v.Name, v.Value, v.Unit, v.Derivative, v.PerPercent()})
	}
	return jsonfile.Write(w, out)
}
