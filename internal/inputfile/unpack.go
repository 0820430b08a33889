package inputfile

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
)

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
