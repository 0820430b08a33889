package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/report/field"
	"thermsim/report/fieldfile"
	"thermsim/report/saved"
	"thermsim/report/webpage"
)

// FieldFormats are the formats of whole fields that Outputs writes: VTK, NumPy, raw binary with a JSON header, CSV as matrices and with a row per cell.
func FieldFormats() []string { return []string{"vtr", "npz", "raw", "csv", "csv-long"} }

// PageBudget says how much of a page its temperatures may take, and how exact they are.
type PageBudget = webpage.Budget

// OutputOptions say what is kept of fields.
type OutputOptions struct {
	Dir string
	// Page writes report.html, within PageBudget.
	Page       bool
	PageBudget PageBudget
	// SaveLast keeps the last field in run.zip, SaveAll that of every step.
	SaveLast, SaveAll bool
	// Formats of field files, of FieldFormats; Box is the part they hold, FileSteps the steps (from 1) of a transient beside the last one.
	Formats   []string
	Box       *field.Box // nil for everything
	FileSteps []StepRange
	Single    bool // FP32 in field files
}

// StepRange is every so manieth step from one to another, both included, numbered from 1.
type StepRange struct{ From, To, Every int }

// Has says whether a step is one of the range.
func (s StepRange) Has(n int) bool { return n >= s.From && n <= s.To && (n-s.From)%s.Every == 0 }

// Outputs writes what holds whole fields, while a run goes on: the page, the saved run and field files. They are under temporary names until Finish.
type Outputs struct {
	mesh    *mesh.Mesh
	grid    *field.Grid
	box     field.Box
	options OutputOptions
	stage   *stage
	page    *webpage.Fields
	save    *saved.Writer
	file    io.WriteCloser // of save
	written []int          // steps of field files
}

// NewOutputs starts the files of a run of that many steps, 0 for a steady state. End them with Finish or Abort.
func NewOutputs(m *mesh.Mesh, steps int, o OutputOptions) (*Outputs, error) {
	for _, f := range o.Formats {
		if !slices.Contains(FieldFormats(), f) {
			return nil, fmt.Errorf("no field format %q; there are %s", f, strings.Join(FieldFormats(), ", "))
		}
	}
	out := &Outputs{mesh: m, grid: GridOf(m), options: o}
	out.box = out.grid.Whole()
	if o.Box != nil {
		out.box = *o.Box
	}
	if err := out.box.Check(out.grid); err != nil {
		return nil, err
	}
	var err error
	if out.stage, err = newStage(o.Dir); err != nil {
		return nil, err
	}
	if o.Page {
		out.page = webpage.NewFields(out.grid, m.Stack.Ambient, max(1, steps), o.PageBudget)
	}
	if o.SaveLast || o.SaveAll {
		if out.file, err = out.stage.open(saved.FileName); err != nil {
			out.stage.discard()
			return nil, err
		}
		out.save = saved.NewWriter(out.file, m.NX()*m.NY())
	}
	return out, nil
}

// Add takes the field at the end of step n (from 1) while the transient goes on.
func (o *Outputs) Add(n int, time float64, f gpusolve.Field) error {
	if o.page != nil && o.page.Wants(n) {
		if err := o.page.Add(n, time, o.grid, f); err != nil {
			return err
		}
	}
	if o.save != nil && o.options.SaveAll {
		if err := o.save.Step(n, o.mesh.NZ(), f); err != nil {
			return o.failed(saved.FileName, err)
		}
	}
	if slices.ContainsFunc(o.options.FileSteps, func(s StepRange) bool { return s.Has(n) }) {
		return o.writeFiles(n, time, f)
	}
	return nil
}

func (o *Outputs) failed(name string, err error) error {
	return outputError(filepath.Join(o.stage.dir, name), err)
}

// Last takes the field that the run ends with: step n, or 0 of a steady state, unless Add has had it.
func (o *Outputs) Last(n int, end float64, f gpusolve.Field) error {
	if o.page != nil && o.page.Last() != n {
		if err := o.page.Add(n, end, o.grid, f); err != nil {
			return err
		}
	}
	if o.save != nil && !slices.Contains(o.save.Steps(), n) {
		if err := o.save.Step(n, o.mesh.NZ(), f); err != nil {
			return o.failed(saved.FileName, err)
		}
	}
	if slices.Contains(o.written, n) {
		return nil
	}
	return o.writeFiles(n, end, f)
}

// writeFiles writes the field files of a step.
func (o *Outputs) writeFiles(n int, time float64, f gpusolve.Field) error {
	o.written = append(o.written, n)
	name := "field"
	if n > 0 {
		name = fmt.Sprintf("field_step%06d", n)
	}
	d := &fieldfile.Data{Grid: o.grid, Box: o.box, Source: f, Title: pictureTitle(o.mesh.Stack), Time: time, Single: o.options.Single}
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

func (o *Outputs) writeFile(name, format string, d *fieldfile.Data) error {
	ctx := context.Background() // the solver's context ends a run between steps
	stream := func(suffix string, write func(io.Writer, *fieldfile.Data) error) error {
		return o.stage.write(ctx, name+suffix, func(w io.Writer) error { return write(w, d) })
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
		return stream(".json", func(w io.Writer, d *fieldfile.Data) error { return fieldfile.WriteRawHeader(w, d, name+".bin") })
	}
	return o.stage.seekable(name+".vtr", func(w io.WriteSeeker) error { return fieldfile.WriteVTR(w, d) })
}

// Finish writes the page and completes the saved run, and gives all files their names. It returns their paths; on an error nothing is left. The
// trace is what trace.csv holds, nil of a steady state; the history is kept in the saved run.
func (o *Outputs) Finish(ctx context.Context, r *Run, s *Summary, trace io.Reader, history []HistoryPoint) (files []string, err error) {
	defer func() {
		if err != nil {
			o.Abort()
		}
	}()
	if o.page != nil {
		d := pageDocument(r, s, o.page)
		if err := o.stage.write(ctx, PageName, func(w io.Writer) error { return webpage.Write(w, d) }); err != nil {
			return nil, err
		}
	}
	if o.save != nil {
		m := saved.Describe(r.Command, r.Version, r.Mesh.Stack, r.Solution)
		for _, h := range history {
			m.History = append(m.History, saved.Iteration{Step: h.Step, Iteration: h.Iteration, ErrorK: saved.Number(h.ErrorK)})
		}
		m.Time, m.Memory = saved.Time(s.Time), saved.Memory(s.Memory)
		err := o.save.Close(m, r.Mesh.Stack, trace)
		err = errors.Join(err, o.file.Close())
		o.file = nil
		if err != nil {
			return nil, o.failed(saved.FileName, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return o.stage.commit()
}

// Abort removes what was written. It may follow Finish.
func (o *Outputs) Abort() {
	if o.file != nil {
		_ = o.file.Close() // the file is thrown away
		o.file = nil
	}
	o.stage.discard()
}

// OpenTrace opens the trace.csv of a folder.
func OpenTrace(dir string) (*os.File, error) { return os.Open(filepath.Join(dir, traceName)) }
