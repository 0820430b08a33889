// Package display writes sensitivities as a table, JSON and a picture.
package display

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

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

// strength is the sort key of a parameter. Those that do not scale come last; of these, positions first.
func strength(v *sensitivity.Sensitivity) float64 {
	switch {
	case v.Position():
		return -1 / (1 + math.Abs(v.Derivative))
	case !v.Scales():
		return -1
	}
	return math.Abs(v.PerPercent())
}

// Value of an objective in text.
func Value(r *sensitivity.Result) string {
	if r.Unit == "K" {
		return fmt.Sprintf("%.3f degC", r.Value-quantity.ZeroCelsius)
	}
	return fmt.Sprintf("%.5g %s", r.Value, r.Unit)
}

// Label names a parameter.
func Label(v *sensitivity.Sensitivity) string {
	switch v.Kind {
	case sensitivity.Contact:
		return "contact above " + v.Name
	case sensitivity.Temperature:
		return "ambient of " + v.Name
	case sensitivity.FileKey:
		return v.Name
	}
	return string(v.Kind) + " of " + v.Name
}

// Most is the number of parameters in a chart and on the terminal.
const Most = 25

// Picture draws the most sensitive parameters that scale.
func Picture(title string, r *sensitivity.Result) *picture.Tornado {
	t := &picture.Tornado{Title: title, Subtitle: r.Name + ": " + strings.Replace(Value(r), "degC", "°C", 1),
		X: r.Unit + " per 1 % increase"}
	for i := range r.Of {
		if v := &r.Of[i]; v.Scales() && len(t.Names) < Most {
			t.Names, t.Values = append(t.Names, Label(v)), append(t.Values, v.PerPercent())
		}
	}
	return t
}

// CSV writes a row for each parameter of each objective.
func CSV(w io.Writer, all []sensitivity.Result) error {
	rows := [][]string{{"kind", "name", "value", "unit", "K_per_unit", "K_per_percent", "objective"}}
	for n := range all {
		for i := range all[n].Of {
			v := &all[n].Of[i]
			rows = append(rows, []string{string(v.Kind), v.Name, quantity.Number(v.Value), v.Unit,
				quantity.Number(v.Derivative), quantity.Number(v.PerPercent()), all[n].Name})
		}
	}
	return tables.WriteRows(w, rows)
}

type parameterRow struct {
	Kind        sensitivity.Kind `json:"kind"`
	Name        string           `json:"name"`
	Value       float64          `json:"value"`
	Unit        string           `json:"unit"`
	KPerUnit    float64          `json:"K_per_unit"`
	KPerPercent float64          `json:"K_per_percent"`
}

type objective struct {
	Objective string         `json:"objective"`
	Kelvin    float64        `json:"objective_K"`
	Unit      string         `json:"objective_unit,omitempty"` // K/W of a resistance
	TMax      float64        `json:"tmax_K,omitempty"`         // of a limit
	Of        []parameterRow `json:"of"`
	More      []objective    `json:"more,omitempty"` // further objectives
}

// JSON writes all parameters of all objectives.
func JSON(w io.Writer, all []sensitivity.Result) error {
	list := make([]objective, len(all))
	for n := range all {
		r := &all[n]
		list[n] = objective{Objective: r.Name, Kelvin: r.Value, TMax: r.TMax}
		if r.Unit != "K" {
			list[n].Unit = r.Unit
		}
		for i := range r.Of {
			v := &r.Of[i]
			list[n].Of = append(list[n].Of, parameterRow{v.Kind, v.Name, v.Value, v.Unit, v.Derivative, v.PerPercent()})
		}
	}
	list[0].More = list[1:]
	return jsonfile.Write(w, list[0])
}
