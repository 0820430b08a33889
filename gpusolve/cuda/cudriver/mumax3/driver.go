// Package mumax3 is a CUDA driver on the bindings of mumax/3, github.com/mumax/3/cuda/cu, for the calls that they have:
// memory, copies, modules and launches. They lack primary contexts, events, graphs and their capture, and more; those
// calls go to the driver beneath, which is thermsim's own. Both speak to one libcuda, so that handles of one are
// handles of the other.
//
// The bindings are cgo, link libcuda, and are under GPL-3: a program with them is too. See
// docs/contributing/decisions/0005-cuda-bindings.md.
package mumax3

import (
	"fmt"
	"unsafe"

	"github.com/mumax/3/cuda/cu"

	"thermsim/gpusolve/cuda/cudriver"
)

// driver takes the calls that the bindings have.
type driver struct{ cudriver.Driver }

var _ cudriver.Driver = driver{}

// Over puts the bindings over a driver, which takes the calls that they lack.
func Over(d cudriver.Driver) cudriver.Driver { return driver{d} }

// try turns the panic of a binding into an error.
func try(call string, f func()) (err error) {
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case cu.Result:
			err = &cudriver.Error{Call: call, Result: cudriver.Result(fault)}
		default:
			err = fmt.Errorf("%s: %v", call, fault)
		}
	}()
	f()
	return nil
}

// get is try for calls with a result.
func get[T any](call string, f func() T) (v T, err error) {
	err = try(call, func() { v = f() })
	return v, err
}

// size refuses what would turn into an enormous size_t.
func size(call string, n int64) error {
	if n < 0 {
		return &cudriver.Error{Call: call, Result: cudriver.InvalidValue, Detail: fmt.Sprintf("size %d", n)}
	}
	return nil
}

func (driver) Init() error { return try("cuInit", func() { cu.Init(0) }) }

func (driver) DeviceGetCount() (int, error) { return get("cuDeviceGetCount", cu.DeviceGetCount) }

func (driver) DeviceGet(ordinal int) (cudriver.Device, error) {
	return get("cuDeviceGet", func() cudriver.Device { return cudriver.Device(cu.DeviceGet(ordinal)) })
}

func (driver) DeviceGetName(d cudriver.Device) (string, error) {
	return get("cuDeviceGetName", func() string { return cu.DeviceGetName(cu.Device(d)) })
}

func (driver) DeviceTotalMem(d cudriver.Device) (int64, error) {
	return get("cuDeviceTotalMem", func() int64 { return cu.DeviceTotalMem(cu.Device(d)) })
}

func (driver) DeviceGetAttribute(a cudriver.DeviceAttribute, d cudriver.Device) (int, error) {
	return get("cuDeviceGetAttribute", func() int { return cu.DeviceGetAttribute(cu.DeviceAttribute(a), cu.Device(d)) })
}

func (driver) CtxSetCurrent(c cudriver.Context) error {
	return try("cuCtxSetCurrent", func() { cu.CtxSetCurrent(cu.Context(c)) })
}

func (driver) CtxSynchronize() error { return try("cuCtxSynchronize", cu.CtxSynchronize) }

func (driver) MemGetInfo() (free, total int64, err error) {
	err = try("cuMemGetInfo", func() { free, total = cu.MemGetInfo() })
	return free, total, err
}

func (driver) MemAlloc(bytes int64) (p cudriver.DevicePtr, err error) {
	if err = size("cuMemAlloc", bytes); err == nil {
		p, err = get("cuMemAlloc", func() cudriver.DevicePtr { return cudriver.DevicePtr(cu.MemAlloc(bytes)) })
	}
	return p, err
}

func (driver) MemFree(p cudriver.DevicePtr) error {
	return try("cuMemFree", func() { cu.MemFree(cu.DevicePtr(p)) })
}

func (driver) MemAllocHost(bytes int64) (p unsafe.Pointer, err error) {
	if err = size("cuMemAllocHost", bytes); err == nil {
		p, err = get("cuMemAllocHost", func() unsafe.Pointer { return cu.MemAllocHost(bytes) })
	}
	return p, err
}

func (driver) MemFreeHost(p unsafe.Pointer) error {
	return try("cuMemFreeHost", func() { cu.MemFreeHost(p) })
}

func (driver) MemcpyHtoDAsync(dst cudriver.DevicePtr, src unsafe.Pointer, bytes int64, s cudriver.Stream) error {
	if err := size("cuMemcpyHtoDAsync", bytes); err != nil {
		return err
	}
	return try("cuMemcpyHtoDAsync", func() { cu.MemcpyHtoDAsync(cu.DevicePtr(dst), src, bytes, cu.Stream(s)) })
}

func (driver) MemcpyDtoHAsync(dst unsafe.Pointer, src cudriver.DevicePtr, bytes int64, s cudriver.Stream) error {
	if err := size("cuMemcpyDtoHAsync", bytes); err != nil {
		return err
	}
	return try("cuMemcpyDtoHAsync", func() { cu.MemcpyDtoHAsync(dst, cu.DevicePtr(src), bytes, cu.Stream(s)) })
}

func (driver) MemcpyDtoDAsync(dst, src cudriver.DevicePtr, bytes int64, s cudriver.Stream) error {
	if err := size("cuMemcpyDtoDAsync", bytes); err != nil {
		return err
	}
	return try("cuMemcpyDtoDAsync", func() {
		cu.MemcpyDtoDAsync(cu.DevicePtr(dst), cu.DevicePtr(src), bytes, cu.Stream(s))
	})
}

func (driver) MemsetD32Async(dst cudriver.DevicePtr, value uint32, count int64, s cudriver.Stream) error {
	if err := size("cuMemsetD32Async", count); err != nil {
		return err
	}
	return try("cuMemsetD32Async", func() { cu.MemsetD32Async(cu.DevicePtr(dst), value, count, cu.Stream(s)) })
}

func (d driver) ModuleLoadData(ptx []byte) (cudriver.Module, error) {
	m, err := get("cuModuleLoadData", func() cudriver.Module { return cudriver.Module(cu.ModuleLoadData(string(ptx))) })
	if err != nil {
		return d.Driver.ModuleLoadData(ptx) // which reports the output of the compiler
	}
	return m, nil
}

func (driver) ModuleGetFunction(m cudriver.Module, name string) (cudriver.Function, error) {
	f, err := get("cuModuleGetFunction", func() cudriver.Function {
		return cudriver.Function(cu.ModuleGetFunction(cu.Module(m), name))
	})
	if e, ok := err.(*cudriver.Error); ok {
		e.Detail = "kernel " + name
	}
	return f, err
}

func (driver) StreamSynchronize(s cudriver.Stream) error {
	return try("cuStreamSynchronize", func() { cu.StreamSynchronize(cu.Stream(s)) })
}

func (driver) StreamDestroy(s cudriver.Stream) error {
	return try("cuStreamDestroy", func() { own := cu.Stream(s); own.Destroy() })
}

// LaunchKernel copies eight bytes for each parameter, as the bindings do: no kernel of thermsim has a larger one.
func (driver) LaunchKernel(f cudriver.Function, grid, block [3]uint32, sharedBytes uint32, s cudriver.Stream,
	params []unsafe.Pointer) error {
	err := try("cuLaunchKernel", func() {
		cu.LaunchKernel(cu.Function(f), int(grid[0]), int(grid[1]), int(grid[2]), int(block[0]), int(block[1]),
			int(block[2]), int(sharedBytes), cu.Stream(s), params)
	})
	if e, ok := err.(*cudriver.Error); ok {
		e.Detail = fmt.Sprintf("grid %v, block %v, %d bytes of shared memory, %d parameters", grid, block, sharedBytes,
			len(params))
	}
	return err
}
