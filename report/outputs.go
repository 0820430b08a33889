package report

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/field"
	"thermsim/report/fieldfile"
)

// FieldFormats are the formats of whole fields: VTK, NumPy, raw binary with a JSON header, CSV as matrices and with a
// row per cell.
func FieldFormats() []string { return []string{"vtr", "npz", "raw", "csv", "csv-long"} }

// OutputOptions say what is kept of fields.
type OutputOptions struct {
	// Page writes report.html, within PageBudget.
	Page       bool
	PageBudget PageBudget
	// SaveLast keeps the last field in run.zip, SaveAll that of every step.
	SaveLast, SaveAll bool
	// Formats of field files, of FieldFormats; Box is the part they hold, FileSteps the steps (from 1) of a transient
	// beside the last one.
	Formats   []string
	Box       *field.Box // nil for everything
	FileSteps []StepRange
	Single    bool // FP32 in field files
}

// StepRange is every so manieth step from one to another, both included, numbered from 1.
type StepRange struct{ From, To, Every int }

// Has says whether a step is one of the range.
func (s StepRange) Has(n int) bool { return n >= s.From && n <= s.To && (n-s.From)%s.Every == 0 }

// fieldFiles records field files.
type fieldFiles struct {
	files   *staging.Transaction
	mesh    *mesh.Mesh
	grid    *field.Grid
	box     field.Box
	options OutputOptions
	written []int // steps
}

func newFieldFiles(files *staging.Transaction, m *mesh.Mesh, o OutputOptions) (*fieldFiles, error) {
	for _, f := range o.Formats {
		if !slices.Contains(FieldFormats(), f) {
			return nil, fmt.Errorf("no field format %q; there are %s", f, strings.Join(FieldFormats(), ", "))
		}
	}
	out := &fieldFiles{files: files, mesh: m, grid: field.GridOf(m), options: o}
	out.box = out.grid.Whole()
	if o.Box != nil {
		out.box = *o.Box
	}
	return out, out.box.Check(out.grid)
}

// Reads implements Recorder.
func (o *fieldFiles) Reads(n int) bool {
	return n == 0 || len(o.options.Formats) > 0 && slices.ContainsFunc(o.options.FileSteps, func(s StepRange) bool {
		return s.Has(n)
	})
}

// Step implements Recorder.
func (o *fieldFiles) Step(n int, step solution.Step, f solution.Field) error {
	if !o.Reads(n) {
		return nil
	}
	return o.write(n, step.Time, f)
}

// Finish implements Recorder.
func (o *fieldFiles) Finish(_ context.Context, e *End) error {
	if slices.Contains(o.written, e.N) {
		return nil
	}
	return o.write(e.N, e.Step.Time, e.Field)
}

// write writes the field files of a step.
func (o *fieldFiles) write(n int, time float64, f solution.Field) error {
	o.written = append(o.written, n)
	name := "field"
	if n > 0 {
		name = fmt.Sprintf("field_step%06d", n)
	}
	d := &fieldfile.Data{Grid: o.grid, Box: o.box, Source: f, Title: pictureTitle(o.mesh.Stack), Time: time,
		Single: o.options.Single}
	if n == 0 {
		d.Time = math.NaN()
	}
	for _, format := range o.options.Formats {
		if err := o.writeFile(name, format, d); err != nil {
			return err
		}
	}
	return nil
}

func (o *fieldFiles) writeFile(name, format string, d *fieldfile.Data) error {
	ctx := context.Background() // the solver's context ends a run between steps
	stream := func(suffix string, write func(io.Writer, *fieldfile.Data) error) error {
		return o.files.Write(ctx, name+suffix, func(w io.Writer) error { return write(w, d) })
	}
	switch format {
	case "npz":
		return stream(".npz", fieldfile.WriteNPZ)
	case "csv":
		return stream(".csv", fieldfile.WriteCSVMatrix)
	case "csv-long":
		return stream("_long.csv", fieldfile.WriteCSVLong)
	case "raw":
		if err := stream(".bin", fieldfile.WriteRaw); err != nil {
			return err
		}
		return stream(".json", func(w io.Writer, d *fieldfile.Data) error {
			return fieldfile.WriteRawHeader(w, d, name+".bin")
		})
	}
	f, err := o.files.Create(name + ".vtr")
	if err != nil {
		return err
	}
	if err := fieldfile.WriteVTR(f, d); err != nil {
		return o.files.Failed(name+".vtr", err)
	}
	return f.Close()
}
