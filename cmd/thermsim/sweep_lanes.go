package main

import (
	"runtime"
	"sync"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/memory"
	"thermsim/mesh"
)

// mostLanes of a GPU solve at a time: each waits for its own stream, so that the GPU works for one while the others
// send and read.
const mostLanes = 8

// lanes are the devices that runs are solved on, each for one run at a time. All lanes of a GPU share it.
type lanes struct {
	options gpusolve.Options
	first   *device.Shared
	free    chan *device.Shared

	once    sync.Once
	mu      sync.Mutex
	opened  []*device.Shared
	opening sync.WaitGroup
}

// openLanes opens the first lane.
func openLanes(o gpusolve.Options) (*lanes, error) {
	d, err := device.OpenWith(*o.Opening())
	if err != nil {
		return nil, err
	}
	d.KeepMemory()
	l := &lanes{options: o, first: d, free: make(chan *device.Shared, mostLanes),
		opened: []*device.Shared{d}}
	l.free <- d
	return l, nil
}

// grow opens as many lanes of a GPU as suit runs like a solved one. They join as they are open.
func (l *lanes) grow(m *mesh.Mesh) {
	if l.first.Info.Kind == "gpu" {
		l.once.Do(func() { l.growFor(m) })
	}
}

func (l *lanes) growFor(m *mesh.Mesh) {
	if l.options.Device == "" || l.options.Device == "auto" {
		l.options.Device = "gpu" // the first one
	}
	for range l.suitable(m) - 1 {
		l.opening.Go(func() {
			d, err := device.OpenWith(*l.options.Opening())
			if err != nil {
				return // the others go on
			}
			d.KeepMemory()
			l.mu.Lock()
			l.opened = append(l.opened, d)
			l.mu.Unlock()
			l.free <- d
		})
	}
}

// suitable is how many lanes have the memory for runs like m at a time, with as much again to spare.
func (l *lanes) suitable(m *mesh.Mesh) int {
	need := memory.OfSystem(m, m.Stack.Solver.Preconditioner, false, true).Peak()
	free, err := l.first.FreeMemory()
	if err != nil || need <= 0 {
		return 1
	}
	return int(min(mostLanes, int64(max(1, runtime.GOMAXPROCS(0)/2)), max(1, free/2/need)))
}

// close gives all lanes back.
func (l *lanes) close() {
	l.opening.Wait()
	for _, d := range l.opened {
		_ = d.Release() // nothing is left to do there
	}
}
