// Package peerfield stores temperature maps of other simulators compactly, so that they can live in the repository as
// references for tests. Temperatures are rounded to a quantum stated in the file, each is predicted from its western,
// southern and south-western neighbours (as PNG's filters do), and the differences are written as variable-length
// integers under gzip: about two bytes per temperature at 1e-6 K.
package peerfield

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// Maps are lateral temperature maps of one size: planes, or instants of one plane.
type Maps struct {
	NX, NY  int
	Quantum float64     // K, what temperatures were rounded to
	Values  [][]float64 // K, one map each, x fastest from the south-west corner
}

const header = "peerfield 1: %d x %d cells, %d maps, quantum %g K\n"

// Write encodes m.
func Write(w io.Writer, m *Maps) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(z, header, m.NX, m.NY, len(m.Values), m.Quantum); err != nil {
		return err
	}
	var buf []byte
	quanta := make([]int64, m.NX*m.NY)
	for n, values := range m.Values {
		if len(values) != len(quanta) {
			return fmt.Errorf("map %d has %d values, not %d x %d", n, len(values), m.NX, m.NY)
		}
		buf = buf[:0]
		for c, v := range values {
			quanta[c] = int64(math.Round(v / m.Quantum))
			buf = binary.AppendVarint(buf, quanta[c]-predict(quanta, c, m.NX))
		}
		if _, err := z.Write(buf); err != nil {
			return err
		}
	}
	return z.Close()
}

// Read decodes what Write wrote.
func Read(r io.Reader) (*Maps, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReader(z)
	m := &Maps{}
	var count int
	if _, err := fmt.Fscanf(in, header, &m.NX, &m.NY, &count, &m.Quantum); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if m.NX < 1 || m.NY < 1 || m.NX > 1<<14 || m.NY > 1<<14 {
		return nil, errors.New("header: unlikely size")
	}
	quanta := make([]int64, m.NX*m.NY)
	for range count {
		values := make([]float64, len(quanta))
		for c := range quanta {
			d, err := binary.ReadVarint(in)
			if err != nil {
				return nil, fmt.Errorf("map %d, value %d: %w", len(m.Values), c, err)
			}
			quanta[c] = predict(quanta, c, m.NX) + d
			values[c] = float64(quanta[c]) * m.Quantum
		}
		m.Values = append(m.Values, values)
	}
	switch _, err := in.ReadByte(); err { // reading to the end also checks gzip's checksum
	case io.EOF:
		return m, nil
	case nil:
		return nil, errors.New("more values than the header says")
	default:
		return nil, err
	}
}

// ReadFile decodes a file.
func ReadFile(path string) (*Maps, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// predict extends the plane through the three neighbours that come earlier.
func predict(q []int64, c, nx int) int64 {
	switch i, j := c%nx, c/nx; {
	case i > 0 && j > 0:
		return q[c-1] + q[c-nx] - q[c-nx-1]
	case i > 0:
		return q[c-1]
	case j > 0:
		return q[c-nx]
	}
	return 0
}
