package inputfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
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

// Text packs ten to thirty times smaller with gzip; files made to fill a memory pack a thousand times smaller. What
// unpacks to more than mostRatio times its size, beyond the first freeBytes, is refused.
const (
	mostRatio = 100
	freeBytes = 1 << 20
)

// unpacker reads what is packed, and counts.
type unpacker struct {
	z   *gzip.Reader
	in  *counter
	out int64
}

// Unpack reads what is packed with gzip, as long as it does not open to absurdly much.
func Unpack(r io.Reader) (io.Reader, error) {
	in := &counter{r: r}
	z, err := gzip.NewReader(bufio.NewReader(in))
	if err != nil {
		return nil, err
	}
	return &unpacker{z: z, in: in}, nil
}

// Read implements io.Reader.
func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	u.out += int64(n)
	if u.out > freeBytes+mostRatio*u.in.n {
		return 0, fmt.Errorf("it opens to more than %d times its size; unpack it yourself if it is meant so", mostRatio)
	}
	return n, err
}

// counter counts what is read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
