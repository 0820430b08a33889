// Package cudriver speaks the CUDA driver API without cgo: libcuda is opened at run time, so one binary starts on
// machines with and without a GPU. Names and shapes are those of the driver API; every failure is an error, never a
// panic.
package cudriver

import (
	"fmt"
	"unsafe"
)

// Handles of the driver API. The zero value is no object; Stream 0 is the default stream.
type (
	Device    int32
	Context   uintptr
	Module    uintptr
	Function  uintptr
	Stream    uintptr
	Event     uintptr
	Graph     uintptr
	GraphExec uintptr
	// DevicePtr is an address in device memory.
	DevicePtr uint64
)

// Driver is the part of the CUDA driver API that thermsim uses. Open returns the machine's own; package interpreter
// implements it in Go for tests. Calls belong on a locked OS thread with a current context. All sizes are in bytes.
type Driver interface {
	Init() error
	DriverGetVersion() (int, error) // 1000 major + 10 minor
	DeviceGetCount() (int, error)
	DeviceGet(ordinal int) (Device, error)
	DeviceGetName(d Device) (string, error)
	DeviceTotalMem(d Device) (int64, error)
	DeviceGetAttribute(a DeviceAttribute, d Device) (int, error)
	// DeviceGetP2PAttribute is how d reaches the memory of another device.
	DeviceGetP2PAttribute(a P2PAttribute, d, other Device) (int, error)

	// DevicePrimaryCtxRetain makes the device's primary context current on the calling thread.
	DevicePrimaryCtxRetain(d Device) (Context, error)
	DevicePrimaryCtxRelease(d Device) error
	// CtxSetCurrent makes a context current on the calling thread.
	CtxSetCurrent(c Context) error
	CtxSynchronize() error
	// CtxEnablePeerAccess lets the current context reach the memory of another.
	CtxEnablePeerAccess(other Context) error
	MemGetInfo() (free, total int64, err error)

	MemAlloc(bytes int64) (DevicePtr, error)
	MemFree(p DevicePtr) error
	// MemAllocHost allocates pinned memory of the host.
	MemAllocHost(bytes int64) (unsafe.Pointer, error)
	MemFreeHost(p unsafe.Pointer) error
	MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes int64, s Stream) error
	MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes int64, s Stream) error
	MemcpyDtoDAsync(dst, src DevicePtr, bytes int64, s Stream) error
	// MemcpyPeerAsync copies between the memories of two contexts, in the order of a stream of the current one.
	MemcpyPeerAsync(dst DevicePtr, to Context, src DevicePtr, from Context, bytes int64, s Stream) error
	MemsetD32Async(dst DevicePtr, value uint32, count int64, s Stream) error

	// ModuleLoadData loads PTX text; the driver compiles it, or takes the result from its cache.
	ModuleLoadData(ptx []byte) (Module, error)
	ModuleUnload(m Module) error
	ModuleGetFunction(m Module, name string) (Function, error)
	FuncSetAttribute(f Function, a FunctionAttribute, value int) error
	// LaunchKernel takes the addresses of the parameters in order.
	LaunchKernel(f Function, grid, block [3]uint32, sharedBytes uint32, s Stream, params []unsafe.Pointer) error

	StreamCreate() (Stream, error) // non-blocking
	StreamDestroy(s Stream) error
	StreamSynchronize(s Stream) error
	// StreamQuery says, without a wait, whether all work of the stream is done.
	StreamQuery(s Stream) (done bool, err error)
	// StreamWaitEvent holds the stream up until an event has happened, which may be one of another device.
	StreamWaitEvent(s Stream, e Event) error
	StreamBeginCapture(s Stream) error
	StreamEndCapture(s Stream) (Graph, error)
	GraphInstantiate(g Graph) (GraphExec, error)
	GraphLaunch(g GraphExec, s Stream) error
	GraphDestroy(g Graph) error
	GraphExecDestroy(g GraphExec) error

	EventCreate() (Event, error)
	EventDestroy(e Event) error
	EventRecord(e Event, s Stream) error
	EventSynchronize(e Event) error
	// EventQuery says, without a wait, whether what was recorded last has happened.
	EventQuery(e Event) (done bool, err error)
	EventElapsedTime(start, end Event) (milliseconds float32, err error)
}

// Over, where it is not nil, puts other bindings over those that Open gives. A build that has some, such as that of
// gpusolve/cuda/cudriver/mumax3, sets it before anything is opened.
var Over func(Driver) Driver

// Beneath is the driver under all those that wrap it.
func Beneath(d Driver) Driver {
	for {
		u, ok := d.(interface{ Unwrap() Driver })
		if !ok {
			return d
		}
		d = u.Unwrap()
	}
}

type DeviceAttribute int32

// The attributes in use, with the numbers of cuda.h.
const (
	MaxThreadsPerBlock           DeviceAttribute = 1
	MaxGridDimY                  DeviceAttribute = 6
	MaxGridDimZ                  DeviceAttribute = 7
	MaxSharedMemoryPerBlock      DeviceAttribute = 8
	WarpSize                     DeviceAttribute = 10
	ClockRate                    DeviceAttribute = 13
	MultiprocessorCount          DeviceAttribute = 16
	PCIBus                       DeviceAttribute = 33
	PCIDevice                    DeviceAttribute = 34
	L2CacheSize                  DeviceAttribute = 38
	PCIDomain                    DeviceAttribute = 50
	ComputeCapabilityMajor       DeviceAttribute = 75
	ComputeCapabilityMinor       DeviceAttribute = 76
	MaxSharedMemoryPerBlockOptin DeviceAttribute = 97
)

type P2PAttribute int32

// The attributes in use. Atomics of one device work in the memory of another over NVLink, and not over PCI Express.
const (
	P2PAccessSupported       P2PAttribute = 2
	P2PNativeAtomicSupported P2PAttribute = 3
)

type FunctionAttribute int32

// MaxDynamicSharedSizeBytes raises the dynamic shared memory of a kernel above 48 KiB.
const MaxDynamicSharedSizeBytes FunctionAttribute = 8

// Ptr is the address of values of T in device memory. The zero value points nowhere: kernels see a null pointer.
type Ptr[T any] struct{ at DevicePtr }

// Pointer is a Ptr to values of any type.
type Pointer interface {
	Address() DevicePtr
}

func At[T any](p DevicePtr) Ptr[T] { return Ptr[T]{p} }

// Address is the address without the type.
func (p Ptr[T]) Address() DevicePtr { return p.at }

func (p Ptr[T]) IsNil() bool { return p.at == 0 }

// Add points n values further on, or back where n is negative.
func (p Ptr[T]) Add(n int64) Ptr[T] {
	var one T
	return Ptr[T]{p.at + DevicePtr(n*int64(unsafe.Sizeof(one)))}
}

// Half is the bits of an FP16 number.
type Half uint16

// Info describes a device, as far as that is possible without a context on it.
type Info struct {
	Ordinal      int // number in the driver's order, after CUDA_VISIBLE_DEVICES
	Device       Device
	Name         string
	Major, Minor int // compute capability
	// bytes; finding the free memory (MemGetInfo) needs a context, which takes a quarter of a second and 0.5 GB
	TotalMemory     int64
	Multiprocessors int
	L2Cache         int // bytes
	DriverVersion   int // highest CUDA version of the driver, 1000 major + 10 minor
}

// ComputeCapability is the capability as in "9.0".
func (i Info) ComputeCapability() string { return fmt.Sprintf("%d.%d", i.Major, i.Minor) }

// CUDAVersion is the driver's CUDA version as in "12.4".
func (i Info) CUDAVersion() string {
	return fmt.Sprintf("%d.%d", i.DriverVersion/1000, i.DriverVersion%1000/10)
}

// List initialises the driver and describes its devices. It needs no context and may run on any thread. Without devices
// the error is ErrNoDevice.
func List(d Driver) ([]Info, error) {
	if err := d.Init(); err != nil {
		return nil, err
	}
	version, err := d.DriverGetVersion()
	if err != nil {
		return nil, err
	}
	n, err := d.DeviceGetCount()
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, &Error{Call: "cuDeviceGetCount", Result: NoDevice}
	}
	list := make([]Info, n)
	for i := range list {
		if list[i], err = describe(d, i); err != nil {
			return nil, fmt.Errorf("device %d: %w", i, err)
		}
		list[i].DriverVersion = version
	}
	return list, nil
}

func describe(d Driver, ordinal int) (Info, error) {
	info := Info{Ordinal: ordinal}
	var err error
	if info.Device, err = d.DeviceGet(ordinal); err != nil {
		return info, err
	}
	if info.Name, err = d.DeviceGetName(info.Device); err != nil {
		return info, err
	}
	if info.TotalMemory, err = d.DeviceTotalMem(info.Device); err != nil {
		return info, err
	}
	for _, a := range []struct {
		to *int
		a  DeviceAttribute
	}{
		{&info.Major, ComputeCapabilityMajor},
		{&info.Minor, ComputeCapabilityMinor},
		{&info.Multiprocessors, MultiprocessorCount},
		{&info.L2Cache, L2CacheSize},
	} {
		if *a.to, err = d.DeviceGetAttribute(a.a, info.Device); err != nil {
			return info, err
		}
	}
	return info, nil
}
