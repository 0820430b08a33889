package saved

import (
	"archive/zip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"thermsim/report/field"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// Entries of the archive.
const (
	manifestName = "run.json"
	stackName    = "stack.toml"
	traceName    = "trace.csv"
)

func planeName(step, k int) string { return fmt.Sprintf("field/step_%06d/plane_%04d.f64", step, k) }

// Writer writes a saved run during the solve.
type Writer struct {
	zip   *zip.Writer
	saved []int
	plane []float64
	bytes []byte
}

// NewWriter starts an archive of fields with nx*ny cells a plane.
func NewWriter(w io.Writer, cells int) *Writer {
	return &Writer{zip: zip.NewWriter(w), plane: make([]float64, cells), bytes: make([]byte, 0, 8*min(cells, packed))}
}

// packed is the number of values per write.
const packed = 1 << 15

// Step stores all planes of a step, numbered from 1; 0 is a steady state. Steps are in ascending order.
func (w *Writer) Step(step, planes int, f field.Source) error {
	for k := range planes {
		if err := f.Plane(k, w.plane); err != nil {
			return fmt.Errorf("reading plane %d of the temperature field: %w", k, err)
		}
		out, err := w.create(planeName(step, k))
		if err != nil {
			return err
		}
		for rest := w.plane; len(rest) > 0; {
			n := min(packed, len(rest))
			w.bytes = w.bytes[:0]
			for _, v := range rest[:n] {
				w.bytes = binary.LittleEndian.AppendUint64(w.bytes, math.Float64bits(v))
			}
			if _, err := out.Write(w.bytes); err != nil {
				return err
			}
			rest = rest[n:]
		}
	}
	w.saved = append(w.saved, step)
	return nil
}

// EntryBytes is the size of the metadata of a plane in the file, and about in memory.
const EntryBytes = 200

func (w *Writer) create(name string) (io.Writer, error) {
	return w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
}

// Steps returns the steps stored so far.
func (w *Writer) Steps() []int { return w.saved }

// Close writes the manifest, the stack and the trace of a transient (nil without one), and completes the archive.
func (w *Writer) Close(m Manifest, s *stack.Stack, trace io.Reader) error {
	m.Saved = w.saved
	about, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	entries := []struct {
		name  string
		write func(io.Writer) error
	}{
		{manifestName, func(out io.Writer) error { _, err := out.Write(about); return err }},
		{stackName, func(out io.Writer) error {
			if err := stackfile.Print(out, s); err != nil {
				return fmt.Errorf("saving the stack: %w", err)
			}
			return nil
		}},
		{traceName, func(out io.Writer) error { _, err := io.Copy(out, trace); return err }},
	}
	for _, e := range entries {
		if e.name == traceName && trace == nil {
			continue
		}
		out, err := w.create(e.name)
		if err == nil {
			err = e.write(out)
		}
		if err != nil {
			return err
		}
	}
	return w.zip.Close()
}
