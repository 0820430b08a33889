package eda

import (
	"fmt"
	"io"
	"math"
)

// WriteStack writes a small stack file for the map: a die with its wiring, cooled from below, to be edited. mapFile is
// the path of the map.
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

// tidy removes the rounding of a difference of coordinates, far below any database unit.
func tidy(um float64) float64 { return math.Round(um*1e9) / 1e9 }

const stackTemplate = `# Made from %s.
# %d instances, %.9g W on %d x %d tiles. Run this file with 'thermsim steady'. Its layers and their cooling are
# placeholders to be replaced. 'thermsim check' draws them; docs/reference/stack-format.md describes every key.

schema = 1
title  = %s
size   = ["%s um", "%s um"]          # the die, or its bounding box; x to the east as in the DEF
grid   = { nx = %d, ny = %d }            # one cell per tile; other grids preserve the power too

# The wiring is on top, as in the layout. A die that is mounted face down is mirrored when seen from above: reverse its
# layers; x then has the opposite direction compared with other dies.
boundary.bottom = { h = "5000 W/(m^2 K)" }  # your cooler or package
# boundary.top  = { resistance = "20 K/W" }

[[layer]]
name      = "bulk"
material  = "silicon"
thickness = "300 um"
cells     = 3

[[layer]]
name      = "active"                      # heat source: the transistors
material  = "silicon"
thickness = "5 um"
power     = { map = %s, unit = "W", orientation = "south-first" }
# On a domain wider than the die, add its position next to map: area = [x, y, width, height].

[[layer]]
name      = "wiring"
material  = "logic_beol"
thickness = "10 um"
`
