//go:build linux && (amd64 || arm64)

package cudriver

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// libraryName is what every NVIDIA driver installs; the name without .1 belongs to development packages.
const libraryName = "libcuda.so.1"

// Open loads the machine's CUDA driver. It does not touch the GPU: call Init next. Without a driver, or with one that
// lacks a function, the error is ErrNoDriver. The library stays loaded for the life of the process.
func Open() (Driver, error) {
	d, err := open(libraryName)
	if err == nil && Over != nil {
		d = Over(d)
	}
	return d, err
}

func open(library string) (Driver, error) {
	runtime.LockOSThread() // dlerror, which purego calls for the reason of a failure, belongs to the thread
	defer runtime.UnlockOSThread()
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, fmt.Errorf("%w: %v; install the NVIDIA driver, start a container with access to the GPU (--gpus "+
			"all), or run with --device cpu", ErrNoDriver, err)
	}
	return bind(library, func(name string) (uintptr, error) { return purego.Dlsym(handle, name) })
}

type entry struct {
	name string // without version, for messages
	addr uintptr
}

// call runs the function. The pointers among args must be converted to uintptr in the call itself: the directive below
// then keeps what they point to alive and in place.
//
//go:uintptrescapes
func (e entry) call(args ...uintptr) error {
	r, _, _ := purego.SyscallN(e.addr, args...)
	if res := Result(int32(r)); res != Success {
		return &Error{Call: e.name, Result: res}
	}
	return nil
}

// driver is libcuda; the fields are its functions in the order of Driver.
type driver struct {
	devices
	contexts
	memories
	modules
	streams
	graphs
	events

	launches sync.Pool // of *launch
}

type devices struct {
	init, driverGetVersion, deviceGetCount, deviceGet, deviceGetName, deviceTotalMem, deviceGetAttribute,
	deviceGetP2PAttribute entry
}

type contexts struct {
	primaryCtxRetain, primaryCtxRelease, ctxSetCurrent, ctxSynchronize, ctxEnablePeerAccess entry
}

type memories struct {
	memGetInfo, memAlloc, memFree, memAllocHost, memFreeHost, memcpyHtoD, memcpyDtoH, memcpyDtoD, memcpyPeer,
	memsetD32 entry
}

type modules struct {
	moduleLoadData, moduleLoadDataEx, moduleUnload, moduleGetFunction, funcSetAttribute, launchKernel entry
}

type streams struct {
	streamCreate, streamDestroy, streamSynchronize, streamQuery, streamWaitEvent, streamBeginCapture,
	streamEndCapture entry
}

type graphs struct{ graphInstantiate, graphLaunch, graphDestroy, graphExecDestroy entry }

type events struct {
	eventCreate, eventDestroy, eventRecord, eventSynchronize, eventQuery, eventElapsedTime entry
}

// bind looks up every function before any is called.
func bind(library string, lookup func(symbol string) (uintptr, error)) (*driver, error) {
	d := new(driver)
	for _, s := range []struct {
		to      *entry
		name    string
		version string // suffix of the symbol: the version of the interface that this package uses
		since   string // CUDA release
	}{
		{&d.init, "cuInit", "", "2.0"},
		{&d.driverGetVersion, "cuDriverGetVersion", "", "2.2"},
		{&d.deviceGetCount, "cuDeviceGetCount", "", "2.0"},
		{&d.deviceGet, "cuDeviceGet", "", "2.0"},
		{&d.deviceGetName, "cuDeviceGetName", "", "2.0"},
		{&d.deviceTotalMem, "cuDeviceTotalMem", "_v2", "3.2"},
		{&d.deviceGetAttribute, "cuDeviceGetAttribute", "", "2.0"},
		{&d.deviceGetP2PAttribute, "cuDeviceGetP2PAttribute", "", "8.0"},
		{&d.primaryCtxRetain, "cuDevicePrimaryCtxRetain", "", "7.0"},
		{&d.primaryCtxRelease, "cuDevicePrimaryCtxRelease", "_v2", "11.0"},
		{&d.ctxSetCurrent, "cuCtxSetCurrent", "", "4.0"},
		{&d.ctxSynchronize, "cuCtxSynchronize", "", "2.0"},
		{&d.ctxEnablePeerAccess, "cuCtxEnablePeerAccess", "", "4.0"},
		{&d.memGetInfo, "cuMemGetInfo", "_v2", "3.2"},
		{&d.memAlloc, "cuMemAlloc", "_v2", "3.2"},
		{&d.memFree, "cuMemFree", "_v2", "3.2"},
		{&d.memAllocHost, "cuMemAllocHost", "_v2", "3.2"},
		{&d.memFreeHost, "cuMemFreeHost", "", "2.0"},
		{&d.memcpyHtoD, "cuMemcpyHtoDAsync", "_v2", "3.2"},
		{&d.memcpyDtoH, "cuMemcpyDtoHAsync", "_v2", "3.2"},
		{&d.memcpyDtoD, "cuMemcpyDtoDAsync", "_v2", "3.2"},
		{&d.memcpyPeer, "cuMemcpyPeerAsync", "", "4.0"},
		{&d.memsetD32, "cuMemsetD32Async", "", "3.2"},
		{&d.moduleLoadData, "cuModuleLoadData", "", "2.0"},
		{&d.moduleLoadDataEx, "cuModuleLoadDataEx", "", "2.1"},
		{&d.moduleUnload, "cuModuleUnload", "", "2.0"},
		{&d.moduleGetFunction, "cuModuleGetFunction", "", "2.0"},
		{&d.funcSetAttribute, "cuFuncSetAttribute", "", "9.0"},
		{&d.launchKernel, "cuLaunchKernel", "", "4.0"},
		{&d.streamCreate, "cuStreamCreate", "", "2.0"},
		{&d.streamDestroy, "cuStreamDestroy", "_v2", "4.0"},
		{&d.streamSynchronize, "cuStreamSynchronize", "", "2.0"},
		{&d.streamQuery, "cuStreamQuery", "", "2.0"},
		{&d.streamWaitEvent, "cuStreamWaitEvent", "", "3.2"},
		{&d.streamBeginCapture, "cuStreamBeginCapture", "_v2", "10.1"},
		{&d.streamEndCapture, "cuStreamEndCapture", "", "10.0"},
		{&d.graphInstantiate, "cuGraphInstantiateWithFlags", "", "11.4"},
		{&d.graphLaunch, "cuGraphLaunch", "", "10.0"},
		{&d.graphDestroy, "cuGraphDestroy", "", "10.0"},
		{&d.graphExecDestroy, "cuGraphExecDestroy", "", "10.0"},
		{&d.eventCreate, "cuEventCreate", "", "2.0"},
		{&d.eventDestroy, "cuEventDestroy", "_v2", "4.0"},
		{&d.eventRecord, "cuEventRecord", "", "2.0"},
		{&d.eventSynchronize, "cuEventSynchronize", "", "2.0"},
		{&d.eventQuery, "cuEventQuery", "", "2.0"},
		{&d.eventElapsedTime, "cuEventElapsedTime", "", "2.0"},
	} {
		addr, err := lookup(s.name + s.version)
		if err != nil || addr == 0 {
			return nil, fmt.Errorf("%w: %s has no %s%s, which came with CUDA %s; thermsim needs a driver for CUDA "+
				"11.4 (470.42) or newer: %s, or run with --device cpu",
				ErrNoDriver, library, s.name, s.version, s.since, updateDriver)
		}
		*s.to = entry{name: s.name, addr: addr}
	}
	return d, nil
}

// IsMachine says whether a driver is that of the machine, which other libraries find too.
func IsMachine(d Driver) bool {
	_, ok := Beneath(d).(*driver)
	return ok
}

// Flags of cuda.h.
const (
	streamNonBlocking       = 1
	captureModeRelaxed      = 2 // kernels may be compiled, and memory allocated, while a thread captures
	jitErrorLogBuffer       = 5
	jitErrorLogBufferSize   = 6
	eventDefault            = 0
	graphInstantiateDefault = 0
)

func (d *driver) Init() error { return d.init.call(0) }

func (d *driver) DriverGetVersion() (int, error) {
	var v int32
	err := d.driverGetVersion.call(uintptr(unsafe.Pointer(&v)))
	return int(v), err
}

func (d *driver) DeviceGetCount() (int, error) {
	var n int32
	err := d.deviceGetCount.call(uintptr(unsafe.Pointer(&n)))
	return int(n), err
}

func (d *driver) DeviceGet(ordinal int) (Device, error) {
	var dev Device
	err := d.deviceGet.call(uintptr(unsafe.Pointer(&dev)), uintptr(ordinal))
	return dev, detail(err, func() string { return fmt.Sprintf("device %d", ordinal) })
}

func (d *driver) DeviceGetName(dev Device) (string, error) {
	var name [256]byte
	if err := d.deviceGetName.call(uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), uintptr(dev)); err != nil {
		return "", err
	}
	return cString(name[:]), nil
}

func (d *driver) DeviceTotalMem(dev Device) (int64, error) {
	var n uint64
	err := d.deviceTotalMem.call(uintptr(unsafe.Pointer(&n)), uintptr(dev))
	return int64(n), err
}

func (d *driver) DeviceGetAttribute(a DeviceAttribute, dev Device) (int, error) {
	var v int32
	err := d.deviceGetAttribute.call(uintptr(unsafe.Pointer(&v)), uintptr(a), uintptr(dev))
	return int(v), detail(err, func() string { return fmt.Sprintf("attribute %d", a) })
}

func (d *driver) DeviceGetP2PAttribute(a P2PAttribute, dev, other Device) (int, error) {
	var v int32
	err := d.deviceGetP2PAttribute.call(uintptr(unsafe.Pointer(&v)), uintptr(a), uintptr(dev), uintptr(other))
	return int(v), detail(err, func() string { return fmt.Sprintf("attribute %d of devices %d and %d", a, dev, other) })
}

func (d *driver) DevicePrimaryCtxRetain(dev Device) (Context, error) {
	var c Context
	if err := d.primaryCtxRetain.call(uintptr(unsafe.Pointer(&c)), uintptr(dev)); err != nil {
		return 0, err
	}
	if err := d.CtxSetCurrent(c); err != nil {
		_ = d.DevicePrimaryCtxRelease(dev) // the first error is the one to report
		return 0, err
	}
	return c, nil
}

func (d *driver) DevicePrimaryCtxRelease(dev Device) error {
	return d.primaryCtxRelease.call(uintptr(dev))
}

func (d *driver) CtxSetCurrent(c Context) error { return d.ctxSetCurrent.call(uintptr(c)) }

func (d *driver) CtxSynchronize() error { return d.ctxSynchronize.call() }

func (d *driver) CtxEnablePeerAccess(other Context) error {
	return d.ctxEnablePeerAccess.call(uintptr(other), 0)
}

func (d *driver) MemGetInfo() (free, total int64, err error) {
	var f, t uint64
	err = d.memGetInfo.call(uintptr(unsafe.Pointer(&f)), uintptr(unsafe.Pointer(&t)))
	return int64(f), int64(t), err
}

func (d *driver) MemAlloc(bytes int64) (DevicePtr, error) {
	if err := checkSize(d.memAlloc, bytes); err != nil {
		return 0, err
	}
	var p DevicePtr
	err := d.memAlloc.call(uintptr(unsafe.Pointer(&p)), uintptr(bytes))
	return p, detail(err, func() string { return fmt.Sprintf("%d bytes", bytes) })
}

func (d *driver) MemFree(p DevicePtr) error { return d.memFree.call(uintptr(p)) }

func (d *driver) MemAllocHost(bytes int64) (unsafe.Pointer, error) {
	if err := checkSize(d.memAllocHost, bytes); err != nil {
		return nil, err
	}
	var p unsafe.Pointer
	err := d.memAllocHost.call(uintptr(unsafe.Pointer(&p)), uintptr(bytes))
	return p, detail(err, func() string { return fmt.Sprintf("%d bytes of pinned memory", bytes) })
}

func (d *driver) MemFreeHost(p unsafe.Pointer) error { return d.memFreeHost.call(uintptr(p)) }

func (d *driver) MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes int64, s Stream) error {
	if err := checkSize(d.memcpyHtoD, bytes); err != nil {
		return err
	}
	return d.memcpyHtoD.call(uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

func (d *driver) MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes int64, s Stream) error {
	if err := checkSize(d.memcpyDtoH, bytes); err != nil {
		return err
	}
	return d.memcpyDtoH.call(uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

func (d *driver) MemcpyDtoDAsync(dst, src DevicePtr, bytes int64, s Stream) error {
	if err := checkSize(d.memcpyDtoD, bytes); err != nil {
		return err
	}
	return d.memcpyDtoD.call(uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s))
}

func (d *driver) MemcpyPeerAsync(dst DevicePtr, to Context, src DevicePtr, from Context, bytes int64, s Stream) error {
	if err := checkSize(d.memcpyPeer, bytes); err != nil {
		return err
	}
	return d.memcpyPeer.call(uintptr(dst), uintptr(to), uintptr(src), uintptr(from), uintptr(bytes), uintptr(s))
}

func (d *driver) MemsetD32Async(dst DevicePtr, value uint32, count int64, s Stream) error {
	if err := checkSize(d.memsetD32, count); err != nil {
		return err
	}
	return d.memsetD32.call(uintptr(dst), uintptr(value), uintptr(count), uintptr(s))
}

func (d *driver) ModuleLoadData(ptx []byte) (Module, error) {
	text := make([]byte, len(ptx)+1) // the driver finds the end by the zero byte
	copy(text, ptx)
	var m Module
	err := d.moduleLoadData.call(uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&text[0])))
	return m, detail(err, func() string { return d.compileLog(text) })
}

// compileLog loads a module that failed once more to get the compiler's words. The options it takes would go past the
// driver's cache, so the first attempt does without them.
func (d *driver) compileLog(text []byte) string {
	options := [2]int32{jitErrorLogBuffer, jitErrorLogBufferSize}
	values := struct { // an array of void*, one of which is a number in the place of a pointer
		log  *[4096]byte
		size uintptr // in: room; out: bytes used
	}{log: new([4096]byte)}
	values.size = uintptr(len(values.log))
	var pin runtime.Pinner // of what the memory that is passed points to
	defer pin.Unpin()
	pin.Pin(values.log)
	var m Module
	err := d.moduleLoadDataEx.call(uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&text[0])),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options[0])), uintptr(unsafe.Pointer(&values)))
	if err == nil {
		_ = d.ModuleUnload(m)
		return ""
	}
	return strings.Join(strings.Fields(cString(values.log[:])), " ") // on one line
}

func (d *driver) ModuleUnload(m Module) error { return d.moduleUnload.call(uintptr(m)) }

func (d *driver) ModuleGetFunction(m Module, name string) (Function, error) {
	text := append([]byte(name), 0)
	var f Function
	err := d.moduleGetFunction.call(uintptr(unsafe.Pointer(&f)), uintptr(m), uintptr(unsafe.Pointer(&text[0])))
	return f, detail(err, func() string { return "kernel " + name })
}

func (d *driver) FuncSetAttribute(f Function, a FunctionAttribute, value int) error {
	err := d.funcSetAttribute.call(uintptr(f), uintptr(a), uintptr(value))
	return detail(err, func() string { return fmt.Sprintf("attribute %d = %d", a, value) })
}

// launch is the argument list of cuLaunchKernel, kept between calls because SyscallN moves its own list to the heap.
type launch struct {
	args [11]uintptr
	// keeps the parameters alive, and on the heap, where they do not move: pins would cost each launch a tenth of what
	// it takes
	params []unsafe.Pointer
}

// LaunchKernel is the hot call: it allocates nothing. The driver copies the values of the parameters before it returns.
func (d *driver) LaunchKernel(f Function, grid, block [3]uint32, sharedBytes uint32, s Stream,
	params []unsafe.Pointer) error {
	l, ok := d.launches.Get().(*launch)
	if !ok {
		l = new(launch)
	}
	l.params = params
	l.args = [11]uintptr{uintptr(f),
		uintptr(grid[0]), uintptr(grid[1]), uintptr(grid[2]),
		uintptr(block[0]), uintptr(block[1]), uintptr(block[2]),
		uintptr(sharedBytes), uintptr(s), uintptr(unsafe.Pointer(unsafe.SliceData(params))), 0}
	r, _, _ := purego.SyscallN(d.launchKernel.addr, l.args[:]...)
	l.params = nil // not before the call: until here it keeps the parameters alive
	d.launches.Put(l)
	if res := Result(int32(r)); res != Success {
		return launchError(d.launchKernel.name, res, grid, block, sharedBytes, len(params))
	}
	return nil
}

func launchError(call string, r Result, grid, block [3]uint32, sharedBytes uint32, params int) error {
	return &Error{Call: call, Result: r,
		Detail: fmt.Sprintf("grid %v, block %v, %d bytes of shared memory, %d parameters", grid, block, sharedBytes,
			params)}
}

func (d *driver) StreamCreate() (Stream, error) {
	var s Stream
	err := d.streamCreate.call(uintptr(unsafe.Pointer(&s)), streamNonBlocking)
	return s, err
}

func (d *driver) StreamDestroy(s Stream) error     { return d.streamDestroy.call(uintptr(s)) }
func (d *driver) StreamSynchronize(s Stream) error { return d.streamSynchronize.call(uintptr(s)) }

func (d *driver) StreamQuery(s Stream) (bool, error) { return ready(d.streamQuery.call(uintptr(s))) }

func (d *driver) StreamWaitEvent(s Stream, e Event) error {
	return d.streamWaitEvent.call(uintptr(s), uintptr(e), eventDefault)
}

func (d *driver) StreamBeginCapture(s Stream) error {
	return d.streamBeginCapture.call(uintptr(s), captureModeRelaxed)
}

func (d *driver) StreamEndCapture(s Stream) (Graph, error) {
	var g Graph
	err := d.streamEndCapture.call(uintptr(s), uintptr(unsafe.Pointer(&g)))
	return g, err
}

func (d *driver) GraphInstantiate(g Graph) (GraphExec, error) {
	var e GraphExec
	err := d.graphInstantiate.call(uintptr(unsafe.Pointer(&e)), uintptr(g), graphInstantiateDefault)
	return e, err
}

func (d *driver) GraphLaunch(g GraphExec, s Stream) error {
	return d.graphLaunch.call(uintptr(g), uintptr(s))
}

func (d *driver) GraphDestroy(g Graph) error         { return d.graphDestroy.call(uintptr(g)) }
func (d *driver) GraphExecDestroy(g GraphExec) error { return d.graphExecDestroy.call(uintptr(g)) }

func (d *driver) EventCreate() (Event, error) {
	var e Event
	err := d.eventCreate.call(uintptr(unsafe.Pointer(&e)), eventDefault)
	return e, err
}

func (d *driver) EventDestroy(e Event) error { return d.eventDestroy.call(uintptr(e)) }

func (d *driver) EventRecord(e Event, s Stream) error {
	return d.eventRecord.call(uintptr(e), uintptr(s))
}

func (d *driver) EventSynchronize(e Event) error { return d.eventSynchronize.call(uintptr(e)) }

func (d *driver) EventQuery(e Event) (bool, error) { return ready(d.eventQuery.call(uintptr(e))) }

// ready turns the result of a query into an answer.
func ready(err error) (bool, error) {
	if e, ok := err.(*Error); ok && e.Result == NotReady {
		return false, nil
	}
	return err == nil, err
}

func (d *driver) EventElapsedTime(start, end Event) (float32, error) {
	var ms float32
	err := d.eventElapsedTime.call(uintptr(unsafe.Pointer(&ms)), uintptr(start), uintptr(end))
	return ms, err
}

// checkSize refuses what would turn into an enormous size_t.
func checkSize(e entry, n int64) error {
	if n < 0 {
		return &Error{Call: e.name, Result: InvalidValue, Detail: fmt.Sprintf("size %d", n)}
	}
	return nil
}

// detail adds to a failed call what it was about.
func detail(err error, text func() string) error {
	if e, ok := err.(*Error); ok {
		e.Detail = text()
	}
	return err
}

// cString is the text of b up to its zero byte.
func cString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}
