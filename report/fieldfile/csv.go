package fieldfile

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"thermsim/internal/printable"
	"thermsim/report/field"
)

// WriteCSVLong writes a row per cell: x_m, y_m, z_m of the centre, the layer and temperature_K; x runs fastest.
func WriteCSVLong(w io.Writer, d *Data) error {
	if err := d.Box.Check(d.Grid); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "x_m,y_m,z_m,layer,temperature_K\n"); err != nil {
		return err
	}
	g := d.Grid.Cut(d.Box)
	xs := texts(field.Centres(g.X))
	ys, zs := texts(field.Centres(g.Y)), texts(field.Centres(g.Z))
	p := newFormatter(g.NY())
	return d.each(func(k int, plane []float64) error {
		end := "," + zs[k-d.Box.K0] + "," + printable.Field(g.Layers[d.Grid.Layer[k]]) + ","
		return p.rows(w, func(b []byte, j int) []byte {
			middle := "," + ys[j] + end
			for i, v := range plane[j*len(xs):][:len(xs)] {
				b = append(b, xs[i]...)
				b = append(b, middle...)
				b = AppendKelvin(b, v)
				b = append(b, '\n')
			}
			return b
		})
	})
}

// WriteCSVMatrix writes the planes of the box one after the other, each as a matrix behind a comment line: a row of x
// cell centres, then a row per y cell centre from south to north, its coordinate first. Coordinates are in m and
// temperatures in K.
func WriteCSVMatrix(w io.Writer, d *Data) error {
	if err := d.Box.Check(d.Grid); err != nil {
		return err
	}
	g := d.Grid.Cut(d.Box)
	xs, ys := texts(field.Centres(g.X)), texts(field.Centres(g.Y))
	p := newFormatter(g.NY())
	return d.each(func(k int, plane []float64) error {
		_, err := fmt.Fprintf(w, "# plane %d, layer %s, z %s to %s m; temperature in K at cell centres; first row: x "+
			"in m; first column: y in m\ny\\x,%s\n",
			k, printable.Text(d.Grid.Layers[d.Grid.Layer[k]]), AppendMetres(nil, d.Grid.Z[k]),
			AppendMetres(nil, d.Grid.Z[k+1]), strings.Join(xs, ","))
		if err != nil {
			return err
		}
		return p.rows(w, func(b []byte, j int) []byte {
			b = append(b, ys[j]...)
			for _, v := range plane[j*len(xs):][:len(xs)] {
				b = append(b, ',')
				b = AppendKelvin(b, v)
			}
			return append(b, '\n')
		})
	})
}

func texts(v []float64) []string {
	t := make([]string, len(v))
	for i := range v {
		t[i] = string(AppendMetres(nil, v[i]))
	}
	return t
}

// formatter makes the text of rows on all cores: bands of a few rows, written in order.
type formatter struct {
	height int
	bands  [][]byte
}

const bandRows = 16

func newFormatter(height int) *formatter {
	return &formatter{height: height, bands: make([][]byte, 2*runtime.GOMAXPROCS(0))}
}

func (f *formatter) rows(w io.Writer, row func(b []byte, j int) []byte) error {
	for from := 0; from < f.height; from += bandRows * len(f.bands) {
		var g errgroup.Group
		for n := range f.bands {
			g.Go(func() error {
				b := f.bands[n][:0]
				first := from + n*bandRows
				for j := first; j < min(first+bandRows, f.height); j++ {
					b = row(b, j)
				}
				f.bands[n] = b
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for _, b := range f.bands {
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
	}
	return nil
}
