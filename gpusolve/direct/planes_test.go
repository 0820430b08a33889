package direct

import (
	"testing"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
)

// With room for few planes or all, in any order, planes read and the hottest of them are the same bits.
func TestPlanesComeThroughAnyRoom(t *testing.T) {
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: 12, NY: 9}))
	if err != nil {
		t.Fatal(err)
	}
	l, err := fourier.Of(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(m, l, &driver.Job{Options: driver.Options{Device: "cpu"}}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Advance(0, 0, 0); err != nil {
		t.Fatal(err)
	}
	if out, err := s.Settle(t.Context(), &driver.Options{}, 1, nil); err != nil || !out.Converged {
		t.Fatalf("%+v, %v", out, err)
	}
	want := make([][]float64, l.NZ)
	for k := range want {
		want[k] = make([]float64, l.NX*l.NY)
		s.Planes.read(s.X, k, want[k])
	}
	hottest := s.Hottest()
	for capacity := 1; capacity <= l.NZ; capacity++ {
		if s.Planes.Vector, err = s.fourier.NewPlanes(capacity); err != nil {
			t.Fatal(err)
		}
		s.Planes.of, s.Planes.valid = nil, make([]bool, capacity)
		if top := s.Hottest(); top != hottest {
			t.Errorf("room for %d planes: hottest %g, want %g", capacity, top, hottest)
		}
		for _, k := range []int{0, 1, 2, 9, 3, 3, 4, 0, 5} {
			got := make([]float64, l.NX*l.NY)
			s.Planes.read(s.X, k, got)
			for c, v := range got {
				if v != want[k][c] {
					t.Fatalf("room for %d planes, plane %d, cell %d: %g, want %g", capacity, k, c, v, want[k][c])
				}
			}
		}
	}
}
