package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// randomFile is a stack file and what is known of it.
type randomFile struct {
	Text   string
	Watts  float64 // of all powers in a steady state, without leakage
	Leaks  bool
	Cooled bool
}

// randomStack writes a stack file at random: layers with regions, shapes, fills, dies, coolant, laws of the
// temperature, leakage, films, patches and traces, or a package. Text is written, and not the model, so that all that
// reads it is looked at too. It has at most some thousand cells.
func randomStack(r *rand.Rand) randomFile {
	d := &drawing{Rand: r}
	body := d.stack
	if d.IntN(6) == 0 {
		body = d.packaged
	}
	body()
	return randomFile{Text: d.text.String(), Watts: d.watts, Leaks: d.leaks, Cooled: d.cooled}
}

// drawing is a file in the making. Lengths are in mm, with three decimals.
type drawing struct {
	*rand.Rand
	text      strings.Builder
	size      [2]float64
	materials []string
	watts     float64
	follows   bool // materials may follow the temperature: such layers have no shapes and no fills
	cooled    bool
	leaks     bool
	blocks    int // names given
}

func (d *drawing) line(format string, a ...any) {
	fmt.Fprintf(&d.text, format, a...)
	d.text.WriteByte('\n')
}

func (d *drawing) often(share float64) bool { return d.Float64() < share }

// log draws from lo to hi, evenly in the logarithm, with four digits.
func (d *drawing) log(lo, hi float64) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(lo*math.Pow(hi/lo, d.Float64()), 'g', 4, 64), 64)
	return v
}

func (d *drawing) among(words ...string) string { return words[d.IntN(len(words))] }

// within draws a length from 5 % of the most to all of it.
func (d *drawing) within(most float64) float64 {
	return math.Max(0.001, math.Floor(1000*most*(0.05+0.95*d.Float64()))/1000)
}

// box is a rectangle in mm.
type box struct{ x, y, w, h float64 }

func (b box) keys() string {
	return fmt.Sprintf(`x = "%.3f mm", y = "%.3f mm", width = "%.3f mm", height = "%.3f mm"`, b.x, b.y, b.w, b.h)
}

// part draws a rectangle within one of the size given.
func (d *drawing) part(w, h float64) box {
	b := box{w: d.within(w), h: d.within(h)}
	b.x, b.y = math.Floor(1000*(w-b.w)*d.Float64())/1000, math.Floor(1000*(h-b.h)*d.Float64())/1000
	return b
}

// stack writes layers.
func (d *drawing) stack() {
	d.size = [2]float64{float64(2+d.IntN(10)) / 2, float64(2+d.IntN(10)) / 2}
	d.follows, d.cooled = d.often(0.35), d.often(0.25)
	sink := d.often(0.2)
	d.line("schema = 1\ntitle = %q\nambient = %q", d.among("random", "µ = \"2\"", ""),
		d.among("300 K", "25 degC", "77 degF", "310"))
	if d.often(0.5) {
		d.line(`size = ["width", "2*half"]`)
	} else {
		d.line(`size = ["%.1f mm", "%.1f mm"]`, d.size[0], d.size[1])
	}
	if d.often(0.2) {
		d.line(`tmax = "85 degC"`)
	}
	direction := d.among("+x", "-x", "+y", "-y")
	resolved := d.cooled && d.often(0.5)
	d.grid(direction, resolved)
	d.line("[define]\nwidth = \"%.1f mm\"\nhalf = \"%.3f mm / 2\"\n", d.size[0], d.size[1])
	d.faces(sink)
	d.writeMaterials()
	dies := d.often(0.25)
	if dies {
		d.die()
	}
	layers := 1 + d.IntN(4)
	if d.cooled {
		layers++
	}
	for l := range layers {
		if l > 0 && l < layers-1 && dies && d.often(0.5) {
			d.placed(l)
			dies = false
			continue
		}
		d.layer(l, l == layers-1)
		if d.cooled && l < layers-1 && (l == 0 || d.often(0.5)) {
			d.cavity(l, direction, resolved)
		}
	}
	if dies {
		d.placed(layers)
	}
	if sink {
		d.heatSink()
	}
	d.wishes()
}

func (d *drawing) grid(direction string, resolved bool) {
	if resolved { // across the flow the grid follows the channels
		along := map[byte]string{'x': "nx", 'y': "ny"}[direction[1]]
		d.line("grid = { %s = %d }", along, 3+d.IntN(8))
		return
	}
	axis := func(name string, length float64) string {
		if d.often(0.7) {
			return fmt.Sprintf("n%s = %d", name, 1+d.IntN(12))
		}
		at := math.Round(1000*length*(0.2+0.6*d.Float64())) / 1000
		return fmt.Sprintf(`%s = [{ to = "%.3f mm", cells = %d, ratio = %g }, { to = "%.3f mm", cells = %d }]`, name,
			at, 1+d.IntN(6), d.log(0.1, 10), length, 1+d.IntN(6))
	}
	if !d.cooled && d.often(0.1) {
		d.line(`grid = { error = "%g K", max_cells = 2000 }`, d.log(0.1, 10))
		return
	}
	d.line("grid = { %s, %s }", axis("x", d.size[0]), axis("y", d.size[1]))
}

// wishes writes probes and what a transient takes.
func (d *drawing) wishes() {
	for n := range d.IntN(3) {
		d.line("[[probe]]\nname = \"p%d\"\nx = \"%.3f mm\"\ny = \"%.3f mm\"\nlayer = \"l0\"", n, d.size[0]*d.Float64(),
			d.size[1]*d.Float64())
	}
	d.line("[transient]\ndt = \"%g ms\"\nsteps = %d", d.log(0.01, 10), 1+d.IntN(4))
	if d.often(0.3) {
		d.line(`initial = "%d degC"`, 10+d.IntN(50))
	}
	if d.often(0.3) {
		d.line("[solver]\ntol = \"%g K\"", d.log(1e-6, 1e-4))
	}
	if d.often(0.3) {
		d.line("[output]\nmaps = [%q]", d.among("all", "l0"))
	}
}

// heatSink writes a heat sink with fins, or with its resistance.
func (d *drawing) heatSink() {
	d.line("[heat_sink]\nmaterial = %q\nbase = \"%g mm\"\ncells = %d", d.among("copper", "aluminium_6061"), d.log(1, 6),
		1+d.IntN(4))
	if d.often(0.5) {
		d.line(`resistance = "%g K/W"`, d.log(0.1, 10))
		return
	}
	count := 2 + d.IntN(5)
	d.line(`fins = { count = %d, thickness = "%.4f mm", height = "%g mm", %s, along = %q }`, count,
		math.Min(d.size[0], d.size[1])/float64(3*count), d.log(3, 30),
		d.among(`velocity = "3 m/s"`, `h = "40 W/(m^2 K)"`), d.among("x", "y"))
}

func (d *drawing) someMaterial() string { return d.materials[d.IntN(len(d.materials))] }

// blockName is one that no other block has.
func (d *drawing) blockName() string {
	d.blocks++
	return fmt.Sprint("b", d.blocks)
}

// shares draws n figures that add up to one.
func (d *drawing) shares(n int) []float64 {
	parts, sum := make([]float64, n), 0.0
	for i := range parts {
		parts[i] = 0.1 + d.Float64()
		sum += parts[i]
	}
	for i := range parts {
		parts[i] /= sum
	}
	return parts
}
