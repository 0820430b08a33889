package fieldfile_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"strings"
	"testing"

	"thermsim/report/fieldfile"
)

// An archive holds headers and values as NumPy's format lays them out.
func TestArrays(t *testing.T) {
	var b bytes.Buffer
	a := fieldfile.NewArrays(&b)
	a.Doubles("A", []float64{1, 2, 3, 4, 5, 6}, 2, 3)
	a.Doubles("one", []float64{7})
	a.Texts("names", []string{"die/a", "ü"})
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"A.npy":     "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
		"one.npy":   "{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
		"names.npy": "{'descr': '<U5', 'fortran_order': False, 'shape': (2, ), }",
	}
	if len(z.File) != len(want) {
		t.Fatalf("%d entries", len(z.File))
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		head := 10 + int(binary.LittleEndian.Uint16(data[8:]))
		if text := strings.TrimSpace(string(data[10:head])); text != want[f.Name] {
			t.Errorf("%s: %s", f.Name, text)
		}
		if f.Name == "A.npy" {
			if v := math.Float64frombits(binary.LittleEndian.Uint64(data[head+8*4:])); v != 5 || len(data) != head+48 {
				t.Errorf("A[1][1] is %g, of %d bytes", v, len(data)-head)
			}
		}
	}
}
