package matrixmarket

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"thermsim/stack"
)

// Whatever the bytes, reading ends in a matrix that can be written and read back, or in a fault with its file.
func FuzzReadMatrix(f *testing.F) {
	f.Add(laplacian)
	f.Add(strings.ReplaceAll(laplacian, "\n", "\r\n"))
	f.Add("%%MatrixMarket matrix coordinate integer general\n2 2 4\n1 1 4\n1 2 1\n2 1 1\n2 2 3\n")
	f.Add("%%MatrixMarket matrix coordinate real general\n2147483647 2147483647 9999999999\n1 1 1\n")
	f.Add("%%MatrixMarket matrix coordinate pattern symmetric\n1 1 1\n1 1\n")
	f.Add("%%MatrixMarket matrix array real general\n2 1\n1e-320\n-0\n")
	f.Add("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 0x1p-3\n")
	f.Add("\x1f\x8b\x08\x00")
	f.Fuzz(func(t *testing.T, text string) {
		var fault *stack.Error
		if v, err := ReadVectors("b", strings.NewReader(text), 2); err != nil && !errors.As(err, &fault) ||
			err == nil && (len(v) == 0 || len(v[len(v)-1]) != 2) {
			t.Fatalf("%d vectors: %v", len(v), err)
		}
		a, err := ReadMatrix("a", strings.NewReader(text))
		if err != nil {
			if !errors.As(err, &fault) || fault.Pos.File != "a" || fault.Msg == "" {
				t.Fatalf("%v", err)
			}
			return
		}
		var written bytes.Buffer
		if err := WriteMatrix(&written, a.CSR, false, ""); err != nil {
			t.Fatal(err)
		}
		b, err := ReadMatrix("b", &written)
		if err != nil || b.N() != a.N() || b.Entries() != a.Entries() {
			t.Fatalf("%d rows, %d entries; read back %+v: %v", a.N(), a.Entries(), b, err)
		}
	})
}
