package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"thermsim/internal/npy"
)

// The solution of a NumPy file has its form: one column of one dimension, or several of two.
func TestSolutionsInNumPyFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, head string, values ...float64) string {
		b := bytes.NewBufferString(head)
		if err := binary.Write(b, binary.LittleEndian, values); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := write("A.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n")
	for name, c := range map[string]struct {
		shape []int
		b, x  []float64
	}{
		"flat.npy": {[]int{3}, []float64{0, 0, 4}, []float64{1, 2, 3}},
		"two.npy":  {[]int{3, 2}, []float64{0, 1, 0, 0, 4, 1}, []float64{1, 1, 2, 1, 3, 1}},
	} {
		b := write(name, string(npy.Header("<f8", c.shape)), c.b...)
		out := filepath.Join(dir, "out-"+name)
		if code, stderr := thermsim(nil, "solve", a, b, "--rtol", "1e-13", "--quiet", "--out", out); code != 0 {
			t.Fatalf("%s: %d\n%s", name, code, stderr)
		}
		data, err := os.ReadFile(filepath.Join(out, "x.npy"))
		if err != nil {
			t.Fatal(err)
		}
		rows, flat, err := npy.Columns(data, 6)
		if err != nil || flat != (len(c.shape) == 1) || len(rows) != 3 {
			t.Fatalf("%s: %v, flat %v, %v", name, rows, flat, err)
		}
		for i, want := range c.x {
			if got := rows[i*3/len(c.x)][i%(len(c.x)/3)]; math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: value %d is %g, want %g", name, i, got, want)
			}
		}
	}
	for _, b := range []string{
		write("short.npy", string(npy.Header("<f8", []int{2})), 1, 2),
		write("cut.npy", string(npy.Header("<f8", []int{3})), 1, 2),
		write("nan.npy", string(npy.Header("<f8", []int{3})), 1, math.NaN(), 2),
	} {
		if code, stderr := thermsim(nil, "solve", a, b, "--out", filepath.Join(dir, "bad")); code != 2 {
			t.Errorf("%s: %d\n%s", b, code, stderr)
		}
	}
}
