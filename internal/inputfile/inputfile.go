// Package inputfile opens the files that users name as inputs: regular files, and standard input under the name "-".
// Other file types (FIFOs, devices, sockets) are refused, because reading them may block or never end.
package inputfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// Stdin is the name that selects standard input.
const Stdin = "-"

// MaxBytes is the largest input that is read into memory: ten million blocks of a floorplan, or a power map of 5000 x
// 5000 tiles. Larger files are mistakes or attacks.
const MaxBytes = 1 << 28

// ErrNotRegular reports that a path does not name a regular file.
var ErrNotRegular = errors.New("not a regular file")

// Open opens a regular file.
func Open(path string) (*os.File, error) {
	// Opening a FIFO blocks until another process writes into it, so the type is checked first.
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

// OpenAsked opens a file named on the command line: a regular file, or standard input for Stdin.
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
			Err: fmt.Errorf("%w but a pipe; redirect it to standard input and use - as the file name", ErrNotRegular)}
	}
	return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("%w but a device or socket", ErrNotRegular)}
}

// Read reads a regular file of at most MaxBytes.
func Read(path string) ([]byte, error) { return read(Open(path)) }

// ReadAsked is Read for a file named on the command line.
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
	data := make([]byte, 0, size+1) // one byte more, so that EOF is seen without growing
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
	return fmt.Errorf("larger than %d MiB, the limit for input files", MaxBytes>>20)
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
