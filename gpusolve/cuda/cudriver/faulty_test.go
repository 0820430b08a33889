package cudriver

import (
	"errors"
	"slices"
	"testing"
	"unsafe"
)

// everyCall calls each method of d once and gives its error under the name of the driver's function.
func everyCall(d Driver) map[string]error {
	var x uint64
	p := unsafe.Pointer(&x)
	second := func(_ any, err error) error { return err }
	_, _, memGetInfo := d.MemGetInfo()
	return map[string]error{
		"cuInit":                    d.Init(),
		"cuDriverGetVersion":        second(d.DriverGetVersion()),
		"cuDeviceGetCount":          second(d.DeviceGetCount()),
		"cuDeviceGet":               second(d.DeviceGet(0)),
		"cuDeviceGetName":           second(d.DeviceGetName(0)),
		"cuDeviceTotalMem":          second(d.DeviceTotalMem(0)),
		"cuDeviceGetAttribute":      second(d.DeviceGetAttribute(WarpSize, 0)),
		"cuDeviceGetP2PAttribute":   second(d.DeviceGetP2PAttribute(P2PAccessSupported, 0, 1)),
		"cuCtxEnablePeerAccess":     d.CtxEnablePeerAccess(1),
		"cuMemcpyPeerAsync":         d.MemcpyPeerAsync(1, 1, 2, 2, 8, 0),
		"cuStreamWaitEvent":         d.StreamWaitEvent(1, 1),
		"cuDevicePrimaryCtxRetain":  second(d.DevicePrimaryCtxRetain(0)),
		"cuDevicePrimaryCtxRelease": d.DevicePrimaryCtxRelease(0),
		"cuCtxSetCurrent":           d.CtxSetCurrent(1),
		"cuCtxSynchronize":          d.CtxSynchronize(),
		"cuMemGetInfo":              memGetInfo,
		"cuMemAlloc":                second(d.MemAlloc(8)),
		"cuMemFree":                 d.MemFree(1),
		"cuMemAllocHost":            second(d.MemAllocHost(8)),
		"cuMemFreeHost":             d.MemFreeHost(p),
		"cuMemcpyHtoDAsync":         d.MemcpyHtoDAsync(1, p, 8, 0),
		"cuMemcpyDtoHAsync":         d.MemcpyDtoHAsync(p, 1, 8, 0),
		"cuMemcpyDtoDAsync":         d.MemcpyDtoDAsync(1, 2, 8, 0),
		"cuMemsetD32Async":          d.MemsetD32Async(1, 0, 2, 0),
		"cuModuleLoadData":          second(d.ModuleLoadData([]byte("//"))),
		"cuModuleUnload":            d.ModuleUnload(1),
		"cuModuleGetFunction":       second(d.ModuleGetFunction(1, "k")),
		"cuFuncSetAttribute":        d.FuncSetAttribute(1, MaxDynamicSharedSizeBytes, 1),
		"cuLaunchKernel": d.LaunchKernel(1, [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, 0, 0,
			[]unsafe.Pointer{p, p}),
		"cuStreamCreate":              second(d.StreamCreate()),
		"cuStreamDestroy":             d.StreamDestroy(1),
		"cuStreamSynchronize":         d.StreamSynchronize(1),
		"cuStreamBeginCapture":        d.StreamBeginCapture(1),
		"cuStreamEndCapture":          second(d.StreamEndCapture(1)),
		"cuGraphInstantiateWithFlags": second(d.GraphInstantiate(1)),
		"cuGraphLaunch":               d.GraphLaunch(1, 1),
		"cuGraphDestroy":              d.GraphDestroy(1),
		"cuGraphExecDestroy":          d.GraphExecDestroy(1),
		"cuEventCreate":               second(d.EventCreate()),
		"cuEventDestroy":              d.EventDestroy(1),
		"cuEventRecord":               d.EventRecord(1, 1),
		"cuEventSynchronize":          d.EventSynchronize(1),
		"cuEventElapsedTime":          second(d.EventElapsedTime(1, 2)),
	}
}

// TestFaultyStopsEveryCall: what a call would have done beneath shows as a panic or as success.
func TestFaultyStopsEveryCall(t *testing.T) {
	f := Faulty(newMemDriver(), func(call string, _ int) error { return &Error{Call: call, Result: LaunchFailed} })
	calls := everyCall(f)
	for name, err := range calls {
		var e *Error
		if !errors.As(err, &e) || e.Call != name || e.Result != LaunchFailed {
			t.Errorf("%s gave %v", name, err)
		}
	}
	if got := f.Calls(); len(got) != len(calls) || got[0] != "cuMemGetInfo" || got[1] != "cuInit" {
		t.Errorf("recorded %v", got)
	}
}

func TestFailAtAndFailNth(t *testing.T) {
	for name, fail := range map[string]func(string, int) error{
		"FailAt":  FailAt(3, OutOfMemory),
		"FailNth": FailNth("cuMemAlloc", 1, OutOfMemory),
	} {
		f := Faulty(newMemDriver(), fail)
		var failed []int
		for i, call := range []func() error{f.Init, alloc(f), f.CtxSynchronize, alloc(f), alloc(f)} {
			if err := call(); errors.Is(err, ErrOutOfMemory) {
				failed = append(failed, i)
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(failed, []int{3}) {
			t.Errorf("%s failed calls %v, want 3", name, failed)
		}
		if got, want := f.Calls(), []string{"cuInit", "cuMemAlloc", "cuCtxSynchronize", "cuMemAlloc",
			"cuMemAlloc"}; !slices.Equal(got, want) {
			t.Errorf("%s recorded %v", name, got)
		}
	}
}

func alloc(d Driver) func() error {
	return func() error { _, err := d.MemAlloc(16); return err }
}
