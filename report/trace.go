package report

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"

	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/mesh"
	"thermsim/report/fieldfile"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/report/tables"
)

// Trace records trace.csv: per step its end time in s, the power in W and the hottest cell, then the average and
// maximum of every block, part and die and the temperature of every probe, all in K. It finds the peaks of the run on
// the way.
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
}

const traceName = "trace.csv"

// NewTrace starts the file with the head of the table.
func NewTrace(files *staging.Transaction, m *mesh.Mesh, further ...TraceColumn) (*Trace, error) {
	t := &Trace{files: files, m: m, blocks: statistics.NewBlocks(m), parts: statistics.NewParts(m), further: further}
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
		names = append(names, name+"_avg_K", name+"_max_K")
	}
	for _, p := range t.parts {
		what := p.Name
		if p.Material >= 0 && (p.Name == "" || p.Kind == summary.KindRest) {
			what = t.m.Stack.Materials[p.Material].Name
		}
		name := t.m.Stack.Layers[p.Layer].Name + "/" + p.Kind + ":" + what
		names = append(names, name+"_avg_K", name+"_max_K")
	}
	for _, d := range t.dies {
		names = append(names, "die:"+d.Name+"_avg_K", "die:"+d.Name+"_max_K")
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
	for _, v := range t.probes.Kelvin(values.Points) {
		t.kelvin(v)
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

// Finish implements Recorder. To do so again does nothing.
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
