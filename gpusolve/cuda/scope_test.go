package cuda_test

import (
	"errors"
	"testing"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/mesh"
)

// smallDriver has memory for so many bytes, and counts requests.
type smallDriver struct {
	cudriver.Driver
	room, taken int64
	calls       int
	blocks      map[cudriver.DevicePtr]int64
}

func (d *smallDriver) MemAlloc(bytes int64) (cudriver.DevicePtr, error) {
	d.calls++
	if d.taken+bytes > d.room {
		return 0, &cudriver.Error{Call: "cuMemAlloc", Result: cudriver.OutOfMemory}
	}
	p, err := d.Driver.MemAlloc(bytes)
	if err == nil {
		d.taken += bytes
		d.blocks[p] = bytes
	}
	return p, err
}

func (d *smallDriver) MemFree(p cudriver.DevicePtr) error {
	d.taken -= d.blocks[p]
	delete(d.blocks, p)
	return d.Driver.MemFree(p)
}

// space opens one on a small driver.
func space(t *testing.T) (*cuda.Space, *smallDriver) {
	t.Helper()
	drv := &smallDriver{Driver: interpreter.New(interpreter.Options{NoRaces: true}), room: 1 << 30,
		blocks: map[cudriver.DevicePtr]int64{}}
	d, err := cuda.Open(drv, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	t.Cleanup(d.Bind())
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: 3}))
	if err != nil {
		t.Fatal(err)
	}
	sys, err := d.Assemble(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sys.Free)
	s, _ := cuda.SpaceOf(sys)
	return s, drv
}

// setUp keeps two arrays and has a third in passing: all three live at a time.
func setUp(s *cuda.Space, kept *[2]cudriver.Ptr[float64], passing int64) func() error {
	return func() error {
		kept[0] = cuda.Alloc[float64](s, 100)
		p := cuda.Alloc[float64](s, passing)
		kept[1] = cuda.Alloc[float64](s, 300)
		s.Discard(p)
		return s.Err()
	}
}

// TestRemake uses the memory of a scope again, zeroed, asks the driver for what a set-up needs in passing alone, and
// holds neither more nor at any time more.
func TestRemake(t *testing.T) {
	s, drv := space(t)
	before := s.Allocated()
	var kept [2]cudriver.Ptr[float64]
	o, err := s.Scope(setUp(s, &kept, 200))
	if err != nil {
		t.Fatal(err)
	}
	held, peak, former := s.Allocated(), s.Peak(), kept
	for range 3 {
		cuda.Send(s, kept[1], []float64{1, 2, 3})
		calls := drv.calls
		if err := o.Remake(setUp(s, &kept, 200)); err != nil {
			t.Fatal(err)
		}
		var v [3]float64
		cuda.Receive(s, v[:], kept[1])
		if kept != former || v != [3]float64{} {
			t.Errorf("memory at %v, formerly %v, begins with %v", kept, former, v)
		}
		if drv.calls != calls+1 || s.Allocated() != held || s.Peak() != peak {
			t.Errorf("%d requests, %d bytes held of %d, %d at most of %d", drv.calls-calls, s.Allocated(), held,
				s.Peak(), peak)
		}
	}
	// More in passing than what is held leaves no room for: some of that is given back first.
	limit := peak - before
	if err := o.Remake(func() error {
		p := cuda.Alloc[float64](s, 500)
		s.Discard(p)
		return setUp(s, &kept, 200)()
	}); err != nil || s.Peak()-before != limit || s.Allocated() != held {
		t.Errorf("%v: %d bytes at most, %d at set-up; %d held of %d", err, s.Peak()-before, limit, s.Allocated(), held)
	}
	o.Close()
	o.Close()
	if n := s.Allocated(); n != before {
		t.Errorf("%d bytes are left", n-before)
	}
}

// TestRemakeWithoutRoom grows what is needed in passing where the GPU is full but for what set-up took: spare memory
// makes room. What does not fit even so is a failure after which all can be given back.
func TestRemakeWithoutRoom(t *testing.T) {
	s, drv := space(t)
	before := s.Allocated()
	var kept [2]cudriver.Ptr[float64]
	o, err := s.Scope(setUp(s, &kept, 200))
	if err != nil {
		t.Fatal(err)
	}
	drv.room = drv.taken + 200*8
	if err := o.Remake(setUp(s, &kept, 199)); err != nil {
		t.Fatal(err)
	}
	drv.room = drv.taken
	if err := o.Remake(func() error {
		cuda.Alloc[float64](s, 390)
		return s.Err()
	}); err != nil {
		t.Errorf("%v: the scope held more than it asked for", err)
	}
	err = o.Remake(func() error {
		cuda.Alloc[float64](s, 1000)
		return s.Err()
	})
	if !errors.Is(err, cudriver.ErrOutOfMemory) {
		t.Errorf("error %v", err)
	}
	o.Close()
	if n := s.Allocated(); n != before {
		t.Errorf("%d bytes are left", n-before)
	}
}

// TestScopeAfterFree closes a scope when its space has gone.
func TestScopeAfterFree(t *testing.T) {
	s, _ := space(t)
	var kept [2]cudriver.Ptr[float64]
	o, err := s.Scope(setUp(s, &kept, 200))
	if err != nil {
		t.Fatal(err)
	}
	s.Free()
	o.Close()
	if n := s.Allocated(); n != 0 || s.Err() != nil {
		t.Errorf("%d bytes, %v", n, s.Err())
	}
}
