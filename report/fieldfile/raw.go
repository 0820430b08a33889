package fieldfile

import (
	"encoding/json"
	"io"
	"math"

	"thermsim/internal/printable"
	"thermsim/report/field"
)

// rawHeader describes a file of bare numbers.
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
	FirstCell []int     `json:"first_cell"` // of the box in the run's grid: x, y, z
}

// WriteRaw writes the temperatures alone, in little endian, x fastest, then y, then z.
func WriteRaw(w io.Writer, d *Data) error { return d.stream(w) }

// WriteRawHeader writes the JSON that tells what WriteRaw wrote into the file of the given name.
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
