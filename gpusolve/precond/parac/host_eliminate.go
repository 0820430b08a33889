package parac

import (
	"runtime"
	"sync"
	"sync/atomic"

	"thermsim/gpusolve/reuse"
	"thermsim/gpusolve/sparse"
)

// hostElimination builds a randomised Cholesky factor on all cores. Vertices are named by their places in the order of
// elimination. A vertex may go once no edge to an earlier one is left; whoever removes the last puts it into the queue.
// Edges made on the way wait in a linked list of their earlier end until that is eliminated (left-looking).
type hostElimination struct {
	a        *sparse.CSR
	arrays   *reuse.List // where memory comes from; may be nil
	order    []int32     // place -> row of a
	place    []int32     // row -> place
	seed     uint64
	headroom int

	vertices []vertex
	queue    []atomic.Int32 // places plus 1, 0 while unknown
	tail     atomic.Int64   // how many have been put in
	next     atomic.Int64   // how many have been taken
	overflow atomic.Bool    // a ground left its fixed-point range

	mu      sync.Mutex
	chunks  atomic.Pointer[[]*[chunk]pooled] // the edges of all lists
	columns []column                         // of the factor, by place
	workers []eliminator
}

// vertex is the state of one vertex while it waits.
type vertex struct {
	waits  atomic.Int32 // edges to earlier vertices, by multiplicity
	level  atomic.Int32 // 1 + the highest level among the eliminated neighbours
	height atomic.Int32 // the same along the elimination tree alone
	unit   int32
	ground atomic.Int64 // in units of 2^unit
	list   atomic.Int64 // newest edge, 0 for none
}

// pooled is an edge in a list; next is the one inserted before.
type pooled struct {
	next int64
	link
}

const chunk = 1 << 14

// column is where the entries of a column of G stand.
type column struct {
	worker, count int32
	first         int64
	pivot         float64
}

// eliminator is one worker with its memory.
type eliminator struct {
	*hostElimination
	number int32
	star   star
	free   []int64 // edges to use again
	fresh  int64   // next unused edge of the worker's chunk
	limit  int64
	rows   []int32 // entries of G
	shares []float32
}

// each runs a part of the work on every worker.
func (e *hostElimination) each(part func(worker int)) {
	var wait sync.WaitGroup
	for w := range e.workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			part(w)
		}()
	}
	wait.Wait()
}

// push puts a vertex into the queue.
func (e *hostElimination) push(k int32) { e.queue[e.tail.Add(1)-1].Store(k + 1) }

// run eliminates all vertices.
func (e *hostElimination) run() {
	e.each(func(w int) {
		e.workers[w].hostElimination, e.workers[w].number = e, int32(w)
		e.workers[w].work()
	})
}

// work takes vertices in the order of the queue until all are eliminated. Waiting cannot last for ever: while vertices
// are left, the earliest of them waits for none but those that other workers have in hand.
func (w *eliminator) work() {
	for {
		at := w.next.Add(1) - 1
		if at >= int64(len(w.queue)) {
			return
		}
		k := w.queue[at].Load()
		for spins := 0; k == 0; spins++ {
			if spins%16 == 15 {
				runtime.Gosched()
			}
			k = w.queue[at].Load()
		}
		w.eliminate(k - 1)
	}
}
