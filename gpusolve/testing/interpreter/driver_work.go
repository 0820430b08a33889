package interpreter

import (
	"fmt"
	"math/rand/v2"
	"time"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
)

// span finds the allocation that holds a range.
func (m *Machine) span(call string, p cudriver.DevicePtr, n int64) (*allocation, uint64, error) {
	if n < 0 {
		return nil, 0, fail(call, cudriver.InvalidValue, fmt.Sprintf("%d bytes", n))
	}
	a, problem := m.memory.check(uint64(p), uint64(n))
	if problem != "" {
		return nil, 0, fail(call, cudriver.InvalidValue, fmt.Sprintf("%d bytes at %#x: %s", n, uint64(p), problem))
	}
	return a, uint64(p) - a.base, nil
}

// MemcpyHtoDAsync implements cudriver.Driver.
func (m *Machine) MemcpyHtoDAsync(dst cudriver.DevicePtr, src unsafe.Pointer, n int64, s cudriver.Stream) error {
	const call = "cuMemcpyHtoDAsync"
	leave, err := m.enter(call)
	defer leave()
	if err != nil || n == 0 {
		return err
	}
	if _, _, err := m.span(call, dst, n); err != nil {
		return err
	}
	return m.submit(call, s, func() error {
		a, off, err := m.span(call, dst, n)
		if err != nil {
			return err
		}
		m.clock += time.Duration(n)
		a.write(off, unsafe.Slice((*byte)(src), n))
		return nil
	})
}

// MemcpyDtoHAsync implements cudriver.Driver. Copying bytes that nothing has written is an error.
func (m *Machine) MemcpyDtoHAsync(dst unsafe.Pointer, src cudriver.DevicePtr, n int64, s cudriver.Stream) error {
	const call = "cuMemcpyDtoHAsync"
	leave, err := m.enter(call)
	defer leave()
	if err != nil || n == 0 {
		return err
	}
	if _, _, err := m.span(call, src, n); err != nil {
		return err
	}
	m.undefine(s, unsafe.Slice((*byte)(dst), n))
	return m.submit(call, s, func() error {
		a, off, err := m.span(call, src, n)
		if err != nil {
			return err
		}
		m.clock += time.Duration(n)
		if bad := a.read(off, unsafe.Slice((*byte)(dst), n)); bad >= 0 {
			return fail(call, cudriver.InvalidValue,
				fmt.Sprintf("%d bytes at %#x: read of memory nothing wrote, at byte offset %d of %s", n, uint64(src),
					bad, a))
		}
		return nil
	})
}

// MemcpyDtoDAsync implements cudriver.Driver.
func (m *Machine) MemcpyDtoDAsync(dst, src cudriver.DevicePtr, n int64, s cudriver.Stream) error {
	const call = "cuMemcpyDtoDAsync"
	leave, err := m.enter(call)
	defer leave()
	if err != nil || n == 0 {
		return err
	}
	work := func() error {
		a, from, err := m.span(call, src, n)
		if err != nil {
			return err
		}
		b, to, err := m.span(call, dst, n)
		if err != nil {
			return err
		}
		if a == b && from < to+uint64(n) && to < from+uint64(n) {
			return fail(call, cudriver.InvalidValue, "the ranges overlap")
		}
		m.clock += time.Duration(n)
		b.copyFrom(to, a, from, uint64(n))
		return nil
	}
	return m.submit(call, s, work)
}

// MemcpyPeerAsync implements cudriver.Driver: between two places of the one context.
func (m *Machine) MemcpyPeerAsync(dst cudriver.DevicePtr, to cudriver.Context, src cudriver.DevicePtr,
	from cudriver.Context, n int64, s cudriver.Stream) error {
	if to != primaryContext || from != primaryContext {
		return fail("cuMemcpyPeerAsync", cudriver.InvalidContext, "")
	}
	return m.MemcpyDtoDAsync(dst, src, n, s)
}

// MemsetD32Async implements cudriver.Driver.
func (m *Machine) MemsetD32Async(dst cudriver.DevicePtr, value uint32, count int64, s cudriver.Stream) error {
	const call = "cuMemsetD32Async"
	leave, err := m.enter(call)
	defer leave()
	if err != nil || count == 0 {
		return err
	}
	if dst&3 != 0 || count < 0 || count > maxAlloc/4 {
		return fail(call, cudriver.InvalidValue, fmt.Sprintf("%d words at %#x", count, uint64(dst)))
	}
	if _, _, err := m.span(call, dst, 4*count); err != nil {
		return err
	}
	return m.submit(call, s, func() error {
		a, off, err := m.span(call, dst, 4*count)
		if err != nil {
			return err
		}
		m.clock += time.Duration(count)
		a.fill(off, value, uint64(count))
		return nil
	})
}

// ModuleLoadData implements cudriver.Driver. An instruction, modifier or directive the interpreter does not know is an
// error.
func (m *Machine) ModuleLoadData(text []byte) (cudriver.Module, error) {
	leave, err := m.enter("cuModuleLoadData")
	defer leave()
	if err != nil {
		return 0, err
	}
	mod, err := m.load(text)
	if err != nil {
		return 0, err
	}
	m.modules[mod.handle] = mod
	return mod.handle, nil
}

// ModuleUnload implements cudriver.Driver.
func (m *Machine) ModuleUnload(h cudriver.Module) error {
	const call = "cuModuleUnload"
	leave, err := m.enter(call)
	defer leave()
	if err != nil && m.sticky == nil {
		return err
	}
	mod := m.modules[h]
	if mod == nil {
		return fail(call, cudriver.InvalidHandle, "")
	}
	for _, f := range mod.functions {
		delete(m.functions, f)
	}
	for _, a := range mod.variables {
		a.free()
	}
	mod.unloaded = true
	delete(m.modules, h)
	return err
}

// ModuleGetFunction implements cudriver.Driver.
func (m *Machine) ModuleGetFunction(h cudriver.Module, name string) (cudriver.Function, error) {
	const call = "cuModuleGetFunction"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return 0, err
	}
	mod := m.modules[h]
	if mod == nil {
		return 0, fail(call, cudriver.InvalidHandle, "")
	}
	k := mod.kernels[name]
	if k == nil {
		return 0, fail(call, cudriver.NotFound, name)
	}
	f := cudriver.Function(m.handle())
	m.functions[f] = k
	mod.functions = append(mod.functions, f)
	return f, nil
}

// FuncSetAttribute implements cudriver.Driver.
func (m *Machine) FuncSetAttribute(f cudriver.Function, a cudriver.FunctionAttribute, value int) error {
	const call = "cuFuncSetAttribute"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return err
	}
	k := m.functions[f]
	switch {
	case k == nil:
		return fail(call, cudriver.InvalidHandle, "")
	case a != cudriver.MaxDynamicSharedSizeBytes || value < 0 || k.dynamicAt+int64(value) > sharedPerSM:
		return fail(call, cudriver.InvalidValue, fmt.Sprintf("attribute %d of %s to %d", a, k.name, value))
	}
	k.maxDynamic = value
	return nil
}

// LaunchKernel implements cudriver.Driver. What a kernel does wrong is returned by the launch, with the whole report,
// and by every later call.
func (m *Machine) LaunchKernel(f cudriver.Function, grid, block [3]uint32, sharedBytes uint32, s cudriver.Stream,
	params []unsafe.Pointer) error {
	const call = "cuLaunchKernel"
	leave, err := m.enter(call)
	defer leave()
	if err != nil {
		return err
	}
	k := m.functions[f]
	if k == nil {
		return fail(call, cudriver.InvalidHandle, "")
	}
	r := &launch{machine: m, kernel: k, grid: grid, block: block}
	if problem := r.size(sharedBytes); problem != "" {
		return fail(call, cudriver.InvalidValue, k.name+": "+problem)
	}
	if len(params) != len(k.entry.Params) {
		return fail(call, cudriver.InvalidValue,
			fmt.Sprintf("%s takes %d parameters, found %d", k.name, len(k.entry.Params), len(params)))
	}
	values := make([]byte, k.entry.ParamBytes)
	for i, p := range k.entry.Params {
		copy(values[p.Offset:p.Offset+p.Size], unsafe.Slice((*byte)(params[i]), p.Size))
	}
	r.params = values
	return m.submit(call, s, func() error {
		if k.module.unloaded {
			return fail(call, cudriver.InvalidHandle, "the module of "+k.name+" was unloaded before the kernel ran")
		}
		run := *r // graphs launch it again and again
		return m.launch(&run)
	})
}

// size checks the shape of a launch.
func (r *launch) size(sharedBytes uint32) string {
	rows := uint32(r.machine.options.GridRows)
	limits := [6]uint32{1<<31 - 1, rows, rows, 1024, 1024, 64}
	for i, n := range append(r.grid[:], r.block[:]...) {
		if n == 0 || n > limits[i] {
			return fmt.Sprintf("grid %v of blocks %v", r.grid, r.block)
		}
	}
	r.threads = r.block[0] * r.block[1] * r.block[2]
	if most := r.kernel.entry.MaxThreads; r.threads > maxThreads || most > 0 && int(r.threads) > most {
		return fmt.Sprintf("%d threads in a block; the kernel allows %d, the device %d", r.threads, most, maxThreads)
	}
	r.shared = r.kernel.sharedBytes
	if sharedBytes > 0 {
		r.shared = r.kernel.dynamicAt + int64(sharedBytes)
	}
	if r.shared > sharedPerBlock && (int(sharedBytes) > r.kernel.maxDynamic || r.shared > sharedPerSM) {
		return fmt.Sprintf("%d bytes of shared memory (above %d they have to be asked for with FuncSetAttribute)",
			r.shared, sharedPerBlock)
	}
	return ""
}

func (m *Machine) launch(r *launch) error {
	r.random = rand.New(rand.NewPCG(m.random.Uint64(), m.random.Uint64()))
	r.races = !m.options.NoRaces
	r.execute()
	m.executed += r.executed
	m.clock += launchOverheads + time.Duration(r.executed)*nanosPerInstr
	if r.fault != nil {
		m.sticky = fail("cuLaunchKernel", r.fault.code, r.fault.text())
		return m.sticky
	}
	return nil
}
