package cudriver

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// axpyPTX is y[i] += a x[i] for i < n, one thread per element, for any GPU from sm_50 on.
const axpyPTX = `.version 6.0
.target sm_50
.address_size 64
.visible .entry axpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)
{
	.reg .pred %p;
	.reg .b32 %r<5>;
	.reg .f32 %f<4>;
	.reg .b64 %d<6>;
	ld.param.u32 %r1, [n];
	ld.param.f32 %f1, [a];
	ld.param.u64 %d1, [x];
	ld.param.u64 %d2, [y];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r2, %r2, %r3, %r4;
	setp.ge.u32 %p, %r2, %r1;
	@%p ret;
	mul.wide.u32 %d3, %r2, 4;
	add.u64 %d4, %d1, %d3;
	add.u64 %d5, %d2, %d3;
	ld.global.f32 %f2, [%d4];
	ld.global.f32 %f3, [%d5];
	fma.rn.f32 %f3, %f1, %f2, %f3;
	st.global.f32 [%d5], %f3;
	ret;
}
`

// onGPU runs a test with a context on device 0, or skips it where there is none.
func onGPU(t *testing.T, run func(t *testing.T, d Driver)) {
	d, err := Open()
	if errors.Is(err, ErrNoDriver) {
		t.Skip("needs a GPU:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	list, err := List(d)
	if errors.Is(err, ErrNoDevice) || errors.Is(err, ErrNoDriver) {
		t.Skip("needs a GPU:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Log(list[0])
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, err := d.DevicePrimaryCtxRetain(list[0].Device); err != nil {
		t.Fatal(err)
	}
	run(t, d)
	if err := d.DevicePrimaryCtxRelease(list[0].Device); err != nil {
		t.Error(err)
	}
}

// must is for answers without which a test cannot go on.
func must[T any](t *testing.T) func(T, error) T {
	return func(x T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// TestGPUKernel launches y += 2 x once directly and three times from a graph: y = 1 + 4 * 2 * i exactly.
func TestGPUKernel(t *testing.T) {
	onGPU(t, func(t *testing.T, d Driver) {
		const n = 1<<20 + 17
		m := NewMemory(d)
		defer func() {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}()
		mod := must[Module](t)(d.ModuleLoadData([]byte(axpyPTX)))
		f := must[Function](t)(d.ModuleGetFunction(mod, "axpy"))
		s := must[Stream](t)(d.StreamCreate())
		x, y := must[*Buffer[float32]](t)(Alloc[float32](m, n)), must[*Buffer[float32]](t)(Alloc[float32](m, n))
		host := make([]float32, n)
		for i := range host {
			host[i] = float32(i % 1000)
		}
		ones := make([]float32, n)
		for i := range ones {
			ones[i] = 1
		}
		start, end := must[Event](t)(d.EventCreate()), must[Event](t)(d.EventCreate())
		count, a := uint32(n), float32(2)
		params := []unsafe.Pointer{unsafe.Pointer(&count), unsafe.Pointer(&a), unsafe.Pointer(&x.Ptr),
			unsafe.Pointer(&y.Ptr)}
		launch := func() error {
			return d.LaunchKernel(f, [3]uint32{(n + 255) / 256, 1, 1}, [3]uint32{256, 1, 1}, 0, s, params)
		}
		if err := errors.Join(x.Upload(s, 0, host), y.Upload(s, 0, ones), d.EventRecord(start, s), launch(),
			d.EventRecord(end, s),
			d.StreamBeginCapture(s), launch(), launch(), launch()); err != nil {
			t.Fatal(err)
		}
		g := must[Graph](t)(d.StreamEndCapture(s))
		e := must[GraphExec](t)(d.GraphInstantiate(g))
		a = math.MaxFloat32 // the graph keeps the value of the capture
		if err := errors.Join(d.GraphDestroy(g), d.GraphLaunch(e, s), y.Download(s, 0, host)); err != nil {
			t.Fatal(err)
		}
		for i, v := range host {
			if want := 1 + 8*float32(i%1000); v != want {
				t.Fatalf("y[%d] = %v, want %v", i, v, want)
			}
		}
		if ms := must[float32](t)(d.EventElapsedTime(start, end)); ms <= 0 || ms > 1000 {
			t.Errorf("one launch took %v ms", ms)
		}
		t0 := time.Now()
		for range 20000 {
			if err := launch(); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("20000 launches of %d elements: %.2f us each to issue", n, time.Since(t0).Seconds()/20000*1e6)
		if err := errors.Join(d.StreamSynchronize(s), d.GraphExecDestroy(e), d.EventDestroy(start), d.EventDestroy(end),
			d.StreamDestroy(s), d.ModuleUnload(mod)); err != nil {
			t.Error(err)
		}
	})
}

// TestGPUTransfers moves more than two chunks, and prints the rates.
func TestGPUTransfers(t *testing.T) {
	onGPU(t, func(t *testing.T, d Driver) {
		const n = 32<<20 + 5
		m := NewMemory(d)
		free, total, err := d.MemGetInfo()
		if err != nil || free <= 0 || free > total {
			t.Fatal(free, total, err)
		}
		b := must[*Buffer[uint32]](t)(Alloc[uint32](m, n))
		host := make([]uint32, n)
		for i := range host {
			host[i] = uint32(i) * 2654435761
		}
		got := make([]uint32, n)
		for range 2 { // the second time with the staging pinned and the pages touched
			t0 := time.Now()
			if err := errors.Join(b.Upload(0, 0, host), d.CtxSynchronize()); err != nil {
				t.Fatal(err)
			}
			t1 := time.Now()
			if err := b.Download(0, 0, got); err != nil {
				t.Fatal(err)
			}
			t.Logf("up %.1f GB/s, down %.1f GB/s", 4*n/t1.Sub(t0).Seconds()/1e9, 4*n/time.Since(t1).Seconds()/1e9)
		}
		for i := range got {
			if got[i] != host[i] {
				t.Fatalf("element %d came back as %d", i, got[i])
			}
		}
		if err := errors.Join(b.Zero(0), b.Download(0, n-3, got[:3]), m.Close()); err != nil ||
			got[0]|got[1]|got[2] != 0 {
			t.Error(got[:3], err)
		}
	})
}

// TestGPUErrors provokes failures that leave the context usable.
func TestGPUErrors(t *testing.T) {
	onGPU(t, func(t *testing.T, d Driver) {
		_, err := d.ModuleLoadData([]byte(strings.Replace(axpyPTX, "fma.rn.f32", "fma.rn.nonsense", 1)))
		t.Log(err)
		var e *Error
		if !errors.As(err, &e) || e.Result != InvalidPTX || !strings.Contains(e.Detail, "nonsense") {
			t.Error("broken PTX: the compiler's words are missing")
		}
		mod := must[Module](t)(d.ModuleLoadData([]byte(axpyPTX)))
		if _, err = d.ModuleGetFunction(mod, "axby"); !errors.As(err, &e) || e.Result != NotFound {
			t.Errorf("a kernel that is not there: %v", err)
		}
		f := must[Function](t)(d.ModuleGetFunction(mod, "axpy"))
		var p [4]uint64
		params := []unsafe.Pointer{unsafe.Pointer(&p[0]), unsafe.Pointer(&p[1]), unsafe.Pointer(&p[2]),
			unsafe.Pointer(&p[3])}
		if err = d.LaunchKernel(f, [3]uint32{1, 1, 1}, [3]uint32{4096, 1, 1}, 0, 0, params); !errors.As(err, &e) ||
			e.Result != InvalidValue {
			t.Errorf("a block of 4096 threads: %v", err)
		}
		_, err = Alloc[float64](NewMemory(d), math.MaxInt>>20)
		t.Log(err)
		if !errors.Is(err, ErrOutOfMemory) {
			t.Error("70 TB were allocated")
		}
		if err := errors.Join(d.CtxSynchronize(), d.ModuleUnload(mod)); err != nil {
			t.Error(err)
		}
		if _, err := d.DeviceGet(1000); !errors.Is(err, ErrNoDevice) {
			t.Errorf("device 1000: %v", err)
		}
	})
}
