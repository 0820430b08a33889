package cu

import (
	"errors"
	"runtime"
	"sync"
)

// ErrThreadEnded is a closure given to a Thread that was closed or ended.
var ErrThreadEnded = errors.New("the GPU's thread has ended")

// Thread is a goroutine locked to one OS thread. A context is current on a thread, not on a goroutine, so all calls of a Driver that need
// one belong inside Do. Handing over costs some microseconds: put whole solves, not launches, into one Do.
type Thread struct {
	jobs chan job
	quit chan struct{} // closed by Close
	gone chan struct{} // closed when the goroutine has ended
	once sync.Once
}

type job struct {
	f    func() error
	done chan error
}

// NewThread starts the thread. Close ends it.
func NewThread() *Thread {
	t := &Thread{jobs: make(chan job), quit: make(chan struct{}), gone: make(chan struct{})}
	go t.loop()
	return t
}

// loop never unlocks its thread: the runtime ends the thread with the goroutine, so no context stays current on one that others use.
func (t *Thread) loop() {
	defer close(t.gone)
	runtime.LockOSThread()
	for {
		select {
		case j := <-t.jobs:
			j.done <- j.f()
		case <-t.quit:
			return
		}
	}
}

// Do runs f on the thread, after what others are running there, and returns its error. Do inside Do would wait for itself for ever. If f
// ends the goroutine (runtime.Goexit, as testing's FailNow does), or the thread was closed, the error is ErrThreadEnded.
func (t *Thread) Do(f func() error) error {
	j := job{f: f, done: make(chan error, 1)}
	select {
	case t.jobs <- j:
	case <-t.quit:
		return ErrThreadEnded
	case <-t.gone:
		return ErrThreadEnded
	}
	select {
	case err := <-j.done:
		return err
	case <-t.gone:
	}
	select { // the last job may have finished just before Close was heard
	case err := <-j.done:
		return err
	default:
		return ErrThreadEnded
	}
}

// Close ends the thread after what it is running. It may be called again.
func (t *Thread) Close() {
	t.once.Do(func() { close(t.quit) })
	<-t.gone
}
