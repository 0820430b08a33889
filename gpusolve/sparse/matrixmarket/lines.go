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

	"thermsim/internal/inputfile"
)

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
