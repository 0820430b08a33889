package host

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

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
		// On the caller's goroutine someone can report it.
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
