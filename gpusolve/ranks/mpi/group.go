// Package mpi joins ranks that are processes, on one machine or several, by the MPI library of their launcher. It is
// loaded at run time.
//
// MPI ends a job as a whole: a rank that fails calls Abort, and the launcher ends the others.
package mpi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Tags distinguish the kinds of messages between two ranks.
const (
	direct = iota + 1
	gathered
	neighbour
)

// longest is the length of the longest message of the library, which counts bytes in 32 bits. Longer data travels in
// several; the last one is shorter than this, so that the receiver recognizes it. Tests use a smaller one.
var longest = 1 << 30

// Group is a ranks.Group whose ranks are the processes of an MPI job.
type Group struct {
	lib        *library
	rank, size int
	mu         sync.Mutex    // held during every call of the library, which serves one thread at a time
	failure    error         // of an earlier call
	sending    []*transfer   // messages of Send whose buffers may be in use
	leave      chan struct{} // closed when the job is done
	left       chan error    // result of MPI_Finalize
	closed     bool
}

// Join starts MPI in this process, which a launcher has started as one rank of several. It waits for the others.
func Join(ctx context.Context, rank, size int) (*Group, error) {
	lib, err := load()
	if err != nil {
		return nil, err
	}
	// A library that gives up prints why and calls abort. Then Go's stack traces would be of no use.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGABRT)
	g := &Group{lib: lib, leave: make(chan struct{}), left: make(chan error, 1)}
	ready := make(chan error, 1)
	go g.main(ready)
	select {
	case err = <-ready:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if err == nil && (g.size != size || g.rank != rank) {
		err = fmt.Errorf("the launcher started rank %d of %d, but in %s (%s) this process is rank %d of %d: it is not "+
			"the launcher's library. Fix: name that one with %s=/path/to/libmpi.so", rank, size, g.Library(), lib.file,
			g.rank, g.size, PathVariable)
	}
	return g, err
}

// main is the main thread of MPI: the same thread must initialize and finalize it.
func (g *Group) main(ready chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	rank, size, level, err := g.lib.initialize()
	g.rank, g.size = rank, size
	if err == nil && level < g.lib.serialized {
		err = fmt.Errorf("%s cannot be called from several threads (level %d of %d)", g.Library(), level,
			g.lib.serialized)
	}
	ready <- err
	<-g.leave
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left <- g.lib.finalize.call()
}

func (g *Group) Rank() int { return g.rank }
func (g *Group) Size() int { return g.size }

// Library is the name and version of the MPI library.
func (g *Group) Library() string { return name(g.lib.text(g.lib.getLibraryVersion, 0)) }

// transfer is a message that is being sent or received. The library uses data until it is done; the memory of Go does
// not move.
type transfer struct {
	peer     int
	receives bool
	data     []byte
	got      int // bytes received
	request  uintptr
	done     bool
}

// looks is how often a rank that waits asks again at once, some 40 us. Then it sleeps between two questions, because
// ranks may share cores.
const looks = 200

// until calls ready, which calls the library, until it reports true.
func (g *Group) until(ready func() (bool, error)) error {
	for n := 0; ; n++ {
		g.mu.Lock()
		ok := false
		if g.failure == nil {
			ok, g.failure = ready()
		}
		err := g.failure
		g.mu.Unlock()
		switch {
		case ok || err != nil:
			return err
		case n > looks:
			nap()
		}
	}
}

// start begins to send data to a rank, or to receive as many bytes from it.
func (g *Group) start(peer, tag int, data []byte, receives bool) ([]*transfer, error) {
	var all []*transfer
	err := g.until(func() (bool, error) {
		for rest := data; ; rest = rest[longest:] {
			t := &transfer{peer: peer, receives: receives, data: rest[:min(len(rest), longest)]}
			all = append(all, t)
			if err := g.lib.start(t, tag); err != nil || len(rest) < longest {
				return true, err
			}
		}
	})
	return all, err
}

// wait returns when all transfers are done.
func (g *Group) wait(all []*transfer) error {
	return g.until(func() (bool, error) { return g.advance(all) })
}

// advance reports whether all transfers are done.
func (g *Group) advance(all []*transfer) (done bool, err error) {
	done = true
	for _, t := range all {
		if !t.done {
			if t.done, err = g.lib.finished(t); err != nil {
				return false, err
			}
			if t.done && t.receives && t.got != len(t.data) {
				return false, fmt.Errorf("rank %d sent %d bytes where rank %d expects %d. This is a bug in thermsim",
					t.peer, t.got, g.rank, len(t.data))
			}
		}
		done = done && t.done
	}
	return done, nil
}

// receive waits for a message of any length.
func (g *Group) receive(from, tag int) (data []byte, err error) {
	for {
		length := 0
		err := g.until(func() (ok bool, err error) {
			length, ok, err = g.lib.waiting(from, tag)
			return ok, err
		})
		if err != nil {
			return nil, err
		}
		before := len(data)
		data = slices.Grow(data, length)[:before+length]
		t := &transfer{peer: from, receives: true, data: data[before:]}
		err = g.until(func() (bool, error) { return true, g.lib.start(t, tag) })
		if err = errors.Join(err, g.wait([]*transfer{t})); err != nil || length < longest {
			return data, err
		}
	}
}

// Gather sends to every rank directly: each has to receive all in any case.
func (g *Group) Gather(mine []byte) ([][]byte, error) {
	all := make([][]byte, g.size)
	all[g.rank] = slices.Clone(mine)
	var sent []*transfer
	for n := 1; n < g.size; n++ {
		s, err := g.start((g.rank+n)%g.size, gathered, mine, false)
		if err != nil {
			return nil, err
		}
		sent = append(sent, s...)
	}
	for n := 1; n < g.size; n++ {
		from := (g.rank + g.size - n) % g.size
		var err error
		if all[from], err = g.receive(from, gathered); err != nil {
			return nil, err
		}
	}
	return all, g.wait(sent)
}

func (g *Group) Exchange(toBelow, toAbove, fromBelow, fromAbove []byte) error {
	var all []*transfer
	for _, side := range []struct {
		peer     int
		data     []byte
		receives bool
	}{{g.rank - 1, fromBelow, true}, {g.rank + 1, fromAbove, true}, {g.rank - 1, toBelow, false},
		{g.rank + 1, toAbove, false}} {
		if side.peer < 0 || side.peer >= g.size {
			continue
		}
		s, err := g.start(side.peer, neighbour, side.data, side.receives)
		if err != nil {
			return err
		}
		all = append(all, s...)
	}
	return g.wait(all)
}

// Send does not wait for Receive.
func (g *Group) Send(to int, data []byte) error {
	if err := g.checkPeer(to); err != nil {
		return err
	}
	err := g.until(func() (bool, error) {
		_, err := g.advance(g.sending)
		return true, err
	})
	if err != nil {
		return err
	}
	g.sending = slices.DeleteFunc(g.sending, func(t *transfer) bool { return t.done })
	sent, err := g.start(to, direct, slices.Clone(data), false)
	g.sending = append(g.sending, sent...)
	return err
}

func (g *Group) Receive(from int) ([]byte, error) {
	if err := g.checkPeer(from); err != nil {
		return nil, err
	}
	return g.receive(from, direct)
}

func (g *Group) checkPeer(rank int) error {
	if rank < 0 || rank >= g.size || rank == g.rank {
		return fmt.Errorf("rank %d of %d has no messages for rank %d", g.rank, g.size, rank)
	}
	return nil
}

// Fail makes later calls of this rank fail. The other ranks do not learn of it: Abort ends them.
func (g *Group) Fail(reason error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failure == nil {
		g.failure = reason
	}
}

// abortWait is how long Abort waits for a call of the library. Only MPI_Finalize takes longer.
const abortWait = time.Second

// Abort ends the processes of all ranks with a status, this one included. It returns if the library is busy: then the
// launcher ends the others when this process exits.
func (g *Group) Abort(status int) {
	for until := time.Now().Add(abortWait); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if g.mu.TryLock() {
			_ = g.lib.abort.call(g.lib.world, uintptr(status))
			return
		}
	}
}

// Close waits until all ranks close.
func (g *Group) Close() error {
	if g.closed {
		return nil
	}
	g.closed = true
	if err := g.wait(g.sending); err != nil {
		return err
	}
	close(g.leave)
	return <-g.left
}
