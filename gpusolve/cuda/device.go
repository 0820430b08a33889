// Package cuda executes the solver's operations on a GPU: kernels of package kernels, launched through a
// cudriver.Driver.
//
// Operations return no errors. The first failed driver call disables all later operations, and System.Err returns its
// error. The solver checks it whenever it waits for the device.
package cuda

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ranks"
)

// Device is a GPU with its primary context and one stream.
type Device struct {
	Driver          cudriver.Driver
	dev             cudriver.Device
	ctx             cudriver.Context
	name            string
	Multiprocessors int
	mostRows        int // blocks of a launch along y, and along z
	Stream          cudriver.Stream
	scalars         unsafe.Pointer // pinned, scalarCount doubles
	live            int64          // bytes of device memory in use
	peak            int64          // the most that live has been
	unbound         error          // why a goroutine could not be bound
	LeastShared     int            // columns below which ranks work on a grid alone, where positive
	aside           aside          // where rows travel beside work; not open before the first slab
	pool            *cudriver.Pool // keeps released memory for later systems; nil where it returns to the driver
	joined
	modules
}

// joined is the connection to the devices of other ranks.
type joined struct {
	link        Link        // nil without any
	linked      ranks.Group // that of link; nil where the caller brought the link
	linkWarning string      // a warning about slow transport
}

// modules are the kernels on a device.
type modules struct {
	krylov   *kernels.Krylov
	residual *kernels.Residual
	assembly *kernels.Assemble
	power    *kernels.Power
	asked    map[string]unloader // all of them by name, loaded on demand
}

type unloader interface{ Unload() error }

// Module returns the kernels of a method, loaded when first asked for. *M has a method to unload them.
func Module[M any](d *Device, name string, load func(cudriver.Driver) (*M, error)) (*M, error) {
	if m, ok := any(d.asked[name]).(*M); ok {
		return m, nil
	}
	m, err := load(d.Driver)
	if err != nil {
		return nil, err
	}
	d.asked[name] = any(m).(unloader)
	return m, nil
}

// loaded returns the kernels and begins an operation: false after a failure.
func loaded[M any](s *Space, name string, load func(cudriver.Driver) (*M, error)) (*M, bool) {
	m := Loaded(s, name, load)
	return m, s.Ready()
}

// scalarCount is the number of doubles in the scalars' buffer; their order is fixed in kernels/device.h.
const scalarCount = 16

// Open opens a GPU by its number.
func Open(drv cudriver.Driver, ordinal int) (*Device, error) {
	d := &Device{Driver: drv, modules: modules{asked: map[string]unloader{}}}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.open(ordinal); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Device) open(ordinal int) (err error) {
	if err = d.Driver.Init(); err != nil {
		return err
	}
	n, err := d.Driver.DeviceGetCount()
	if err != nil {
		return err
	}
	if ordinal < 0 || ordinal >= n {
		return fmt.Errorf("there is no GPU %d; the driver lists %d, counted from 0%s", ordinal, n, d.onlyOne(n))
	}
	if d.dev, err = d.Driver.DeviceGet(ordinal); err != nil {
		return err
	}
	if d.name, err = d.Driver.DeviceGetName(d.dev); err != nil {
		return err
	}
	if d.Multiprocessors, err = d.Driver.DeviceGetAttribute(cudriver.MultiprocessorCount, d.dev); err != nil {
		return err
	}
	if err = d.limits(); err != nil {
		return err
	}
	if d.ctx, err = d.Driver.DevicePrimaryCtxRetain(d.dev); err != nil {
		return d.noContext(err)
	}
	if d.Stream, err = d.Driver.StreamCreate(); err != nil {
		return err
	}
	if d.scalars, err = d.Driver.MemAllocHost(scalarCount * 8); err != nil {
		return err
	}
	if err = d.loadResidual(); err != nil {
		return err
	}
	return d.residual.Fill.Compile() // a small kernel shows whether the driver takes the PTX
}

// onlyOne explains a list with a single MIG instance: the driver shows a process only one.
func (d *Device) onlyOne(listed int) string {
	if listed != 1 {
		return ""
	}
	dev, err := d.Driver.DeviceGet(0)
	if err != nil {
		return ""
	}
	if name, err := d.Driver.DeviceGetName(dev); err != nil || !strings.Contains(name, " MIG ") {
		return ""
	}
	return "; it is a MIG instance, and a process sees only one: start a rank for each, with a separate " +
		"CUDA_VISIBLE_DEVICES=MIG-... (nvidia-smi -L lists them)"
}

// noContext explains why a GPU cannot be used when other programs hold its memory.
func (d *Device) noContext(err error) error {
	if !errors.Is(err, cudriver.ErrOutOfMemory) {
		return err
	}
	total, _ := d.Driver.DeviceTotalMem(d.dev) // it only makes the text clearer
	return fmt.Errorf("other programs hold the memory of %s (%.1f GB): not even a context fits, which takes "+
		"about 0.5 GB: %w", d.name, float64(total)/1e9, err)
}

// LoadSystems loads the modules that systems and matrices need, unless they are loaded. Methods load theirs when they
// need them.
func (d *Device) LoadSystems() (err error) {
	defer d.Bind()()
	if err = d.loadResidual(); err == nil {
		d.krylov, err = Module(d, "krylov", kernels.LoadKrylov)
	}
	if err == nil {
		d.power, err = Module(d, "power", kernels.LoadPower)
	}
	if err == nil {
		d.assembly, err = Module(d, "assemble", kernels.LoadAssemble)
	}
	return err
}

// loadResidual loads the module that every solve needs.
func (d *Device) loadResidual() (err error) {
	d.residual, err = Module(d, "residual", kernels.LoadResidual)
	return err
}

// Bind makes the GPU's context current on the calling goroutine until unbind is called.
func (d *Device) Bind() (unbind func()) {
	runtime.LockOSThread()
	if err := d.Driver.CtxSetCurrent(d.ctx); err != nil && d.unbound == nil {
		d.unbound = err
	}
	return runtime.UnlockOSThread
}

// Attribute asks the driver for a property of the GPU.
func (d *Device) Attribute(a cudriver.DeviceAttribute) (int, error) {
	return d.Driver.DeviceGetAttribute(a, d.dev)
}

func (d *Device) Name() string { return d.name }

// Threads is 0: a GPU has no worker threads of the host.
func (d *Device) Threads() int { return 0 }

func (d *Device) Allocated() int64 { return d.live }

// Peak is the most that Allocated has been, including during setup.
func (d *Device) Peak() int64 { return d.peak }

// MultiprocessorCount is the number of multiprocessors of the GPU, which determines the work space of some methods.
func (d *Device) MultiprocessorCount() int { return d.Multiprocessors }

// KeepMemory makes the device keep the memory of closed systems for similar ones that follow.
func (d *Device) KeepMemory() {
	if d.pool == nil {
		d.pool = cudriver.NewPool(d.Driver)
	}
}

func (d *Device) newMemory() *cudriver.Memory {
	if d.pool != nil {
		return d.pool.NewMemory()
	}
	return cudriver.NewMemory(d.Driver)
}

// MemInfo is the free and total memory of the GPU in bytes. Memory that the device keeps counts as free.
func (d *Device) MemInfo() (free, total int64, err error) {
	defer d.Bind()()
	free, total, err = d.Driver.MemGetInfo()
	if d.pool != nil {
		free += d.pool.Bytes()
	}
	return free, total, err
}

// Close gives everything back. It continues after a failure and returns the first error.
func (d *Device) Close() error {
	if d.ctx == 0 {
		return nil
	}
	defer d.Bind()()
	var first error
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	if d.link != nil {
		note(d.link.Close())
	}
	note(d.closeAside())
	for _, name := range slices.Sorted(maps.Keys(d.asked)) {
		note(d.asked[name].Unload())
	}
	if d.pool != nil {
		note(d.pool.Close())
	}
	if d.scalars != nil {
		note(d.Driver.MemFreeHost(d.scalars))
	}
	if d.Stream != 0 {
		note(d.Driver.StreamDestroy(d.Stream))
	}
	note(d.Driver.DevicePrimaryCtxRelease(d.dev))
	d.ctx = 0
	return first
}

// aside is a second stream of a device, for the exchange of rows during work of the first one on other rows.
type aside struct {
	stream     cudriver.Stream
	fork, join cudriver.Event
}

func (d *Device) openAside() (err error) {
	if d.aside.stream != 0 {
		return nil
	}
	if d.aside.stream, err = d.Driver.StreamCreate(); err != nil {
		return err
	}
	for _, e := range []*cudriver.Event{&d.aside.fork, &d.aside.join} {
		if *e, err = d.Driver.EventCreate(); err != nil {
			return err
		}
	}
	return nil
}

func (d *Device) closeAside() error {
	var errs [3]error
	for n, e := range []cudriver.Event{d.aside.fork, d.aside.join} {
		if e != 0 {
			errs[n] = d.Driver.EventDestroy(e)
		}
	}
	if d.aside.stream != 0 {
		errs[2] = d.Driver.StreamDestroy(d.aside.stream)
	}
	d.aside = aside{}
	return errors.Join(errs[:]...)
}

// limits queries the largest number of blocks of a launch along y and z: 65,535 on all GPUs so far.
func (d *Device) limits() error {
	rows, err := d.Driver.DeviceGetAttribute(cudriver.MaxGridDimY, d.dev)
	if err != nil {
		return err
	}
	planes, err := d.Driver.DeviceGetAttribute(cudriver.MaxGridDimZ, d.dev)
	d.mostRows = min(rows, planes)
	return err
}

// MostRows is how many blocks a launch may have along y, and along z.
func (d *Device) MostRows() int { return d.mostRows }

// Grid is that of kernels that ask blockAt of kernels/device.h where a block is: a block for every perBlock of nx
// values, every row and every plane. More rows or planes than a launch allows are arranged one behind the other along
// x.
func (d *Device) Grid(nx, perBlock, rows, planes int) [3]uint32 {
	x := Blocks(nx, perBlock)
	if rows <= d.mostRows && planes <= d.mostRows {
		return [3]uint32{x, uint32(rows), uint32(planes)}
	}
	// More than a launch takes along x must not wrap around: the driver refuses it.
	all := float64(x) * float64(rows) * float64(planes)
	return [3]uint32{uint32(min(all, math.MaxUint32)), 1, 1}
}

// threads of the kernels that reduce.
const threads = kernels.KrylovThreads

// ReductionBlocks bounds the blocks of a reduction, whose last block adds the others' sums: enough to fill any GPU
// several times.
const ReductionBlocks = 4096

// Blocks is the number of blocks of perBlock threads for n values.
func Blocks(n, perBlock int) uint32 { return uint32((n + perBlock - 1) / perBlock) }

// Flat is the grid of kernels that run over all values.
func Flat(n int64) [3]uint32 {
	return [3]uint32{uint32(max(1, min((n+threads-1)/threads, ReductionBlocks))), 1, 1}
}

// CopyBandwidth is the rate in bytes per second at which the GPU reads and writes when it copies its own memory, best
// of several.
func (d *Device) CopyBandwidth() (rate float64, err error) {
	defer d.Bind()()
	bytes := int64(2 << 30)
	if free, _, err := d.Driver.MemGetInfo(); err == nil {
		bytes = min(bytes, free/4)
	}
	s := newSpace(d, 0, 0)
	defer s.Free()
	from, to := AllocRaw[byte](&s, bytes), AllocRaw[byte](&s, bytes)
	for range 5 {
		seconds, err := s.Time(func() {
			s.Note(d.Driver.MemcpyDtoDAsync(to.Address(), from.Address(), bytes, d.Stream))
		})
		if err != nil {
			return 0, err
		}
		rate = max(rate, 2*float64(bytes)/seconds)
	}
	return rate, nil
}
