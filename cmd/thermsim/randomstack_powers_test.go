package main

import (
	"fmt"
	"math"
	"strings"
)

// powers writes the sources of a layer or region of a width and a height.
func (d *drawing) powers(table string, w, h float64) {
	for n := range 1 + d.IntN(2) {
		d.line("[[%s.power]]", table)
		kind := d.IntN(5)
		if n > 0 {
			kind = d.IntN(3) // blocks of one layer may not overlap
		}
		switch kind {
		case 0:
			d.uniform(w, h)
		case 1:
			density := d.log(0.1, 10) // W/cm2
			d.line(`density = "%g W/cm^2"`, density)
			d.watts += density * w * h / 100
		case 2:
			d.powerMap(w, h)
		default:
			d.floorplan(w, h)
			continue // blocks have laws and traces of their own
		}
		if d.often(0.2) {
			d.line(`schedule = [{ t = "0 s", factor = %.2f }, { t = "2 ms", factor = 1 }]`, d.Float64())
		}
	}
}

// uniform heats all, a rectangle or a shape.
func (d *drawing) uniform(w, h float64) {
	watts := d.log(0.01, 2)
	d.watts += watts
	d.line(`uniform = "%g W"`, watts)
	b := d.part(w, h)
	switch r := min(b.w, b.h); d.IntN(4) {
	case 0:
		d.line(`area = ["%.3f mm", "%.3f mm", "%.3f mm", "%.3f mm"]`, b.x, b.y, b.w, b.h)
	case 1:
		d.line(`circle = { x = "%.4f mm", y = "%.4f mm", diameter = "%.3f mm" }`, b.x+r/2, b.y+r/2, r)
	case 2:
		d.line(`polygon = %s`, triangle(b))
	default:
		if d.often(0.3) {
			d.leaks = true
			d.line("leakage = %s", d.leakage(0.1*watts))
		}
	}
}

// leakage is a law of a power, so small that no stack runs away of it.
func (d *drawing) leakage(watts float64) string {
	watts = math.Min(watts, 0.05)
	switch d.IntN(3) {
	case 0:
		return fmt.Sprintf(`{ power = "%g W", at = "85 degC", beta = "0.00%d 1/K", range = ["-50 degC", "600 degC"] }`,
			watts, 1+d.IntN(8))
	case 1:
		return fmt.Sprintf(`{ power = "%g W", polynomial = [1, 0.00%d], at = "300 K", range = ["210 K", "800 K"] }`,
			watts, 1+d.IntN(8))
	}
	return fmt.Sprintf(`{ power = "%g W", table = [[210, 0.5], [300, 1], [400, %g], [800, 4]] }`, watts,
		1.1+d.Float64())
}

func (d *drawing) powerMap(w, h float64) {
	nx, ny := 1+d.IntN(4), 1+d.IntN(4)
	total, unit := d.log(0.01, 2), d.among("W", "mW", "W/cm^2")
	d.watts += total
	scale := map[string]float64{"W": 1, "mW": 1000, "W/cm^2": float64(nx*ny) * 100 / (w * h)}[unit]
	shares := d.shares(nx * ny)
	var rows []string
	for j := range ny {
		var row []string
		for i := range nx {
			row = append(row, fmt.Sprintf("%.17g", total*scale*shares[j*nx+i]))
		}
		rows = append(rows, "["+strings.Join(row, ", ")+"]")
	}
	d.line("map = [%s]\nunit = %q\norientation = %q", strings.Join(rows, ", "), unit,
		d.among("south-first", "north-first"))
}

// floorplan writes blocks side by side, each with its power, or a trace of all.
func (d *drawing) floorplan(w, h float64) {
	columns := 1 + d.IntN(3)
	traced := d.often(0.3)
	var blocks, names []string
	for i := range columns {
		b := d.part(w/float64(columns), h)
		b.x += math.Ceil(1000*w*float64(i)/float64(columns)) / 1000
		b.w = math.Min(b.w, math.Floor(1000*w*float64(i+1)/float64(columns))/1000-b.x)
		if b.w < 0.001 {
			continue
		}
		name, more := d.blockName(), ""
		names = append(names, fmt.Sprintf("%q", name))
		if !traced {
			watts := d.log(0.01, 1)
			d.watts += watts
			more = fmt.Sprintf(`, power = "%g W"`, watts)
		}
		switch d.IntN(8) {
		case 0:
			more += ", material = \"sio2\""
		case 1:
			more += ", tmax = \"70 degC\""
		case 2:
			d.leaks = true
			more += ", leakage = " + d.leakage(0.02)
		}
		blocks = append(blocks, fmt.Sprintf("{ name = %q, %s%s }", name, b.keys(), more))
	}
	if len(blocks) == 0 {
		d.line(`uniform = "0 W"`)
		return
	}
	d.line("block = [\n  %s,\n]", strings.Join(blocks, ",\n  "))
	if d.often(0.9) { // blocks of regions may lie over those of the layer
		d.line("allow_overlap = true")
	}
	if traced {
		d.trace(names)
	}
}

// trace writes powers in time. A steady state has their mean.
func (d *drawing) trace(names []string) {
	middle, end := d.log(0.1, 5), 0.0
	end = middle + d.log(0.1, 5)
	var rows []string
	for _, lasts := range []float64{middle, end - middle} {
		var row []string
		for range names {
			watts := d.log(0.01, 1)
			d.watts += watts * lasts / end
			row = append(row, fmt.Sprint(watts))
		}
		rows = append(rows, "["+strings.Join(row, ", ")+"]")
	}
	d.line("trace = { times = [0, %.17g], end = \"%.17g ms\", blocks = [%s], watts = [%s] }\nrepeat = %t", middle/1000,
		end, strings.Join(names, ", "), strings.Join(rows, ", "), d.often(0.5))
}
