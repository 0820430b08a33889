// Package host executes the solver's operations in plain Go on all cores. It is the executor for machines without a GPU
// and the reference for the others.
//
// Results are the same bits for any number of workers: loops are elementwise or sum one value per row of cells, and
// the rows' sums are added in order.
package host

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"thermsim/gpusolve/reuse"
	"thermsim/mesh"
)

// Device is the CPU.
type Device struct {
	// LeastShared replaces ExchangeColumns where it is positive, so that tests can share smaller grids.
	LeastShared int

	pool    *pool
	scratch []Scratch  // per worker
	arrays  reuse.List // of systems that are no longer needed
	bytes   int64
	peak    int64
}

// Open starts as many workers as GOMAXPROCS allows.
func Open() *Device { return OpenShared(1) }

// OpenShared starts a part of these workers, at least one, where several devices share the processor.
func OpenShared(devices int) *Device {
	n := max(1, runtime.GOMAXPROCS(0)/devices)
	return &Device{pool: newPool(n), scratch: make([]Scratch, n)}
}

func (d *Device) Name() string { return fmt.Sprintf("%s/%s", runtime.GOOS, runtime.GOARCH) }

func (d *Device) Threads() int { return d.pool.workers }

// Bind does nothing: any goroutine may use the CPU.
func (d *Device) Bind() (unbind func()) { return func() {} }

func (d *Device) Allocated() int64 { return d.bytes }

func (d *Device) Peak() int64 { return d.peak }

func (d *Device) Close() error {
	d.pool.close()
	return nil
}

// Scratch is the working memory of one worker.
type Scratch struct {
	f []float32
	d []float64

	couplings mesh.Couplings
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

// Task is a loop body over a range of rows; worker numbers the goroutine, for scratch memory.
type Task interface{ Run(lo, hi, worker int) }

// pool runs tasks over rows on all workers. The caller is worker 0. Dispatching allocates nothing.
//
// Results must not depend on how rows are split: elementwise writes, or one partial sum per row.
type pool struct {
	workers int
	wake    []chan struct{}
	wait    sync.WaitGroup

	body        Task
	rows, chunk int
	next        atomic.Int64
	fault       atomic.Value // what a worker panicked with
}

func newPool(workers int) *pool {
	p := &pool{workers: workers}
	for w := 1; w < workers; w++ {
		c := make(chan struct{}, 1)
		p.wake = append(p.wake, c)
		go func() {
			for range c {
				p.work(w)
			}
		}()
	}
	return p
}

func (p *pool) close() {
	for _, c := range p.wake {
		close(c)
	}
	p.wake = nil
}

// serialCells is the work below which waking the other workers costs more than it saves.
const serialCells = 6000

// run calls t over rows [0, rows) of about cells cells in total.
func (p *pool) run(t Task, rows, cells int) {
	if p.workers == 1 || cells < serialCells || rows < 2 {
		t.Run(0, rows, 0)
		return
	}
	p.body, p.rows = t, rows
	p.chunk = max(4, rows/(8*p.workers))
	p.next.Store(0)
	p.wait.Add(len(p.wake))
	for _, c := range p.wake {
		c <- struct{}{}
	}
	p.drain(0)
	p.wait.Wait()
	p.body = nil
	if f := p.fault.Load(); f != nil {
		// The caller's goroutine can report it.
		panic(f)
	}
}

// work is a worker's part of a run.
func (p *pool) work(worker int) {
	defer p.wait.Done()
	defer func() {
		if f := recover(); f != nil {
			p.fault.Store(fmt.Sprintf("%v\n%s", f, debug.Stack()))
		}
	}()
	p.drain(worker)
}

// drain takes chunks of rows until none are left.
func (p *pool) drain(worker int) {
	for {
		hi := int(p.next.Add(int64(p.chunk)))
		lo := hi - p.chunk
		if lo >= p.rows {
			return
		}
		p.body.Run(lo, min(hi, p.rows), worker)
	}
}

// CopyBandwidth is the rate in bytes per second at which all threads together read and write when they copy memory far
// beyond caches, best of several.
func (d *Device) CopyBandwidth() (float64, error) {
	const bytes = 32 << 20
	threads := d.Threads()
	from, to := make([][]byte, threads), make([][]byte, threads)
	for i := range from {
		from[i], to[i] = make([]byte, bytes), make([]byte, bytes)
		for at := 0; at < bytes; at += 4096 {
			from[i][at], to[i][at] = 1, 1 // memory that was never written to is not there
		}
	}
	best := 0.0
	for range 5 {
		var all sync.WaitGroup
		start := time.Now()
		for i := range from {
			all.Go(func() { copy(to[i], from[i]) })
		}
		all.Wait()
		best = max(best, 2*bytes*float64(threads)/time.Since(start).Seconds())
	}
	return best, nil
}
