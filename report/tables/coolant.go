package tables

import (
	"fmt"
	"math"
	"slices"

	"thermsim/report/quantity"
	"thermsim/report/summary"
)

// Largest number of streams of a cavity that a terminal and a page list.
const (
	mostStreams     = 16
	MostPageStreams = 500
)

// Coolant has a row for each cavity, top to bottom. On a page the streams follow their cavity if they differ. at, nil
// in a terminal, returns a point in the coolant of a cavity at a coordinate across the flow; NaN for the center.
func Coolant(s *summary.Summary, at func(cavity int, across float64) summary.Place) *Table {
	var rows []summary.Coolant
	var places []summary.Place
	for i, c := range slices.Backward(s.Coolant) {
		rows = append(rows, c)
		if at == nil {
			continue
		}
		places = append(places, at(i, math.NaN()))
		if !c.Uneven() || len(c.Streams) > MostPageStreams {
			continue
		}
		for _, x := range c.Streams {
			name := fmt.Sprintf("%s, %s to %s mm", c.Layer, quantity.Millimetres(x.FromM), quantity.Millimetres(x.ToM))
			rows = append(rows, summary.Coolant{Layer: name, Direction: c.Direction, FlowM3PerS: x.FlowM3PerS,
				VelocityMPerS: x.VelocityMPerS, Reynolds: x.Reynolds, Biot: math.NaN(), PressureDrop: x.PressureDrop,
				PumpingW: x.FlowM3PerS * x.PressureDrop, InletK: c.InletK, OutletK: x.OutletK, HeatW: x.HeatW})
			places = append(places, at(i, (x.FromM+x.ToM)/2))
		}
	}
	layer := func(n int) string { return rows[n].Layer }
	return &Table{ID: "coolant", Title: "Coolant", Count: len(rows), Short: true,
		Note:     lastStep(s, "top to bottom; coolant.csv has it along the flow, streams.csv by channel or zone"),
		PageNote: lastStepOnPage(s, "", "Top to bottom; zones and channels that differ from the west or the south."),
		PageHint: clickRow,
		Columns: []Column{
			{Text: "layer", Words: layer},
			{Page: "cavity", Words: layer, At: func(n int) *summary.Place { return &places[n] }},
			{Text: "flow", Page: "flow", Words: func(n int) string { return rows[n].Direction }},
			{Text: "ml/min", Page: "ml/min", Unit: known(6e7),
				Value: func(n int) float64 { return rows[n].FlowM3PerS }},
			{Text: "m/s", Page: "m/s", Unit: known(1), Value: func(n int) float64 { return rows[n].VelocityMPerS }},
			{Text: "Re", Page: "Re", Unit: known(1), Value: func(n int) float64 { return rows[n].Reynolds }},
			{Text: "wall Bi", Page: "wall Bi", Unit: known(1), Value: func(n int) float64 { return rows[n].Biot }},
			{Text: "kPa", Page: "kPa", Unit: known(1e-3), Value: func(n int) float64 { return rows[n].PressureDrop }},
			{Text: "pumping mW", Page: "pumping mW", Unit: known(1e3),
				Value: func(n int) float64 { return rows[n].PumpingW }},
			{Text: "in degC", Page: "in", Unit: Celsius, Value: func(n int) float64 { return rows[n].InletK }},
			{Text: "out mixed", Page: "out", Unit: Celsius, Value: func(n int) float64 { return rows[n].OutletK }},
			{Text: "out max", Unit: Celsius, Value: func(n int) float64 { return rows[n].OutletMaxK }},
			{Text: "heat W", Page: "heat W", Unit: known(1), Value: func(n int) float64 { return rows[n].HeatW }},
		}}
}

// AlongCoolant lists the coolant of every cavity along the flow.
func AlongCoolant(s *summary.Summary) *Table {
	var rows []summary.CoolantAlong
	var layers []string
	for i := range s.Coolant {
		for _, a := range s.Coolant[i].Along {
			rows, layers = append(rows, a), append(layers, s.Coolant[i].Layer)
		}
	}
	return &Table{File: "coolant.csv", Count: len(rows), Columns: []Column{
		{CSV: "layer", Words: func(n int) string { return layers[n] }},
		{CSV: "distance_m", Value: func(n int) float64 { return rows[n].DistanceM }},
		{CSV: "mixed_K", Value: func(n int) float64 { return rows[n].MixedK }},
		{CSV: "min_K", Value: func(n int) float64 { return rows[n].MinK }},
		{CSV: "max_K", Value: func(n int) float64 { return rows[n].MaxK }},
	}}
}

// Streams lists the streams of all cavities in the file, and of the cavities whose streams differ in a terminal, from
// the west or the south.
func Streams(s *summary.Summary) *Table {
	var rows []summary.CoolantStream
	var layers []string
	var printed []int
	for i, c := range s.Coolant {
		var differing []int
		for _, x := range c.Streams {
			differing = append(differing, len(rows))
			rows, layers = append(rows, x), append(layers, s.Coolant[i].Layer)
		}
		if n := len(c.Streams); n >= 2 && n <= mostStreams && c.Uneven() {
			printed = append(differing, printed...) // upper cavities first
		}
	}
	return &Table{File: "streams.csv", Title: "Coolant by channel or zone", Note: "from the west or the south",
		Cut:   "the first %d; +%d more in streams.csv",
		Count: len(rows), Shown: func(most int) []int { return printed[:min(most, len(printed))] }, Columns: []Column{
			{CSV: "layer", Text: "layer", Words: func(n int) string { return layers[n] }},
			{CSV: "from_m", Text: "from mm", Unit: Millimetres, Value: func(n int) float64 { return rows[n].FromM }},
			{CSV: "to_m", Text: "to mm", Unit: Millimetres, Value: func(n int) float64 { return rows[n].ToM }},
			{CSV: "flow_m3_per_s", Text: "ml/min", Unit: known(6e7),
				Value: func(n int) float64 { return rows[n].FlowM3PerS }},
			{CSV: "velocity_m_per_s", Text: "m/s", Unit: known(1),
				Value: func(n int) float64 { return rows[n].VelocityMPerS }},
			{CSV: "reynolds", Text: "Re", Unit: known(1), Value: func(n int) float64 { return rows[n].Reynolds }},
			{CSV: "pressure_drop_Pa", Text: "kPa", Unit: known(1e-3),
				Value: func(n int) float64 { return rows[n].PressureDrop }},
			{CSV: "outlet_K", Text: "out degC", Unit: Celsius, Value: func(n int) float64 { return rows[n].OutletK }},
			{CSV: "heat_W", Text: "heat W", Unit: known(1), Value: func(n int) float64 { return rows[n].HeatW }},
		}}
}
