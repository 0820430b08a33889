//go:build linux && (amd64 || arm64)

package cudriver

import (
	"fmt"
	"runtime"
	"sync"

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

// entry is one function of the driver.
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
		version string // suffix of the symbol: the ABI that this package speaks
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
