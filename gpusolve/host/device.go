// Package host executes the solver's operations in plain Go on all cores. It is the executor for machines without a GPU
// and the reference for the others.
//
// Results are the same bits for any number of workers: loops are elementwise or sum one value per row of cells, and
// the rows' sums are added in order.
package host

import (
	"fmt"
	"runtime"

	"thermsim/gpusolve/ops"
)

// Device is the CPU.
type Device struct {
	// LeastShared stands for ExchangeColumns where it is positive: tests share smaller grids by it.
	LeastShared int

	pool    *pool
	scratch []Scratch // per worker
	bytes   int64
	peak    int64
}

var _ ops.Device = (*Device)(nil)

// Open starts as many workers as GOMAXPROCS allows.
func Open() *Device { return OpenShared(1) }

// OpenShared starts a part of these workers, one at least, where several devices share the processor.
func OpenShared(devices int) *Device {
	n := max(1, runtime.GOMAXPROCS(0)/devices)
	return &Device{pool: newPool(n), scratch: make([]Scratch, n)}
}

// Name of the processor's architecture and the operating system.
func (d *Device) Name() string { return fmt.Sprintf("%s/%s", runtime.GOOS, runtime.GOARCH) }

// Threads is the number of workers.
func (d *Device) Threads() int { return d.pool.workers }

// Bind does nothing: any goroutine may use the CPU.
func (d *Device) Bind() (unbind func()) { return func() {} }

// Allocated is the memory of vectors and matrices in bytes.
func (d *Device) Allocated() int64 { return d.bytes }

// Peak is the most that Allocated has been.
func (d *Device) Peak() int64 { return d.peak }

// Close ends the workers.
func (d *Device) Close() error {
	d.pool.close()
	return nil
}

// Scratch is the working memory of one worker.
type Scratch struct {
	f []float32
	d []float64
}

// Floats returns n values of undefined content.
func (s *Scratch) Floats(n int) []float32 {
	if cap(s.f) < n {
		s.f = make([]float32, n)
	}
	return s.f[:n]
}

// Doubles returns n values of undefined content.
func (s *Scratch) Doubles(n int) []float64 {
	if cap(s.d) < n {
		s.d = make([]float64, n)
	}
	return s.d[:n]
}
