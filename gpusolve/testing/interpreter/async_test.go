package interpreter_test

import (
	"errors"
	"math"
	"testing"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter"
)

// toHost asks for a copy of doubles and does not wait.
func (b *bench) toHost(dst []float64, from cudriver.DevicePtr, s cudriver.Stream) {
	b.Helper()
	b.must(b.d.MemcpyDtoHAsync(unsafe.Pointer(&dst[0]), from, int64(8*len(dst)), s))
}

func (b *bench) toDevice(to cudriver.DevicePtr, src []float64, s cudriver.Stream) {
	b.Helper()
	b.must(b.d.MemcpyHtoDAsync(to, unsafe.Pointer(&src[0]), int64(8*len(src)), s))
}

func (b *bench) streams(n int) []cudriver.Stream {
	b.Helper()
	list := make([]cudriver.Stream, n)
	for i := range list {
		var err error
		list[i], err = b.d.StreamCreate()
		b.must(err)
	}
	return list
}

// A program that looks at memory before it has waited for the copy sees NaN, whatever was there; after the wait it sees
// the copy.
func TestAMissingWaitShows(t *testing.T) {
	b := interpreted(t)
	s := b.streams(1)[0]
	p := upload(b, []float64{3, 4})
	got := []float64{1, 2}
	b.toHost(got, p, s)
	if !math.IsNaN(got[0]) || !math.IsNaN(got[1]) {
		t.Errorf("before the wait: %v", got)
	}
	b.must(b.d.StreamSynchronize(s))
	equal(t, "after it", got, []float64{3, 4})
}

// A source that changes before the copy was waited for changes what arrives; so does pinned memory that is freed.
func TestASourceThatChangesTooSoonShows(t *testing.T) {
	b := interpreted(t)
	s := b.streams(1)[0]
	p, src := b.alloc(16), []float64{1, 2}
	b.toDevice(p, src, s)
	src[1] = 9
	b.must(b.d.StreamSynchronize(s))
	equal(t, "copied", download[float64](b, p, 2), []float64{1, 9})

	h, err := b.d.MemAllocHost(16)
	b.must(err)
	copy(unsafe.Slice((*float64)(h), 2), []float64{5, 6})
	b.must(b.d.MemcpyHtoDAsync(p, h, 16, s))
	b.must(b.d.MemFreeHost(h))
	b.must(b.d.StreamSynchronize(s))
	if got := download[float64](b, p, 2); !math.IsNaN(got[0]) {
		t.Errorf("memory that was freed under a copy gives %v", got)
	}
}

// Work of another stream has not been done unless something waits for it; an event that a stream waits for puts the two
// in order, and means what was recorded when it was asked for.
func TestStreamsAreOrderedByEventsAlone(t *testing.T) {
	b := interpreted(t)
	s := b.streams(2)
	e, err := b.d.EventCreate()
	b.must(err)
	p, q, got := upload(b, []float64{1}), b.alloc(8), make([]float64, 1)
	two, three := []float64{2}, []float64{3}

	b.toDevice(p, two, s[0])
	b.must(b.d.MemcpyDtoDAsync(q, p, 8, s[1])) // not ordered: sees the old value
	b.must(b.d.StreamSynchronize(s[1]))
	b.toHost(got, q, s[1])
	b.must(b.d.StreamSynchronize(s[1]))
	equal(t, "without order", got, []float64{1})

	b.must(b.d.EventRecord(e, s[0]))
	b.must(b.d.StreamWaitEvent(s[1], e))
	b.toDevice(p, three, s[0])
	b.must(b.d.EventRecord(e, s[0])) // later than what stream 1 waits for
	b.must(b.d.MemcpyDtoDAsync(q, p, 8, s[1]))
	b.toHost(got, q, s[1])
	b.must(b.d.StreamSynchronize(s[1]))
	equal(t, "in order", got, []float64{2})
	b.must(b.d.EventSynchronize(e))
	equal(t, "after the second record", download[float64](b, p, 1), []float64{3})
}

// Queries do work without a wait, and say when it is done.
func TestQueries(t *testing.T) {
	b := interpreted(t)
	s := b.streams(1)[0]
	e, err := b.d.EventCreate()
	b.must(err)
	if done, err := b.d.EventQuery(e); !done || err != nil {
		t.Errorf("an event that nothing recorded: %v, %v", done, err)
	}
	p := b.alloc(8)
	b.must(b.d.MemsetD32Async(p, 0, 2, s))
	b.must(b.d.EventRecord(e, s))
	b.must(b.d.MemsetD32Async(p, 0, 1, s))
	var ce *cudriver.Error
	if _, err := b.d.EventElapsedTime(e, e); !errors.As(err, &ce) || ce.Result != cudriver.NotReady {
		t.Errorf("the time of what has not happened: %v", err)
	}
	for n, want := range []bool{false, true, true} {
		if done, err := b.d.EventQuery(e); done != want || err != nil {
			t.Errorf("event, question %d: %v, %v", n, done, err)
		}
	}
	for n, want := range []bool{true, true} {
		if done, err := b.d.StreamQuery(s); done != want || err != nil {
			t.Errorf("stream, question %d: %v, %v", n, done, err)
		}
	}
}

// What is done earlier than a wait needs it is done in the order of its stream: with every seed the numbers are those
// of the order in which the program asked.
func TestEarlyWorkKeepsTheOrder(t *testing.T) {
	for seed := range int64(20) {
		b := newBench(t, interpreter.New(interpreter.Options{Seed: seed}), computePTX)
		s := b.streams(3)
		got := make([]uint32, len(s))
		for n := range s {
			p := b.alloc(4)
			for v := range uint32(10) {
				b.must(b.d.MemsetD32Async(p, v, 1, s[n]))
			}
			b.must(b.d.MemcpyDtoHAsync(unsafe.Pointer(&got[n]), p, 4, s[n]))
		}
		b.must(b.d.CtxSynchronize())
		equal(t, "numbers", got, []uint32{9, 9, 9})
	}
}

// Everything that a program makes is counted, and what it never waited for.
func TestObjectsAreCounted(t *testing.T) {
	m := interpreter.New(interpreter.Options{})
	b := newBench(t, m, computePTX)
	s := b.streams(1)[0]
	e, err := b.d.EventCreate()
	b.must(err)
	h, err := b.d.MemAllocHost(8)
	b.must(err)
	p := b.alloc(12)
	b.must(b.d.StreamBeginCapture(s))
	b.must(b.d.MemsetD32Async(p, 0, 1, s))
	g, err := b.d.StreamEndCapture(s)
	b.must(err)
	x, err := b.d.GraphInstantiate(g)
	b.must(err)
	b.must(b.d.GraphLaunch(x, s))
	want := interpreter.Objects{Contexts: 1, Modules: 1, Streams: 1, Events: 1, Graphs: 1, GraphExecs: 1,
		Allocations: 1, Bytes: 12, Pinned: 1, Unwaited: 1}
	if o := m.Objects(); o != want {
		t.Errorf("%+v, want %+v", o, want)
	}
	for _, err := range []error{
		m.StreamDestroy(s), m.EventDestroy(e), m.MemFreeHost(h), m.MemFree(p), m.GraphDestroy(g), m.GraphExecDestroy(x),
		m.ModuleUnload(b.mod), m.DevicePrimaryCtxRelease(0),
	} {
		b.must(err)
	}
	if o := m.Objects(); o != (interpreter.Objects{Unwaited: 1}) {
		t.Errorf("in the end: %+v", o)
	}
}
