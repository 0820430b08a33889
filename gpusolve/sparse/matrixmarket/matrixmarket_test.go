package matrixmarket

import (
	"bytes"
	"compress/gzip"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve/sparse"
	"thermsim/stack"
)

const laplacian = "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n\n3 3 5\n1 1 2\n2 2 2.0\n3 3 2d0\n2 " +
	"1 -1.0D+00\n3\t2  -1\n"

func TestReadMatrix(t *testing.T) {
	want := [][]float64{{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(laplacian))
	z.Close()
	for what, text := range map[string]string{
		"symmetric":         laplacian,
		"Windows line ends": strings.ReplaceAll(laplacian, "\n", "\r\n"),
		"no last line end":  strings.TrimSuffix(laplacian, "\n"),
		"gzip":              packed.String(),
		"general": "%%matrixmarket MATRIX Coordinate Integer General\n3 3 8\n1 1 2\n1 2 -1\n2 1 -1\n\n% here too\n" +
			"2 2 1\n2 2 1\n2 3 -1\n3 2 -1\n3 3 2\n\n",
	} {
		a, err := ReadMatrix(what, strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		for r, row := range want {
			for c, v := range row {
				if a.At(r, c) != v {
					t.Errorf("%s: entry %d,%d is %g, want %g", what, r, c, a.At(r, c), v)
				}
			}
		}
		if general := what == "general"; a.Symmetric == general || a.Repeated != map[bool]int{true: 1}[general] {
			t.Errorf("%s: symmetric %v, %d repeated", what, a.Symmetric, a.Repeated)
		}
	}
}

func TestReadVectors(t *testing.T) {
	for what, text := range map[string]string{
		"array":       "%%MatrixMarket matrix array real general\n3 1\n1.5\n0\n-2\n",
		"coordinates": "%%MatrixMarket matrix coordinate real general\n3 1 2\n3 1 -2\n1 1 1.5\n",
	} {
		v, err := ReadVectors(what, strings.NewReader(text), 3)
		if err != nil || len(v) != 1 || v[0][0] != 1.5 || v[0][1] != 0 || v[0][2] != -2 {
			t.Errorf("%s: %v, %v", what, v, err)
		}
	}
}

// Every fault is told with its place and, in most cases, a way out.
func TestFaultsInMatrices(t *testing.T) {
	const head = "%%MatrixMarket matrix coordinate real general\n"
	for _, c := range []struct{ text, want string }{
		{"", "f: the file is empty; name a Matrix Market file"},
		{"1 1 1\n", "f:1:1: the first line is not a Matrix Market header; write it first, as in: %%MatrixMarket " +
			"matrix coordinate real general"},
		{"%%MatrixMarket matrix coordinate real\n", "f:1:1: the header has 4 words, not 5"},
		{"%%MatrixMarket graph coordinate real general\n", `f:1:16: "graph" cannot be solved with`},
		{"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n",
			`f:1:34: "pattern" cannot be solved with; real, integer and double can; a pattern has no values`},
		{"%%MatrixMarket matrix coordinate complex general\n", `f:1:34: "complex" cannot`},
		{"%%MatrixMarket matrix coordinate real skew-symmetric\n",
			`f:1:39: "skew-symmetric" cannot be solved with; general and symmetric can; write all entries and say general`},
		{"%%MatrixMarket matrix array real general\n1 1\n1\n", "f:2: the file holds"},
		{head, "f:1: the file ends before the line with the sizes"},
		{head + "2 3 4\n", "f:2:1: the matrix has 2 rows and 3 columns; only square"},
		{head + "2 2\n", "f:2:4: the number of entries is missing"},
		{head + "2 2 2 2\n", `f:2:7: "2" is too much on this line`},
		{head + "9999999999 1 1\n", "f:2:1: the number of rows is 9999999999, above 2147483647"},
		{head + "5 5 4\n", "f:2:1: 4 entries for 5 rows: the matrix is singular"},
		{head + "3 3 3\n1 1 2\n2 2 1\n2 2 1\n", "f: 2 entries for 3 rows, listed several times: the matrix " +
			"is singular"},
		{head + "-2 2 2\n", `f:2:1: the number of rows is "-2", not a whole number`},
		{head + "2 2 2\n1 1 1\n", "f:3: the file ends after 1 of 2 entries; is the file complete?"},
		{head + "1 1 1\n1 1 1\n1 1 2\n", "f:4:1: there is more than the 1 entries that were announced"},
		{head + "1 1 1\n0 1 1\n", "f:3:1: the row is 0; rows, columns and sizes count from 1"},
		{head + "1 1 1\n1 2 1\n", "f:3:3: the column is 2, above 1"},
		{head + "1 1 1\n1 1\n", "f:3:4: the value is missing"},
		{head + "1 1 1\n1 1 one\n", `f:3:5: "one" is not a number`},
		{head + "1 1 1\n1 1 nan\n", `f:3:5: "nan" is not a number`},
		{head + "1 1 1\n1 1 0x1p4\n", `f:3:5: "0x1p4" is not a number`},
		{head + "1 1 1\n1 1 1_0\n", `f:3:5: "1_0" is not a number`},
		{head + "1 1 1\n1 1 -Inf\n", `f:3:5: "-Inf" is not a number`},
		{head + "1 1 1\n1 1 1e999\n", "f:3:5: 1e999 is too large for double precision"},
		{head + "1 1 1\n1 1 1 0\n", `f:3:7: "0" is too much on this line; an entry is a row, a column and a value`},
		{"%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n1 2 1\n2 2 1\n", "f:4:1: entry (1, 2) lies " +
			"above the diagonal"},
		{head + strings.Repeat("7", maxLine+1), "f:2: the line is longer than"},
		{"\x1f\x8bnonsense", "f: cannot be unpacked"},
	} {
		_, err := ReadMatrix("f", strings.NewReader(c.text))
		var fault *stack.Error
		if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.60q: %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestFaultsInVectors(t *testing.T) {
	const array, coordinate = "%%MatrixMarket matrix array real general\n", "%%MatrixMarket matrix coordinate " +
		"real general\n"
	for _, c := range []struct{ text, want string }{
		{array + "3 1\n1\n2\n3\n", "f:2:1: the right-hand side has 3 rows; it needs 2, one for each row of the matrix"},
		{array + "2 2\n1\n2\n3\n", "f:5: the file ends after 3 of 4 values"},
		{array + "2 65537\n1\n", "f:2:3: the number of columns is 65537, above 65536"},
		{coordinate + "2 3 2\n", "f:2:1: 2 entries for 3 columns; every column needs a value"},
		{array + "2 1\n1\n", "f:3: the file ends after 1 of 2 values"},
		{array + "2 1\n1\n2\n3\n", "f:5:1: there is more than the 2 values"},
		{array + "2 1\n1 2\n", `f:3:3: "2" is too much on this line`},
		{array + "2 1\nx\n", `f:3:1: "x" is not a number`},
		{coordinate + "2 1 1\n3 1 1\n", "f:3:1: the row is 3, above 2"},
		{coordinate + "2 1 1\n1 2 1\n", "f:3:3: the column is 2, above 1"},
		{"%%MatrixMarket matrix array real symmetric\n2 1\n", "f:1: a vector is not symmetric"},
	} {
		_, err := ReadVectors("f", strings.NewReader(c.text), 2)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.60q: %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "none.mtx")
	if _, err := OpenMatrix(missing); err == nil || !errors.Is(err, os.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), missing+": cannot be read: ") {
		t.Errorf("missing file: %v", err)
	}
	if _, err := OpenVectors(dir, 1); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("folder: %v", err)
	}
}

// What is written is read back to the last bit.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 20
	for _, symmetric := range []bool{true, false} {
		entries := sparse.Triplets{}
		for r := range int32(n) {
			entries.Add(r, r, math.Exp(20*rng.NormFloat64()))
			c, v := rng.Int32N(n), rng.NormFloat64()/3
			if c == r {
				continue
			}
			entries.Add(r, c, v)
			if symmetric {
				entries.Add(c, r, v)
			}
		}
		a, _, err := sparse.FromTriplets(n, &entries)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := WriteMatrix(&text, a, symmetric, "first\nsecond"); err != nil {
			t.Fatal(err)
		}
		b, err := ReadMatrix("written", &text)
		if err != nil {
			t.Fatal(err)
		}
		for r := range n {
			for c := range n {
				if a.At(r, c) != b.At(r, c) {
					t.Fatalf("entry %d,%d was %g, is %g", r, c, a.At(r, c), b.At(r, c))
				}
			}
		}
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64() * 1e-300
		}
		text.Reset()
		reversed := slices.Clone(x)
		slices.Reverse(reversed)
		if err := WriteVectors(&text, [][]float64{x, reversed}, ""); err != nil {
			t.Fatal(err)
		}
		y, err := ReadVectors("written", &text, n)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x {
			if x[i] != y[0][i] || x[n-1-i] != y[1][i] {
				t.Fatalf("values %d were %g and %g, are %g and %g", i, x[i], x[n-1-i], y[0][i], y[1][i])
			}
		}
	}
}
