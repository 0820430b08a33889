package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/sparse/matrixmarket"
	"thermsim/internal/staging"
	"thermsim/interop/ecxml"
	"thermsim/interop/icepak"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/study/reducedmodel/fmu"
)

const exportHelp = `Write the steady-state linear system of a stack as Matrix Market files, or a stack,
its heat sources or a reduced model for other programs (ecxml, icepak, fmu).

A.mtx holds conductances in W/K (one triangle) and b.mtx the power in W. The
unknowns are the temperature rises above ambient in K; cells are numbered with x
varying fastest, then y, then z (from the bottom). Stacks of more than 4 million
cells are rejected, because the files are text.
`

const exportExample = `  thermsim export examples/quickstart --out system
  thermsim solve system/A.mtx system/b.mtx`

func newExportCommand(g *session.Session) *cobra.Command {
	var o study
	cmd := flags.TakeStack(&cobra.Command{
		Use:         "export [STACK]",
		Short:       "Write a stack as a linear system, or for other programs",
		Long:        exportHelp,
		Example:     exportExample,
		Annotations: exit.Statuses("0", "1", "2", "3 with --grid auto: a solve did not converge", "130"),
	}, &o.stack, func(ctx context.Context) error { return runExport(ctx, g, o) })
	flags.AddOut(cmd, &o.out)
	flags.AddGrid(cmd, &o.grid)
	o.set.Add(cmd.Flags())
	o.addOptions(cmd.Flags(), flags.Formats()...)
	for _, format := range modelFormats {
		cmd.AddCommand(newExportModelCommand(g, format))
	}
	cmd.AddCommand(newExportFMUCommand(g))
	return cmd
}

const exportECXMLHelp = `Write a stack as an ECXML model (JEDEC JEP181A) for other electronics-cooling programs.

Layers and regions become solids, powers become sources. ECXML has no heat-transfer
coefficients, grid and contact resistances: a processing instruction holds them for
thermsim, and other programs ignore it. What is approximated is listed on stderr.
`

const exportECXMLExample = `  thermsim export ecxml examples/quickstart -o quickstart.ecxml
  thermsim steady quickstart.ecxml`

const exportIcepakHelp = `Write the heat sources of a stack as a power map for Icepak, in CSV.

Blocks, tiles of power maps and uniform powers become polygons at the height of
their power, in m, in the form in which Icepak saves source objects. PyAEDT's
extension "Power map from file" reads it. Powers are those of a steady state.
`

const exportIcepakExample = `  thermsim export icepak examples/quickstart
  thermsim export icepak examples/quickstart -o sources.csv`

// modelFormat is a format in which a stack is exported to one file.
type modelFormat struct {
	name, short, help, example string
	write                      func(w io.Writer, s *stack.Stack) (notes []string, err error)
}

var modelFormats = []modelFormat{
	{"ecxml", "Write a stack as an ECXML model", exportECXMLHelp, exportECXMLExample, ecxml.Write},
	{"icepak", "Write the heat sources of a stack for Icepak", exportIcepakHelp, exportIcepakExample, icepak.Write},
}

// exportFile is the file that receives an export; stdout if out is empty.
type exportFile struct {
	out   string
	force bool
}

func (f *exportFile) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "write the model to `FILE` rather than to stdout")
	cmd.Flags().BoolVar(&f.force, "force", false, flags.ForceUsage)
}

func newExportModelCommand(g *session.Session, format modelFormat) *cobra.Command {
	var o study
	var file exportFile
	cmd := flags.TakeStack(&cobra.Command{
		Use:         format.name + " [STACK]",
		Short:       format.short,
		Long:        format.help,
		Example:     format.example,
		Annotations: exit.Statuses("0", "1", "2", "130"),
	}, &o.stack, func(ctx context.Context) error { return runExportModel(ctx, g, format, &o, &file) })
	file.add(cmd)
	o.set.Add(cmd.Flags())
	o.addOptions(cmd.Flags(), flags.Formats()...)
	return cmd
}

func runExportModel(ctx context.Context, g *session.Session, format modelFormat, o *study, file *exportFile) error {
	s, _, err := loadInput(g, o.stack, flags.Grid{}, &o.project)
	if err != nil {
		return err
	}
	return file.write(ctx, g, s.Inputs, func(w io.Writer) ([]string, error) { return format.write(w, s) })
}

// write writes an export, and prints notes about what is approximated.
func (f *exportFile) write(ctx context.Context, g *session.Session, inputs []stack.Input,
	write func(w io.Writer) (notes []string, err error)) error {
	if f.out == "" {
		notes, err := write(g.Stdout)
		if err != nil {
			return err
		}
		printNotes(g, notes)
		return nil
	}
	if err := session.RefuseToReplace("out", f.force, inputs, f.out); err != nil {
		return err
	}
	var notes []string
	err := g.WriteOutputs(ctx, filepath.Dir(f.out), staging.File{Name: filepath.Base(f.out),
		Write: func(w io.Writer) (err error) {
			notes, err = write(w)
			return err
		}})
	if err != nil {
		return err
	}
	printNotes(g, notes)
	g.Note("wrote %s", f.out)
	return nil
}

func printNotes(g *session.Session, notes []string) {
	for _, n := range notes {
		g.Note("%s", n)
	}
}

const exportFMUHelp = `Write a reduced model as a functional mock-up unit (FMU) for system simulators.

The argument is a model.json of 'thermsim reduce'. The unit is for co-simulation and
holds C source code, which importers compile. Inputs are powers in W; outputs are
temperatures in K. Steps of any length are exact for powers that are constant over a
step. docs/guides/reduced-models.md has the names of the variables.
`

const exportFMUExample = `  thermsim reduce examples/trace --out model
  thermsim export fmu model/model.json -o trace.fmu`

func newExportFMUCommand(g *session.Session) *cobra.Command {
	var file exportFile
	var version string
	var model modelSource
	cmd := &cobra.Command{
		Use:         "fmu FILE",
		Short:       "Write a reduced model as a functional mock-up unit",
		Long:        exportFMUHelp,
		Example:     exportFMUExample,
		Annotations: exit.Statuses("0", "1", "2", "130"),
		Args:        flags.Arguments(1, 1, "the model.json of a reduced model"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			model.file = args[0]
			return runExportFMU(cmd.Context(), g, &model, version, &file)
		},
	}
	file.add(cmd)
	addFilms(cmd.Flags(), &model.films)
	cmd.Flags().StringVar(&version, "fmi", "2",
		"`VERSION` of the interface: 2, which most tools read, or 3")
	flags.Complete(cmd, "fmi", []string{"2", "3"})
	return cmd
}

func runExportFMU(ctx context.Context, g *session.Session, model *modelSource, version string,
	file *exportFile) error {
	if version != "2" && version != "3" {
		return exit.Usagef("--fmi: got %q; expected 2 or 3", version)
	}
	if file.out == "" {
		return exit.Usagef("a functional mock-up unit is a binary archive. Fix: -o model.fmu")
	}
	m, err := model.read(nil, 0)
	if err != nil {
		return exit.With(exit.Input, err)
	}
	model.note(g)
	return file.write(ctx, g, []stack.Input{{Path: model.file}}, func(w io.Writer) ([]string, error) {
		return nil, fmu.Write(w, m, int(version[0]-'0'))
	})
}

// maxExportCells is about 700 MB of text.
const maxExportCells = 4_000_000

func runExport(ctx context.Context, g *session.Session, o study) error {
	p := terminal.StartProgress(g.Console, "exporting")
	defer p.Stop()
	s, err := o.load(ctx, g, gpusolve.Exportable)
	if err != nil {
		return err
	}
	if capacity.Cells(s) > maxExportCells {
		return exit.Usagef("%.3g cells are too many for a text file, which takes up to %.3g; give a coarser --grid",
			capacity.Cells(s), float64(maxExportCells))
	}
	out, err := o.begin(g, "export", s)
	if err != nil {
		return err
	}
	defer out.Abort()
	m, err := mesh.Build(s)
	if err != nil {
		return exit.With(exit.Input, err)
	}
	if !m.Grounded() {
		return gpusolve.ErrSingular
	}
	d, b, err := gpusolve.Export(m)
	if err != nil {
		return err
	}
	note := fmt.Sprintf("steady system of %s, %d x %d x %d cells, x fastest\nunknowns: rise over %g K, in K", s.File,
		m.NX(), m.NY(), m.NZ(), s.Ambient)
	done, err := g.Publish(ctx, out,
		staging.File{Name: "A.mtx", Write: func(w io.Writer) error {
			return matrixmarket.WriteMatrix(w, d.CSR(), true, note+"\nconductances in W/K")
		}},
		staging.File{Name: "b.mtx", Write: func(w io.Writer) error {
			return matrixmarket.WriteVector(w, b, note+"\npower in W")
		}},
	)
	if err != nil {
		return err
	}
	p.Stop()
	g.Note("wrote %s and %s: %d unknowns", done.Files[0], done.Files[1], d.N())
	return nil
}
