package verify

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// The format of testdata/*.fld.gz: temperature maps of other simulators, stored compactly. Temperatures are rounded to
// a quantum stated in the file, each is predicted from its western, southern and south-western neighbours (as PNG's
// filters do), and the differences are written as variable-length integers under gzip: about two bytes per temperature
// at 1e-6 K.

// peerMaps are lateral temperature maps of one size: planes, or instants of one plane.
type peerMaps struct {
	NX, NY  int
	Quantum float64     // K, what temperatures were rounded to
	Values  [][]float64 // K, one map each, x fastest from the south-west corner
}

const peerHeader = "peerfield 1: %d x %d cells, %d maps, quantum %g K\n"

// writePeer encodes m.
func writePeer(w io.Writer, m *peerMaps) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(z, peerHeader, m.NX, m.NY, len(m.Values), m.Quantum); err != nil {
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

// readPeer decodes what writePeer wrote.
func readPeer(r io.Reader) (*peerMaps, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReader(z)
	m := &peerMaps{}
	var count int
	if _, err := fmt.Fscanf(in, peerHeader, &m.NX, &m.NY, &count, &m.Quantum); err != nil {
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

// readPeerFile decodes a file.
func readPeerFile(path string) (*peerMaps, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := readPeer(f)
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

func TestPeerMapsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &peerMaps{NX: rapid.IntRange(1, 5).Draw(t, "nx"), NY: rapid.IntRange(1, 5).Draw(t, "ny"), Quantum: 1e-6}
		n := m.NX * m.NY
		for range rapid.IntRange(0, 3).Draw(t, "maps") {
			m.Values = append(m.Values, rapid.SliceOfN(rapid.Float64Range(0, 1e4), n, n).Draw(t, "values"))
		}
		var file bytes.Buffer
		if err := writePeer(&file, m); err != nil {
			t.Fatal(err)
		}
		got, err := readPeer(&file)
		if err != nil {
			t.Fatal(err)
		}
		if got.NX != m.NX || got.NY != m.NY || got.Quantum != m.Quantum || len(got.Values) != len(m.Values) {
			t.Fatalf("got %d x %d, %d maps, quantum %g", got.NX, got.NY, len(got.Values), got.Quantum)
		}
		for k, values := range m.Values {
			for c, v := range values {
				if math.Abs(got.Values[k][c]-v) > 0.51e-6 {
					t.Fatalf("map %d, value %d: %.9f, want %.9f", k, c, got.Values[k][c], v)
				}
			}
		}
	})
}

func TestBrokenPeerMapsAreRefused(t *testing.T) {
	var file bytes.Buffer
	if err := writePeer(&file, &peerMaps{NX: 2, NY: 1, Quantum: 1, Values: [][]float64{{1, 2}}}); err != nil {
		t.Fatal(err)
	}
	for n := range file.Len() {
		if _, err := readPeer(bytes.NewReader(file.Bytes()[:n])); err == nil {
			t.Errorf("the first %d bytes were accepted", n)
		}
	}
	if err := writePeer(&file, &peerMaps{NX: 2, NY: 2, Quantum: 1, Values: [][]float64{{1}}}); err == nil {
		t.Error("a short map was written")
	}
}
