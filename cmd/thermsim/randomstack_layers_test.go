package main

import "fmt"

// layer writes a layer with regions and powers.
func (d *drawing) layer(number int, last bool) {
	thickness := d.log(0.005, 1)
	d.line("[[layer]]\nname = \"l%d\"\nmaterial = %q\nthickness = \"%g mm\"\ncells = %d", number, d.someMaterial(),
		thickness, 1+d.IntN(3))
	if !last && d.often(0.3) {
		d.line(`contact_resistance = "%g mm^2 K/W"`, d.log(0.01, 100))
	}
	if d.often(0.2) {
		d.line("tmax = \"%d degC\"", 60+d.IntN(100))
	}
	if d.often(0.2) {
		d.line("mean = %q", d.among("chip", "all"))
	}
	if d.often(0.3) {
		d.line("power_at = %q", d.among("volume", "bottom", "top"))
	}
	if !d.follows && d.often(0.2) {
		d.fill(d.size[0], d.size[1])
	}
	if number == 0 || d.often(0.5) {
		d.powers("layer", d.size[0], d.size[1])
	}
	for n := range d.IntN(3) {
		d.region(number, n)
	}
}

func (d *drawing) region(layer, number int) {
	d.line("[[layer.region]]\nname = \"r%d_%d\"\nmaterial = %q", layer, number, d.someMaterial())
	b := d.part(d.size[0], d.size[1])
	shape := 4
	if !d.follows {
		shape = d.IntN(5)
	}
	switch r := min(b.w, b.h); shape {
	case 0:
		d.line(`circle = { x = "%.4f mm", y = "%.4f mm", diameter = "%.3f mm" }`, b.x+r/2, b.y+r/2, r)
	case 1:
		d.line(`polygon = %s`, triangle(b))
	case 2:
		d.line(`circle = { x = "%.4f mm", y = "%.4f mm", diameter = "%.4f mm" }`, b.x+b.w/8, b.y+b.h/8, r/5)
		d.line(`array = { nx = 3, ny = 2, pitch = ["%.4f mm", "%.4f mm"] }`, b.w/4, b.h/3)
	default:
		d.line("x = \"%.3f mm\"\ny = \"%.3f mm\"\nwidth = \"%.3f mm\"\nheight = \"%.3f mm\"", b.x, b.y, b.w, b.h)
		if d.often(0.3) {
			d.line("tmax = \"90 degC\"")
		}
		if !d.follows && d.often(0.2) {
			d.fill(b.w, b.h)
		}
		if d.often(0.6) {
			d.powers("layer.region", b.w, b.h)
		}
	}
}

// fill writes inclusions in a layer or region.
func (d *drawing) fill(w, h float64) {
	switch d.IntN(4) {
	case 0:
		d.line(`fill = { inclusion = "copper", fraction = %.2f, rule = %q }`, 0.4*d.Float64(),
			d.among("cylinders", "spheres", "upper", "lower", "lines-x"))
	case 1:
		d.line(`fill = { inclusion = "copper", diameter = "5 um", pitch = "%g um" }`, d.log(8, 100))
	case 2:
		d.line(`fill = { inclusion = "copper", diameter = "%.6f mm", count = %d }`, min(w, h)/40, 1+d.IntN(50))
	default:
		d.line(`fill = { inclusion = "copper", map = [[0.1, %.2f], [0, 0.3]], orientation = %q }`, 0.5*d.Float64(),
			d.among("south-first", "north-first"))
	}
}

// cavity writes a layer that coolant flows through.
func (d *drawing) cavity(number int, direction string, resolved bool) {
	d.line("[[layer]]\nname = \"cavity%d\"\nmaterial = \"silicon\"\nthickness = \"%g mm\"", number, d.log(0.05, 0.4))
	fluid := d.among(`fluid = "water"`, `fluid = "glycol50"`,
		`k = "0.6 W/(m K)", c = "4.17e6 J/(m^3 K)", rho = "998 kg/m^3", viscosity = "0.9 mPa s"`)
	inlet := d.among("", `, inlet = "27 degC"`)
	flow := fmt.Sprintf(`, flow = "%g ml/min"`, d.log(2, 100))
	switch {
	case resolved:
		d.line(`coolant = { %s%s, direction = %q%s, channel_width = "250 um", wall_width = "250 um", entrance = %q }`,
			fluid, inlet, direction, flow, d.among("developed", "developing"))
	case d.often(0.5):
		d.line(
			`coolant = { %s%s, direction = %q%s, model = "porous", channel_width = "100 um", wall_width = "100 um" }`,
			fluid, inlet, direction, flow)
	default:
		d.line(
			`coolant = { %s%s, direction = %q%s, porosity = 0.%d, h_bottom = "%g W/(m^2 K)", h_top = "40000 W/(m^2 K)" }`, fluid, inlet, direction, flow, 3+d.IntN(6), d.log(1e4, 1e5))
	}
}
