package fieldfile

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"thermsim/internal/npy"
	"thermsim/report/field"
)

// WriteNPZ writes a NumPy archive: temperature_K[z, y, x]; the cells' centres x_m, y_m, z_m and faces x_faces_m,
// y_faces_m, z_faces_m; layer[z] with layer_names; and time_s of a transient. Entries are stored, not compressed, and
// may be larger than 4 GB (zip64).
func WriteNPZ(w io.Writer, d *Data) error {
	if err := d.Box.Check(d.Grid); err != nil {
		return err
	}
	z := NewArrays(w)
	g := d.Grid.Cut(d.Box)
	kind := fmt.Sprintf("<f%d", d.width())
	z.entry("temperature_K", kind, []int{g.NZ(), g.NY(), g.NX()}, d.stream)
	for _, axis := range []struct {
		name  string
		faces []float64
	}{{"x", g.X}, {"y", g.Y}, {"z", g.Z}} {
		z.Doubles(axis.name+"_m", field.Centres(axis.faces), len(axis.faces)-1)
		z.Doubles(axis.name+"_faces_m", axis.faces, len(axis.faces))
	}
	z.entry("layer", "<i4", []int{g.NZ()}, func(w io.Writer) error {
		return binary.Write(w, binary.LittleEndian, int32s(g.Layer))
	})
	z.Texts("layer_names", g.Layers)
	if !math.IsNaN(d.Time) {
		z.Doubles("time_s", []float64{d.Time})
	}
	return z.Close()
}

// Arrays writes NumPy archives of any arrays. Close returns the first error.
type Arrays struct {
	zip *zip.Writer
	err error
}

// NewArrays starts an archive.
func NewArrays(w io.Writer) *Arrays { return &Arrays{zip: zip.NewWriter(w)} }

// Close completes the archive.
func (z *Arrays) Close() error {
	if z.err != nil {
		return z.err
	}
	return z.zip.Close()
}

// entry writes one array: header and content.
func (z *Arrays) entry(name, kind string, shape []int, content func(io.Writer) error) {
	if z.err != nil {
		return
	}
	w, err := z.zip.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err == nil {
		_, err = w.Write(npy.Header(kind, shape))
	}
	if err == nil {
		err = content(w)
	}
	z.err = err
}

// Doubles adds an FP64 array, last index fastest. Without a shape it adds a scalar.
func (z *Arrays) Doubles(name string, values []float64, shape ...int) {
	z.entry(name, "<f8", shape, func(w io.Writer) error { return binary.Write(w, binary.LittleEndian, values) })
}

// Texts adds an array of UTF-32 strings, padded with zeros to one length.
func (z *Arrays) Texts(name string, v []string) {
	longest := 1
	for _, s := range v {
		longest = max(longest, len([]rune(s)))
	}
	var b []byte
	for _, s := range v {
		runes := []rune(s)
		for i := range longest {
			c := rune(0)
			if i < len(runes) {
				c = runes[i]
			}
			b = binary.LittleEndian.AppendUint32(b, uint32(c))
		}
	}
	z.entry(name, fmt.Sprintf("<U%d", longest), []int{len(v)}, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

func int32s(v []int) []int32 {
	out := make([]int32, len(v))
	for i, n := range v {
		out[i] = int32(n)
	}
	return out
}
