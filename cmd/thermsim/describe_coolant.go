package main

import (
	"fmt"
	"math"

	"thermsim/cmd/thermsim/terminal"
)

// coolant tells what flows through cavities before anything is solved.
func (d *description) coolant() {
	s := d.m.Stack
	if !s.Cooled() {
		return
	}
	t := terminal.Table{Header: []string{"layer", "flow", ">ml/min", ">m/s", ">Re", ">kPa", ">pumping mW", ">entry mm",
		">h floor W/(m2 K)", ">K per W"}}
	for n := len(d.m.Cavities) - 1; n >= 0; n-- {
		c := d.m.Cavities[n]
		y := &s.Layers[c.Layer]
		h := s.Hydraulics(y)
		t.Add(y.Name, string(c.Of.Direction), known(c.Of.Flow, 6e7), known(h.Velocity, 1), known(h.Reynolds, 1),
			known(h.Drop, 1e-3), known(h.Pumping, 1e3), known(h.Entry, 1e3), floors(c.FloorRange()),
			known(1/(c.Of.Fluid.C*c.Of.Flow), 1))
	}
	d.heading("Coolant", "top to bottom; K per W: how far the coolant warms up by each watt")
	t.Write(d.Console, d.w)
}

// known is a number of four digits, a dash where there is none.
func known(v, scale float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.4g", v*scale)
}

// floors is the range of coefficients.
func floors(low, high float64) string {
	if high-low <= 1e-3*high {
		return fmt.Sprintf("%.4g", low)
	}
	return fmt.Sprintf("%.3g to %.3g", low, high)
}
