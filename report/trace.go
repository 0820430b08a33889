package report

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/fieldfile"
	"thermsim/staging"
)

// Trace records trace.csv: per step its end time in s, the power in W and the hottest cell, then the average and maximum of every block and the
// temperature of every probe, all in K.
type Trace struct {
	files  *staging.Transaction
	m      *mesh.Mesh
	blocks []*blockStats
	probes []*probeStats
	planes []int // that hold blocks or probes
	plane  []float64
	file   *staging.Output
	out    *bufio.Writer
	row    []byte
	kept   *bytes.Buffer // what was written, for charts; nil unless asked for
}

const traceName = "trace.csv"

// NewTrace starts the file with the head of the table. Where charts are to show the table, keep holds on to it in memory.
func NewTrace(files *staging.Transaction, m *mesh.Mesh, keep bool) (*Trace, error) {
	t := &Trace{files: files, m: m, blocks: newBlocks(m), probes: newProbes(m), plane: make([]float64, m.NX()*m.NY())}
	t.planes = t.needed()
	if keep {
		t.kept = new(bytes.Buffer)
	}
	var err error
	if t.file, err = files.Create(traceName); err != nil {
		return nil, err
	}
	t.out = bufio.NewWriterSize(t.file, 1<<16)
	var head bytes.Buffer
	w := csv.NewWriter(&head)
	_ = w.Write(t.header()) // a buffer takes anything
	w.Flush()
	return t, t.write(head.Bytes())
}

// Kept is the table so far, nil unless it is kept.
func (t *Trace) Kept() []byte {
	if t.kept == nil {
		return nil
	}
	return t.kept.Bytes()
}

func (t *Trace) write(row []byte) error {
	if t.kept != nil {
		t.kept.Write(row)
	}
	if _, err := t.out.Write(row); err != nil {
		return t.files.Failed(traceName, err)
	}
	return nil
}

// needed lists the planes to read at every step, ascending.
func (t *Trace) needed() []int {
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

func (t *Trace) header() []string {
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

// Step implements Recorder.
func (t *Trace) Step(_ int, step solution.Step, f solution.Field) error {
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
		t.kelvin(p.value())
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

func stageTrace(ctx context.Context, files *staging.Transaction, rows []byte) error {
	return files.Write(ctx, traceName, func(w io.Writer) error {
		_, err := w.Write(rows)
		return err
	})
}
