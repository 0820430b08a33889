package interpreter

import (
	"fmt"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
)

// Init implements cudriver.Driver.
func (m *Machine) Init() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready = true
	return nil
}

// DriverGetVersion implements cudriver.Driver.
func (m *Machine) DriverGetVersion() (int, error) { return driverVersion, nil }

func (m *Machine) initialized(call string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.ready {
		return fail(call, cudriver.NotInitialized, "")
	}
	return nil
}

// DeviceGetCount implements cudriver.Driver: there is one device.
func (m *Machine) DeviceGetCount() (int, error) { return 1, m.initialized("cuDeviceGetCount") }

// DeviceGet implements cudriver.Driver.
func (m *Machine) DeviceGet(ordinal int) (cudriver.Device, error) {
	if ordinal != 0 {
		return 0, fail("cuDeviceGet", cudriver.InvalidDevice, fmt.Sprintf("device %d of 1", ordinal))
	}
	return 0, m.initialized("cuDeviceGet")
}

func (m *Machine) device(call string, d cudriver.Device) error {
	if d != 0 {
		return fail(call, cudriver.InvalidDevice, fmt.Sprintf("device %d of 1", d))
	}
	return m.initialized(call)
}

// DeviceGetName implements cudriver.Driver.
func (m *Machine) DeviceGetName(d cudriver.Device) (string, error) {
	return deviceName, m.device("cuDeviceGetName", d)
}

// DeviceTotalMem implements cudriver.Driver.
func (m *Machine) DeviceTotalMem(d cudriver.Device) (int64, error) {
	return m.options.Memory, m.device("cuDeviceTotalMem", d)
}

// DeviceGetAttribute implements cudriver.Driver: a device of compute capability 7.0.
func (m *Machine) DeviceGetAttribute(a cudriver.DeviceAttribute, d cudriver.Device) (int, error) {
	const call = "cuDeviceGetAttribute"
	if err := m.device(call, d); err != nil {
		return 0, err
	}
	switch a {
	case cudriver.MaxThreadsPerBlock:
		return maxThreads, nil
	case cudriver.MaxGridDimY, cudriver.MaxGridDimZ:
		return m.options.GridRows, nil
	case cudriver.MaxSharedMemoryPerBlock:
		return sharedPerBlock, nil
	case cudriver.MaxSharedMemoryPerBlockOptin:
		return sharedPerSM, nil
	case cudriver.WarpSize:
		return warpSize, nil
	case cudriver.ClockRate:
		return 1_000_000, nil
	case cudriver.MultiprocessorCount:
		return m.options.SMs, nil
	case cudriver.L2CacheSize:
		return 4 << 20, nil
	case cudriver.ComputeCapabilityMajor:
		return 7, nil
	case cudriver.ComputeCapabilityMinor:
		return 0, nil
	}
	return 0, fail(call, cudriver.InvalidValue, fmt.Sprintf("attribute %d", a))
}

// DeviceGetP2PAttribute implements cudriver.Driver: there is no other device.
func (m *Machine) DeviceGetP2PAttribute(_ cudriver.P2PAttribute, d, other cudriver.Device) (int, error) {
	const call = "cuDeviceGetP2PAttribute"
	if err := m.device(call, d); err != nil {
		return 0, err
	}
	return 0, fail(call, cudriver.InvalidDevice, fmt.Sprintf("devices %d and %d of 1", d, other))
}

// CtxEnablePeerAccess implements cudriver.Driver: a context is not its own peer.
func (m *Machine) CtxEnablePeerAccess(cudriver.Context) error {
	const call = "cuCtxEnablePeerAccess"
	if err := m.initialized(call); err != nil {
		return err
	}
	return fail(call, cudriver.InvalidContext, "there is one context")
}

// DevicePrimaryCtxRetain implements cudriver.Driver.
func (m *Machine) DevicePrimaryCtxRetain(d cudriver.Device) (cudriver.Context, error) {
	if err := m.device("cuDevicePrimaryCtxRetain", d); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.contexts++
	return primaryContext, nil
}

// DevicePrimaryCtxRelease implements cudriver.Driver. What was allocated stays allocated, so that leaks can be counted.
func (m *Machine) DevicePrimaryCtxRelease(d cudriver.Device) error {
	const call = "cuDevicePrimaryCtxRelease"
	if err := m.device(call, d); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.contexts == 0 {
		return fail(call, cudriver.InvalidContext, "released more often than retained")
	}
	m.contexts--
	if m.contexts == 0 {
		m.sticky = nil // a fault ends with its context
	}
	return nil
}

// CtxSynchronize implements cudriver.Driver.
func (m *Machine) CtxSynchronize() error {
	leave, err := m.enter("cuCtxSynchronize")
	defer leave()
	if err != nil {
		return err
	}
	for _, s := range m.streams {
		if s.capturing {
			s.spoilt = true
			return fail("cuCtxSynchronize", cudriver.StreamCaptureUnsupported, "")
		}
	}
	return m.drainAll()
}

// MemGetInfo implements cudriver.Driver.
func (m *Machine) MemGetInfo() (free, total int64, err error) {
	leave, err := m.enter("cuMemGetInfo")
	defer leave()
	return m.memory.total - m.memory.used, m.memory.total, err
}

// MemAlloc implements cudriver.Driver.
func (m *Machine) MemAlloc(bytes int64) (cudriver.DevicePtr, error) {
	const call = "cuMemAlloc"
	leave, err := m.enter(call)
	defer leave()
	switch {
	case err != nil:
		return 0, err
	case bytes <= 0:
		return 0, fail(call, cudriver.InvalidValue, fmt.Sprintf("%d bytes", bytes))
	case bytes > m.memory.total-m.memory.used || bytes > maxAlloc:
		return 0,
			fail(call, cudriver.OutOfMemory,
				fmt.Sprintf("%d bytes, %d of %d are free", bytes, m.memory.total-m.memory.used, m.memory.total))
	}
	a := m.memory.allocate(bytes, "")
	m.memory.used += bytes
	m.memory.live++
	return cudriver.DevicePtr(a.base), nil
}

// MemFree implements cudriver.Driver. After a kernel has failed it frees the memory and returns the kernel's error, so
// that clean-up can be checked.
func (m *Machine) MemFree(p cudriver.DevicePtr) error {
	const call = "cuMemFree"
	leave, err := m.enter(call)
	defer leave()
	if err != nil && m.sticky == nil {
		return err
	}
	if p == 0 {
		return err
	}
	a := m.memory.find(uint64(p))
	switch {
	case a == nil || a.name != "" || a.base != uint64(p):
		return fail(call, cudriver.InvalidValue, fmt.Sprintf("%#x is not the beginning of an allocation", uint64(p)))
	case a.freed:
		return fail(call, cudriver.InvalidValue, fmt.Sprintf("%s has been freed already", a))
	}
	a.free()
	m.memory.used -= int64(a.size)
	m.memory.live--
	return err
}

// MemAllocHost implements cudriver.Driver.
func (m *Machine) MemAllocHost(bytes int64) (unsafe.Pointer, error) {
	const call = "cuMemAllocHost"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return nil, err
	}
	if bytes <= 0 {
		return nil, fail(call, cudriver.InvalidValue, fmt.Sprintf("%d bytes", bytes))
	}
	words := make([]uint64, (bytes+7)/8)
	p := unsafe.Pointer(unsafe.SliceData(words))
	m.pinned[p] = unsafe.Slice((*byte)(p), bytes)
	return p, nil
}

// MemFreeHost implements cudriver.Driver.
func (m *Machine) MemFreeHost(p unsafe.Pointer) error {
	const call = "cuMemFreeHost"
	leave, err := m.enter(call)
	defer leave()
	if err != nil && m.sticky == nil {
		return err
	}
	held, ok := m.pinned[p]
	if !ok {
		return fail(call, cudriver.InvalidValue, "not the beginning of pinned memory, or freed already")
	}
	for i := range held {
		held[i] = undefined // a copy that has not been waited for shows it
	}
	delete(m.pinned, p)
	return err
}

// CtxSetCurrent implements cudriver.Driver.
func (m *Machine) CtxSetCurrent(c cudriver.Context) error {
	const call = "cuCtxSetCurrent"
	if err := m.initialized(call); err != nil {
		return err
	}
	if c != 0 && c != primaryContext {
		return fail(call, cudriver.InvalidContext, "")
	}
	return nil
}
