package report

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/field"
	"thermsim/report/fieldfile"
	"thermsim/report/measured"
	"thermsim/report/quantity"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/report/tables"
)

// Trace records trace.csv: per step its end time in s, the power in W and the hottest cell, then the average and
// maximum of every block, part and die and the temperature of every probe, all in K. It also finds the peaks of the
// run.
type Trace struct {
	files   *staging.Transaction
	m       *mesh.Mesh
	blocks  []*statistics.Block
	parts   []*statistics.Part
	dies    []*statistics.Die
	peaks   *statistics.PeakWatch
	probes  *statistics.Probes
	regions *reduction.Regions // blocks, parts, peaks of the planes, and the probes
	file    *staging.Output
	out     *bufio.Writer
	row     []byte
	further []TraceColumn
	// measured data, compared step by step; nil without any
	measured *measured.Comparison
}

const traceName = "trace.csv"

// NewTrace starts the file with the head of the table.
func NewTrace(files *staging.Transaction, m *mesh.Mesh, further ...TraceColumn) (*Trace, error) {
	t := &Trace{files: files, m: m, blocks: statistics.NewBlocks(m), parts: statistics.NewParts(m),
		measured: measured.New(m.Stack), further: further}
	t.dies = statistics.NewDies(t.parts)
	t.peaks = statistics.NewPeakWatch(m, t.blocks, t.parts)
	var points []mesh.Sample
	t.probes, points = statistics.NewProbes(m)
	var err error
	t.regions, err = reduction.New(reduction.Regions{NX: m.NX(), NY: m.NY(), NZ: m.NZ(), Groups: t.peaks.Groups,
		Points: points, PlanePeaks: true})
	if err != nil {
		return nil, err
	}
	if t.file, err = files.Create(traceName); err != nil {
		return nil, err
	}
	t.out = bufio.NewWriterSize(t.file, 1<<16)
	var head bytes.Buffer
	_ = tables.WriteRows(&head, [][]string{t.header()}) // a buffer takes anything
	return t, t.write(head.Bytes())
}

func (t *Trace) write(row []byte) error {
	if _, err := t.out.Write(row); err != nil {
		return t.files.Failed(traceName, err)
	}
	return nil
}

func (t *Trace) header() []string {
	names := []string{"time_s", "power_W", "max_K"}
	if t.m.Leakage != nil {
		names = append(names, "leakage_W")
	}
	for _, b := range t.blocks {
		name := t.m.Stack.Layers[b.Layer].Name + "/" + b.Name
		names = append(names, name+"_mean_K", name+"_max_K")
	}
	for _, p := range t.parts {
		what := p.Name
		if p.Material >= 0 && (p.Name == "" || p.Kind == summary.KindRest) {
			what = t.m.Stack.Materials[p.Material].Name
		}
		name := t.m.Stack.Layers[p.Layer].Name + "/" + p.Kind + ":" + what
		names = append(names, name+"_mean_K", name+"_max_K")
	}
	for _, d := range t.dies {
		names = append(names, "die:"+d.Name+"_mean_K", "die:"+d.Name+"_max_K")
	}
	for _, p := range t.m.Stack.Probes {
		names = append(names, p.Name+"_K")
	}
	for _, c := range t.further {
		names = append(names, c.Name)
	}
	return names
}

// Reads implements Recorder.
func (t *Trace) Reads(int) bool { return false }

// Step implements Recorder.
func (t *Trace) Step(n int, step solution.Step, f solution.Field) error {
	values, err := solution.Reduce(f, t.regions)
	if err != nil {
		return err
	}
	t.peaks.Take(n, values)
	t.row = strconv.AppendFloat(t.row[:0], step.Time, 'g', 10, 64)
	t.row = append(t.row, ',')
	t.row = strconv.AppendFloat(t.row, step.PowerW, 'g', 10, 64)
	t.kelvin(step.MaxK)
	if t.m.Leakage != nil {
		t.row = strconv.AppendFloat(append(t.row, ','), step.LeakageW, 'g', 10, 64)
	}
	for i := range len(t.blocks) + len(t.parts) {
		_, avg, hi := values.Extents[i].Result()
		t.kelvin(avg)
		t.kelvin(hi)
	}
	for _, d := range t.dies {
		e, _ := d.Extent(values.Extents[len(t.blocks):])
		_, avg, hi := e.Result()
		t.kelvin(avg)
		t.kelvin(hi)
	}
	probes := t.probes.Kelvin(values.Points)
	for _, v := range probes {
		t.kelvin(v)
	}
	if t.measured != nil {
		t.measured.Step(step.Time, probes)
	}
	for _, c := range t.further {
		t.row = strconv.AppendFloat(append(t.row, ','), c.Value(), 'g', 10, 64)
	}
	t.row = append(t.row, '\n')
	return t.write(t.row)
}

func (t *Trace) kelvin(v float64) {
	t.row = append(t.row, ',')
	t.row = fieldfile.AppendKelvin(t.row, v)
}

// Finish implements Recorder.
func (t *Trace) Finish(context.Context, *End) error {
	if err := errors.Join(t.out.Flush(), t.file.Close()); err != nil {
		return t.files.Failed(traceName, err)
	}
	return nil
}

// stageTrace copies the trace of a saved run.
func stageTrace(ctx context.Context, files *staging.Transaction, open TraceReader) error {
	rows, err := open()
	if err != nil {
		return err
	}
	defer rows.Close()
	return files.Write(ctx, traceName, func(w io.Writer) error {
		_, err := io.Copy(w, rows)
		return err
	})
}

// maximaRecorder writes maxima_<layer>.png and .csv of a transient: the maximum over time of each cell of the mapped
// layers. It holds one plane per layer.
type maximaRecorder struct {
	files   *staging.Transaction
	figures *Figures
	layers  []int
	top     [][]float64 // K, of every layer
	plane   []float64
	reader  planeReader
	steps   int
}

func newMaximaRecorder(files *staging.Transaction, f *Figures) (*maximaRecorder, error) {
	m := f.Mesh
	layers, err := mappedLayers(m, f.Maps)
	if err != nil {
		return nil, err
	}
	r := &maximaRecorder{files: files, figures: f, layers: layers, top: make([][]float64, len(layers))}
	for i := range r.top {
		r.top[i] = make([]float64, m.NX()*m.NY())
	}
	r.plane = make([]float64, m.NX()*m.NY())
	return r, nil
}

// Reads implements Recorder: every step is read.
func (r *maximaRecorder) Reads(int) bool { return true }

// Step implements Recorder.
func (r *maximaRecorder) Step(_ int, _ solution.Step, f solution.Field) error {
	r.steps++
	for i, l := range r.layers {
		into := r.plane
		if r.steps == 1 {
			into = r.top[i]
		}
		if err := r.reader.planes(f, r.figures.Mesh.LayerPlanes[l], into); err != nil {
			return err
		}
		if r.steps == 1 {
			continue
		}
		top := r.top[i]
		for c, v := range into {
			if v > top[c] || top[c] != top[c] {
				top[c] = v
			}
		}
	}
	return nil
}

// Finish stages the maps with one color range.
func (r *maximaRecorder) Finish(ctx context.Context, e *End) error {
	if r.steps == 0 {
		return nil
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, top := range r.top {
		for _, v := range top {
			if quantity.Finite(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	names := fileNames(r.figures.Mesh.Stack)
	note := fmt.Sprintf("maxima over %d steps", r.steps)
	for i, l := range r.layers {
		p := &layerPicture{r.figures, layerView(r.figures.Mesh, l), r.top[i], lo, hi, e.Summary.Caveat(), note}
		for _, file := range p.files("maxima_" + names[l]) {
			if err := r.files.Write(ctx, file.Name, file.Write); err != nil {
				return err
			}
		}
	}
	return nil
}

// FieldFormats are the formats of whole fields: VTK, NumPy, raw binary with a JSON header, CSV as matrices and with a
// row per cell.
func FieldFormats() []string { return []string{"vtr", "npz", "raw", "csv", "csv-long"} }

// OutputOptions select what is stored of fields.
type OutputOptions struct {
	// Page writes report.html, within PageBudget.
	Page       bool
	PageBudget PageBudget
	PDF        bool // report.pdf
	XLSX       bool // report.xlsx
	// SaveLast stores the last field in run.zip, SaveAll the field of every step.
	SaveLast, SaveAll bool
	// Formats of field files, from FieldFormats. Box is the part to write, FileSteps the steps (from 1) of a transient
	// in addition to the last one.
	Formats   []string
	Box       *field.Box // nil for everything
	FileSteps []StepRange
	Single    bool // FP32 in field files
}

// StepRange selects every n-th step from From to To, both included, numbered from 1.
type StepRange struct{ From, To, Every int }

// Has reports whether a step is in the range.
func (s StepRange) Has(n int) bool { return n >= s.From && n <= s.To && (n-s.From)%s.Every == 0 }

// fieldFiles writes field files.
type fieldFiles struct {
	files   *staging.Transaction
	mesh    *mesh.Mesh
	grid    *field.Grid
	box     field.Box
	options OutputOptions
	written []int                         // steps
	series  map[string][]fieldfile.Moment // of the formats with an index of all steps
}

func newFieldFiles(files *staging.Transaction, m *mesh.Mesh, o OutputOptions) (*fieldFiles, error) {
	for _, f := range o.Formats {
		if !slices.Contains(FieldFormats(), f) {
			return nil, fmt.Errorf("unknown field format %q; expected one of %s", f, strings.Join(FieldFormats(), ", "))
		}
	}
	out := &fieldFiles{files: files, mesh: m, grid: field.GridOf(m), options: o,
		series: map[string][]fieldfile.Moment{}}
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
func (o *fieldFiles) Finish(ctx context.Context, e *End) error {
	if !slices.Contains(o.written, e.N) {
		if err := o.write(e.N, e.Step.Time, e.Field); err != nil {
			return err
		}
	}
	if vtr := o.series["vtr"]; e.N > 0 && len(vtr) > 0 {
		write := func(w io.Writer) error { return fieldfile.WritePVD(w, vtr) }
		if err := o.files.Write(ctx, "field.pvd", write); err != nil {
			return err
		}
	}
	raw := o.series["raw"]
	if len(raw) == 0 {
		return nil
	}
	return o.files.Write(ctx, "field.xdmf", func(w io.Writer) error { return fieldfile.WriteXDMF(w, o.data(), raw) })
}

// data is what all files of fields have in common.
func (o *fieldFiles) data() *fieldfile.Data {
	return &fieldfile.Data{Grid: o.grid, Box: o.box, Title: pictureTitle(o.mesh.Stack), Single: o.options.Single}
}

// write writes the field files of a step.
func (o *fieldFiles) write(n int, time float64, f solution.Field) error {
	o.written = append(o.written, n)
	name := "field"
	if n > 0 {
		name = fmt.Sprintf("field_step%06d", n)
	}
	if n == 0 {
		time = math.NaN()
	}
	d := o.data()
	d.Source, d.Time = f, time
	for _, format := range o.options.Formats {
		if err := o.writeFile(name, format, d); err != nil {
			return err
		}
	}
	return nil
}

func (o *fieldFiles) writeFile(name, format string, d *fieldfile.Data) error {
	ctx := context.Background() // the solver's context stops a run between steps
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
		o.series["raw"] = append(o.series["raw"], fieldfile.Moment{File: name + ".bin", Time: d.Time})
		return stream(".json", func(w io.Writer, d *fieldfile.Data) error {
			return fieldfile.WriteRawHeader(w, d, name+".bin")
		})
	}
	o.series["vtr"] = append(o.series["vtr"], fieldfile.Moment{File: name + ".vtr", Time: d.Time})
	f, err := o.files.Create(name + ".vtr")
	if err != nil {
		return err
	}
	if err := fieldfile.WriteVTR(f, d); err != nil {
		return o.files.Failed(name+".vtr", err)
	}
	return f.Close()
}
