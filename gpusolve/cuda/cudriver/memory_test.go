package cudriver

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// noLeaks checks that the device has back all it gave.
func (d *memDriver) noLeaks(t *testing.T) {
	t.Helper()
	if len(d.blocks) != 0 || len(d.pinned) != 0 || len(d.events) != 0 || d.used != 0 {
		t.Errorf("left: %d blocks, %d pinned, %d events, %d bytes", len(d.blocks), len(d.pinned), len(d.events), d.used)
	}
}

func TestMemoryCounts(t *testing.T) {
	d := newMemDriver()
	m := NewMemory(d)
	a, err := Alloc[float32](m, 100)
	equal(t, "bytes", a.Bytes(), err, 400)
	b, err := Alloc[float64](m, 50)
	equal(t, "live", m.Live(), err, 800)
	equal(t, "free", 0, a.Free(), 0)
	equal(t, "free again", 0, a.Free(), 0)
	equal(t, "free", 0, b.Free(), 0)
	equal(t, "live, peak", [2]int64{m.Live(), m.Peak()}, nil, [2]int64{0, 800})
	c, err := Alloc[uint8](m, 5)
	equal(t, "padded", m.Live(), err, 8)
	e, err := Alloc[int32](m, 0)
	equal(t, "empty", e.Ptr, err, Ptr[int32]{})
	equal(t, "close", 0, m.Close(), 0)
	equal(t, "free after close", 0, c.Free(), 0)
	d.noLeaks(t)
	if _, err := Alloc[float64](m, -1); err == nil {
		t.Error("a negative length was taken")
	}
	if _, err := Alloc[float64](m, math.MaxInt); err == nil {
		t.Error("a length whose bytes overflow was taken")
	}
}

func TestOutOfMemorySaysHowMuch(t *testing.T) {
	d := newMemDriver()
	d.total = 8e9
	d.used = 1e9
	m := NewMemory(d)
	_, err := Alloc[float64](m, 2e9)
	if !errors.Is(err, ErrOutOfMemory) ||
		!strings.HasPrefix(err.Error(), "16.00 GB asked for, 7.00 GB of 8.00 GB free on the device, 0.00 GB in use "+
			"by this run: cuMemAlloc: ") {
		t.Error(err)
	}
}

// TestTransfers sends arrays of awkward lengths up in pieces and fetches them in other pieces.
func TestTransfers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 3, 15, 16, 17, 32, 33, 100, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			d := newMemDriver()
			m := NewMemory(d)
			m.chunk = 64 // 16 elements
			b, err := Alloc[float32](m, n)
			if err != nil {
				t.Fatal(err)
			}
			src := make([]float32, n)
			for i := range src {
				src[i] = r.Float32()
			}
			want := slices.Clone(src)
			cut := r.IntN(n + 1)
			for _, err := range []error{b.Zero(0), b.Upload(0, cut, src[cut:]), b.Upload(0, 0, src[:cut])} {
				if err != nil {
					t.Fatal(err)
				}
			}
			clear(src) // allowed as soon as Upload is back
			dst := make([]float32, n)
			cut = r.IntN(n + 1)
			for _, err := range []error{b.Download(0, 0, dst[:cut]), b.Download(0, cut, dst[cut:])} {
				if err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(dst, want) {
				t.Errorf("got %v\nwant %v", dst, want)
			}
			if err := errors.Join(b.Free(), m.Close()); err != nil {
				t.Error(err)
			}
			d.noLeaks(t)
		})
	}
}

func TestZeroReachesTheLastByte(t *testing.T) {
	d := newMemDriver()
	m := NewMemory(d)
	b, err := Alloc[uint8](m, 7)
	if err != nil {
		t.Fatal(err)
	}
	got := []uint8{9, 9, 9, 9, 9, 9, 9}
	if err := errors.Join(b.Upload(0, 0, got), b.Zero(0), b.Download(0, 0, got)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, make([]uint8, 7)) {
		t.Errorf("got %v", got)
	}
}

func TestTransferOutOfRange(t *testing.T) {
	m := NewMemory(newMemDriver())
	b, err := Alloc[float32](m, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{-1, 8, 11} {
		if b.Upload(0, at, make([]float32, 3)) == nil || b.Download(0, at, make([]float32, 3)) == nil {
			t.Errorf("3 elements at %d of 10 were copied", at)
		}
	}
}

// TestEveryFaultOfATransfer fails each call of a run in turn: the run must say so, and Close must leave nothing behind
// unless it was the giving back that failed; then a second Close does it.
func TestEveryFaultOfATransfer(t *testing.T) {
	run := func(d Driver, m *Memory) error {
		b, err := Alloc[float32](m, 100)
		if err != nil {
			return err
		}
		x := make([]float32, 100)
		if err := errors.Join(b.Zero(0), b.Upload(0, 0, x[:3]), b.Upload(0, 0, x), b.Download(0, 0, x)); err != nil {
			return err
		}
		return b.Free()
	}
	count := 1
	for n := 0; n < count; n++ {
		d := newMemDriver()
		f := Faulty(d, FailAt(n, LaunchFailed))
		if n == 0 { // how many calls there are without a fault
			clean := Faulty(newMemDriver(), nil)
			m := NewMemory(clean)
			m.chunk = 64
			if err := errors.Join(run(clean, m), m.Close()); err != nil {
				t.Fatal(err)
			}
			count = len(clean.Calls())
		}
		m := NewMemory(f)
		m.chunk = 64
		err := errors.Join(run(f, m), m.Close())
		var e *Error
		if !errors.As(err, &e) || e.Result != LaunchFailed {
			t.Errorf("call %d (%s) failed and the run gave %v", n, f.Calls()[n], err)
		}
		if err := m.Close(); err != nil {
			t.Errorf("second Close after call %d: %v", n, err)
		}
		equal(t, "live", m.Live(), nil, 0)
		d.noLeaks(t)
	}
	if count < 30 {
		t.Errorf("only %d calls were tried", count)
	}
}
