// Package lanes opens the devices on which the runs of a sweep are solved.
package lanes

import (
	"runtime"
	"sync"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/memory"
	"thermsim/mesh"
)

// Most is the maximum number of concurrent lanes of a GPU: each waits only for its stream, so that the GPU computes for
// one while the others transfer data.
const Most = 8

// Lanes are devices that each solve one run at a time. All lanes of a GPU share it.
type Lanes struct {
	options gpusolve.Options
	first   *device.Shared
	Free    chan *device.Shared

	once    sync.Once
	mu      sync.Mutex
	opened  []*device.Shared
	opening sync.WaitGroup
}

// Open opens the first lane.
func Open(o gpusolve.Options) (*Lanes, error) {
	d, err := device.OpenWith(*o.Opening())
	if err != nil {
		return nil, err
	}
	d.KeepMemory()
	l := &Lanes{options: o, first: d, Free: make(chan *device.Shared, Most),
		opened: []*device.Shared{d}}
	l.Free <- d
	return l, nil
}

// Grow opens additional lanes of a GPU, as many as its memory allows for runs like a solved one.
func (l *Lanes) Grow(m *mesh.Mesh) {
	if l.first.Info.Kind == "gpu" {
		l.once.Do(func() { l.growFor(m) })
	}
}

func (l *Lanes) growFor(m *mesh.Mesh) {
	if l.options.Device == "" || l.options.Device == "auto" {
		l.options.Device = "gpu" // the first one
	}
	for range l.suitable(m) - 1 {
		l.opening.Go(func() {
			d, err := device.OpenWith(*l.options.Opening())
			if err != nil {
				return // the other lanes continue
			}
			d.KeepMemory()
			l.mu.Lock()
			l.opened = append(l.opened, d)
			l.mu.Unlock()
			l.Free <- d
		})
	}
}

// suitable is the number of lanes for concurrent runs like m that use at most half of the free memory.
func (l *Lanes) suitable(m *mesh.Mesh) int {
	need := memory.OfSystem(m, m.Stack.Solver.Preconditioner, false, true).Peak()
	free, err := l.first.FreeMemory()
	if err != nil || need <= 0 {
		return 1
	}
	return int(min(Most, int64(max(1, runtime.GOMAXPROCS(0)/2)), max(1, free/2/need)))
}

// Close releases all lanes.
func (l *Lanes) Close() {
	l.opening.Wait()
	for _, d := range l.opened {
		_ = d.Release() // all work is complete
	}
}
