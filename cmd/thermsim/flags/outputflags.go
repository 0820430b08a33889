package flags

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/inputfile"
	"thermsim/mesh"
	"thermsim/report"
	"thermsim/report/field"
	"thermsim/report/quantity"
	"thermsim/report/saved"
	"thermsim/stack"
)

// Outputs are the flags about the page, the saved run and field files.
type Outputs struct {
	noPage         bool
	pageBudget     float64 // MB
	pageError      float64 // K
	pdf, xlsx      bool
	author         string
	revision       string
	Save           string
	Fields         fieldOptions
	quantity.Units      // of tables
	Spreadsheet    bool // CSV tables with semicolons and decimal commas
}

// fieldOptions are the flags about field files.
type fieldOptions struct {
	formats   []string
	layers    []string
	box       box
	FileSteps stepList
	single    bool
}

func (o *Outputs) AddSave(cmd *cobra.Command) {
	Var(cmd.Flags(), &o.Save, "save", "LEVEL", "keep none, last or all steps for render (default what fits in 64 MB)",
		func(text string) (string, error) {
			if !slices.Contains(saveLevels(), text) {
				return "", errors.New("choose none, last or all")
			}
			return text, nil
		})
	Complete(cmd, "save", saveLevels())
}

func (o *Outputs) AddPage(cmd *cobra.Command) {
	f := cmd.Flags()
	AddNoPage(f, &o.noPage)
	AddPageLimits(f, &o.pageBudget, &o.pageError)
	f.BoolVar(&o.pdf, "pdf", false, "write the report as pages for printing too: report.pdf")
	f.BoolVar(&o.xlsx, "xlsx", false, "write all tables into a workbook too: report.xlsx")
	Var(f, &o.Units, "units", "LIST", "tables and reports in degC, K or degF, and mm or um (CSV default: K, m)",
		quantity.ParseUnits)
	Complete(cmd, "units", quantity.UnitNames())
	f.BoolVar(&o.Spreadsheet, "excel-csv", false, "CSV tables with semicolons and decimal commas (not trace.csv, maps)")
	f.StringVar(&o.author, "author", "", "`NAME` of the author in reports (default that of the stack)")
	f.StringVar(&o.revision, "revision", "", "`TEXT` that names the revision in reports (default that of the stack)")
}

// Apply overrides the stack by the flags.
func (o *Outputs) Apply(s *stack.Stack) {
	s.Author, s.Revision = cmp.Or(o.author, s.Author), cmp.Or(o.revision, s.Revision)
}

func (o *fieldOptions) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.formats, "files", nil, "write the temperature field in formats `LIST`: "+
		strings.Join(report.FieldFormats(), ", "))
	f.StringSliceVar(&o.layers, "file-layers", nil, "only the layers in `LIST` (must be adjacent)")
	f.Var(&o.box, "file-box", `only the cells in X0:X1,Y0:Y1,Z0:Z1, such as "1 mm:3 mm,2 mm,:"`)
	f.Var(&o.FileSteps, "file-steps", "with --files, also write steps: all, FROM:TO, FROM:TO:EVERY or N1,N2,...")
	f.BoolVar(&o.single, "float32", false, "temperatures as FP32 in vtr, npz and raw, good to 2e-5 K")
	Complete(cmd, "files", report.FieldFormats())
}

// Check finds flags that contradict one another, or the stack.
func (o *Outputs) Check(s *stack.Stack, transient bool) error {
	if o.noPage && (o.pageBudget > 0 || o.pageError > 0) {
		return exit.Usagef("--no-page leaves nothing for --page-budget and --page-error to say")
	}
	for flag, text := range map[string]string{"author": o.author, "revision": o.revision} {
		if fault := stack.TitleFault(text); fault != "" {
			return exit.Usagef("--%s %s", flag, fault)
		}
	}
	return o.Fields.check(s, transient)
}

func (o *fieldOptions) check(s *stack.Stack, transient bool) error {
	for i, f := range o.formats {
		if slices.Contains(o.formats[:i], f) {
			return exit.Usagef("--files names %s twice", f)
		}
		if !slices.Contains(report.FieldFormats(), f) {
			return exit.Usagef("--files %s: choose among %s", f, strings.Join(report.FieldFormats(), ", "))
		}
	}
	switch {
	case len(o.formats) == 0 && (len(o.layers) > 0 || o.box.given || o.FileSteps.given() || o.single):
		return exit.Usagef("--file-layers, --file-box, --file-steps and --float32 are about field files: name their " +
			"formats with --files")
	case o.FileSteps.given() && !transient:
		return exit.Usagef("--file-steps is for transients: a steady state has no steps")
	case len(o.layers) > 0 && o.box.given && o.box.axes[2].given():
		return exit.Usagef("--file-layers and the third part of --file-box both say which heights to write; give " +
			"one of them")
	}
	for _, name := range o.layers {
		if err := report.CheckMaps(s, []string{name}); err != nil || name == "all" {
			return exit.Usagef("--file-layers %s: no such layer", name)
		}
	}
	return nil
}

// savedBytes is how much a run may be saved by without being asked to.
const savedBytes = 64_000_000

// Settle turns the flags into what a run of that many steps (0: steady) keeps.
func (o *Outputs) Settle(g *session.Session, m *mesh.Mesh, steps int) (report.OutputOptions, error) {
	r := report.OutputOptions{Page: !o.noPage, PDF: o.pdf, XLSX: o.xlsx, Formats: o.Fields.formats,
		Single: o.Fields.single}
	r.PageBudget.Bytes, r.PageBudget.ErrorK = int64(o.pageBudget*1e6), o.pageError
	size := 8*float64(m.Cells()) + saved.EntryBytes*float64(m.NZ())
	switch o.Save {
	case saveAll:
		r.SaveAll = true
	case saveLast:
		r.SaveLast = true
	case "":
		r.SaveAll = size*float64(max(1, steps)) <= savedBytes
		r.SaveLast = !r.SaveAll && size <= savedBytes
		if !r.SaveAll && !r.SaveLast {
			g.Detail("the field is not saved for 'thermsim render'; --save last keeps it (%s)", terminal.Bytes(size))
		}
	}
	err := o.Fields.settle(m, &r, steps)
	return r, err
}

func (o *fieldOptions) settle(m *mesh.Mesh, r *report.OutputOptions, steps int) error {
	grid := field.GridOf(m)
	whole := grid.Whole()
	if len(o.layers) > 0 {
		b, err := grid.OfLayers(o.layers)
		if err != nil {
			return exit.Usagef("--file-layers: %w", err)
		}
		whole = b
	}
	if o.box.given {
		if err := o.box.cut(grid.X, grid.Y, grid.Z, &whole); err != nil {
			return err
		}
	}
	r.Box = &whole
	var err error
	r.FileSteps, err = o.FileSteps.ranges(steps)
	return err
}

// Levels of --save.
const (
	SaveNone = "none"
	saveLast = "last"
	saveAll  = "all"
)

func saveLevels() []string { return []string{SaveNone, saveLast, saveAll} }

// AddNoPage adds --no-page.
func AddNoPage(f *pflag.FlagSet, into *bool) {
	f.BoolVar(into, "no-page", false, "omit the interactive page")
}

// AddPageLimits adds --page-budget, a size in MB, and --page-error.
func AddPageLimits(f *pflag.FlagSet, budget, errorK *float64) {
	Var(f, budget, "page-budget", "MB", "maximum size of fields in the page; larger ones are reduced (default 20)",
		parseMegabytes)
	Rise.Var(f, errorK, "page-error", "maximum error of temperatures in the page (default 0.01 K)")
}

// parseMegabytes reads --page-budget.
func parseMegabytes(text string) (float64, error) {
	v, err := inputfile.Number(strings.TrimSpace(strings.TrimSuffix(strings.ToUpper(text), "MB")))
	if err != nil || !(v > 0 && v <= 2000) {
		return 0, errors.New("write megabytes, such as 20; at most 2000")
	}
	return v, nil
}
