package cudriver

import (
	"errors"
	"testing"
)

// Memory of one account serves the next of the same size; the driver is asked again for others, and gets all back in
// the end.
func TestPoolServesTheNext(t *testing.T) {
	calls := map[string]int{}
	d := Faulty(newMemDriver(), func(call string, _ int) error { calls[call]++; return nil })
	p := NewPool(d)
	var first DevicePtr
	for run := range 3 {
		m := p.NewMemory()
		a, err := Alloc[float64](m, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if run == 0 {
			first = a.Ptr.Address()
		} else if a.Ptr.Address() != first {
			t.Errorf("run %d has other memory", run)
		}
		if err := a.Upload(0, 0, make([]float64, 1000)); err != nil {
			t.Fatal(err)
		}
		if m.Live() != 8000 || p.Bytes() != 0 {
			t.Errorf("%d bytes live, %d kept", m.Live(), p.Bytes())
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if m.Live() != 0 || p.Bytes() != 8000 {
			t.Errorf("%d bytes live, %d kept after the end", m.Live(), p.Bytes())
		}
	}
	if calls["cuMemAlloc"] != 1 || calls["cuMemAllocHost"] != 1 || calls["cuMemFree"] != 0 {
		t.Errorf("%v", calls)
	}
	m := p.NewMemory()
	if _, err := Alloc[float64](m, 1001); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.Close(), p.Close()); err != nil {
		t.Fatal(err)
	}
	if calls["cuMemAlloc"] != 2 || calls["cuMemFree"] != 2 || calls["cuMemFreeHost"] != 1 ||
		calls["cuEventDestroy"] != calls["cuEventCreate"] {
		t.Errorf("%v", calls)
	}
}

// Where the driver has nothing left, what the pool keeps goes back to it before the request fails.
func TestPoolGivesWayToLargerRequests(t *testing.T) {
	full := true
	d := Faulty(newMemDriver(), func(call string, n int) error {
		switch {
		case call == "cuMemFree":
			full = false
		case call == "cuMemAlloc" && n > 0 && full:
			return &Error{Call: call, Result: OutOfMemory}
		}
		return nil
	})
	p := NewPool(d)
	m := p.NewMemory()
	small, err := Alloc[float64](m, 10)
	if err == nil {
		err = small.Free()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Alloc[float64](m, 1000); err != nil || p.Bytes() != 0 {
		t.Errorf("%v, %d bytes kept", err, p.Bytes())
	}
}
