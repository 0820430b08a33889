package main

import "fmt"

// faces writes the conditions on the six faces: one at least leads to a temperature, unless a heat sink does.
func (d *drawing) faces(sink bool) {
	for _, face := range []string{"bottom", "top", "west", "east", "south", "north"} {
		switch {
		case face == "top" && sink:
		case face == "top":
			d.face(face, true)
		case d.often(0.3):
			d.face(face, false)
		}
	}
}

func (d *drawing) face(name string, grounded bool) {
	kinds := 5
	if !grounded {
		kinds = 7
	}
	ambient := ""
	if d.often(0.3) {
		ambient = fmt.Sprintf("\nambient = \"%d degC\"", 20+d.IntN(30))
	}
	d.line("[boundary.%s]", name)
	switch d.IntN(kinds) {
	case 0:
		d.line(`resistance = "%g K/W"%s`, d.log(0.3, 30), ambient)
	case 1:
		d.line(`temperature = "%d degC"`, 20+d.IntN(40))
	case 2:
		if d.often(0.3) {
			d.line("h = { polynomial = [%g, 0.5], at = \"300 K\", range = [\"250 K\", \"600 K\"] }%s", d.log(2e3, 1e5),
				ambient)
		} else {
			d.line("h = %g\nemissivity = 0.%d%s", d.log(2e3, 1e5), 1+d.IntN(9), ambient)
		}
		return // a film that follows the temperature has no patches
	case 5:
		d.line(`flux = "%g W/m^2"`, d.log(1, 1e3)*float64(1-2*d.IntN(2)))
	case 6:
		d.line("convection = \"natural\"%s", ambient)
		if name == "top" || name == "bottom" {
			d.line("orientation = %q", d.among("up", "down"))
		}
		return
	default:
		d.line(`h = "%g W/(m^2 K)"%s`, d.log(2e3, 1e5), ambient)
	}
	if name == "top" || name == "bottom" {
		for range d.IntN(3) {
			d.patch(name)
		}
	}
}

func (d *drawing) patch(face string) {
	d.line("[[boundary.%s.patch]]", face)
	b := d.part(d.size[0], d.size[1])
	switch r := min(b.w, b.h); d.IntN(3) {
	case 0:
		d.line(`circle = { x = "%.4f mm", y = "%.4f mm", diameter = "%.3f mm" }`, b.x+r/2, b.y+r/2, r)
	case 1:
		d.line(`polygon = %s`, triangle(b))
	default:
		d.line("x = \"%.3f mm\"\ny = \"%.3f mm\"\nwidth = \"%.3f mm\"\nheight = \"%.3f mm\"", b.x, b.y, b.w, b.h)
		if d.often(0.3) {
			d.line("map = [[%g, %g], [0, 10]]\nunit = \"W/(m^2 K)\"\norientation = %q", d.log(10, 1e4), d.log(10, 1e4),
				d.among("south-first", "north-first"))
			return
		}
	}
	switch d.IntN(4) {
	case 0:
		d.line(`temperature = "%d degC"`, 20+d.IntN(40))
	case 1:
		d.line(`flux = "%g W/m^2"`, d.log(1, 1e3))
	case 2:
		d.line(`resistance = "%g K/W"`, d.log(0.5, 30))
	default:
		d.line(`h = "%g W/(m^2 K)"`, d.log(10, 1e5))
	}
}

func triangle(b box) string {
	return fmt.Sprintf(`[["%.3f mm", "%.3f mm"], ["%.3f mm", "%.3f mm"], ["%.3f mm", "%.3f mm"]]`, b.x, b.y, b.x+b.w,
		b.y, b.x, b.y+b.h)
}
