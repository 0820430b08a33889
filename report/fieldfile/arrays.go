package fieldfile

import (
	"archive/zip"
	"encoding/binary"
	"io"
)

// Arrays writes NumPy archives of any arrays. The first error is kept for Close.
type Arrays struct{ z npzWriter }

// NewArrays begins an archive.
func NewArrays(w io.Writer) *Arrays { return &Arrays{npzWriter{zip: zip.NewWriter(w)}} }

// Doubles adds an FP64 array, last index fastest; without a shape it is a single number.
func (a *Arrays) Doubles(name string, values []float64, shape ...int) {
	a.z.entry(name, "<f8", shape, func(w io.Writer) error { return binary.Write(w, binary.LittleEndian, values) })
}

// Texts adds an array of strings.
func (a *Arrays) Texts(name string, values []string) { a.z.texts(name, values) }

// Close ends the archive.
func (a *Arrays) Close() error {
	if a.z.err != nil {
		return a.z.err
	}
	return a.z.zip.Close()
}
