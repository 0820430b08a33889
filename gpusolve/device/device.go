// Package device chooses and opens the processor or GPU that a solve runs on.
package device

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/solution"
	"thermsim/internal/timeline"
	"thermsim/stack"
)

// Estimates by which "auto" chooses. Opening a GPU takes about 0.3 s (initialisation, context, kernels from the
// driver's cache); two cores solve a system in about 0.17 us per cell, a step of a transient in half of that.
const (
	gpuOpening     = 300 * time.Millisecond
	cpuPerCell     = 170 * time.Nanosecond
	cpuPerCellStep = 85 * time.Nanosecond
	cpuDirect      = 30 * time.Nanosecond // the direct solver, per cell and solve
	cpuCooled      = 3                    // times as long with coolant
)

// Options select the device of a solve. They have the meaning of the same fields of driver.Options.
type Options struct {
	Device   string
	Executor ops.Device
	Ahead    *Opening
	Driver   cudriver.Driver
	Notice   func(text string)
	Timeline *timeline.Log
	// Sharing is how many ranks share this process and its processors, this one among them.
	Sharing int
}

// Demand is what a solve needs of a device. The zero value has no requirements.
type Demand struct {
	Cells  int
	Steps  int // of time, 0 in a steady solve
	Solves int // that share the device; 0 where it is not known
	Direct bool
	Once   time.Duration // on the processor, beside the time per cell
	Cooled bool
	// Processor is true where no GPU can solve it.
	Processor bool
	Share     string // the part of the grid that needs the memory, "" for the whole
	// Memory is the peak need of GPU memory in bytes, nil where it is not known.
	Memory func(multiprocessors int64) int64
}

// Open returns the executor of the options, or opens a device.
func (o *Options) Open(need Demand) (ops.Device, solution.DeviceInfo, error) {
	if o.Executor == nil {
		return o.openDevice(need)
	}
	info := solution.DeviceInfo{Kind: "gpu", Name: o.Executor.Name(), Threads: o.Executor.Threads(), Why: "given"}
	if info.Threads > 0 {
		info.Kind = "cpu"
	}
	return o.Executor, info, nil
}

func (o *Options) openDevice(need Demand) (ops.Device, solution.DeviceInfo, error) {
	name := o.Device
	if name == "cpu" {
		d, info := o.openCPU("asked for")
		return d, info, nil
	}
	if _, err := cudriver.WaitLimit(); err != nil {
		return nil, solution.DeviceInfo{}, fmt.Errorf("%w: %w", solution.ErrOption, err)
	}
	switch {
	case o.Auto():
		d, info := o.chooseDevice(need)
		return d, info, nil
	case name == "gpu" || strings.HasPrefix(name, "gpu:"):
		ordinal, err := ordinalOf(name)
		if err != nil {
			return nil, solution.DeviceInfo{}, err
		}
		d, err := o.openGPU(ordinal, need)
		if err != nil {
			return nil, solution.DeviceInfo{}, fmt.Errorf("%w: %s was asked for: %w", solution.ErrDevice, name, err)
		}
		return d, solution.DeviceInfo{Kind: "gpu", Name: d.Name(), Why: "asked for"}, nil
	}
	return nil, solution.DeviceInfo{}, fmt.Errorf("%w: device %q is unknown; choose auto, cpu, gpu or gpu:N",
		solution.ErrOption, name)
}

// ordinalOf is the number of a GPU: that of gpu is 0.
func ordinalOf(name string) (int, error) {
	if name == "gpu" {
		return 0, nil
	}
	number, _ := strings.CutPrefix(name, "gpu:")
	ordinal, err := strconv.Atoi(number)
	if err != nil || ordinal < 0 {
		return 0, fmt.Errorf("%w: device %q: GPUs are numbered from 0, as in gpu:0", solution.ErrOption, name)
	}
	return ordinal, nil
}

func (o *Options) openCPU(why string) (ops.Device, solution.DeviceInfo) {
	d := host.OpenShared(max(1, o.Sharing))
	return d, solution.DeviceInfo{Kind: "cpu", Name: d.Name(), Threads: d.Threads(), Why: why}
}

// chooseDevice selects a GPU with enough memory, if the processor would take longer than opening the GPU.
func (o *Options) chooseDevice(need Demand) (ops.Device, solution.DeviceInfo) {
	cpu := need.onProcessor()
	if need.Processor {
		return o.openCPU("the method solves stacks with coolant only there")
	}
	if cpu < gpuOpening {
		return o.openCPU(fmt.Sprintf("about %v here, less than opening a GPU takes", cpu.Round(time.Millisecond)))
	}
	return o.firstGPU(need, fmt.Sprintf("the CPU would take about %v", cpu.Round(10*time.Millisecond)))
}

// onProcessor estimates the time on the processor.
func (need *Demand) onProcessor() time.Duration {
	return need.Once + time.Duration(need.Cells)*time.Duration(max(1, need.Steps, need.Solves))*need.perCell()
}

// perCell is the time on the processor per cell and solve.
func (need *Demand) perCell() time.Duration {
	perSolve := cpuPerCell
	switch {
	case need.Direct:
		perSolve = cpuDirect
	case need.Steps > 0:
		perSolve = cpuPerCellStep
	}
	if need.Cooled {
		perSolve *= cpuCooled
	}
	return perSolve
}

// Auto says whether the solver chooses the device.
func (o *Options) Auto() bool {
	return o.Executor == nil && (o.Device == "" || o.Device == "auto")
}

// InsteadOfGPU opens the processor in place of a GPU that failed, and reports that. A machine without a GPU or driver
// is not a failure.
func (o *Options) InsteadOfGPU(err error) (ops.Device, solution.DeviceInfo) {
	d, info := o.openCPU(err.Error())
	if errors.Is(err, cudriver.ErrNoDevice) || errors.Is(err, cudriver.ErrNoDriver) {
		return d, info
	}
	info.GPUFailure = err.Error()
	if o.Notice != nil {
		o.Notice(fmt.Sprintf("solving on the CPU instead of the GPU: %v", err))
	}
	return d, info
}

// firstGPU opens the first GPU, or the processor if that fails.
func (o *Options) firstGPU(need Demand, why string) (ops.Device, solution.DeviceInfo) {
	d, err := o.openGPU(0, need)
	if err != nil {
		return o.InsteadOfGPU(err)
	}
	return d, solution.DeviceInfo{Kind: "gpu", Name: d.Name(), Why: why}
}

// openGPU opens a GPU with enough free memory for the solve.
func (o *Options) openGPU(ordinal int, need Demand) (*cuda.Device, error) {
	waited := o.Timeline.Begin("GPU: wait for it to be open")
	d, ahead, err := o.Ahead.take(ordinal)
	if waited(); !ahead {
		d, err = o.openOrdinal(ordinal)
	}
	if err != nil {
		return nil, err
	}
	if err := need.fits(d); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// openOrdinal opens a GPU.
func (o *Options) openOrdinal(ordinal int) (*cuda.Device, error) {
	drv := o.Driver
	if drv == nil {
		loaded := o.Timeline.Begin("GPU: load the driver")
		var err error
		drv, err = cudriver.Open()
		loaded()
		if err != nil {
			return nil, err
		}
	}
	defer o.Timeline.Begin("GPU: open")()
	limit, err := cudriver.WaitLimit()
	if err != nil {
		return nil, err
	}
	return cuda.Open(timedDriver(cudriver.Watched(drv, limit), o.Timeline), ordinal)
}

// fits refuses a device with too little free memory.
func (need *Demand) fits(d *cuda.Device) error {
	free, multiprocessors, err := MemoryOf(d)
	if err != nil || need.Memory == nil {
		return err
	}
	bytes := need.Memory(multiprocessors)
	if bytes <= free {
		return nil
	}
	_, total, err := d.MemInfo()
	if err != nil {
		return err
	}
	return fmt.Errorf("the solve needs %.1f GB%s, %s has %.1f GB free of %.1f GB%s: at most about %.3g of the %.3g "+
		"unknowns fit; take a coarser grid, another preconditioner or --device cpu",
		float64(bytes)/1e9, need.Share, d.Name(), float64(free)/1e9, float64(total)/1e9, othersHold(free, total),
		float64(need.Cells)*float64(free)/float64(bytes), float64(need.Cells))
}

// othersHold points out memory that this run cannot have taken: a context and its kernels are less than a tenth.
func othersHold(free, total int64) string {
	if float64(free) > 0.9*float64(total) {
		return ""
	}
	return ", as other programs hold the rest (nvidia-smi lists them)"
}

// Limited is a device with separate memory.
type Limited interface {
	MemInfo() (free, total int64, err error)
}

// MemoryOf returns the free memory of a device, and its number of multiprocessors, 0 where that is unknown.
func MemoryOf(dev Limited) (free, multiprocessors int64, err error) {
	if g, ok := dev.(interface{ MultiprocessorCount() int }); ok {
		multiprocessors = int64(g.MultiprocessorCount())
	}
	free, _, err = dev.MemInfo()
	return free, multiprocessors, err
}

// Opening is a GPU that is opened while its work is prepared: Options.Ahead of the solve. It need not be taken; Close
// releases a GPU that was not.
type Opening struct {
	ordinal int
	done    chan struct{}

	mu     sync.Mutex
	device *cuda.Device
	err    error
	gone   bool // taken or closed
}

// OpenAhead starts to open the GPU for a stack while the stack is meshed. It is nil where the choice of the device
// depends on the mesh.
func OpenAhead(s *stack.Stack, o Options, preconditioner string) *Opening {
	ordinal, sure := o.ordinal()
	if o.Executor != nil || !sure && !o.surelyGPU(s, preconditioner) {
		return nil
	}
	p := &Opening{ordinal: ordinal, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.device, p.err = o.openOrdinal(ordinal)
	}()
	return p
}

// ordinal is the GPU that the options name, and whether they name one.
func (o *Options) ordinal() (n int, named bool) {
	if o.Auto() || o.Device == "cpu" {
		return 0, false
	}
	n, err := ordinalOf(o.Device)
	return n, err == nil
}

// surelyGPU says whether "auto" will try a GPU for a stack, whatever the method.
func (o *Options) surelyGPU(s *stack.Stack, preconditioner string) bool {
	if !o.Auto() || s.Cooled() && preconditioner != "" {
		return false
	}
	planes := 0
	for i := range s.Layers {
		planes += s.Layers[i].Planes()
	}
	need := Demand{Direct: methods.MaySolveDirectly(s, preconditioner)}
	return float64(s.Grid.X.Cells)*float64(s.Grid.Y.Cells)*float64(planes)*float64(need.perCell()) >= float64(
		gpuOpening)
}

// take waits for the GPU of an ordinal. ok is false for another ordinal, or after take or Close.
func (p *Opening) take(ordinal int) (d *cuda.Device, ok bool, err error) {
	if p == nil || p.ordinal != ordinal {
		return nil, false, nil
	}
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return nil, false, nil
	}
	p.gone = true
	return p.device, true, p.err
}

// Close waits for the GPU and releases it unless it was taken.
func (p *Opening) Close() {
	if p == nil {
		return
	}
	if d, _, _ := p.take(p.ordinal); d != nil {
		_ = d.Close() // nothing was done there
	}
}

// Shared is a device for several solves, one after the other: Options.Executor of each. It stays open until
// Release.
type Shared struct {
	ops.Device
	Info solution.DeviceInfo
	Open time.Duration // how long opening it took
}

// Open opens a device by its name: auto (a GPU where there is one), cpu, gpu or gpu:N.
func Open(name string) (*Shared, error) { return OpenWith(Options{Device: name}) }

func OpenWith(o Options) (*Shared, error) {
	start := time.Now()
	if o.Auto() {
		d, info := o.firstGPU(Demand{}, "the first one")
		return &Shared{d, info, time.Since(start)}, nil
	}
	d, info, err := o.Open(Demand{})
	if err != nil {
		return nil, err
	}
	return &Shared{d, info, time.Since(start)}, nil
}

// Close does nothing, so that the solves leave the device to the next.
func (s *Shared) Close() error { return nil }

// KeepMemory makes the device keep the memory of a solve on a GPU, for similar solves that follow.
func (s *Shared) KeepMemory() {
	if k, ok := s.Device.(interface{ KeepMemory() }); ok {
		k.KeepMemory()
	}
}

// FreeMemory is the free memory of a GPU in bytes, 0 of other devices.
func (s *Shared) FreeMemory() (int64, error) {
	on, ok := s.Device.(Limited)
	if !ok {
		return 0, nil
	}
	free, _, err := MemoryOf(on)
	return free, err
}

func (s *Shared) Unwrap() ops.Device { return s.Device }

func (s *Shared) Release() error { return s.Device.Close() }

// CopyBandwidth is the rate in bytes per second at which the device reads and writes when it copies its own memory.
func (s *Shared) CopyBandwidth() (float64, error) {
	if c, ok := s.Device.(interface{ CopyBandwidth() (float64, error) }); ok {
		return c.CopyBandwidth()
	}
	return 0, fmt.Errorf("%s does not report its copy bandwidth", s.Device.Name())
}
