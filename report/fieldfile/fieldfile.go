// Package fieldfile writes temperature fields, whole or a box of them, in formats that other tools open: VTK, NumPy,
// raw binary and CSV. Every writer streams: it holds a plane and a few buffers, however large the field.
package fieldfile

import (
	"encoding/binary"
	"io"
	"math"

	"thermsim/report/field"
)

// Data is what is written: the cells of Box.
type Data struct {
	Grid   *field.Grid
	Box    field.Box
	Source field.Source
	Title  string
	// Time in s of a step of a transient, NaN of a steady state.
	Time float64
	// Single stores temperatures in FP32, good to about 2e-5 K.
	Single bool
}

func (d *Data) reader() (*field.Reader, error) { return field.NewReader(d.Grid, d.Box, d.Source) }

func (d *Data) width() int {
	if d.Single {
		return 4
	}
	return 8
}

// pack appends values in little endian.
func (d *Data) pack(b []byte, values []float64) []byte {
	if d.Single {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		}
		return b
	}
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// each visits the box plane by plane, bottom to top.
func (d *Data) each(visit func(k int, plane []float64) error) error {
	r, err := d.reader()
	if err != nil {
		return err
	}
	for k := d.Box.K0; k < d.Box.K1; k++ {
		plane, err := r.Plane(k)
		if err != nil {
			return err
		}
		if err := visit(k, plane); err != nil {
			return err
		}
	}
	return nil
}

// chunk is how many values are packed at once.
const chunk = 1 << 15

// stream writes the box's values, plane after plane.
func (d *Data) stream(w io.Writer) error {
	buf := make([]byte, 0, chunk*d.width())
	return d.each(func(_ int, plane []float64) error {
		for len(plane) > 0 {
			n := min(chunk, len(plane))
			if _, err := w.Write(d.pack(buf[:0], plane[:n])); err != nil {
				return err
			}
			plane = plane[n:]
		}
		return nil
	})
}
