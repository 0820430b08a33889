package matrixmarket

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"thermsim/internal/inputfile"
	"thermsim/stack"
)

// lines walks over the lines of a file that say something. Its first failure is kept, and ends the walk: what is read
// afterwards means nothing.
type lines struct {
	file string
	r    *bufio.Reader
	text []byte // of the current line, without its end
	line int    // its number
	at   int    // how far it has been read
	err  error  // the first failure

	graph  bool  // the file may be a pattern and have empty rows
	packed int64 // bytes of a file that is packed, 0 where not known
}

// maxLine is the longest line; the format allows 1024 characters.
const maxLine = 1 << 16

func newLines(file string, r io.Reader) *lines {
	l := &lines{file: file, r: bufio.NewReaderSize(r, maxLine)}
	if magic, err := l.r.Peek(2); err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
		return l
	}
	unpacked, err := inputfile.Unpack(l.r)
	if err != nil {
		l.err = &stack.Error{Pos: stack.Pos{File: file}, Msg: "cannot be unpacked: " + err.Error(),
			Remedy: "pack it with gzip, or leave it unpacked", Err: err}
		return l
	}
	l.r = bufio.NewReaderSize(unpacked, maxLine)
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			l.packed = info.Size()
		}
	}
	return l
}

// next moves to the next line. It is false at the end of the file and after a failure.
func (l *lines) next() bool {
	if l.err != nil {
		return false
	}
	text, err := l.r.ReadSlice('\n')
	switch {
	case err == nil, errors.Is(err, io.EOF) && len(text) > 0:
	case errors.Is(err, io.EOF):
		return false
	case errors.Is(err, bufio.ErrBufferFull):
		l.line++
		l.fail(0, "is this a Matrix Market file?", "the line is longer than %d characters", maxLine)
		return false
	default:
		l.err = &stack.Error{Pos: stack.Pos{File: l.file, Line: l.line + 1}, Msg: "cannot be read: " + err.Error(),
			Remedy: "is the file complete?", Err: err}
		return false
	}
	l.text, l.at = bytes.TrimRight(text, "\r\n"), 0
	l.line++
	return true
}

// nextData moves to the next line that is neither blank nor a comment.
func (l *lines) nextData() bool {
	for l.next() {
		if rest := bytes.TrimLeft(l.text, " \t"); len(rest) > 0 && rest[0] != '%' {
			return true
		}
	}
	return false
}

// word reads the next word of the line, which is empty at its end, and its column from 1.
func (l *lines) word() (w []byte, col int) {
	for l.at < len(l.text) && (l.text[l.at] == ' ' || l.text[l.at] == '\t') {
		l.at++
	}
	start := l.at
	for l.at < len(l.text) && l.text[l.at] != ' ' && l.text[l.at] != '\t' {
		l.at++
	}
	return l.text[start:l.at], start + 1
}

// index reads a whole number from 1 to limit.
func (l *lines) index(what string, limit int64) (v int64) {
	w, col := l.word()
	if len(w) == 0 {
		l.fail(col, "", "%s is missing", what)
		return 0
	}
	for _, c := range w {
		if c < '0' || c > '9' {
			l.fail(col, "", "%s is %q, not a whole number", what, w)
			return 0
		}
		if v = v*10 + int64(c-'0'); v > limit {
			l.fail(col, "", "%s is %s, above %d", what, w, limit)
			return 0
		}
	}
	if v == 0 {
		l.fail(col, "rows, columns and sizes count from 1", "%s is 0", what)
	}
	return v
}

// value reads a finite number.
func (l *lines) value() float64 {
	w, col := l.word()
	if len(w) == 0 {
		l.fail(col, "", "the value is missing")
		return 0
	}
	text := string(w)
	v, err := inputfile.Number(text)
	if errors.Is(err, strconv.ErrSyntax) {
		v, err = inputfile.Number(exponents.Replace(text))
	}
	switch {
	case errors.Is(err, strconv.ErrRange) && math.IsInf(v, 0):
		l.fail(col, "scale the system", "%s is too large for double precision", w)
	case err != nil && !errors.Is(err, strconv.ErrRange):
		l.fail(col, "", "%q is not a number", w)
	}
	return v
}

// exponents turns Fortran's 1.5D-3 into 1.5e-3.
var exponents = strings.NewReplacer("d", "e", "D", "e")

// end refuses anything more on the line.
func (l *lines) end(remedy string) {
	if w, col := l.word(); len(w) > 0 {
		l.fail(col, remedy, "%q is too much on this line", w)
	}
}

// fail keeps an error on the current line, unless there was one before.
func (l *lines) fail(col int, remedy, format string, args ...any) {
	if l.err == nil {
		l.err = &stack.Error{Pos: stack.Pos{File: l.file, Line: l.line, Col: col},
			Msg: fmt.Sprintf(format, args...), Remedy: remedy}
	}
}
