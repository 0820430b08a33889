package fieldfile

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"thermsim/internal/printable"
	"thermsim/report/field"
)

// WriteCSVLong writes one row per cell: x_m, y_m, z_m of the center, the layer and temperature_K; x fastest.
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
	var rows bands
	return d.each(func(k int, plane []float64) error {
		end := "," + zs[k-d.Box.K0] + "," + printable.Field(g.Layers[d.Grid.Layer[k]]) + ","
		return rows.write(w, g.NY(), func(b []byte, j int) []byte {
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
	var rows bands
	head, ys := axes(g.X, g.Y)
	return d.each(func(k int, plane []float64) error {
		_, err := fmt.Fprintf(w, "# plane %d, layer %s, z %s to %s m; temperature in K at cell centres; first row: x "+
			"in m; first column: y in m\n", k, printable.Text(d.Grid.Layers[d.Grid.Layer[k]]),
			Metres(d.Grid.Z[k]), Metres(d.Grid.Z[k+1]))
		if err != nil {
			return err
		}
		return rows.matrix(w, head, ys, plane)
	})
}

// WriteMatrix writes a plane: a row of x cell centers, then one row per y cell center from south to north, which begins
// with its coordinate. Coordinates are in m and temperatures in K.
func WriteMatrix(w io.Writer, xFaces, yFaces, plane []float64) error {
	head, ys := axes(xFaces, yFaces)
	return new(bands).matrix(w, head, ys, plane)
}

// axes returns the first row of a matrix and the first cells of the other rows.
func axes(x, y []float64) (head string, ys []string) {
	return "y\\x," + strings.Join(texts(field.Centres(x)), ",") + "\n", texts(field.Centres(y))
}

func (b *bands) matrix(w io.Writer, head string, ys []string, plane []float64) error {
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	nx := len(plane) / len(ys)
	return b.write(w, len(ys), func(b []byte, j int) []byte {
		b = append(b, ys[j]...)
		for _, v := range plane[j*nx:][:nx] {
			b = append(b, ',')
			b = AppendKelvin(b, v)
		}
		return append(b, '\n')
	})
}

func texts(v []float64) []string {
	t := make([]string, len(v))
	for i := range v {
		t[i] = Metres(v[i])
	}
	return t
}

const bandRows = 16

// bands are buffers for a few rows each, which are formatted in parallel and written in order.
type bands [][]byte

// write writes n rows.
func (b *bands) write(w io.Writer, n int, row func(b []byte, j int) []byte) error {
	if *b == nil {
		*b = make([][]byte, 2*runtime.GOMAXPROCS(0))
	}
	all := *b
	for from := 0; from < n; from += bandRows * len(all) {
		var g errgroup.Group
		for k := range all {
			g.Go(func() error {
				b := all[k][:0]
				first := from + k*bandRows
				for j := first; j < min(first+bandRows, n); j++ {
					b = row(b, j)
				}
				all[k] = b
				return nil
			})
		}
		_ = g.Wait() // none of them fails
		for _, b := range all {
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// Decimals of temperatures in text: 1 microkelvin, so that differences and gradients show no steps.
const Decimals = 6

// AppendKelvin appends a temperature with Decimals decimals. It equals strconv.AppendFloat and is several times
// faster.
func AppendKelvin(b []byte, v float64) []byte {
	const unit, limit = 1e6, 1e9
	scaled := v * unit
	if !(v > 0 && scaled < limit*unit) {
		return strconv.AppendFloat(b, v, 'f', Decimals, 64)
	}
	n := math.Floor(scaled)
	rest := scaled - n
	if math.Abs(rest-0.5) < 1e-3+scaled*0x1p-51 { // the product is rounded: too close to decide
		return strconv.AppendFloat(b, v, 'f', Decimals, 64)
	}
	whole := uint64(n)
	if rest > 0.5 {
		whole++
	}
	b = strconv.AppendUint(b, whole/unit, 10)
	part := uint32(whole % unit)
	high, low := part/1000, part%1000
	return append(b, '.',
		byte('0'+high/100), byte('0'+high/10%10), byte('0'+high%10),
		byte('0'+low/100), byte('0'+low/10%10), byte('0'+low%10))
}

// Metres formats a coordinate with 9 significant digits, which resolves 0.01 nm in 1 mm.
func Metres(v float64) string { return strconv.FormatFloat(v, 'g', 9, 64) }
