package eda

import (
	"bufio"
	"fmt"
	"io"

	"thermsim/internal/inputfile"
	"thermsim/interop/importer"
	"thermsim/stack"
)

// Opener opens an input file.
type Opener func(path string) (io.ReadCloser, error)

const bufferSize = 1 << 18

// input opens a file, decompresses it if it is a gzip file, and skips a byte order mark. After a fault the reader is
// nil.
func (m *reading) input(path, what string) (*bufio.Reader, func()) {
	open := m.open
	if open == nil {
		open = func(path string) (io.ReadCloser, error) { return inputfile.Open(path) }
	}
	if path == "" {
		m.Faults.Add(stack.Pos{}, "", "no %s was given", what)
		return nil, nil
	}
	f, err := open(path)
	if err != nil {
		m.Faults.AddError(&stack.Error{Pos: stack.Pos{File: path},
			Msg: fmt.Sprintf("cannot read the %s: %s", what, importer.Reason(err)), Err: err})
		return nil, nil
	}
	done := func() { _ = f.Close() } // only read from
	r := bufio.NewReaderSize(f, bufferSize)
	if magic, err := r.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		unpacked, err := inputfile.Unpack(r)
		if err != nil {
			m.Faults.AddError(&stack.Error{Pos: stack.Pos{File: path, Line: 1},
				Msg: fmt.Sprintf("the %s cannot be decompressed: %v", what, err), Err: err})
			done()
			return nil, nil
		}
		r = bufio.NewReaderSize(unpacked, bufferSize)
	}
	if mark, err := r.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		_, _ = r.Discard(3) // in the buffer already
	}
	return r, done
}
