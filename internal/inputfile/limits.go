package inputfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// fewTables is the number of objects that any JSON file may have.
const fewTables = 1000

// Crowded rejects JSON with more objects than its size allows, given the minimum size of a valid object in bytes.
// Decoded empty objects would take many times the memory of the file.
func Crowded(data []byte, bytesEach int) error {
	return crowded(int64(bytes.Count(data, []byte("{"))), int64(len(data)), bytesEach)
}

func crowded(tables, size int64, bytesEach int) error {
	if tables > fewTables+size/int64(bytesEach) {
		return fmt.Errorf("%d objects { } in %d bytes are more than a valid file of this size contains", tables, size)
	}
	return nil
}

// Uncrowded reads JSON, and returns an error once the data read so far fails Crowded.
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

// gzip compresses text ten to thirty times; decompression bombs reach a factor of a thousand. Data that decompresses to
// more than mostRatio times its size, beyond the first freeBytes, is rejected.
const (
	mostRatio = 100
	freeBytes = 1 << 20
)

// unpacker decompresses, and counts the output.
type unpacker struct {
	z   *gzip.Reader
	in  *counter
	out int64
}

// Unpack decompresses gzip data, up to the limit of mostRatio.
func Unpack(r io.Reader) (io.Reader, error) {
	in := &counter{r: r}
	z, err := gzip.NewReader(bufio.NewReader(in))
	if err != nil {
		return nil, err
	}
	return &unpacker{z: z, in: in}, nil
}

// Unpacked is the content of a file that may be compressed with gzip.
func Unpacked(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		return data, nil
	}
	z, err := Unpack(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if data, err = io.ReadAll(io.LimitReader(z, MaxBytes+1)); len(data) > MaxBytes {
		err = tooLarge()
	}
	return data, err
}

// Read implements io.Reader.
func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	u.out += int64(n)
	if u.out > freeBytes+mostRatio*u.in.n {
		return 0, fmt.Errorf("decompresses to more than %d times its size; if this is intended, decompress the file "+
			"first", mostRatio)
	}
	return n, err
}

// counter counts the bytes read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
