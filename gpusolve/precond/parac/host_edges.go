package parac

import "thermsim/gpusolve/reuse"

// insert puts an edge into the list of its earlier end.
func (w *eliminator) insert(first int32, l link) {
	var at int64
	if n := len(w.free); n > 0 {
		at, w.free = w.free[n-1], w.free[:n-1]
	} else {
		if w.fresh == w.limit {
			w.fresh = w.newChunk()
			w.limit = w.fresh + chunk
		}
		w.fresh++
		at = w.fresh
	}
	p := &(*w.chunks.Load())[(at-1)/chunk][(at-1)%chunk]
	p.link = l
	list := &w.vertices[first].list
	for {
		p.next = list.Load()
		if list.CompareAndSwap(p.next, at) {
			return
		}
	}
}

// newChunk adds memory for edges. The table of chunks is replaced, never changed, so that others may read on.
func (e *hostElimination) newChunk() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	old := *e.chunks.Load()
	table := append(old[:len(old):len(old)], (*[chunk]pooled)(reuse.Make[pooled](e.arrays, chunk)))
	e.chunks.Store(&table)
	return int64(len(old)) * chunk
}
