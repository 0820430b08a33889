package tcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/rankstest"
	"thermsim/internal/testtier"
)

// cutting breaks a connection at its n-th operation, in the middle of a write.
type cutting struct {
	net.Conn
	left *atomic.Int64
	dead *atomic.Bool // all connections of the rank break together, as when it is killed
}

func (c *cutting) strike() bool {
	if c.left.Add(-1) < 0 || c.dead.Load() {
		c.dead.Store(true)
		return true
	}
	return false
}

func (c *cutting) Write(b []byte) (int, error) {
	if c.strike() {
		n, _ := c.Conn.Write(b[:len(b)/2])
		_ = c.Conn.(*net.TCPConn).SetLinger(0) // the system resets the connections of what is killed
		c.Conn.Close()
		return n, syscall.EPIPE
	}
	return c.Conn.Write(b)
}

func (c *cutting) Read(b []byte) (int, error) {
	if c.dead.Load() {
		_ = c.Conn.(*net.TCPConn).SetLinger(0)
		c.Conn.Close()
		return 0, io.EOF
	}
	return c.Conn.Read(b)
}

// work is what ranks do until they are done, or told of a failure.
func work(g ranks.Group) error {
	defer g.Close()
	up, down := bytes.Repeat([]byte{1}, 50000), bytes.Repeat([]byte{2}, 70)
	for range 4 {
		if _, err := g.Gather([]byte("sum")); err != nil {
			return err
		}
		below, above := make([]byte, len(up)), make([]byte, len(down))
		if err := g.Exchange(down, up, below, above); err != nil {
			return err
		}
	}
	_, err := g.Gather(nil)
	return err
}

// A rank whose connections break, at whichever of its messages, is named by all others; none waits for ever.
func TestConnectionsThatBreakAnywhere(t *testing.T) {
	t.Parallel()
	for victim := range testtier.Pick(1, 3) {
		t.Run(fmt.Sprintf("rank %d", victim), func(t *testing.T) {
			t.Parallel()
			at := int64(0)
			for breaksAt(t, victim, at) {
				at++
			}
			if at < 10 && !t.Failed() {
				t.Errorf("it wrote %d times", at)
			}
		})
	}
}

// breaksAt breaks all connections of a rank at one of its messages, and says whether there was such a message.
func breaksAt(t *testing.T, victim int, at int64) bool {
	var left atomic.Int64
	var dead atomic.Bool
	left.Store(at)
	errs := runRanks(t, 3, func(c *Config) {
		if c.Rank == victim {
			c.wrap = func(conn net.Conn) net.Conn { return &cutting{conn, &left, &dead} }
		}
	})
	if !dead.Load() {
		if err := errors.Join(errs...); err != nil {
			t.Errorf("nothing broke, and %v", err)
		}
		return false
	}
	for rank, err := range errs {
		var f *ranks.Failure
		if rank == victim || err == nil { // who had all messages before has no more to wait for
			continue
		}
		if !errors.As(err, &f) || f.Rank != victim || !f.Lost {
			t.Errorf("rank %d broke at message %d: rank %d says %v", victim, at, rank, err)
		}
	}
	return true
}

// runRanks joins ranks and lets them work; the errors are of one or the other.
func runRanks(t *testing.T, n int, change func(c *Config)) []error {
	t.Helper()
	place := rankstest.Place(t)
	errs := make([]error, n)
	var all sync.WaitGroup
	for rank := range n {
		c := Config{Rank: rank, Ranks: n, Rendezvous: place, Host: fmt.Sprintf("node%d", rank), Wait: time.Second}
		change(&c)
		all.Go(func() {
			g, err := Join(context.Background(), c)
			if err == nil {
				err = work(g)
			}
			errs[rank] = err
		})
	}
	ended := make(chan struct{})
	go func() {
		all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(15 * time.Second):
		t.Fatal("ranks wait for ever")
	}
	return errs
}

// flipping changes a bit of the n-th byte that is written.
type flipping struct {
	net.Conn
	at *atomic.Int64
}

func (c *flipping) Write(b []byte) (int, error) {
	if at := c.at.Add(-int64(len(b))) + int64(len(b)); at >= 0 && at < int64(len(b)) {
		b = bytes.Clone(b)
		b[at] ^= 4
	}
	return c.Conn.Write(b)
}

// What is damaged on its way is never taken for a number.
func TestDamage(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup // at once: each waits for what the other rank may say
	for _, at := range []int64{0, 1, 4, 9, 15, 17, 20, 23, 24, 26, 60, 1000, 50000, 60000} {
		var left atomic.Int64
		left.Store(1 << 60)
		groups, errs := joinAll(t, 2, func(c *Config) {
			if c.Rank == 0 {
				c.wrap = func(conn net.Conn) net.Conn { return &flipping{conn, &left} }
			}
		})
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		left.Store(at)
		all.Go(func() { _ = work(groups[0]) })
		all.Go(func() {
			if err := work(groups[1]); err == nil || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("bit in byte %d: %v", at, err)
			}
		})
	}
	all.Wait()
}

// mute is a connection of a machine that hangs: nothing more comes from it.
type mute struct{ net.Conn }

func (mute) Write(b []byte) (int, error) { return len(b), nil }

// A rank that is silent is dead, no sooner than after Silence.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		groups := piped(3, func(rank int, conn net.Conn) net.Conn {
			if rank == 2 {
				return mute{conn}
			}
			return conn
		})
		start := time.Now()
		var f *ranks.Failure
		if _, err := groups[0].Receive(1); !errors.As(err, &f) || f.Rank != 2 ||
			!strings.Contains(f.Reason, "nothing came") {
			t.Errorf("%v", err)
		}
		if took := time.Since(start); took <= Silence || took > Silence+2*beats {
			t.Errorf("noticed after %v", took)
		}
		if _, err := groups[1].Gather(nil); !errors.As(err, &f) || f.Rank != 2 {
			t.Errorf("%v", err)
		}
		for _, g := range groups {
			g.Close()
		}
	})
}

// A rank that computes for long is not dead.
func TestLongComputations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		groups := piped(2, func(_ int, conn net.Conn) net.Conn { return conn })
		time.AfterFunc(10*Silence, func() { _ = groups[1].Send(0, []byte("at last")) })
		if got, err := groups[0].Receive(1); err != nil || string(got) != "at last" {
			t.Errorf("%q, %v", got, err)
		}
		var all sync.WaitGroup
		for _, g := range groups {
			all.Go(func() { g.Close() })
		}
		all.Wait()
	})
}
