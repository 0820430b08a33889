package interpreter_test

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter"
)

func TestMemoryIsCounted(t *testing.T) {
	m := interpreter.New(interpreter.Options{Memory: 1000})
	b := newBench(t, m, computePTX)
	p, q := b.alloc(600), b.alloc(300)
	if o := m.Objects(); o.Allocations != 2 || o.Bytes != 900 {
		t.Errorf("%+v; want 2 allocations of 900 bytes", o)
	}
	if free, total, err := m.MemGetInfo(); free != 100 || total != 1000 || err != nil {
		t.Errorf("MemGetInfo: %d of %d (%v), want 100 of 1000", free, total, err)
	}
	if _, err := m.MemAlloc(101); !errors.Is(err, cudriver.ErrOutOfMemory) {
		t.Errorf("allocating too much gives %v", err)
	}
	b.must(m.MemFree(p))
	for what, bad := range map[string]cudriver.DevicePtr{"has been freed already": p,
		"not the beginning of an allocation": q + 4} {
		if err := m.MemFree(bad); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("MemFree gives %v, want %q", err, what)
		}
	}
	b.must(m.MemFree(q))
	b.must(m.MemFree(0))
	if o := m.Objects(); o.Allocations != 0 || o.Bytes != 0 {
		t.Errorf("%+v; want no allocations", o)
	}
}

func TestCopiesAreChecked(t *testing.T) {
	b := newBench(t, interpreter.New(interpreter.Options{AtOnce: true}), computePTX)
	p, q := b.alloc(64), b.alloc(64)
	host := make([]byte, 64)
	h := unsafe.Pointer(&host[0])
	b.must(b.d.MemsetD32Async(p, 0x01020304, 8, 0))
	for what, err := range map[string]error{
		"byte offset 32 of allocation 1":   b.d.MemcpyDtoHAsync(h, p, 64, 0),
		"out of bounds":                    b.d.MemcpyHtoDAsync(p+1, h, 64, 0),
		"out of bounds: byte offset 60":    b.d.MemsetD32Async(p+60, 0, 2, 0),
		"words at":                         b.d.MemsetD32Async(p+2, 0, 1, 0),
		"the ranges overlap":               b.d.MemcpyDtoDAsync(p, p+4, 16, 0),
		"address belongs to no allocation": b.d.MemcpyDtoDAsync(p, 8, 4, 0),
		"no stream 77":                     b.d.MemsetD32Async(p, 0, 1, 77),
		"attribute 9999": func() error {
			_,
				err := b.d.DeviceGetAttribute(9999, 0)
			return err
		}(),
		"no kernel nobody: CUDA_ERROR_NOT_FOUND, 500": func() error {
			_,
				err := b.d.ModuleGetFunction(b.mod, "nobody")
			return err
		}(),
	} {
		if err == nil {
			t.Errorf("no error, want %q", what)
		} else if what, _, _ = strings.Cut(strings.TrimPrefix(what, "no kernel "), ":"); !strings.Contains(err.Error(),
			what) {
			t.Errorf("error is %v, want %q", err, what)
		}
	}
	// Copies on the device carry along what nothing has written.
	b.must(b.d.MemcpyDtoDAsync(q, p, 64, 0))
	b.must(b.d.MemcpyDtoHAsync(h, q, 32, 0))
	if host[0] != 4 || host[31] != 1 {
		t.Errorf("copied bytes are %v", host[:32])
	}
	if err := b.d.MemcpyDtoHAsync(h, q, 36, 0); err == nil {
		t.Error("bytes nothing wrote became written by a copy")
	}
}

func TestLaunchesAreChecked(t *testing.T) {
	b := interpreted(t)
	f, err := b.d.ModuleGetFunction(b.mod, "reverse")
	b.must(err)
	one := [3]uint32{1, 1, 1}
	x := zeros[float32](b, 32)
	args := pointers(x, x)
	for what, err := range map[string]error{
		"takes 2 parameters, found 1":     b.d.LaunchKernel(f, one, one, 4, 0, args[:1]),
		"grid [0 1 1]":                    b.d.LaunchKernel(f, [3]uint32{0, 1, 1}, one, 4, 0, args),
		"grid [1 65536 1]":                b.d.LaunchKernel(f, [3]uint32{1, 65536, 1}, one, 4, 0, args),
		"grid [1 1 65536]":                b.d.LaunchKernel(f, [3]uint32{1, 1, 65536}, one, 4, 0, args),
		"grid [2147483648 1 1]":           b.d.LaunchKernel(f, [3]uint32{1 << 31, 1, 1}, one, 4, 0, args),
		"blocks [1025 1 1]":               b.d.LaunchKernel(f, one, [3]uint32{1025, 1, 1}, 4, 0, args),
		"blocks [1 1 65]":                 b.d.LaunchKernel(f, one, [3]uint32{1, 1, 65}, 4, 0, args),
		"2048 threads in a block":         b.d.LaunchKernel(f, one, [3]uint32{1024, 2, 1}, 4, 0, args),
		"50000 bytes of shared memory":    b.d.LaunchKernel(f, one, one, 50000, 0, args),
		"CUDA_ERROR_INVALID_HANDLE":       b.d.LaunchKernel(f+1000, one, one, 4, 0, args),
		"attribute 8 of reverse to 99999": b.d.FuncSetAttribute(f, cudriver.MaxDynamicSharedSizeBytes, 99999),
	} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("error is %v, want %q", err, what)
		}
		if strings.HasPrefix(what, "grid") && !strings.Contains(err.Error(), "CUDA_ERROR_INVALID_VALUE") {
			t.Errorf("%s: %v", what, err)
		}
	}
	b.must(b.d.FuncSetAttribute(f, cudriver.MaxDynamicSharedSizeBytes, 50000))
	b.must(b.d.LaunchKernel(f, one, [3]uint32{32, 1, 1}, 50000, 0, pointers(x, b.alloc(128))))
}

// A graph keeps the parameters of the capture and sees the memory of the launch.
func TestGraphs(t *testing.T) {
	b := compute(t)
	s, err := b.d.StreamCreate()
	b.must(err)
	f, err := b.d.ModuleGetFunction(b.mod, "saxpy")
	b.must(err)
	x, y, copied := upload(b, []float32{1, 2, 3, 4}), zeros[float32](b, 4), b.alloc(16)
	b.must(b.d.StreamBeginCapture(s))
	n, a := int32(4), float32(2)
	params := []unsafe.Pointer{unsafe.Pointer(&n), unsafe.Pointer(&a), unsafe.Pointer(&x), unsafe.Pointer(&y)}
	b.must(b.d.LaunchKernel(f, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 0, s, params))
	a = 100 // too late: the capture has its own copy
	b.must(b.d.MemcpyDtoDAsync(copied, y, 16, s))
	b.must(b.d.MemsetD32Async(y+12, 0, 1, s))
	g, err := b.d.StreamEndCapture(s)
	b.must(err)
	equal(t, "y before", download[float32](b, y, 4), []float32{0, 0, 0, 0})
	e, err := b.d.GraphInstantiate(g)
	b.must(err)
	b.must(b.d.GraphDestroy(g)) // the executable graph lives on
	for range 3 {
		b.must(b.d.GraphLaunch(e, s))
	}
	b.must(b.d.StreamSynchronize(s))
	equal(t, "copied", download[float32](b, copied, 4), []float32{6, 12, 18, 8})
	equal(t, "y", download[float32](b, y, 4), []float32{6, 12, 18, 0})
	b.must(b.d.GraphExecDestroy(e))

	b.must(b.d.StreamBeginCapture(s))
	var ce *cudriver.Error
	if err := b.d.StreamSynchronize(s); !errors.As(err, &ce) || ce.Result != cudriver.StreamCaptureUnsupported {
		t.Errorf("synchronising a captured stream gives %v", err)
	}
	if _, err := b.d.StreamEndCapture(s); !errors.As(err, &ce) || ce.Result != cudriver.StreamCaptureInvalidated {
		t.Errorf("the spoilt capture gives %v", err)
	}
	b.must(b.d.StreamDestroy(s))
	if *gpu {
		return // a driver may crash on what follows
	}
	if err := b.d.StreamDestroy(s); err == nil {
		t.Error("a stream can be destroyed twice")
	}
}

func TestEventsTellFakeTime(t *testing.T) {
	b := compute(t)
	start, err := b.d.EventCreate()
	b.must(err)
	end, err := b.d.EventCreate()
	b.must(err)
	if _, err := b.d.EventElapsedTime(start, end); err == nil {
		t.Error("events that were not recorded have a time")
	}
	b.must(b.d.EventRecord(start, 0))
	zeros[float32](b, 1000)
	b.must(b.d.EventRecord(end, 0))
	b.must(b.d.EventSynchronize(end))
	if ms, err := b.d.EventElapsedTime(start, end); err != nil || ms <= 0 {
		t.Errorf("elapsed time is %v (%v)", ms, err)
	}
	b.must(b.d.EventDestroy(start))
	b.must(b.d.EventDestroy(end))
}

// After a kernel has failed, clean-up frees memory and handles, and every call tells the first error.
func TestCleanUpAfterAFault(t *testing.T) {
	m := interpreter.New(interpreter.Options{})
	b := newBench(t, m, faultsPTX)
	s, err := b.d.StreamCreate()
	b.must(err)
	h, err := b.d.MemAllocHost(100)
	b.must(err)
	p := b.alloc(16)
	fault := b.launch("store", 1, 1, p, int64(100))
	wantFault(t, fault, cudriver.IllegalAddress)
	for what, err := range map[string]error{"MemFree": m.MemFree(p), "MemFreeHost": m.MemFreeHost(h),
		"StreamDestroy": m.StreamDestroy(s), "ModuleUnload": m.ModuleUnload(b.mod)} {
		if !errors.Is(err, fault) {
			t.Errorf("%s gives %v", what, err)
		}
	}
	if left := m.Objects(); left != (interpreter.Objects{Contexts: 1}) {
		t.Errorf("left: %+v", left)
	}
}

func TestCallsNeedInitAndContext(t *testing.T) {
	m := interpreter.New(interpreter.Options{})
	var e *cudriver.Error
	if _, err := m.DeviceGetCount(); !errors.As(err, &e) || e.Result != cudriver.NotInitialized {
		t.Errorf("before Init: %v", err)
	}
	if err := m.Init(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.MemAlloc(1); !errors.As(err, &e) || e.Result != cudriver.InvalidContext {
		t.Errorf("without a context: %v", err)
	}
	list, err := cudriver.List(m)
	if err != nil || len(list) != 1 || list[0].Name != "PTX interpreter" || list[0].ComputeCapability() != "7.0" {
		t.Errorf("List gives %v, %v", list, err)
	}
}

// Machines that share a cache of parsed text share nothing else.
func TestCache(t *testing.T) {
	var cache interpreter.Cache
	for range 3 {
		b := newBench(t, interpreter.New(interpreter.Options{Cache: &cache}), computePTX)
		out := zeros[float64](b, 32)
		b.must(b.launch("parameters", 1, 32, parameters{n: 1}, out))
		if v := download[float64](b, out, 2)[1]; v != 1 {
			t.Errorf("the module's counter is %v, want 1: it is the machine's own", v)
		}
	}
}
