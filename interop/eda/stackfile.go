package eda

import (
	_ "embed" // stackTemplate
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

//go:embed stack.toml.txt
var stackTemplate string
