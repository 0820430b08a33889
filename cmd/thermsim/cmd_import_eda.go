package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/inputfile"
	"thermsim/internal/staging"
	"thermsim/interop/eda"
	"thermsim/interop/gds"
	"thermsim/interop/importer"
	"thermsim/stack"
)

const importEDAHelp = `Make a power map from the placement of a chip and the power of its instances.

Inputs are a placement (DEF), the cell sizes (LEF) and a power report of all
instances. OpenSTA and OpenROAD print the report:

  report_power -instances [get_cells *] > power.rpt

Files without a flag are recognized by their text. With --placement, a CSV file of
placed cells replaces DEF and LEF, and also the report if it has a power column. All
files may be compressed with gzip.

Writes PREFIX_power.csv, the map, and PREFIX.toml, a small stack file to edit. With
--cells, PREFIX_cells.csv lists every instance with location, size and power. The
import fails unless all power in the report is on the map; see docs/guides/eda.md.
`

const importEDAExample = `  thermsim import eda --def chip.def --lef tech.lef,cells.lef --power power.rpt -o chip
  thermsim import eda chip.def tech.lef cells.lef power.rpt -o chip
  thermsim import eda --placement cells.csv --grid 256x256 -o chip
  thermsim steady chip.toml`

type importEDAOptions struct {
	request  eda.Request
	grid     flags.GridSize
	unplaced string
	die      string
	output   string
	cells    bool
	force    bool
}

func newImportEDAOptions() importEDAOptions {
	return importEDAOptions{grid: flags.GridSize{NX: 256, NY: 256}, unplaced: "error"}
}

func newImportEDACommand(g *session.Session) *cobra.Command {
	o := newImportEDAOptions()
	cmd := &cobra.Command{
		Use:         "eda [FILE...] -o PREFIX",
		Short:       "Make a power map from DEF, LEF and a power report of instances",
		Long:        importEDAHelp,
		Example:     importEDAExample,
		Annotations: exit.Statuses("0", "1", "2", "130"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if unknown := sortEDA(&o.request, args); unknown != "" {
				return exit.Usagef("%s: not recognized, or a second file of its kind. Fix: use --def, --lef, "+
					"--placement and --power", unknown)
			}
			return runImportEDA(cmd.Context(), g, o)
		},
	}
	f := cmd.Flags()
	flags.Group(f, "Placement and power", func() {
		f.StringVar(&o.request.DEF, "def", "", "placement in `FILE`, in DEF")
		f.StringSliceVar(&o.request.LEF, "lef", nil, "sizes of the cells in `FILES`, in LEF, separated by commas")
		f.StringVar(&o.request.Placement, "placement", "", "placed cells in `FILE`, in CSV, instead of "+
			"--def and --lef")
		f.StringVar(&o.request.Power, "power", "", "power of the instances in `FILE`")
		f.StringVar(&o.unplaced, "unplaced", o.unplaced, "handling of power without a location, `error` or spread")
	})
	flags.Group(f, "Power map", func() {
		f.StringVarP(&o.output, "out", "o", "", "begin the names of the files written with `PREFIX`")
		f.Var(&o.grid, "grid", "tiles of the map")
		f.StringVar(&o.die, "die", "", "die area `X0,Y0,X1,Y1` in um, instead of the one in the files")
		f.BoolVar(&o.cells, "cells", false, "also write every instance to PREFIX_cells.csv")
		f.BoolVar(&o.force, "force", false, "replace files that exist")
	})
	flags.Complete(cmd, "unplaced", []string{"error", "spread"})
	return cmd
}

// check finds flags that contradict each other, and completes the request.
func (o *importEDAOptions) check() error {
	q := &o.request
	switch {
	case o.output == "" || strings.HasSuffix(o.output, string(filepath.Separator)):
		return exit.Usagef("--out PREFIX is missing; it begins the names of the files, PREFIX_power.csv and " +
			"PREFIX.toml")
	case q.DEF == "" && q.Placement == "":
		return exit.Usagef("give the placement: --def with --lef, or --placement")
	case q.DEF != "" && q.Placement != "":
		return exit.Usagef("--def and --placement are two placements; give one of them")
	case q.DEF != "" && len(q.LEF) == 0:
		return exit.Usagef("DEF files contain no cell sizes. Fix: add the LEF files with --lef")
	case q.DEF == "" && len(q.LEF) > 0:
		return exit.Usagef("--lef goes with --def; a --placement file has the sizes itself")
	case q.DEF != "" && q.Power == "":
		return exit.Usagef("give the power of the instances with --power")
	case o.unplaced != "error" && o.unplaced != "spread":
		return exit.Usagef("--unplaced %s: choose error or spread", o.unplaced)
	case o.grid.NX > eda.MaxTiles/o.grid.NY:
		return exit.Usagef("--grid: a power map has %d tiles at most", eda.MaxTiles)
	}
	q.NX, q.NY, q.Spread = o.grid.NX, o.grid.NY, o.unplaced == "spread"
	var err error
	q.Die, err = dieArea(o.die)
	return err
}

// dieArea reads --die; it is zero where that is not given.
func dieArea(text string) (b eda.Box, err error) {
	if text == "" {
		return b, nil
	}
	corners := strings.Split(text, ",")
	for i, into := range []*float64{&b.X0, &b.Y0, &b.X1, &b.Y1} {
		if len(corners) != 4 {
			err = errors.New("not four numbers")
		} else {
			*into, err = inputfile.Number(strings.TrimSpace(corners[i]))
		}
		if err != nil {
			return b, exit.Usagef("--die: write it as X0,Y0,X1,Y1 in um, for example 0,0,5000,5000")
		}
	}
	const most = 1e6 // um
	if !(b.X1-b.X0 >= 1e-3) || !(b.Y1-b.Y0 >= 1e-3) || b.X0 < -most || b.Y0 < -most || b.X1 > most || b.Y1 > most {
		return b, exit.Usagef("--die: X0,Y0 is the south-west corner and X1,Y1 the north-east one, in um, and a " +
			"metre is the limit")
	}
	return b, nil
}

func runImportEDA(ctx context.Context, g *session.Session, o importEDAOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	var r *eda.Result
	mapPath := o.output + "_power.csv"
	dir, prefix := filepath.Split(o.output)
	files := []staging.File{
		{Name: prefix + "_power.csv", Write: func(w io.Writer) error { return r.WriteMap(w) }},
		{Name: prefix + ".toml", Write: func(w io.Writer) error { return r.WriteStack(w, prefix+"_power.csv") }},
	}
	if o.cells {
		files = append(files, staging.File{Name: prefix + "_cells.csv", Write: func(w io.Writer) error {
			return r.WriteCells(w)
		}})
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, filepath.Join(dir, f.Name))
	}
	var inputs []stack.Input
	for _, path := range append([]string{o.request.DEF, o.request.Placement, o.request.Power}, o.request.LEF...) {
		inputs = append(inputs, stack.Input{Path: path})
	}
	if err := session.RefuseToReplace("out", o.force, inputs, paths...); err != nil {
		return err
	}
	var err error
	if r, err = eda.Import(o.request); err != nil {
		return err
	}
	if err := g.WriteOutputs(ctx, dir, files...); err != nil {
		return err
	}
	for _, n := range r.Notes {
		g.Note("%s", n)
	}
	g.Note("%s: %d instances, %.6g W on %d x %d tiles, all of the %.6g W that were read", mapPath, r.Instances,
		r.Map.Total(), r.Map.NX, r.Map.NY, r.Watts)
	return nil
}

const importGDSHelp = `Make density maps from a layout in GDSII, and a stack file of its layers.

The layer table is an XML stackup, as of gds2palace, or a CSV file with a row for
each layer of the stack, from the bottom:

  name,thickness [um],material,gds,inclusion,rule
  bulk,300,silicon,,,
  via0,0.6,sio2,6/0,tungsten,cylinders
  metal1,0.4,sio2,8/0 8/22,aluminium,pattern

Writes PREFIX_LAYER.csv, the covered part of each tile, for each layer with shapes, and
PREFIX.toml, a stack file to edit. Areas are exact; shapes that overlap count once. The
layout may be larger than the memory. For OASIS, convert first: strm2gds chip.oas
chip.gds (KLayout). See docs/guides/eda.md.
`

const importGDSExample = `  thermsim import gds chip.gds --layers stackup.xml -o chip
  thermsim import gds chip.gds --layers layers.csv --datatypes 0,22 --grid 512x512 -o chip
  thermsim steady chip.toml`

type importGDSOptions struct {
	request gds.Request
	grid    flags.GridSize
	die     string
	output  string
	force   bool
}

func newImportGDSOptions() importGDSOptions {
	return importGDSOptions{grid: flags.GridSize{NX: 256, NY: 256}, request: gds.Request{Datatypes: []int{0}}}
}

func newImportGDSCommand(g *session.Session) *cobra.Command {
	o := newImportGDSOptions()
	cmd := &cobra.Command{
		Use:         "gds FILE --layers FILE -o PREFIX",
		Short:       "Make density maps and a stack file from a GDSII layout",
		Long:        importGDSHelp,
		Example:     importGDSExample,
		Annotations: exit.Statuses("0", "1", "2", "130"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return exit.Usagef("expected one layout, as in %s", cmd.UseLine())
			}
			o.request.File = args[0]
			return runImportGDS(cmd.Context(), g, o)
		},
	}
	f := cmd.Flags()
	flags.Group(f, "Layout", func() {
		f.StringVar(&o.request.Table, "layers", "", "layer table in `FILE`: an XML stackup or CSV")
		f.IntSliceVar(&o.request.Datatypes, "datatypes", []int{0}, "datatypes that count where the table has none")
		f.StringVar(&o.request.Cell, "cell", "", "top structure `NAME`, if there are several")
	})
	flags.Group(f, "Density maps", func() {
		f.StringVarP(&o.output, "out", "o", "", "begin the names of the files written with `PREFIX`")
		f.Var(&o.grid, "grid", "tiles of the maps")
		f.StringVar(&o.die, "die", "", "die area `X0,Y0,X1,Y1` in um, instead of the bounds of the shapes")
		f.BoolVar(&o.force, "force", false, "replace files that exist")
	})
	return cmd
}

func runImportGDS(ctx context.Context, g *session.Session, o importGDSOptions) (err error) {
	q := &o.request
	switch {
	case o.output == "" || strings.HasSuffix(o.output, string(filepath.Separator)):
		return exit.Usagef("--out PREFIX is missing; it begins the names of the files, PREFIX_LAYER.csv and " +
			"PREFIX.toml")
	case q.Table == "":
		return exit.Usagef("--layers FILE is missing; it has the materials of the layers of the layout")
	case o.grid.NX > eda.MaxTiles/o.grid.NY:
		return exit.Usagef("--grid: a density map has %d tiles at most", eda.MaxTiles)
	}
	q.NX, q.NY = o.grid.NX, o.grid.NY
	if q.Die, err = dieArea(o.die); err != nil {
		return err
	}
	inputs := []stack.Input{{Path: q.File}, {Path: q.Table}}
	if err := session.RefuseToReplace("out", o.force, inputs, o.output+".toml"); err != nil {
		return err
	}
	progress := terminal.StartProgress(g.Console, "measuring densities")
	r, err := gds.Import(ctx, *q)
	progress.Stop()
	if err != nil {
		return err
	}
	dir, prefix := filepath.Split(o.output)
	mapFile := func(m *gds.Map) string { return prefix + "_" + m.Name + ".csv" }
	files := []staging.File{{Name: prefix + ".toml", Write: func(w io.Writer) error {
		return r.WriteStack(w, mapFile)
	}}}
	var paths []string
	for i := range r.Maps {
		m := &r.Maps[i]
		files = append(files, staging.File{Name: mapFile(m), Write: func(w io.Writer) error {
			return r.WriteMap(w, m)
		}})
		paths = append(paths, filepath.Join(dir, mapFile(m)))
	}
	if err := session.RefuseToReplace("out", o.force, inputs, paths...); err != nil {
		return err
	}
	if err := g.WriteOutputs(ctx, dir, files...); err != nil {
		return err
	}
	for _, n := range r.Notes {
		g.Note("%s", n)
	}
	for i := range r.Maps {
		g.Note("%s: %s", paths[i], r.Maps[i].Summary())
	}
	g.Note("%s.toml: structure %q, %.6g shapes and references flattened, %s of %d x %d tiles", o.output, r.Cell,
		r.Shapes, importer.Plural(len(r.Maps), "map"), r.NX, r.NY)
	return nil
}
