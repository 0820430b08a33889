package cudriver

import (
	"slices"
	"sync"
	"unsafe"
)

// FaultyDriver is a Driver for tests: it records the calls and fails those that it is told to. A call that fails does
// not reach the driver beneath.
type FaultyDriver struct {
	d    Driver
	fail func(call string, n int) error

	mu    sync.Mutex
	calls []string
}

// Faulty wraps d. fail gets the name of each call (as in Error.Call) and its number from 0, and returns the error to
// inject or nil; a nil fail only records.
func Faulty(d Driver, fail func(call string, n int) error) *FaultyDriver {
	return &FaultyDriver{d: d, fail: fail}
}

// FailAt fails call number n (from 0) with r.
func FailAt(n int, r Result) func(string, int) error {
	return func(call string, i int) error {
		if i != n {
			return nil
		}
		return &Error{Call: call, Result: r, Detail: "injected"}
	}
}

// FailFrom fails call number n (from 0) with r, and every one after it: a device that is lost.
func FailFrom(n int, r Result) func(string, int) error {
	return func(call string, i int) error {
		if i < n {
			return nil
		}
		return &Error{Call: call, Result: r, Detail: "injected"}
	}
}

// FailNth fails the k-th call (from 0) of the given name with r.
func FailNth(name string, k int, r Result) func(string, int) error {
	seen := 0
	return func(call string, _ int) error {
		if call != name {
			return nil
		}
		seen++
		if seen != k+1 {
			return nil
		}
		return &Error{Call: call, Result: r, Detail: "injected"}
	}
}

// Calls is the names of the calls so far, those that failed among them.
func (f *FaultyDriver) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

// step records a call and decides on it.
func (f *FaultyDriver) step(call string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.calls)
	f.calls = append(f.calls, call)
	if f.fail == nil {
		return nil
	}
	return f.fail(call, n)
}

// run is step and, unless that fails, do.
func (f *FaultyDriver) run(call string, do func() error) error {
	if err := f.step(call); err != nil {
		return err
	}
	return do()
}

// get is run for calls with an answer.
func get[T any](f *FaultyDriver, call string, do func() (T, error)) (T, error) {
	if err := f.step(call); err != nil {
		var none T
		return none, err
	}
	return do()
}

func (f *FaultyDriver) Init() error {
	return f.run("cuInit", func() error { return f.d.Init() })
}

func (f *FaultyDriver) DriverGetVersion() (int, error) {
	return get(f, "cuDriverGetVersion", f.d.DriverGetVersion)
}

func (f *FaultyDriver) DeviceGetCount() (int, error) {
	return get(f, "cuDeviceGetCount", f.d.DeviceGetCount)
}

func (f *FaultyDriver) DeviceGet(ordinal int) (Device, error) {
	return get(f, "cuDeviceGet", func() (Device, error) { return f.d.DeviceGet(ordinal) })
}

func (f *FaultyDriver) DeviceGetName(d Device) (string, error) {
	return get(f, "cuDeviceGetName", func() (string, error) { return f.d.DeviceGetName(d) })
}

func (f *FaultyDriver) DeviceTotalMem(d Device) (int64, error) {
	return get(f, "cuDeviceTotalMem", func() (int64, error) { return f.d.DeviceTotalMem(d) })
}

func (f *FaultyDriver) DeviceGetAttribute(a DeviceAttribute, d Device) (int, error) {
	return get(f, "cuDeviceGetAttribute", func() (int, error) { return f.d.DeviceGetAttribute(a, d) })
}

func (f *FaultyDriver) DeviceGetP2PAttribute(a P2PAttribute, d, other Device) (int, error) {
	return get(f, "cuDeviceGetP2PAttribute", func() (int, error) { return f.d.DeviceGetP2PAttribute(a, d, other) })
}

func (f *FaultyDriver) CtxEnablePeerAccess(other Context) error {
	return f.run("cuCtxEnablePeerAccess", func() error { return f.d.CtxEnablePeerAccess(other) })
}

func (f *FaultyDriver) MemcpyPeerAsync(dst DevicePtr, to Context, src DevicePtr, from Context, bytes int64,
	s Stream) error {
	return f.run("cuMemcpyPeerAsync", func() error { return f.d.MemcpyPeerAsync(dst, to, src, from, bytes, s) })
}

func (f *FaultyDriver) StreamWaitEvent(s Stream, e Event) error {
	return f.run("cuStreamWaitEvent", func() error { return f.d.StreamWaitEvent(s, e) })
}

func (f *FaultyDriver) DevicePrimaryCtxRetain(d Device) (Context, error) {
	return get(f, "cuDevicePrimaryCtxRetain", func() (Context, error) { return f.d.DevicePrimaryCtxRetain(d) })
}

func (f *FaultyDriver) DevicePrimaryCtxRelease(d Device) error {
	return f.run("cuDevicePrimaryCtxRelease", func() error { return f.d.DevicePrimaryCtxRelease(d) })
}

func (f *FaultyDriver) CtxSetCurrent(c Context) error {
	return f.run("cuCtxSetCurrent", func() error { return f.d.CtxSetCurrent(c) })
}

func (f *FaultyDriver) CtxSynchronize() error {
	return f.run("cuCtxSynchronize", func() error { return f.d.CtxSynchronize() })
}

func (f *FaultyDriver) MemGetInfo() (free, total int64, err error) {
	if err := f.step("cuMemGetInfo"); err != nil {
		return 0, 0, err
	}
	return f.d.MemGetInfo()
}

func (f *FaultyDriver) MemAlloc(bytes int64) (DevicePtr, error) {
	return get(f, "cuMemAlloc", func() (DevicePtr, error) { return f.d.MemAlloc(bytes) })
}

func (f *FaultyDriver) MemFree(p DevicePtr) error {
	return f.run("cuMemFree", func() error { return f.d.MemFree(p) })
}

func (f *FaultyDriver) MemAllocHost(bytes int64) (unsafe.Pointer, error) {
	return get(f, "cuMemAllocHost", func() (unsafe.Pointer, error) { return f.d.MemAllocHost(bytes) })
}

func (f *FaultyDriver) MemFreeHost(p unsafe.Pointer) error {
	return f.run("cuMemFreeHost", func() error { return f.d.MemFreeHost(p) })
}

func (f *FaultyDriver) MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes int64, s Stream) error {
	return f.run("cuMemcpyHtoDAsync", func() error { return f.d.MemcpyHtoDAsync(dst, src, bytes, s) })
}

func (f *FaultyDriver) MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes int64, s Stream) error {
	return f.run("cuMemcpyDtoHAsync", func() error { return f.d.MemcpyDtoHAsync(dst, src, bytes, s) })
}

func (f *FaultyDriver) MemcpyDtoDAsync(dst, src DevicePtr, bytes int64, s Stream) error {
	return f.run("cuMemcpyDtoDAsync", func() error { return f.d.MemcpyDtoDAsync(dst, src, bytes, s) })
}

func (f *FaultyDriver) MemsetD32Async(dst DevicePtr, value uint32, count int64, s Stream) error {
	return f.run("cuMemsetD32Async", func() error { return f.d.MemsetD32Async(dst, value, count, s) })
}

func (f *FaultyDriver) ModuleLoadData(ptx []byte) (Module, error) {
	return get(f, "cuModuleLoadData", func() (Module, error) { return f.d.ModuleLoadData(ptx) })
}

func (f *FaultyDriver) ModuleUnload(m Module) error {
	return f.run("cuModuleUnload", func() error { return f.d.ModuleUnload(m) })
}

func (f *FaultyDriver) ModuleGetFunction(m Module, name string) (Function, error) {
	return get(f, "cuModuleGetFunction", func() (Function, error) { return f.d.ModuleGetFunction(m, name) })
}

func (fd *FaultyDriver) FuncSetAttribute(f Function, a FunctionAttribute, value int) error {
	return fd.run("cuFuncSetAttribute", func() error { return fd.d.FuncSetAttribute(f, a, value) })
}

func (fd *FaultyDriver) LaunchKernel(f Function, grid, block [3]uint32, sharedBytes uint32, s Stream,
	params []unsafe.Pointer) error {
	return fd.run("cuLaunchKernel", func() error { return fd.d.LaunchKernel(f, grid, block, sharedBytes, s, params) })
}

func (f *FaultyDriver) StreamCreate() (Stream, error) {
	return get(f, "cuStreamCreate", f.d.StreamCreate)
}

func (f *FaultyDriver) StreamDestroy(s Stream) error {
	return f.run("cuStreamDestroy", func() error { return f.d.StreamDestroy(s) })
}

func (f *FaultyDriver) StreamSynchronize(s Stream) error {
	return f.run("cuStreamSynchronize", func() error { return f.d.StreamSynchronize(s) })
}

func (f *FaultyDriver) StreamQuery(s Stream) (bool, error) {
	return get(f, "cuStreamQuery", func() (bool, error) { return f.d.StreamQuery(s) })
}

func (f *FaultyDriver) StreamBeginCapture(s Stream) error {
	return f.run("cuStreamBeginCapture", func() error { return f.d.StreamBeginCapture(s) })
}

func (f *FaultyDriver) StreamEndCapture(s Stream) (Graph, error) {
	return get(f, "cuStreamEndCapture", func() (Graph, error) { return f.d.StreamEndCapture(s) })
}

func (f *FaultyDriver) GraphInstantiate(g Graph) (GraphExec, error) {
	return get(f, "cuGraphInstantiateWithFlags", func() (GraphExec, error) { return f.d.GraphInstantiate(g) })
}

func (f *FaultyDriver) GraphLaunch(g GraphExec, s Stream) error {
	return f.run("cuGraphLaunch", func() error { return f.d.GraphLaunch(g, s) })
}

func (f *FaultyDriver) GraphDestroy(g Graph) error {
	return f.run("cuGraphDestroy", func() error { return f.d.GraphDestroy(g) })
}

func (f *FaultyDriver) GraphExecDestroy(g GraphExec) error {
	return f.run("cuGraphExecDestroy", func() error { return f.d.GraphExecDestroy(g) })
}

func (f *FaultyDriver) EventCreate() (Event, error) {
	return get(f, "cuEventCreate", f.d.EventCreate)
}

func (f *FaultyDriver) EventDestroy(e Event) error {
	return f.run("cuEventDestroy", func() error { return f.d.EventDestroy(e) })
}

func (f *FaultyDriver) EventRecord(e Event, s Stream) error {
	return f.run("cuEventRecord", func() error { return f.d.EventRecord(e, s) })
}

func (f *FaultyDriver) EventSynchronize(e Event) error {
	return f.run("cuEventSynchronize", func() error { return f.d.EventSynchronize(e) })
}

func (f *FaultyDriver) EventQuery(e Event) (bool, error) {
	return get(f, "cuEventQuery", func() (bool, error) { return f.d.EventQuery(e) })
}

func (f *FaultyDriver) EventElapsedTime(start, end Event) (float32, error) {
	return get(f, "cuEventElapsedTime", func() (float32, error) { return f.d.EventElapsedTime(start, end) })
}
