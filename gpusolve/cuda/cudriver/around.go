package cudriver

import "unsafe"

// around is a driver whose calls go through a function. It gets the name of each, as in Error.Call.
type around struct {
	Driver
	pass func(call string, do func() error) error
}

// Around has every call of a driver go through pass, which makes it with do.
func Around(d Driver, pass func(call string, do func() error) error) Driver { return around{d, pass} }

func (a around) Unwrap() Driver { return a.Driver }

// get is pass for calls with an answer.
func get[T any](a around, call string, do func() (T, error)) (answer T, err error) {
	err = a.pass(call, func() (err error) {
		answer, err = do()
		return err
	})
	return answer, err
}

func (a around) Init() error {
	return a.pass("cuInit", func() error { return a.Driver.Init() })
}

func (a around) DriverGetVersion() (int, error) {
	return get(a, "cuDriverGetVersion", a.Driver.DriverGetVersion)
}

func (a around) DeviceGetCount() (int, error) {
	return get(a, "cuDeviceGetCount", a.Driver.DeviceGetCount)
}

func (a around) DeviceGet(ordinal int) (Device, error) {
	return get(a, "cuDeviceGet", func() (Device, error) { return a.Driver.DeviceGet(ordinal) })
}

func (a around) DeviceGetName(d Device) (string, error) {
	return get(a, "cuDeviceGetName", func() (string, error) { return a.Driver.DeviceGetName(d) })
}

func (a around) DeviceTotalMem(d Device) (int64, error) {
	return get(a, "cuDeviceTotalMem", func() (int64, error) { return a.Driver.DeviceTotalMem(d) })
}

func (a around) DeviceGetAttribute(n DeviceAttribute, d Device) (int, error) {
	return get(a, "cuDeviceGetAttribute", func() (int, error) { return a.Driver.DeviceGetAttribute(n, d) })
}

func (a around) DeviceGetP2PAttribute(n P2PAttribute, d, other Device) (int, error) {
	return get(a, "cuDeviceGetP2PAttribute", func() (int, error) { return a.Driver.DeviceGetP2PAttribute(n, d, other) })
}

func (a around) CtxEnablePeerAccess(other Context) error {
	return a.pass("cuCtxEnablePeerAccess", func() error { return a.Driver.CtxEnablePeerAccess(other) })
}

func (a around) MemcpyPeerAsync(dst DevicePtr, to Context, src DevicePtr, from Context, bytes int64,
	s Stream) error {
	return a.pass("cuMemcpyPeerAsync", func() error { return a.Driver.MemcpyPeerAsync(dst, to, src, from, bytes, s) })
}

func (a around) StreamWaitEvent(s Stream, e Event) error {
	return a.pass("cuStreamWaitEvent", func() error { return a.Driver.StreamWaitEvent(s, e) })
}

func (a around) DevicePrimaryCtxRetain(d Device) (Context, error) {
	return get(a, "cuDevicePrimaryCtxRetain", func() (Context, error) { return a.Driver.DevicePrimaryCtxRetain(d) })
}

func (a around) DevicePrimaryCtxRelease(d Device) error {
	return a.pass("cuDevicePrimaryCtxRelease", func() error { return a.Driver.DevicePrimaryCtxRelease(d) })
}

func (a around) CtxSetCurrent(c Context) error {
	return a.pass("cuCtxSetCurrent", func() error { return a.Driver.CtxSetCurrent(c) })
}

func (a around) CtxSynchronize() error {
	return a.pass("cuCtxSynchronize", func() error { return a.Driver.CtxSynchronize() })
}

func (a around) MemGetInfo() (free, total int64, err error) {
	err = a.pass("cuMemGetInfo", func() (err error) {
		free, total, err = a.Driver.MemGetInfo()
		return err
	})
	return free, total, err
}

func (a around) MemAlloc(bytes int64) (DevicePtr, error) {
	return get(a, "cuMemAlloc", func() (DevicePtr, error) { return a.Driver.MemAlloc(bytes) })
}

func (a around) MemFree(p DevicePtr) error {
	return a.pass("cuMemFree", func() error { return a.Driver.MemFree(p) })
}

func (a around) MemAllocHost(bytes int64) (unsafe.Pointer, error) {
	return get(a, "cuMemAllocHost", func() (unsafe.Pointer, error) { return a.Driver.MemAllocHost(bytes) })
}

func (a around) MemFreeHost(p unsafe.Pointer) error {
	return a.pass("cuMemFreeHost", func() error { return a.Driver.MemFreeHost(p) })
}

func (a around) MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes int64, s Stream) error {
	return a.pass("cuMemcpyHtoDAsync", func() error { return a.Driver.MemcpyHtoDAsync(dst, src, bytes, s) })
}

func (a around) MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes int64, s Stream) error {
	return a.pass("cuMemcpyDtoHAsync", func() error { return a.Driver.MemcpyDtoHAsync(dst, src, bytes, s) })
}

func (a around) MemcpyDtoDAsync(dst, src DevicePtr, bytes int64, s Stream) error {
	return a.pass("cuMemcpyDtoDAsync", func() error { return a.Driver.MemcpyDtoDAsync(dst, src, bytes, s) })
}

func (a around) MemsetD32Async(dst DevicePtr, value uint32, count int64, s Stream) error {
	return a.pass("cuMemsetD32Async", func() error { return a.Driver.MemsetD32Async(dst, value, count, s) })
}

func (a around) ModuleLoadData(ptx []byte) (Module, error) {
	return get(a, "cuModuleLoadData", func() (Module, error) { return a.Driver.ModuleLoadData(ptx) })
}

func (a around) ModuleUnload(m Module) error {
	return a.pass("cuModuleUnload", func() error { return a.Driver.ModuleUnload(m) })
}

func (a around) ModuleGetFunction(m Module, name string) (Function, error) {
	return get(a, "cuModuleGetFunction", func() (Function, error) { return a.Driver.ModuleGetFunction(m, name) })
}

func (a around) FuncSetAttribute(f Function, n FunctionAttribute, value int) error {
	return a.pass("cuFuncSetAttribute", func() error { return a.Driver.FuncSetAttribute(f, n, value) })
}

func (a around) LaunchKernel(f Function, grid, block [3]uint32, sharedBytes uint32, s Stream,
	params []unsafe.Pointer) error {
	return a.pass("cuLaunchKernel", func() error {
		return a.Driver.LaunchKernel(f, grid, block, sharedBytes, s, params)
	})
}

func (a around) StreamCreate() (Stream, error) {
	return get(a, "cuStreamCreate", a.Driver.StreamCreate)
}

func (a around) StreamDestroy(s Stream) error {
	return a.pass("cuStreamDestroy", func() error { return a.Driver.StreamDestroy(s) })
}

func (a around) StreamSynchronize(s Stream) error {
	return a.pass("cuStreamSynchronize", func() error { return a.Driver.StreamSynchronize(s) })
}

func (a around) StreamQuery(s Stream) (bool, error) {
	return get(a, "cuStreamQuery", func() (bool, error) { return a.Driver.StreamQuery(s) })
}

func (a around) StreamBeginCapture(s Stream) error {
	return a.pass("cuStreamBeginCapture", func() error { return a.Driver.StreamBeginCapture(s) })
}

func (a around) StreamEndCapture(s Stream) (Graph, error) {
	return get(a, "cuStreamEndCapture", func() (Graph, error) { return a.Driver.StreamEndCapture(s) })
}

func (a around) GraphInstantiate(g Graph) (GraphExec, error) {
	return get(a, "cuGraphInstantiateWithFlags", func() (GraphExec, error) { return a.Driver.GraphInstantiate(g) })
}

func (a around) GraphLaunch(g GraphExec, s Stream) error {
	return a.pass("cuGraphLaunch", func() error { return a.Driver.GraphLaunch(g, s) })
}

func (a around) GraphDestroy(g Graph) error {
	return a.pass("cuGraphDestroy", func() error { return a.Driver.GraphDestroy(g) })
}

func (a around) GraphExecDestroy(g GraphExec) error {
	return a.pass("cuGraphExecDestroy", func() error { return a.Driver.GraphExecDestroy(g) })
}

func (a around) EventCreate() (Event, error) {
	return get(a, "cuEventCreate", a.Driver.EventCreate)
}

func (a around) EventDestroy(e Event) error {
	return a.pass("cuEventDestroy", func() error { return a.Driver.EventDestroy(e) })
}

func (a around) EventRecord(e Event, s Stream) error {
	return a.pass("cuEventRecord", func() error { return a.Driver.EventRecord(e, s) })
}

func (a around) EventSynchronize(e Event) error {
	return a.pass("cuEventSynchronize", func() error { return a.Driver.EventSynchronize(e) })
}

func (a around) EventQuery(e Event) (bool, error) {
	return get(a, "cuEventQuery", func() (bool, error) { return a.Driver.EventQuery(e) })
}

func (a around) EventElapsedTime(start, end Event) (float32, error) {
	return get(a, "cuEventElapsedTime", func() (float32, error) { return a.Driver.EventElapsedTime(start, end) })
}
