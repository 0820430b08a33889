//go:build linux && (amd64 || arm64)

package cudriver

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

const big = int64(5) << 32 // sizes and addresses pass 2^32

func TestQueries(t *testing.T) {
	f, d := fake(t)
	equal(t, "Init", 0, d.Init(), 0)
	f.want(t, "cuInit", 0)
	v, err := d.DriverGetVersion()
	equal(t, "version", v, err, 12040)
	n, err := d.DeviceGetCount()
	equal(t, "count", n, err, 2)
	dev, err := d.DeviceGet(1)
	equal(t, "device", dev, err, 41)
	name, err := d.DeviceGetName(dev)
	equal(t, "name", name, err, "Fake H200")
	f.want(t, "cuDeviceGetName", 256, 41)
	total, err := d.DeviceTotalMem(dev)
	equal(t, "total", total, err, 150e9)
	a, err := d.DeviceGetAttribute(ComputeCapabilityMajor, dev)
	equal(t, "attribute", a, err, 1075)
	f.want(t, "cuDeviceGetAttribute", 75, 41)
	free, total, err := d.MemGetInfo()
	equal(t, "memory", [2]int64{free, total}, err, [2]int64{7e9, 8e9})
}

func TestContextBecomesCurrent(t *testing.T) {
	f, d := fake(t)
	c, err := d.DevicePrimaryCtxRetain(41)
	equal(t, "context", c, err, 0xc0)
	f.want(t, "cuDevicePrimaryCtxRetain", 41)
	f.want(t, "cuCtxSetCurrent", 0xc0)
	equal(t, "set", 0, d.CtxSetCurrent(0xc1), 0)
	f.want(t, "cuCtxSetCurrent", 0xc1)
	equal(t, "synchronize", 0, d.CtxSynchronize(), 0)
	f.want(t, "cuCtxSynchronize")

	f.result["cuCtxSetCurrent"] = 201
	if _, err := d.DevicePrimaryCtxRetain(41); err == nil {
		t.Error("cuCtxSetCurrent failed and DevicePrimaryCtxRetain did not")
	}
	f.want(t, "cuDevicePrimaryCtxRelease", 41) // given back
}

func TestMemoryCalls(t *testing.T) {
	f, d := fake(t)
	p, err := d.MemAlloc(big)
	equal(t, "alloc", p, err, 0x7fff_0000_1000)
	f.want(t, "cuMemAlloc", uint64(big))
	equal(t, "free", 0, d.MemFree(p), 0)
	f.want(t, "cuMemFree", 0x7fff_0000_1000)
	h, err := d.MemAllocHost(64)
	if err != nil || h == nil {
		t.Fatal(h, err)
	}
	address := uint64(uintptr(h))
	equal(t, "HtoD", 0, d.MemcpyHtoDAsync(p, h, big, 3), 0)
	f.want(t, "cuMemcpyHtoDAsync", uint64(p), address, uint64(big), 3)
	equal(t, "DtoH", 0, d.MemcpyDtoHAsync(h, p, big, 3), 0)
	f.want(t, "cuMemcpyDtoHAsync", address, uint64(p), uint64(big), 3)
	equal(t, "DtoD", 0, d.MemcpyDtoDAsync(p, p+8, big, 3), 0)
	f.want(t, "cuMemcpyDtoDAsync", uint64(p), uint64(p+8), uint64(big), 3)
	equal(t, "memset", 0, d.MemsetD32Async(p, 0xffff_fffe, big, 3), 0)
	f.want(t, "cuMemsetD32Async", uint64(p), 0xffff_fffe, uint64(big), 3)
	equal(t, "free host", 0, d.MemFreeHost(h), 0)
	f.want(t, "cuMemFreeHost", address)

	clear(f.got)
	_, e1 := d.MemAlloc(-1)
	_, e2 := d.MemAllocHost(-1)
	for _, err := range []error{e1, e2, d.MemcpyHtoDAsync(p, h, -1, 0), d.MemcpyDtoHAsync(h, p, -1, 0),
		d.MemcpyDtoDAsync(p, p, -1, 0), d.MemsetD32Async(p, 0, -1, 0)} {
		var e *Error
		if !errors.As(err, &e) || e.Result != InvalidValue {
			t.Errorf("a negative size gave %v", err)
		}
	}
	if len(f.got) != 0 {
		t.Errorf("a negative size reached the driver: %v", f.got)
	}
}

func TestPeerCalls(t *testing.T) {
	f, d := fake(t)
	v, err := d.DeviceGetP2PAttribute(P2PNativeAtomicSupported, 40, 41)
	equal(t, "attribute", v, err, 2003)
	f.want(t, "cuDeviceGetP2PAttribute", 3, 40, 41)
	equal(t, "peer access", 0, d.CtxEnablePeerAccess(0xc1), 0)
	f.want(t, "cuCtxEnablePeerAccess", 0xc1, 0)
	equal(t, "peer copy", 0, d.MemcpyPeerAsync(DevicePtr(big), 0xc0, DevicePtr(big)+8, 0xc1, big, 3), 0)
	f.want(t, "cuMemcpyPeerAsync", uint64(big), 0xc0, uint64(big)+8, 0xc1, uint64(big), 3)
	equal(t, "wait", 0, d.StreamWaitEvent(0x51, 0xe1), 0)
	f.want(t, "cuStreamWaitEvent", 0x51, 0xe1, 0)
	var e *Error
	if err := d.MemcpyPeerAsync(1, 1, 2, 2, -1, 0); !errors.As(err, &e) || e.Result != InvalidValue {
		t.Errorf("a negative size gave %v", err)
	}
}

func TestModuleCalls(t *testing.T) {
	f, d := fake(t)
	ptx := []byte("//ptx!")
	m, err := d.ModuleLoadData(ptx[:5:6]) // the byte behind the text must survive
	equal(t, "module", m, err, 0x3d)
	equal(t, "text", f.text["ptx"], nil, "//ptx")
	equal(t, "source", string(ptx), nil, "//ptx!")
	fn, err := d.ModuleGetFunction(m, "smooth")
	equal(t, "function", fn, err, 0xf0)
	equal(t, "kernel", f.text["kernel"], nil, "smooth")
	equal(t, "attribute", 0, d.FuncSetAttribute(fn, MaxDynamicSharedSizeBytes, 160<<10), 0)
	f.want(t, "cuFuncSetAttribute", 0xf0, 8, 160<<10)
	equal(t, "unload", 0, d.ModuleUnload(m), 0)
	f.want(t, "cuModuleUnload", 0x3d)

	f.result["cuModuleLoadData"], f.result["cuModuleLoadDataEx"] = 218, 218
	_, err = d.ModuleLoadData(ptx)
	if err == nil || !strings.Contains(err.Error(), "cuModuleLoadData (ptxas: line 3: fatal error): ") {
		t.Errorf("the compiler's log is missing: %v", err)
	}
	f.want(t, "cuModuleLoadDataEx", 2, 5, 6, 4096)
	f.result["cuModuleGetFunction"] = 500
	if _, err = d.ModuleGetFunction(m, "smoth"); err == nil || !strings.Contains(err.Error(), "kernel smoth") {
		t.Errorf("the kernel's name is missing: %v", err)
	}
}

func TestLaunchKernel(t *testing.T) {
	f, d := fake(t)
	a, b := uint64(0x1234_5678_9abc), uint64(17)
	params := []unsafe.Pointer{unsafe.Pointer(&a), unsafe.Pointer(&b)}
	if err := d.LaunchKernel(0xf0, [3]uint32{1 << 31, 2, 3}, [3]uint32{4, 5, 6}, 7, 0x51, params); err != nil {
		t.Fatal(err)
	}
	f.want(t, "cuLaunchKernel", 0xf0, 1<<31, 2, 3, 4, 5, 6, 7, 0x51, a, b, 0)

	f.result["cuLaunchKernel"] = 701
	err := d.LaunchKernel(0xf0, [3]uint32{1, 2, 3}, [3]uint32{4, 5, 6}, 7, 0x51, params)
	if err == nil || !strings.HasPrefix(err.Error(), "cuLaunchKernel (grid [1 2 3], block [4 5 6], 7 bytes of shared "+
		"memory, 2 parameters): ") {
		t.Error(err)
	}
}

func TestStreamsGraphsEvents(t *testing.T) {
	f, d := fake(t)
	s, err := d.StreamCreate()
	equal(t, "stream", s, err, 0x51)
	f.want(t, "cuStreamCreate", 1) // CU_STREAM_NON_BLOCKING
	equal(t, "begin", 0, d.StreamBeginCapture(s), 0)
	f.want(t, "cuStreamBeginCapture", 0x51, 2) // CU_STREAM_CAPTURE_MODE_RELAXED
	g, err := d.StreamEndCapture(s)
	equal(t, "graph", g, err, 0x61)
	x, err := d.GraphInstantiate(g)
	equal(t, "exec", x, err, 0x62)
	f.want(t, "cuGraphInstantiateWithFlags", 0x61, 0)
	equal(t, "launch", 0, d.GraphLaunch(x, s), 0)
	f.want(t, "cuGraphLaunch", 0x62, 0x51)
	equal(t, "synchronize", 0, d.StreamSynchronize(s), 0)
	f.want(t, "cuStreamSynchronize", 0x51)
	equal(t, "destroy graph", 0, d.GraphDestroy(g), 0)
	f.want(t, "cuGraphDestroy", 0x61)
	equal(t, "destroy exec", 0, d.GraphExecDestroy(x), 0)
	f.want(t, "cuGraphExecDestroy", 0x62)
	e, err := d.EventCreate()
	equal(t, "event", e, err, 0xe1)
	f.want(t, "cuEventCreate", 0)
	equal(t, "record", 0, d.EventRecord(e, s), 0)
	f.want(t, "cuEventRecord", 0xe1, 0x51)
	equal(t, "event synchronize", 0, d.EventSynchronize(e), 0)
	f.want(t, "cuEventSynchronize", 0xe1)
	ms, err := d.EventElapsedTime(e, e+1)
	equal(t, "elapsed", ms, err, 1.5)
	f.want(t, "cuEventElapsedTime", 0xe1, 0xe2)
	equal(t, "destroy event", 0, d.EventDestroy(e), 0)
	f.want(t, "cuEventDestroy", 0xe1)
	equal(t, "destroy stream", 0, d.StreamDestroy(s), 0)
	f.want(t, "cuStreamDestroy", 0x51)
}

// TestEveryCallReportsItsFailure runs each method against a library in which everything fails: the error must name that
// function.
func TestEveryCallReportsItsFailure(t *testing.T) {
	f, d := fake(t)
	for name := range f.symbols {
		f.result[strings.TrimSuffix(name, "_v2")] = 999
	}
	for name, err := range everyCall(d) {
		var e *Error
		if !errors.As(err, &e) || e.Call != name || e.Result != Unknown {
			t.Errorf("%s failed with %v", name, err)
		}
	}
}

func TestOpenWithoutLibrary(t *testing.T) {
	d, err := open("libno-such-driver.so.1")
	if d != nil || !errors.Is(err, ErrNoDriver) || !strings.Contains(err.Error(), "cannot open shared object") ||
		!strings.Contains(err.Error(), "install the NVIDIA driver") {
		t.Errorf("open = %v, %v", d, err)
	}
}

// TestEverySymbolIsChecked takes one symbol away at a time, as an older driver would.
func TestEverySymbolIsChecked(t *testing.T) {
	f, _ := fake(t)
	if len(f.symbols) != 46 {
		t.Errorf("the fake library has %d symbols, want 46", len(f.symbols))
	}
	for missing := range f.symbols {
		_, err := bind("libold.so", func(name string) (uintptr, error) {
			if name == missing {
				return 0, errors.New("undefined symbol")
			}
			return f.lookup(name)
		})
		if !errors.Is(err, ErrNoDriver) || !strings.Contains(err.Error(), "libold.so has no "+missing+",") ||
			!strings.Contains(err.Error(), "470.42") {
			t.Errorf("without %s: %v", missing, err)
		}
	}
}

func TestOpenLibraryThatIsNoDriver(t *testing.T) {
	if _, err := open("libc.so.6"); !errors.Is(err, ErrNoDriver) || !strings.Contains(err.Error(), "has no cuInit") {
		t.Errorf("open(libc) = %v", err)
	}
}

// labs of the C library takes the place of cuLaunchKernel: a true C function that returns 0 for the function handle 0.
func labsDriver(t testing.TB) Driver {
	libc, err := purego.Dlopen("libc.so.6", purego.RTLD_NOW)
	if err != nil {
		t.Skip("no libc.so.6: ", err)
	}
	labs, err := purego.Dlsym(libc, "labs")
	if err != nil {
		t.Fatal(err)
	}
	return &driver{modules: modules{launchKernel: entry{"cuLaunchKernel", labs}}}
}

func TestLaunchKernelAllocatesNothing(t *testing.T) {
	d := labsDriver(t)
	var x, y uint64
	params := []unsafe.Pointer{unsafe.Pointer(&x), unsafe.Pointer(&y)}
	launch := func() {
		if err := d.LaunchKernel(0, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 0, 1, params); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(1000, launch); n != 0 {
		t.Errorf("%v allocations per launch", n)
	}
	runtime.KeepAlive(params)
}

func BenchmarkLaunchKernel(b *testing.B) {
	d := labsDriver(b)
	var x uint64
	params := []unsafe.Pointer{unsafe.Pointer(&x)}
	b.ReportAllocs()
	for b.Loop() {
		if err := d.LaunchKernel(0, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, 0, 1, params); err != nil {
			b.Fatal(err)
		}
	}
}
