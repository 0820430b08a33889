package peerfield

import (
	"bytes"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &Maps{NX: rapid.IntRange(1, 5).Draw(t, "nx"), NY: rapid.IntRange(1, 5).Draw(t, "ny"), Quantum: 1e-6}
		n := m.NX * m.NY
		for range rapid.IntRange(0, 3).Draw(t, "maps") {
			m.Values = append(m.Values, rapid.SliceOfN(rapid.Float64Range(0, 1e4), n, n).Draw(t, "values"))
		}
		var file bytes.Buffer
		if err := Write(&file, m); err != nil {
			t.Fatal(err)
		}
		got, err := Read(&file)
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

func TestReadRefusesBrokenFiles(t *testing.T) {
	var file bytes.Buffer
	if err := Write(&file, &Maps{NX: 2, NY: 1, Quantum: 1, Values: [][]float64{{1, 2}}}); err != nil {
		t.Fatal(err)
	}
	for n := range file.Len() {
		if _, err := Read(bytes.NewReader(file.Bytes()[:n])); err == nil {
			t.Errorf("the first %d bytes were accepted", n)
		}
	}
	if err := Write(&file, &Maps{NX: 2, NY: 2, Quantum: 1, Values: [][]float64{{1}}}); err == nil {
		t.Error("a short map was written")
	}
}
