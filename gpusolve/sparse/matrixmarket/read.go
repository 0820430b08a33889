// Package matrixmarket reads and writes matrices and vectors in the text format of the Matrix Market
// (https://math.nist.gov/MatrixMarket/formats.html): coordinate matrices, real or integer, general or symmetric, and
// vectors as columns of arrays or coordinates. Graphs may be patterns, without values. Files may be compressed with
// gzip.
package matrixmarket

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"

	"thermsim/gpusolve/sparse"
	"thermsim/internal/inputfile"
	"thermsim/stack"
)

// header is the first line of a file: %%MatrixMarket matrix FORMAT FIELD SYMMETRY.
type header struct {
	array     bool
	pattern   bool // without values
	symmetric bool
}

const banner = "%%MatrixMarket"

// begin reads the header and moves to the line with the sizes.
func (l *lines) begin() (h header) {
	if !l.next() {
		if l.err == nil {
			l.err = &stack.Error{Pos: stack.Pos{File: l.file}, Msg: "the file is empty",
				Remedy: "name a Matrix Market file"}
		}
		return h
	}
	h = l.header()
	if !l.nextData() {
		l.fail(0, "", "the file ends before the line with the sizes")
	}
	return h
}

func (l *lines) header() header {
	var words []string
	var cols []int
	for {
		w, col := l.word()
		if len(w) == 0 {
			break
		}
		words, cols = append(words, string(w)), append(cols, col)
	}
	if len(words) == 0 || !strings.EqualFold(words[0], banner) {
		l.fail(1, "write it first, as in: %%MatrixMarket matrix coordinate real general",
			"the first line is not a Matrix Market header")
		return header{}
	}
	if len(words) != 5 {
		l.fail(1, "it reads: %%MatrixMarket matrix coordinate real general", "the header has %d words, not 5",
			len(words))
		return header{}
	}
	choose := func(n int, remedy string, allowed ...string) string {
		for _, a := range allowed {
			if strings.EqualFold(words[n], a) {
				return a
			}
		}
		l.fail(cols[n], remedy, "%q cannot be solved with; %s", words[n], list(allowed))
		return ""
	}
	choose(1, "write the matrix itself, not a graph or a set of vectors", "matrix")
	format := choose(2, "write it in one of them", "coordinate", "array")
	fields := []string{"real", "integer", "double"}
	if l.graph {
		fields = append(fields, "pattern")
	}
	field := choose(3, "a pattern has no values (--laplacian solves for its graph), and complex systems have no "+
		"solver here: write real values", fields...)
	symmetry := choose(4, "write all entries and say general", "general", "symmetric")
	return header{array: format == "array", pattern: field == "pattern", symmetric: symmetry == "symmetric"}
}

func list(words []string) string {
	if len(words) == 1 {
		return "only " + words[0] + " can"
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1] + " can"
}

// open opens a file for reading.
func open(path string) (*os.File, error) {
	f, err := inputfile.OpenAsked(path)
	if err == nil {
		return f, nil
	}
	cause := err
	var pe *fs.PathError
	if errors.As(err, &pe) {
		cause = pe.Err
	}
	return nil, &stack.Error{Pos: stack.Pos{File: path}, Msg: "cannot be read: " + cause.Error(),
		Remedy: "name a Matrix Market file (.mtx)", Err: err}
}

// Matrix is a square matrix with what its file said of it.
type Matrix struct {
	*sparse.CSR
	Symmetric bool // the file lists one triangle
	Repeated  int  // entries that shared a place with another and were added to it, as scipy, MATLAB and Julia do
}

// OpenMatrix reads a file.
func OpenMatrix(path string) (*Matrix, error) { return openAs(path, ReadMatrix) }

// OpenGraph reads a file.
func OpenGraph(path string) (*Matrix, error) { return openAs(path, ReadGraph) }

func openAs(path string, read func(file string, r io.Reader) (*Matrix, error)) (*Matrix, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(path, f)
}

// ReadMatrix reads a square matrix in coordinate format. Faults are an *[stack.Error] in the file of that name.
func ReadMatrix(file string, r io.Reader) (*Matrix, error) { return newLines(file, r).matrix() }

// ReadGraph is ReadMatrix for the adjacency matrix of a graph: rows may be empty, and entries of a pattern are 1.
func ReadGraph(file string, r io.Reader) (*Matrix, error) {
	l := newLines(file, r)
	l.graph = true
	return l.matrix()
}

func (l *lines) matrix() (*Matrix, error) {
	h := l.begin()
	if h.array {
		l.fail(0, "write the matrix in coordinate format", "the file holds an array: a vector or a dense matrix")
	}
	n, entries := l.matrixSize()
	t := l.entries(h, n, entries)
	if l.err != nil {
		return nil, l.err
	}
	a, repeated, err := sparse.FromTriplets(int(n), t)
	if err != nil {
		return nil, &stack.Error{Pos: stack.Pos{File: l.file}, Msg: err.Error()}
	}
	if !l.graph && int64(len(a.Col)) < n { // fewer than were announced, where entries are listed twice
		text := fmt.Sprintf("%d entries for %d rows, listed several times: the matrix is singular", len(a.Col), n)
		return nil, &stack.Error{Pos: stack.Pos{File: l.file}, Msg: text,
			Remedy: "every row needs its diagonal entry"}
	}
	return &Matrix{CSR: a, Symmetric: h.symmetric, Repeated: repeated}, nil
}

// matrixSize reads "rows columns entries".
func (l *lines) matrixSize() (n, entries int64) {
	rows := l.index("the number of rows", math.MaxInt32)
	cols := l.index("the number of columns", math.MaxInt32)
	entries = l.index("the number of entries", 1<<40)
	l.end("the sizes are rows, columns and entries")
	switch {
	case rows != cols:
		l.fail(1, "only square systems have a unique solution", "the matrix has %d rows and %d columns", rows, cols)
	case entries < rows && !l.graph:
		l.fail(1, "every row needs its diagonal entry", "%d entries for %d rows: the matrix is singular", entries, rows)
	// No two lines of a matrix are alike, and their differences take more than a byte however well it is packed.
	case l.packed > 0 && entries > l.packed:
		l.fail(1, "unpack it if it is meant so", "%d entries are announced by a packed file of %d bytes", entries,
			l.packed)
	}
	return rows, entries
}

// each reads count lines of data, called what, and refuses more. A line has what read takes of it, else the remedy.
func (l *lines) each(count int64, what, remedy string, read func(number int64)) {
	for n := int64(0); n < count && l.err == nil; n++ {
		if !l.nextData() {
			l.fail(0, "is the file complete?", "the file ends after %d of %d %s", n, count, what)
			return
		}
		read(n)
		l.end(remedy)
	}
	if l.nextData() {
		l.fail(1, "correct the line with the sizes", "there is more than the %d %s that were announced", count, what)
	}
}

// firstRoom bounds what is allocated because a header says so.
const firstRoom = 1 << 20

func (l *lines) entries(h header, n, entries int64) *sparse.Triplets {
	most := min(entries, firstRoom)
	t := &sparse.Triplets{Row: make([]int32, 0, most), Col: make([]int32, 0, most), Val: make([]float64, 0, most)}
	const remedy = "an entry is a row, a column and a value"
	l.each(entries, "entries", remedy, func(int64) {
		row, col := l.index("the row", n), l.index("the column", n)
		v := 1.0
		if !h.pattern {
			v = l.value()
		}
		l.end(remedy)
		if h.symmetric && col > row {
			l.fail(1, "swap row and column, or list all entries and say general in the header",
				"entry (%d, %d) lies above the diagonal; a symmetric file lists those on and below it", row, col)
		}
		t.Add(int32(row-1), int32(col-1), v)
		if h.symmetric && col != row {
			t.Add(int32(col-1), int32(row-1), v)
		}
	})
	return t
}

// OpenVectors reads a file.
func OpenVectors(path string, n int) ([][]float64, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadVectors(path, f, n)
}

// ReadVectors reads vectors of n values, one a column: an array, or coordinates, where values that are not listed are
// 0.
func ReadVectors(file string, r io.Reader, n int) ([][]float64, error) {
	l := newLines(file, r)
	h := l.begin()
	if h.symmetric && l.err == nil {
		l.err = &stack.Error{Pos: stack.Pos{File: file, Line: 1}, Msg: "a vector is not symmetric",
			Remedy: "say general in the header"}
	}
	columns, entries := l.vectorSize(h, n)
	if l.err != nil {
		return nil, l.err
	}
	v := make([][]float64, columns)
	l.each(entries, "values", "an array has one value a line, coordinates are a row, a column and a value",
		func(number int64) {
			row, col := number%int64(n), number/int64(n)
			if !h.array {
				row, col = l.index("the row", int64(n))-1, l.index("the column", columns)-1
			}
			if value := l.value(); l.err == nil {
				if v[col] == nil {
					v[col] = make([]float64, n)
				}
				v[col][row] += value
			}
		})
	if l.err != nil {
		return nil, l.err
	}
	for c := range v {
		if v[c] == nil {
			v[c] = make([]float64, n)
		}
	}
	return v, nil
}

// mostColumns is the largest number of right-hand sides, mostValues that of the values of several.
const mostColumns, mostValues = 1 << 16, 1 << 28

// vectorSize reads "rows columns" of an array, or "rows columns entries".
func (l *lines) vectorSize(h header, n int) (columns, entries int64) {
	rows := l.index("the number of rows", math.MaxInt32)
	columns = l.index("the number of columns", mostColumns)
	entries = rows * columns
	if !h.array {
		entries = l.index("the number of entries", 1<<40)
	}
	l.end("the sizes are rows and columns, and entries in coordinate format")
	switch {
	case rows != int64(n):
		l.fail(1, fmt.Sprintf("it needs %d, one for each row of the matrix", n), "the right-hand side has %d rows",
			rows)
	case columns > 1 && rows*columns > mostValues:
		l.fail(1, "write them to several files", "%d columns of %d rows are more than %d values", columns, rows,
			mostValues)
	case entries < columns:
		l.fail(1, "every column needs a value", "%d entries for %d columns", entries, columns)
	}
	return columns, entries
}

// Size is what the head of a file of a matrix announces. Entries are those that are kept: a symmetric file lists half
// of them.
type Size struct{ Rows, Entries int64 }

// ReadSize reads the head of a regular file alone; ok is false for what has none to read twice, such as a pipe, and for
// files that OpenGraph will refuse.
func ReadSize(path string) (size Size, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return size, false
	}
	f, err := os.Open(path)
	if err != nil {
		return size, false
	}
	defer f.Close()
	l := newLines(path, f)
	l.graph = true
	h := l.begin()
	n, entries := l.matrixSize()
	if h.symmetric {
		entries = 2*entries - n
	}
	return Size{n, entries}, l.err == nil && !h.array
}
