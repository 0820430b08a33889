package device

import (
	"time"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/internal/timeline"
)

// notable is how long a call of the driver takes at least to be noted.
const notable = 100 * time.Microsecond

// timed is a driver whose longer calls are noted.
type timed struct {
	cudriver.Driver
	log *timeline.Log
}

// timedDriver notes calls in a log, if there is one.
func timedDriver(d cudriver.Driver, log *timeline.Log) cudriver.Driver {
	if log == nil {
		return d
	}
	return timed{d, log}
}

// Unwrap is the driver beneath.
func (t timed) Unwrap() cudriver.Driver { return t.Driver }

func (t timed) note(call string) (end func()) {
	begun := time.Now()
	return func() {
		if took := time.Since(begun); took >= notable {
			t.log.Add(call, begun, took)
		}
	}
}

func (t timed) Init() error {
	defer t.note("cuInit")()
	return t.Driver.Init()
}

func (t timed) DevicePrimaryCtxRetain(d cudriver.Device) (cudriver.Context, error) {
	defer t.note("cuDevicePrimaryCtxRetain")()
	return t.Driver.DevicePrimaryCtxRetain(d)
}

func (t timed) DevicePrimaryCtxRelease(d cudriver.Device) error {
	defer t.note("cuDevicePrimaryCtxRelease")()
	return t.Driver.DevicePrimaryCtxRelease(d)
}

func (t timed) MemGetInfo() (free, total int64, err error) {
	defer t.note("cuMemGetInfo")()
	return t.Driver.MemGetInfo()
}

func (t timed) MemAlloc(bytes int64) (cudriver.DevicePtr, error) {
	defer t.note("cuMemAlloc")()
	return t.Driver.MemAlloc(bytes)
}

func (t timed) MemFree(p cudriver.DevicePtr) error {
	defer t.note("cuMemFree")()
	return t.Driver.MemFree(p)
}

func (t timed) MemAllocHost(bytes int64) (unsafe.Pointer, error) {
	defer t.note("cuMemAllocHost")()
	return t.Driver.MemAllocHost(bytes)
}

func (t timed) MemFreeHost(p unsafe.Pointer) error {
	defer t.note("cuMemFreeHost")()
	return t.Driver.MemFreeHost(p)
}

func (t timed) MemcpyDtoHAsync(dst unsafe.Pointer, src cudriver.DevicePtr, bytes int64, s cudriver.Stream) error {
	defer t.note("cuMemcpyDtoHAsync")()
	return t.Driver.MemcpyDtoHAsync(dst, src, bytes, s)
}

func (t timed) MemcpyHtoDAsync(dst cudriver.DevicePtr, src unsafe.Pointer, bytes int64, s cudriver.Stream) error {
	defer t.note("cuMemcpyHtoDAsync")()
	return t.Driver.MemcpyHtoDAsync(dst, src, bytes, s)
}

func (t timed) ModuleLoadData(ptx []byte) (cudriver.Module, error) {
	defer t.note("cuModuleLoadData")()
	return t.Driver.ModuleLoadData(ptx)
}

func (t timed) ModuleUnload(m cudriver.Module) error {
	defer t.note("cuModuleUnload")()
	return t.Driver.ModuleUnload(m)
}

func (t timed) StreamCreate() (cudriver.Stream, error) {
	defer t.note("cuStreamCreate")()
	return t.Driver.StreamCreate()
}

func (t timed) StreamSynchronize(s cudriver.Stream) error {
	defer t.note("cuStreamSynchronize")()
	return t.Driver.StreamSynchronize(s)
}

func (t timed) StreamDestroy(s cudriver.Stream) error {
	defer t.note("cuStreamDestroy")()
	return t.Driver.StreamDestroy(s)
}

func (t timed) EventSynchronize(e cudriver.Event) error {
	defer t.note("cuEventSynchronize")()
	return t.Driver.EventSynchronize(e)
}
