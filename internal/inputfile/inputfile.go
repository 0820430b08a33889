// Package inputfile opens what users name as inputs: regular files, and what is piped in where they ask for it with
// "-". Whatever else has a name in a file system (FIFOs, devices, sockets) may never answer, or never end.
package inputfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// Stdin is the name that asks for what is piped in.
const Stdin = "-"

// MaxBytes is the largest input that is read whole: ten million blocks of a floorplan, or a power map of 5000 x 5000
// tiles. Beyond lie mistakes and files made to do harm.
const MaxBytes = 1 << 28

// ErrNotRegular says that a name stands for no regular file.
var ErrNotRegular = errors.New("it is no regular file")

// Open opens a regular file.
func Open(path string) (*os.File, error) {
	// A FIFO must not even be opened: that waits for somebody to write into it.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := check(path, info); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(path, info)
	}
	if err != nil {
		_ = f.Close() // nothing was read from it
		return nil, err
	}
	return f, nil
}

// OpenAsked opens what stands on the command line: a regular file, or what is piped in for Stdin.
func OpenAsked(path string) (*os.File, error) {
	if path == Stdin {
		return os.Stdin, nil
	}
	return Open(path)
}

func check(path string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: errors.New("is a folder")}
	case mode&fs.ModeNamedPipe != 0:
		return &fs.PathError{Op: "open", Path: path,
			Err: fmt.Errorf("%w but a pipe; pipe into thermsim's standard input and give - as the name", ErrNotRegular)}
	}
	return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("%w but a device or socket", ErrNotRegular)}
}

// Read reads a regular file of at most MaxBytes.
func Read(path string) ([]byte, error) { return read(Open(path)) }

// ReadAsked is Read for what stands on the command line.
func ReadAsked(path string) ([]byte, error) { return read(OpenAsked(path)) }

func read(f *os.File, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := int64(0)
	if info, err := f.Stat(); err == nil {
		size = info.Size()
	}
	if size > MaxBytes {
		return nil, tooLarge()
	}
	data := make([]byte, 0, size+1) // one more, so that the end is seen without growing
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		case len(data) > MaxBytes:
			return nil, tooLarge()
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

func tooLarge() error {
	return fmt.Errorf("larger than %d MiB, the most that is read", MaxBytes>>20)
}

// Number reads a decimal number, as strconv.ParseFloat does, but none of the other forms that ParseFloat takes:
// hexadecimal numbers, underscores between digits, infinities and NaN are errors of syntax.
func Number(text string) (float64, error) {
	for i := range len(text) {
		switch text[i] {
		case 'x', 'X', 'p', 'P', 'n', 'N', '_':
			return 0, &strconv.NumError{Func: "Number", Num: text, Err: strconv.ErrSyntax}
		}
	}
	return strconv.ParseFloat(text, 64)
}

// Error is a fault in a file: where, what is wrong and what to do about it.
type Error struct {
	File   string
	Line   int // from 1; 0 where the whole file is meant
	Column int // in characters from 1; 0 where the whole line is meant
	Msg    string
	Remedy string
	Err    error // cause, may be nil
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Column > 0 {
		fmt.Fprintf(&b, ":%d", e.Column)
	}
	fmt.Fprintf(&b, ": %s", e.Msg)
	if e.Remedy != "" {
		fmt.Fprintf(&b, "; %s", e.Remedy)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }
