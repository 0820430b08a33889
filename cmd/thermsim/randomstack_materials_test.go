package main

import (
	"fmt"
	"strings"
)

// writeMaterials draws materials of the stack's own beside those of the library.
func (d *drawing) writeMaterials() {
	d.materials = []string{"silicon", "copper", "sio2"}
	for n := range 1 + d.IntN(3) {
		name := fmt.Sprint("m", n)
		d.line("[materials.%s]", name)
		switch d.IntN(5) {
		case 0:
			d.line(`mix = { inclusion = "copper", matrix = %q, rule = %q, fraction = "%d %%" }`, d.someMaterial(),
				d.among("cylinders", "square", "hexagonal", "lines-x", "lines-y", "pattern", "upper", "lower",
					"spheres"), 1+d.IntN(50))
		case 1:
			d.line(`laminate = [{ material = %q, thickness = "%g um" }, { material = "copper", thickness = "2 um" }]`,
				d.someMaterial(), d.log(0.1, 100))
		case 2:
			d.line("rho = \"%g g/cm^3\"\ncp = \"%g J/(kg K)\"\nk = [%s, %s, %s]", d.log(1, 9), d.log(200, 1500),
				d.conductivity(), d.conductivity(), d.conductivity())
		default:
			d.line("k = %s\nc = %s", d.conductivity(), d.capacity())
		}
		d.materials = append(d.materials, name)
	}
	if d.follows {
		d.line("[materials.following]\nk = %s\nc = \"1.6e6 J/(m^3 K)\"", d.curve(d.log(5, 200)))
		d.materials = append(d.materials, "following")
	}
	d.line("")
}

func (d *drawing) conductivity() string {
	k := d.log(0.5, 400)
	if d.follows && d.often(0.5) {
		return d.curve(k)
	}
	return fmt.Sprintf(`"%g W/(m K)"`, k)
}

func (d *drawing) capacity() string {
	if d.follows && d.often(0.3) {
		return d.curve(d.log(1e6, 4e6))
	}
	return fmt.Sprintf(`"%g J/(m^3 K)"`, d.log(1e6, 4e6))
}

// curve is a law of the temperature about a value at 300 K.
func (d *drawing) curve(value float64) string {
	switch d.IntN(3) {
	case 0:
		return fmt.Sprintf(`{ value = %g, exponent = %g, at = "300 K", range = ["200 K", "900 K"] }`, value,
			d.log(0.5, 2)-0.9)
	case 1:
		return fmt.Sprintf(`{ polynomial = [%g, %g], at = "300 K", range = ["200 K", "900 K"] }`, value,
			value*0.001*(d.Float64()-0.3))
	}
	var rows []string
	for kelvin := 200; kelvin <= 900; kelvin += 100 + d.IntN(200) {
		rows = append(rows, fmt.Sprintf("[%d, %g]", kelvin, value*(0.7+0.6*d.Float64())))
	}
	return "{ table = [" + strings.Join(append(rows, fmt.Sprintf("[1000, %g]", value)), ", ") + "] }"
}
