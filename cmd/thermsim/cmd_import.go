package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/internal/inputfile"
	"thermsim/internal/staging"
	"thermsim/interop/eda"
	"thermsim/interop/gds"
	"thermsim/interop/importer"
	"thermsim/mesh/plausibility"
	"thermsim/stack"
	"thermsim/study/verify"
)

const importHelp = `Convert a project of another simulator to a stack file.

FORMAT is detected from the files: a stack description of 3D-ICE, a configuration of
HotSpot, a layer list of PACT, an ECXML model, the output of McPAT, or an assembly in
3Dblox or .chiplet. DEF, LEF and power reports (see 'thermsim import eda') and GDSII
layouts (see 'thermsim import gds') are detected, too.

The stack file goes to --out, or to stdout. It is self-contained; comments name the
line of the project that each part comes from. Ignored input is listed on stderr and
at the top of the file, with file and line. Input that thermsim cannot model is an
error.

By default the stack file uses thermsim's numerics. With --compat, its parameters
are adjusted to reproduce the original simulator's results. The differences between
the two on this project are listed with their effect, which takes some steady-state solves
(omit them with --measure=false). docs/guides/import.md explains each.

steady, transient and check also take the project directly. --list prints what of
each format is carried over.
`

var importStatuses = exit.Statuses("0", "1", "2", "3 a solve for --measure did not converge", "4", "130")

// importExamples by the name of the format; "" for all.
var importExamples = map[string]string{
	"": `  thermsim import --list
  thermsim import case.stk -o stack.toml           # 3D-ICE
  thermsim import ev6.config -p gcc.ptrace -f ev6.flp -o stack.toml
  thermsim import package.ecxml -o stack.toml      # Flotherm, Icepak, Celsius
  thermsim import mcpat.out mcpat.xml -o chip.toml # McPAT
  thermsim import pair.3dbx parts.toml -o pair.toml # 3Dblox, .chiplet
  thermsim import chip.def cells.lef power.rpt -o chip
  thermsim import chip.gds --layers stackup.xml -o chip
  thermsim import 3dice case.stk --compat > same-numbers.toml`,
	"3dice": `  thermsim import 3dice case.stk -o stack.toml
  thermsim import 3dice case.stk --compat > same-numbers.toml
  thermsim steady case.stk --compat --format 3dice --decimals 9`,
	"ecxml": `  thermsim import ecxml package.ecxml -o stack.toml
  thermsim import ecxml board.xml --ignore-flow > board.toml
  thermsim steady package.ecxml`,
	"mcpat": `  thermsim import mcpat mcpat.out mcpat.xml -o chip.toml
  thermsim steady mcpat.out --infile mcpat.xml`,
	"3dblox": `  thermsim import 3dblox pair.3dbx parts.toml -o pair.toml
  thermsim steady pair.3dbx --parts parts.toml`,
	"chiplet": `  thermsim import chiplet assembly.chiplet parts.toml -o stack.toml
  thermsim steady assembly.chiplet --parts parts.toml`,
	"hotspot": `  thermsim import hotspot ev6.config -p gcc.ptrace -f ev6.flp -o stack.toml
  thermsim import hotspot ev6.config gcc.ptrace ev6.lcf --compat > same-numbers.toml
  thermsim steady ev6.config -p gcc.ptrace -f ev6.flp --compat --format hotspot`,
	"pact": `  thermsim import pact chip_lcf.csv chip.config chip_modelParams.config -o stack.toml
  thermsim steady chip_lcf.csv --compat`,
}

type importOptions struct {
	project
	output  string
	force   bool
	measure bool
	list    bool
}

func newImportCommand(g *session.Session) *cobra.Command {
	var o importOptions
	layout := newImportGDSOptions()
	cmd := &cobra.Command{
		Use:         "import [FORMAT] FILE...",
		Short:       "Convert a project of another simulator to a stack file",
		Long:        importHelp,
		Example:     importExamples[""],
		Annotations: importStatuses,
		Args:        recognized,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case o.list && len(args) > 0:
				return exit.Usagef("--list takes no files")
			case o.list:
				listFormats(g.Console)
				return nil
			case len(args) == 0:
				return c.Help()
			}
			prefix := strings.TrimSuffix(o.output, ".toml")
			if sortGDS(&layout.request, args) {
				layout.output, layout.force = prefix, o.force
				return runImportGDS(c.Context(), g, layout)
			}
			if f, files := mainOf(args); f != nil {
				return runImport(c.Context(), g, f, files, o)
			}
			if o.compat {
				return exit.Usagef("--compat is about projects of simulators; omit it")
			}
			chip := newImportEDAOptions()
			sortEDA(&chip.request, args) // all of them are of some kind
			chip.output, chip.force = prefix, o.force
			return runImportEDA(c.Context(), g, chip)
		},
	}
	o.addFlags(cmd.Flags(), flags.Formats()...)
	cmd.Flags().BoolVar(&o.list, "list", false, "list the formats, with what is carried over, ignored and refused")
	for _, f := range flags.Formats() {
		cmd.AddCommand(newImportFormatCommand(g, f))
	}
	cmd.Flags().StringVar(&layout.request.Table, "layers", "", "layer table of a layout: XML stackup or CSV `FILE`")
	cmd.AddCommand(newImportEDACommand(g), newImportGDSCommand(g))
	return cmd
}

// recognized refuses files of unknown kinds, except those of a project whose main file is among them.
func recognized(c *cobra.Command, args []string) error {
	if len(args) == 0 || flags.FormatOf(args[0]) != nil {
		return nil
	}
	if _, err := os.Stat(args[0]); err != nil {
		return unknownCommand(c, args)
	}
	if f, _ := mainOf(args); f != nil || sortGDS(new(gds.Request), args) {
		return nil
	}
	if unknown := sortEDA(new(eda.Request), args); unknown != "" {
		return exit.Usagef("%s: format not recognized. Fix: give FORMAT, as in %s FORMAT FILE..., where FORMAT is one "+
			"of %s, eda, gds", unknown, c.CommandPath(), flags.FormatNames(false))
	}
	return nil
}

func (o *importOptions) addFlags(f *pflag.FlagSet, of ...*importer.Format) {
	f.StringVarP(&o.output, "out", "o", "", "write the stack file to `FILE` rather than to stdout")
	f.BoolVar(&o.force, "force", false, "replace files that exist")
	f.BoolVar(&o.compat, "compat", false, "reproduce the results of the project's simulator")
	f.BoolVar(&o.measure, "measure", true, "solve to quantify the effect of each difference")
	o.addOptions(f, of...)
}

func newImportFormatCommand(g *session.Session, format *importer.Format) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   format.Name + " FILE...",
		Short: "Import a project of " + format.Title,
		Long: strings.Replace(importHelp, `another simulator to a stack file.

FORMAT is detected from the files: a stack description of 3D-ICE, a configuration of
HotSpot, a layer list of PACT, an ECXML model, the output of McPAT, or an assembly in
3Dblox or .chiplet. DEF, LEF and power reports (see 'thermsim import eda') and GDSII
layouts (see 'thermsim import gds') are detected, too.`, format.Title+" to a stack file.", 1),
		Example:     importExamples[format.Name],
		Annotations: importStatuses,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.Usagef("expected the files of a %s project; run '%s --help' for the usage", format.Title,
					cmd.CommandPath())
			}
			return runImport(cmd.Context(), g, format, args, o)
		},
	}
	o.addFlags(cmd.Flags(), format)
	return cmd
}

func runImport(ctx context.Context, g *session.Session, format *importer.Format, files []string,
	o importOptions) error {
	request := importer.Request{Files: files, Named: o.values(), Compat: o.compat}
	r, err := format.Import(request)
	if err != nil {
		return err
	}
	if o.output != "" {
		if err := session.RefuseToReplace("out", o.force, r.Stack.Inputs, o.output); err != nil {
			return err
		}
	}
	if o.measure {
		if err := measure(ctx, g, r, request); err != nil {
			return err
		}
	}
	if o.output == "" {
		w := bufio.NewWriter(g.Stdout)
		if err := r.WriteStack(w); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	} else if err := g.WriteOutputs(ctx, filepath.Dir(o.output),
		staging.File{Name: filepath.Base(o.output), Write: r.WriteStack}); err != nil {
		return err
	}
	printImport(g, r, o.output)
	return nil
}

// mostMeasured is the number of cells up to which deviations are measured: some seconds on a laptop.
const mostMeasured = 2_000_000

// measure quantifies the deviations.
func measure(ctx context.Context, g *session.Session, r *importer.Result, request importer.Request) error {
	if n := capacity.Cells(r.Stack); n > mostMeasured {
		g.Note("%.3g cells are too many to measure the differences of the numerics here; solve with and "+
			"without --compat", n)
		return nil
	}
	p := terminal.StartProgress(g.Console, "measuring")
	defer p.Stop()
	return exit.NothingWritten(verify.MeasureDeviations(ctx, r, request, gpusolve.Options{Progress: p.Update}))
}

// printImport lists on stderr how the project was converted.
func printImport(g *session.Session, r *importer.Result, output string) {
	for _, n := range r.Notes {
		g.Note("%s", n)
	}
	for i := range r.Deviations {
		d := &r.Deviations[i]
		g.Note("%s: the numerics of %s differ: %s", d.Pos, r.Format.Title, d.Line())
	}
	written := "the stack file"
	if output != "" {
		written = output
	}
	g.Note("%s: %s; %s", written, describeStack(r.Stack), r.Summary())
}

func describeStack(s *stack.Stack) string {
	if s.Grid.Auto != nil {
		return fmt.Sprintf("%d layers, automatic grid", len(s.Layers))
	}
	return fmt.Sprintf("%d layers, %d x %d x %d cells", len(s.Layers), s.Grid.X.Cells, s.Grid.Y.Cells,
		capacity.Planes(s))
}

// Kinds of files that import recognizes, in addition to the main files of flags.Formats.
const (
	kindDEF       = "DEF"
	kindLEF       = "LEF"
	kindPlacement = "placement"
	kindPower     = "power report"
	kindLayout    = "layout"
)

// importKinds are expressions that texts of a kind match; the first match counts.
var importKinds = []struct {
	name string
	text *regexp.Regexp
}{
	{kindLayout, regexp.MustCompile(`^\x00\x06\x00\x02`)}, // the header of GDSII
	{"ecxml", regexp.MustCompile(`(?i)<\s*neutralXML\b`)},
	{"3dice", regexp.MustCompile(`(?m)^\s*(material\s+\S+|layer\s+\S+|die\s+\S+|stack|dimensions|top heat sink)\s*:`)},
	{"hotspot", regexp.MustCompile(`(?m)^\s*-[a-z]\w+[ \t]+[^\s-]`)},
	{kindDEF, regexp.MustCompile(`(?m)^\s*(DESIGN|DIEAREA|COMPONENTS)\s`)},
	{kindLEF, regexp.MustCompile(`(?m)^\s*(MACRO|LAYER|SITE|VIA|MANUFACTURINGGRID)\s|^\s*DATABASE\s+MICRONS\s`)},
	{kindPlacement, regexp.MustCompile(`^(#.*\n|\s)*("?\w+\b[^,\n]*,)*"?(width|height)\b`)},
	{kindPower, regexp.MustCompile(`(?i)\b(internal|switching|leakage)\b`)},
}

// edaScope is what becomes of the files of 'import eda', which is no format of projects.
var edaScope = importer.Format{Name: "eda", Title: "DEF, LEF and power reports", Files: "a placement (.def) with the " +
	"sizes of its cells (.lef), or cells in CSV, and a power report of all instances",
	Scope: importer.Scope{
		Carried:    "the die area, placed components, sizes of macros, power of every instance as a power map",
		NotCarried: "nets, pins, routing",
		Refused:    "power without a location (unless --unplaced spread distributes it), cells without a size",
	}}

// gdsScope is what becomes of the files of 'import gds'.
var gdsScope = importer.Format{Name: "gds", Title: "GDSII layouts",
	Files: "a layout (.gds) and a layer table, an XML stackup or CSV",
	Scope: importer.Scope{
		Carried: "boundaries, boxes and paths of the layers in the table, through all references and arrays, as " +
			"maps of their density",
		NotCarried: "other layers and datatypes, texts, nodes, properties; structures that are not in the file",
		Refused:    "OASIS, several top structures without --cell, stackups with positions by Reference",
	}}

// listFormats prints the formats with what becomes of their parts.
func listFormats(c *terminal.Console) {
	for _, f := range append(flags.Formats(), &edaScope, &gdsScope) {
		fmt.Fprintf(c.Stdout, "%s  %s\n", f.Name, f.Title)
		for _, row := range [][2]string{
			{"files", f.Files}, {"carried over", f.Scope.Carried}, {"not carried over", f.Scope.NotCarried},
			{"refused", f.Scope.Refused},
		} {
			for i, line := range plausibility.Fold(row[1], c.Style.Width-20) {
				if i > 0 {
					row[0] = ""
				}
				fmt.Fprintf(c.Stdout, "  %-16s  %s\n", row[0], line)
			}
		}
	}
}

// kindOf recognizes a file by its extension or else by the beginning of its text; "" if it cannot.
func kindOf(path string) string {
	if f := flags.FormatOf(path); f != nil {
		return f.Name
	}
	const most = 1 << 18
	f, err := inputfile.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if magic, _ := r.(*bufio.Reader).Peek(2); string(magic) == "\x1f\x8b" {
		if r, err = inputfile.Unpack(r); err != nil {
			return ""
		}
	}
	text, _ := io.ReadAll(io.LimitReader(r, most)) // of a file that cannot be read, its reader will complain
	for _, k := range importKinds {
		if k.text.Match(text) {
			return k.name
		}
	}
	return ""
}

// mainOf finds the main file among those of a project, and puts it first.
func mainOf(files []string) (*importer.Format, []string) {
	for _, f := range slices.Backward(flags.Formats()) { // PACT's projects contain .config files as well
		for i, path := range files {
			if f.Name == kindOf(path) {
				return f, append(append([]string{path}, files[:i]...), files[i+1:]...)
			}
		}
	}
	return nil, files
}

// sortGDS takes the layout and the layer table of an import from files, if one is a layout.
func sortGDS(q *gds.Request, files []string) (found bool) {
	for _, path := range files {
		if kindOf(path) == kindLayout {
			q.File, found = path, true
		} else {
			q.Table = path
		}
	}
	return found && len(files) <= 2
}

// sortEDA assigns files to the inputs of an EDA import by their kinds, and returns the first of no such kind.
func sortEDA(q *eda.Request, files []string) (unknown string) {
	for _, path := range files {
		switch kind := kindOf(path); {
		case kind == kindLEF:
			q.LEF = append(q.LEF, path)
		case kind == kindDEF && q.DEF == "":
			q.DEF = path
		case kind == kindPlacement && q.Placement == "":
			q.Placement = path
		case kind == kindPower && q.Power == "":
			q.Power = path
		case unknown == "":
			unknown = path
		}
	}
	return unknown
}
