package inputfile

import (
	"bytes"
	"fmt"
	"io"
)

// fewTables is how many tables any JSON file may have.
const fewTables = 1000

// Crowded refuses JSON with more tables than its size has room for, where each takes so many bytes at least as it is
// meant. What is decoded of empty ones takes many times the room of the file.
func Crowded(data []byte, bytesEach int) error {
	return crowded(int64(bytes.Count(data, []byte("{"))), int64(len(data)), bytesEach)
}

func crowded(tables, size int64, bytesEach int) error {
	if tables > fewTables+size/int64(bytesEach) {
		return fmt.Errorf("%d tables { } in %d bytes are more than such a file has", tables, size)
	}
	return nil
}

// Uncrowded reads JSON, and ends with an error where what was read so far is crowded.
func Uncrowded(in io.Reader, bytesEach int) io.Reader {
	return &uncrowded{in: in, bytesEach: bytesEach}
}

type uncrowded struct {
	in           io.Reader
	bytesEach    int
	tables, size int64
}

func (u *uncrowded) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	u.tables, u.size = u.tables+int64(bytes.Count(p[:n], []byte("{"))), u.size+int64(n)
	if full := crowded(u.tables, u.size, u.bytesEach); full != nil {
		return 0, full
	}
	return n, err
}
