package main

import "fmt"

// die writes a die of one to three layers, half as wide as the stack at most.
func (d *drawing) die() {
	side := min(d.size[0], d.size[1]) / 2
	d.line("[[die]]\nname = \"chip\"\nsize = [\"%.3f mm\", \"%.3f mm\"]", side, side*3/4)
	for l := range 1 + d.IntN(3) {
		d.line("  [[die.layer]]\n  name = \"d%d\"\n  material = %q\n  thickness = \"%g mm\"", l, d.someMaterial(),
			d.log(0.01, 0.3))
		if d.often(0.3) {
			d.line("  power_at = %q", d.among("bottom", "top"))
		}
		if l == 0 || d.often(0.4) {
			d.line("  power = { uniform = \"%g W\" }", d.log(0.01, 1))
		}
	}
}

// placed writes a layer that holds the die once or twice, in its left and its right half, each pile with a power of its
// own.
func (d *drawing) placed(number int) {
	d.line("[[layer]]\nname = \"dies%d\"\nmaterial = %q", number, d.among("mould_compound", "sio2"))
	side := min(d.size[0], d.size[1]) / 2
	for n := range 1 + d.IntN(2) {
		copies, watts := 1+d.IntN(3), d.log(0.01, 1)
		d.line("  [[layer.die]]\n  die = \"chip\"\n  name = \"c%d\"\n  x = \"%.3f mm\"\n  y = \"%.3f mm\"\n  "+
			"power = \"%g W\"", n, float64(n)*(d.size[0]-side), (d.size[1]-side)*d.Float64(), watts)
		if copies > 1 {
			d.line("  copies = %d", copies)
		}
		d.watts += watts * float64(copies)
		if d.often(0.3) {
			d.line("  mirror = %q", d.among("x", "y"))
		}
		if d.often(0.4) {
			d.line("  rotate = %d", 90*(1+d.IntN(3)))
		}
		if d.often(0.3) {
			d.line("  flip = true")
		}
		if d.often(0.3) {
			d.line("  z = \"%g mm\"", d.log(0.01, 0.2))
		}
		if d.often(0.3) {
			d.line("  tmax = \"80 degC\"")
		}
	}
}

// packaged writes a package with one or two dies in a test, under a heat sink or under a film.
func (d *drawing) packaged() {
	kind := d.among("flip-chip-lid", "flip-chip", "wire-bond", "fan-out", "interposer", "hbm")
	side := float64(10 + d.IntN(10))
	d.line("schema = 1\ngrid = { nx = %d, ny = %d }", 6+d.IntN(10), 6+d.IntN(10))
	sink := d.often(0.3)
	environment := !sink && kind != "hbm" && d.often(0.6)
	d.size = [2]float64{side, side}
	if sink {
		d.size = [2]float64{2 * side, 2 * side}
		d.line(`size = ["%g mm", "%g mm"]`, d.size[0], d.size[1])
	}
	if !sink && !environment {
		d.line("boundary.top = { h = \"%g W/(m^2 K)\" }\nboundary.bottom = { h = 10 }", d.log(1e3, 1e5))
	}
	d.line("[package]\nkind = %q\nsize = [\"%g mm\", \"%g mm\"]", kind, side, side)
	if environment {
		d.line("environment = %q", d.among("jesd51-2a", "jesd51-6", "jesd51-8", "jesd51-14"))
		d.line("h = \"20 W/(m^2 K)\"")
	}
	if d.often(0.3) && (kind == "flip-chip-lid" || kind == "interposer") {
		d.line("tim1 = { thickness = \"%g um\" }\nlid = { thickness = \"2 mm\", foot = \"%d mm\" }", d.log(20, 200),
			d.IntN(3))
	}
	dies := 1
	if kind == "interposer" {
		dies += d.IntN(2)
	}
	for n := range dies {
		watts := d.log(0.1, 2)
		d.watts += watts
		d.line("  [[package.die]]\n  name = \"die%d\"\n  size = [\"%.3f mm\", \"%.3f mm\"]\n  power = { uniform "+
			"= \"%g W\" }", n, 0.2*side, 0.3*side, watts)
		if dies > 1 {
			d.line("  x = \"%.3f mm\"\n  y = \"%.3f mm\"", side*(0.25+0.3*float64(n)), 0.3*side)
		}
		if kind == "hbm" || kind == "interposer" && d.often(0.5) {
			tiers := 1 + d.IntN(4)
			more := d.log(0.1, 1)
			d.watts += more
			d.line("  tiers = %d\n  tier_power = \"%g W\"\n  thickness = \"60 um\"", tiers, more)
		}
		if d.often(0.3) {
			d.line("  tmax = %q", fmt.Sprint(40+d.IntN(100), " degC"))
		}
	}
	if sink {
		d.heatSink()
	}
	d.line("[transient]\ndt = \"%g ms\"\nsteps = 2", d.log(0.1, 100))
}
