package report

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/report/fieldfile"
)

// TraceWriter writes trace.csv while a transient runs: per step its end time in s, the power in W and the hottest cell, then the
// average and maximum of every block and the temperature of every probe, all in K. The file appears on Commit.
type TraceWriter struct {
	m      *mesh.Mesh
	blocks []*blockStats
	probes []*probeStats
	planes []int // that hold blocks or probes
	plane  []float64
	stage  *stage
	file   io.WriteCloser
	out    *bufio.Writer
	row    []byte
	kept   *bytes.Buffer // what was written, for charts; nil unless asked for
}

const traceName = "trace.csv"

// NewTraceWriter makes the folder if need be, and starts the file under a temporary name. End it with Commit or Abort.
func NewTraceWriter(dir string, m *mesh.Mesh) (*TraceWriter, error) {
	st, err := newStage(dir)
	if err != nil {
		return nil, err
	}
	t := &TraceWriter{m: m, blocks: newBlocks(m), probes: newProbes(m), stage: st}
	t.planes = t.needed()
	t.plane = make([]float64, m.NX()*m.NY())
	if t.file, err = st.open(traceName); err != nil {
		st.discard()
		return nil, err
	}
	t.out = bufio.NewWriterSize(t.file, 1<<16)
	w := csv.NewWriter(t.out)
	if err = w.Write(t.header()); err == nil {
		w.Flush()
		err = w.Error()
	}
	if err != nil {
		t.Abort()
		return nil, t.failed(err)
	}
	return t, nil
}

// Keep holds on to the rows, for charts, from before the first Add.
func (t *TraceWriter) Keep() {
	t.kept = new(bytes.Buffer)
	w := csv.NewWriter(t.kept)
	_ = w.Write(t.header()) // a buffer takes anything
	w.Flush()
}

// Kept is the trace so far as it is in the file, nil without Keep.
func (t *TraceWriter) Kept() []byte {
	if t.kept == nil {
		return nil
	}
	return t.kept.Bytes()
}

func (t *TraceWriter) failed(err error) error {
	return outputError(filepath.Join(t.stage.dir, traceName), err)
}

// needed lists the planes to read at every step, ascending.
func (t *TraceWriter) needed() []int {
	use := make([]bool, t.m.NZ())
	for _, b := range t.blocks {
		for k := t.m.LayerPlanes[b.layer][0]; k < t.m.LayerPlanes[b.layer][1]; k++ {
			use[k] = true
		}
	}
	for _, p := range t.probes {
		for _, at := range p.at.Terms {
			use[at.Plane] = true
		}
	}
	var planes []int
	for k, u := range use {
		if u {
			planes = append(planes, k)
		}
	}
	return planes
}

func (t *TraceWriter) header() []string {
	names := []string{"time_s", "power_W", "max_K"}
	for _, b := range t.blocks {
		name := t.m.Stack.Layers[b.layer].Name + "/" + b.name
		names = append(names, name+"_avg_K", name+"_max_K")
	}
	for _, p := range t.probes {
		names = append(names, p.name+"_K")
	}
	return names
}

// Add writes the row of a step from the field at its end.
func (t *TraceWriter) Add(step gpusolve.Step, f gpusolve.Field) error {
	for _, b := range t.blocks {
		b.reset()
	}
	for _, p := range t.probes {
		p.reset()
	}
	nx := t.m.NX()
	for _, k := range t.planes {
		if err := f.Plane(k, t.plane); err != nil {
			return fmt.Errorf("reading plane %d of the temperature field: %w", k, err)
		}
		layer, dz := t.m.Planes[k].Layer, t.m.Z[k+1]-t.m.Z[k]
		for _, b := range t.blocks {
			if b.layer == layer {
				b.add(t.plane, nx, dz)
			}
		}
		for _, p := range t.probes {
			p.add(t.plane, k)
		}
	}
	t.row = strconv.AppendFloat(t.row[:0], step.Time, 'g', 10, 64)
	t.row = append(t.row, ',')
	t.row = strconv.AppendFloat(t.row, step.PowerW, 'g', 10, 64)
	t.kelvin(step.MaxK)
	for _, b := range t.blocks {
		_, avg, hi := b.result()
		t.kelvin(avg)
		t.kelvin(hi)
	}
	for _, p := range t.probes {
		t.kelvin(p.value)
	}
	t.row = append(t.row, '\n')
	if t.kept != nil {
		t.kept.Write(t.row)
	}
	if _, err := t.out.Write(t.row); err != nil {
		return t.failed(err)
	}
	return nil
}

func (t *TraceWriter) kelvin(v float64) {
	t.row = append(t.row, ',')
	t.row = fieldfile.AppendKelvin(t.row, v)
}

// Commit finishes the file and gives it its name. After an error nothing is left.
func (t *TraceWriter) Commit() error {
	err := t.out.Flush()
	if closed := t.file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		t.stage.discard()
		return t.failed(err)
	}
	_, err = t.stage.commit()
	return err
}

// Abort removes what was written. It may follow a failed Commit.
func (t *TraceWriter) Abort() {
	_ = t.file.Close() // the file is thrown away
	t.stage.discard()
}
