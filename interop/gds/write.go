package gds

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"thermsim/internal/printable"
	"thermsim/interop/eda"
)

// Summary is a line about a map.
func (m *Map) Summary() string {
	mean, most := 0.0, 0.0
	for _, v := range m.Values {
		mean += v / float64(len(m.Values))
		most = max(most, v)
	}
	return fmt.Sprintf("layers %s, mean density %.4g %%, at most %.4g %%", m.Layers, 100*mean, 100*most)
}

// WriteMap writes a density map for stack files.
func (r *Result) WriteMap(w io.Writer, m *Map) error {
	heading := fmt.Sprintf("# density of %s: %d x %d tiles over %s x %s um, southern row first\n# made from %s\n# %s\n",
		printable.Text(m.Name), r.NX, r.NY, short(r.Die.X1-r.Die.X0), short(r.Die.Y1-r.Die.Y0), r.from(), m.Summary())
	return eda.WriteTiles(w, heading, r.NX, m.Values)
}

func (r *Result) from() string { return printable.Text(filepath.Base(r.request.File)) }

// WriteStack writes a stack file around the maps, whose paths mapFile gives, to be edited.
func (r *Result) WriteStack(w io.Writer, mapFile func(m *Map) string) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# Made from %s and %s.\n", r.from(), printable.Text(filepath.Base(r.table.file)))
	for _, n := range r.Notes {
		fmt.Fprintf(out, "# %s\n", printable.Text(n.String()))
	}
	fmt.Fprintf(out, stackHead, strconv.Quote(printable.Text(r.Cell)), short(r.Die.X1-r.Die.X0),
		short(r.Die.Y1-r.Die.Y0), min(r.NX, 256), min(r.NY, 256))
	for _, m := range r.table.materials {
		fmt.Fprintf(out, stackMaterial, m.name, short(m.k), short(m.c), strconv.Quote(printable.Text(m.source)))
	}
	heated := r.heated()
	for i := range r.sheets {
		s := &r.sheets[i]
		fmt.Fprintf(out, "\n[[layer]]\nname      = %s\nmaterial  = %s\nthickness = \"%s um\"\n", strconv.Quote(s.name),
			strconv.Quote(s.material), short(s.thickness))
		if s.thickness > 50 {
			fmt.Fprintln(out, "cells     = 3")
		}
		if i == heated {
			fmt.Fprint(out, stackPower)
		}
		for k := range r.Maps {
			if m := &r.Maps[k]; m.Name == s.mapped {
				fmt.Fprintf(out, stackFill, strconv.Quote(s.inclusion), s.rule, strconv.Quote(mapFile(m)), m.Layers)
			}
		}
	}
	return out.Flush()
}

// heated is the layer of the transistors: the highest of silicon, or else the lowest.
func (r *Result) heated() (at int) {
	for i := range r.sheets {
		for _, name := range []string{"silicon", "substrate", "epi", "bulk"} {
			if s := &r.sheets[i]; s.mapped == "" && strings.Contains(strings.ToLower(s.material), name) {
				at = i
			}
		}
	}
	return at
}

// short writes a length without the rounding of differences, far below any database unit.
func short(v float64) string { return strconv.FormatFloat(math.Round(v*1e9)/1e9, 'g', -1, 64) }

const stackHead = `# Run this file with 'thermsim steady'. Power and cooling are placeholders to be replaced.
# docs/guides/eda.md explains the maps, docs/reference/stack-format.md every key.

schema = 1
title  = %s
size   = ["%s um", "%s um"]  # x to the east as in the layout
grid   = { nx = %d, ny = %d }

# The wiring is on top, as in the layout. A die that is mounted face down is mirrored when seen from above.
boundary.bottom = { h = "5000 W/(m^2 K)" }  # your cooler or package
`

const stackMaterial = `
[materials.%s]
k      = "%s W/(m K)"
c      = "%s J/(m^3 K)"  # assumed
source = %s
`

const stackFill = `fill      = { inclusion = %s, rule = %q, map = %s, orientation = "south-first" }  # layers %s
`

const stackPower = `power     = { density = "10 W/cm^2" }  # your power map, as by 'thermsim import eda'
power_at  = "top"
`
