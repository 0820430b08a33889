// Package matrixmarket reads and writes matrices and vectors in the text format of the Matrix Market
// (https://math.nist.gov/MatrixMarket/formats.html): coordinate matrices, real or integer, general or symmetric, and
// vectors as arrays or coordinates. Files may be compressed with gzip.
package matrixmarket

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"thermsim/gpusolve/sparse"
	"thermsim/internal/inputfile"
)

// Error is a fault in a file.
type Error = inputfile.Error

// header is the first line of a file: %%MatrixMarket matrix FORMAT FIELD SYMMETRY.
type header struct {
	array     bool
	symmetric bool
}

const banner = "%%MatrixMarket"

// parseHeader reads the first line.
func parseHeader(l *lines) (h header, err error) {
	words := l.words()
	if len(words) == 0 || !strings.EqualFold(words[0].text, banner) {
		return h, l.fail(1, "write it first, as in: %%MatrixMarket matrix coordinate real general",
			"the first line is not a Matrix Market header")
	}
	if len(words) != 5 {
		return h, l.fail(1, "it reads: %%MatrixMarket matrix coordinate real general", "the header has %d words, not 5",
			len(words))
	}
	choose := func(n int, remedy string, allowed ...string) (string, error) {
		for _, a := range allowed {
			if strings.EqualFold(words[n].text, a) {
				return a, nil
			}
		}
		return "", l.fail(words[n].col, remedy, "%q cannot be solved with; %s", words[n].text, list(allowed))
	}
	if _, err = choose(1, "write the matrix itself, not a graph or a set of vectors", "matrix"); err != nil {
		return h, err
	}
	format, err := choose(2, "write it in one of them", "coordinate", "array")
	if err != nil {
		return h, err
	}
	fields := "a pattern has no values and complex systems have no solver here: write real values"
	if _, err = choose(3, fields, "real", "integer", "double"); err != nil {
		return h, err
	}
	symmetry, err := choose(4, "write all entries and say general", "general", "symmetric")
	return header{array: format == "array", symmetric: symmetry == "symmetric"}, err
}

func list(words []string) string {
	if len(words) == 1 {
		return "only " + words[0] + " can"
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1] + " can"
}

// lines walks over the lines of a file that say something.
type lines struct {
	file string
	r    *bufio.Reader
	text []byte // of the current line, without its end
	line int    // its number

	packed int64 // bytes of a file that is packed, 0 where not known
}

// maxLine is the longest line; the format allows 1024 characters.
const maxLine = 1 << 16

func newLines(file string, r io.Reader) (*lines, error) {
	l := &lines{file: file, r: bufio.NewReaderSize(r, maxLine)}
	if magic, err := l.r.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		unpacked, err := inputfile.Unpack(l.r)
		if err != nil {
			return nil, &Error{File: file, Msg: "cannot be unpacked: " + err.Error(), Remedy: "pack it with gzip, or " +
				"leave it unpacked", Err: err}
		}
		l.r = bufio.NewReaderSize(unpacked, maxLine)
		if f, ok := r.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				l.packed = info.Size()
			}
		}
	}
	return l, nil
}

// next moves to the next line. ok is false at the end of the file.
func (l *lines) next() (ok bool, err error) {
	text, err := l.r.ReadSlice('\n')
	switch {
	case err == nil, errors.Is(err, io.EOF) && len(text) > 0:
	case errors.Is(err, io.EOF):
		return false, nil
	case errors.Is(err, bufio.ErrBufferFull):
		l.line++
		return false, l.fail(0, "is this a Matrix Market file?", "the line is longer than %d characters", maxLine)
	default:
		return false, &Error{File: l.file, Line: l.line + 1, Msg: "cannot be read: " + err.Error(),
			Remedy: "is the file complete?", Err: err}
	}
	l.text = bytes.TrimRight(text, "\r\n")
	l.line++
	return true, nil
}

// nextData moves to the next line that is neither blank nor a comment.
func (l *lines) nextData() (ok bool, err error) {
	for {
		if ok, err = l.next(); !ok || err != nil {
			return false, err
		}
		for _, c := range l.text {
			if c == '%' {
				break
			}
			if c != ' ' && c != '\t' {
				return true, nil
			}
		}
	}
}

// word is a part of a line and its column from 1.
type word struct {
	text string
	col  int
}

// words splits the current line at blanks.
func (l *lines) words() []word {
	var out []word
	for at := 0; ; {
		w, next := l.wordAt(at)
		if len(w) == 0 {
			return out
		}
		out = append(out, word{string(w), next - len(w) + 1})
		at = next
	}
}

// wordAt finds the first word from a place on, and the place behind it.
func (l *lines) wordAt(at int) (w []byte, next int) {
	for at < len(l.text) && (l.text[at] == ' ' || l.text[at] == '\t') {
		at++
	}
	start := at
	for at < len(l.text) && l.text[at] != ' ' && l.text[at] != '\t' {
		at++
	}
	return l.text[start:at], at
}

// index reads a whole number from 1 to limit.
func (l *lines) index(at int, what string, limit int64) (v int64, next int, err error) {
	w, next := l.wordAt(at)
	col := next - len(w) + 1
	if len(w) == 0 {
		return 0, next, l.fail(col, "", "%s is missing", what)
	}
	for _, c := range w {
		if c < '0' || c > '9' {
			return 0, next, l.fail(col, "", "%s is %q, not a whole number", what, w)
		}
		if v = v*10 + int64(c-'0'); v > limit {
			return 0, next, l.fail(col, "", "%s is %s, above %d", what, w, limit)
		}
	}
	if v == 0 {
		return 0, next, l.fail(col, "rows, columns and sizes count from 1", "%s is 0", what)
	}
	return v, next, nil
}

// value reads a finite number.
func (l *lines) value(at int) (v float64, next int, err error) {
	w, next := l.wordAt(at)
	col := next - len(w) + 1
	if len(w) == 0 {
		return 0, next, l.fail(col, "", "the value is missing")
	}
	text := string(w)
	v, err = inputfile.Number(text)
	if errors.Is(err, strconv.ErrSyntax) {
		v, err = inputfile.Number(exponents.Replace(text))
	}
	switch {
	case errors.Is(err, strconv.ErrRange) && math.IsInf(v, 0):
		return 0, next, l.fail(col, "scale the system", "%s is too large for double precision", w)
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, next, l.fail(col, "", "%q is not a number", w)
	}
	return v, next, nil
}

// exponents turns Fortran's 1.5D-3 into 1.5e-3.
var exponents = strings.NewReplacer("d", "e", "D", "e")

// end refuses anything more on the line.
func (l *lines) end(at int, remedy string) error {
	if w, next := l.wordAt(at); len(w) > 0 {
		return l.fail(next-len(w)+1, remedy, "%q is too much on this line", w)
	}
	return nil
}

// fail is an error on the current line.
func (l *lines) fail(col int, remedy, format string, args ...any) error {
	return &Error{File: l.file, Line: l.line, Column: col, Msg: fmt.Sprintf(format, args...), Remedy: remedy}
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
	return nil, &Error{File: path, Msg: "cannot be read: " + cause.Error(), Remedy: "name a Matrix Market file (.mtx)",
		Err: err}
}

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

// Size is what the head of a file of a matrix announces. Entries are those that are kept: a symmetric file lists half
// of them.
type Size struct{ Rows, Entries int64 }

// ReadSize reads the head of a regular file alone; ok is false for what has none to read twice, such as a pipe, and for
// files that OpenMatrix will refuse.
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
	l, err := newLines(path, f)
	if err != nil {
		return size, false
	}
	h, err := begin(l)
	if err != nil || h.array {
		return size, false
	}
	n, entries, err := matrixSize(l)
	if err != nil {
		return size, false
	}
	if h.symmetric {
		entries = 2*entries - n
	}
	return Size{n, entries}, true
}
