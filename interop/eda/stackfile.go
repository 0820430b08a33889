package eda

import (
	"fmt"
	"io"
	"math"
)

// WriteStack writes a small stack file around the map: a die with its wiring, cooled from below, to be edited. mapFile
// is how it names the map.
func (r *Result) WriteStack(w io.Writer, mapFile string) error {
	b := r.Bounds
	title := r.Design
	if title == "" {
		title = "chip"
	}
	for _, n := range r.Notes {
		if _, err := fmt.Fprintf(w, "# %s\n", oneLine(n.String())); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, stackTemplate, r.from(), r.Instances, r.Watts, r.Map.NX, r.Map.NY, quote(title),
		short(tidy(b.X1-b.X0)), short(tidy(b.Y1-b.Y0)), r.Map.NX, r.Map.NY, quote(mapFile))
	return err
}

// tidy takes the rounding of a difference of coordinates out, well below any database unit.
func tidy(um float64) float64 { return math.Round(um*1e9) / 1e9 }

const stackTemplate = `# Made from %s.
# %d instances, %.9g W on %d x %d tiles. thermsim steady runs this file as it stands; the layers and
# their cooling are placeholders for yours: 'thermsim check' draws them, docs/reference/stack-format.md has every key.

schema = 1
title  = %s
size   = ["%s um", "%s um"]          # the die, or its bounding box; x to the east as in the DEF
grid   = { nx = %d, ny = %d }            # one cell per tile; other grids take the map too, nothing is lost

# Seen with the wiring on top, as the layout shows the die. A die that is mounted face down shows its mirror image from above: put its
# layers in reverse order, and mind that x then runs the other way with respect to other dies.
boundary.bottom = { h = "5000 W/(m^2 K)" }  # your cooler or package
# boundary.top  = { resistance = "20 K/W" }

[[layer]]
name      = "bulk"
material  = "silicon"
thickness = "300 um"
cells     = 3

[[layer]]
name      = "active"                      # where the transistors make the heat
material  = "silicon"
thickness = "5 um"
power     = { map = %s, unit = "W", orientation = "south-first" }
# On a domain wider than the die, say where the die lies: area = [x, y, width, height] beside map.

[[layer]]
name      = "wiring"
material  = "logic_beol"
thickness = "10 um"
`
