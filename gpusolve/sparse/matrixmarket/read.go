package matrixmarket

import (
	"fmt"
	"io"
	"math"

	"thermsim/gpusolve/sparse"
)

// Matrix is a square matrix with what its file said of it.
type Matrix struct {
	*sparse.CSR
	Symmetric bool // the file lists one triangle
	Repeated  int  // entries that shared a place with another and were added to it, as scipy, MATLAB and Julia do
}

// firstRoom bounds what is allocated because a header says so.
const firstRoom = 1 << 20

// OpenMatrix reads a file.
func OpenMatrix(path string) (*Matrix, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadMatrix(path, f)
}

// ReadMatrix reads a square matrix in coordinate format. Faults are an *[Error] with the place; file stands in it.
func ReadMatrix(file string, r io.Reader) (*Matrix, error) {
	l, err := newLines(file, r)
	if err != nil {
		return nil, err
	}
	h, err := begin(l)
	if err != nil {
		return nil, err
	}
	if h.array {
		return nil, l.fail(0, "write the matrix in coordinate format", "the file holds an array: a vector or a "+
			"dense matrix")
	}
	n, entries, err := matrixSize(l)
	if err != nil {
		return nil, err
	}
	t, err := readEntries(l, h, n, entries)
	if err != nil {
		return nil, err
	}
	a, repeated, err := sparse.FromTriplets(int(n), t)
	if err != nil {
		return nil, &Error{File: file, Msg: err.Error()}
	}
	if int64(len(a.Col)) < n { // fewer than were announced, where entries are listed twice
		return nil,
			&Error{File: file, Msg: fmt.Sprintf("%d entries for %d rows, listed several times: the matrix is singular",
				len(a.Col), n), Remedy: "every row needs its diagonal entry"}
	}
	return &Matrix{CSR: a, Symmetric: h.symmetric, Repeated: repeated}, nil
}

// begin reads the header and moves to the line with the sizes.
func begin(l *lines) (header, error) {
	ok, err := l.next()
	if err != nil {
		return header{}, err
	}
	if !ok {
		return header{}, &Error{File: l.file, Msg: "the file is empty", Remedy: "name a Matrix Market file"}
	}
	h, err := parseHeader(l)
	if err != nil {
		return h, err
	}
	if ok, err = l.nextData(); err == nil && !ok {
		err = l.fail(0, "", "the file ends before the line with the sizes")
	}
	return h, err
}

// matrixSize reads "rows columns entries".
func matrixSize(l *lines) (n, entries int64, err error) {
	rows, at, err := l.index(0, "the number of rows", math.MaxInt32)
	if err != nil {
		return 0, 0, err
	}
	cols, at, err := l.index(at, "the number of columns", math.MaxInt32)
	if err != nil {
		return 0, 0, err
	}
	entries, at, err = l.index(at, "the number of entries", 1<<40)
	if err != nil {
		return 0, 0, err
	}
	if err := l.end(at, "the sizes are rows, columns and entries"); err != nil {
		return 0, 0, err
	}
	if rows != cols {
		return 0, 0, l.fail(1, "only square systems have a unique solution", "the matrix has %d rows and %d columns",
			rows, cols)
	}
	if entries < rows {
		return 0, 0, l.fail(1, "every row needs its diagonal entry", "%d entries for %d rows: the matrix is singular",
			entries, rows)
	}
	// No two lines of a matrix are alike, and what tells them apart takes more than a byte however well it is packed.
	if l.packed > 0 && entries > l.packed {
		return 0, 0, l.fail(1, "unpack it if it is meant so", "%d entries are announced by a packed file of %d bytes",
			entries, l.packed)
	}
	return rows, entries, nil
}

func readEntries(l *lines, h header, n, entries int64) (*sparse.Triplets, error) {
	room := min(entries, firstRoom)
	t := &sparse.Triplets{Row: make([]int32, 0, room), Col: make([]int32, 0, room), Val: make([]float64, 0, room)}
	for read := range entries {
		if ok, err := l.nextData(); err != nil {
			return nil, err
		} else if !ok {
			return nil, l.fail(0, "is the file complete?", "the file ends after %d of %d entries", read, entries)
		}
		row, at, err := l.index(0, "the row", n)
		if err != nil {
			return nil, err
		}
		col, at, err := l.index(at, "the column", n)
		if err != nil {
			return nil, err
		}
		v, at, err := l.value(at)
		if err != nil {
			return nil, err
		}
		if err := l.end(at, "an entry is a row, a column and a value"); err != nil {
			return nil, err
		}
		if h.symmetric && col > row {
			return nil, l.fail(1, "swap row and column, or list all entries and say general in the header",
				"entry (%d, %d) lies above the diagonal; a symmetric file lists those on and below it", row, col)
		}
		t.Add(int32(row-1), int32(col-1), v)
		if h.symmetric && col != row {
			t.Add(int32(col-1), int32(row-1), v)
		}
	}
	if ok, err := l.nextData(); err != nil {
		return nil, err
	} else if ok {
		return nil,
			l.fail(1, "correct the line with the sizes", "there is more than the %d entries that were announced",
				entries)
	}
	return t, nil
}

// OpenVector reads a file.
func OpenVector(path string, n int) ([]float64, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadVector(path, f, n)
}

// ReadVector reads a vector of n values: an array of one column, or coordinates, where values that are not listed are
// 0.
func ReadVector(file string, r io.Reader, n int) ([]float64, error) {
	l, err := newLines(file, r)
	if err != nil {
		return nil, err
	}
	h, err := begin(l)
	if err != nil {
		return nil, err
	}
	if h.symmetric {
		return nil, &Error{File: file, Line: 1, Msg: "a vector is not symmetric", Remedy: "say general in the header"}
	}
	entries, err := vectorSize(l, h, n)
	if err != nil {
		return nil, err
	}
	v := make([]float64, n)
	for read := range entries {
		if ok, err := l.nextData(); err != nil {
			return nil, err
		} else if !ok {
			return nil, l.fail(0, "is the file complete?", "the file ends after %d of %d values", read, entries)
		}
		row, at := read+1, 0
		if !h.array {
			if row, at, err = l.index(at, "the row", int64(n)); err == nil {
				_, at, err = l.index(at, "the column", 1)
			}
		}
		var value float64
		if err == nil {
			value, at, err = l.value(at)
		}
		if err == nil {
			err = l.end(at, "an array has one value a line, coordinates are a row, a column and a value")
		}
		if err != nil {
			return nil, err
		}
		v[row-1] += value
	}
	if ok, err := l.nextData(); err != nil {
		return nil, err
	} else if ok {
		return nil, l.fail(1, "correct the line with the sizes", "there is more than the %d values that were announced",
			entries)
	}
	return v, nil
}

// vectorSize reads "rows columns" of an array, or "rows columns entries".
func vectorSize(l *lines, h header, n int) (entries int64, err error) {
	rows, at, err := l.index(0, "the number of rows", math.MaxInt32)
	if err != nil {
		return 0, err
	}
	cols, at, err := l.index(at, "the number of columns", math.MaxInt32)
	if err != nil {
		return 0, err
	}
	entries = rows
	if !h.array {
		if entries, at, err = l.index(at, "the number of entries", 1<<40); err != nil {
			return 0, err
		}
	}
	if err := l.end(at, "the sizes are rows and columns, and entries in coordinate format"); err != nil {
		return 0, err
	}
	switch {
	case cols != 1:
		return 0, l.fail(1, "give one column; solve for one right side at a time", "the right side has %d columns",
			cols)
	case rows != int64(n):
		return 0, l.fail(1, fmt.Sprintf("it needs %d, one for each row of the matrix", n), "the right side has %d rows",
			rows)
	}
	return entries, nil
}
