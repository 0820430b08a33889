// Package fieldfile writes temperature fields or boxes of them in formats of other tools: VTK, NumPy, raw binary and
// CSV. Every writer streams and holds one plane and a few buffers, for fields of any size.
package fieldfile

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math"

	"thermsim/internal/printable"
	"thermsim/report/field"
)

// Data is the field to write: the cells of Box.
type Data struct {
	Grid   *field.Grid
	Box    field.Box
	Source field.Source
	Title  string
	// Time of a transient step in s; NaN for a steady state.
	Time float64
	// Single stores temperatures in FP32, with an error of about 2e-5 K.
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

// rawHeader describes a file of raw numbers.
type rawHeader struct {
	File      string    `json:"file"`
	Title     string    `json:"title"`
	Quantity  string    `json:"quantity"`
	Unit      string    `json:"unit"`
	DType     string    `json:"dtype"` // as NumPy names it
	Order     []string  `json:"order"` // of the axes, slowest first
	Shape     []int     `json:"shape"`
	TimeS     *float64  `json:"time_s,omitempty"`
	XM        []float64 `json:"x_m"` // centres of the cells
	YM        []float64 `json:"y_m"`
	ZM        []float64 `json:"z_m"`
	XFacesM   []float64 `json:"x_faces_m"`
	YFacesM   []float64 `json:"y_faces_m"`
	ZFacesM   []float64 `json:"z_faces_m"`
	Layer     []int     `json:"layer"` // of every plane, an index into layers
	Layers    []string  `json:"layers"`
	FirstCell []int     `json:"first_cell"` // first cell of the box in the run's grid: x, y, z
}

// WriteRaw writes the temperatures in little endian order, x fastest, then y, then z.
func WriteRaw(w io.Writer, d *Data) error { return d.stream(w) }

// WriteRawHeader writes the JSON header for the file that WriteRaw wrote under the given name.
func WriteRawHeader(w io.Writer, d *Data, file string) error {
	if err := d.Box.Check(d.Grid); err != nil {
		return err
	}
	g := d.Grid.Cut(d.Box)
	h := rawHeader{
		File: file, Title: d.Title, Quantity: "temperature", Unit: "K", DType: "<f8",
		Order: []string{"z", "y", "x"}, Shape: []int{g.NZ(), g.NY(), g.NX()},
		XM: field.Centres(g.X), YM: field.Centres(g.Y), ZM: field.Centres(g.Z), XFacesM: g.X, YFacesM: g.Y,
		ZFacesM: g.Z,
		Layer:   g.Layer, Layers: g.Layers, FirstCell: []int{d.Box.I0, d.Box.J0, d.Box.K0},
	}
	if d.Single {
		h.DType = "<f4"
	}
	if !math.IsNaN(d.Time) {
		h.TimeS = &d.Time
	}
	e := json.NewEncoder(printable.Writer(w, false))
	e.SetEscapeHTML(false) // "<f8" as it is
	return e.Encode(h)
}
