package tcp

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/rankstest"
)

// listening is the number of ports at which this process listens, as Linux tells.
func listening(t *testing.T) (n int) {
	t.Helper()
	mine := map[string]bool{}
	fds, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, "socket:[") {
			mine[strings.Trim(to, "socket:[]")] = true
		}
	}
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Skip("only Linux tells which ports are listened at: ", err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			const state, inode, listen = 3, 9, "0A"
			if f := strings.Fields(line); len(f) > inode && f[state] == listen && mine[f[inode]] {
				n++
			}
		}
	}
	return n
}

// A rank that waits for rank 0 listens nowhere: the port that the system chose for it could be that of the rendezvous.
func TestNoPortIsTakenBeforeRankZero(t *testing.T) {
	before := listening(t)
	place := rankstest.Place(t)
	done := make(chan error)
	go func() {
		_, err := Join(context.Background(), Config{Rank: 1, Ranks: 2, Rendezvous: place, Wait: 500 * time.Millisecond})
		done <- err
	}()
	for {
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), "was not found at "+place) {
				t.Error(err)
			}
			return
		case <-time.After(20 * time.Millisecond):
			if n := listening(t); n != before {
				t.Fatalf("%d ports are listened at, %d before", n, before)
			}
		}
	}
}

// A rendezvous where somebody else listens and says nothing is named.
func TestSilentRendezvous(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err = Join(ctx, Config{Rank: 1, Ranks: 2, Rendezvous: l.Addr().String()})
	var f *ranks.Failure
	if !errors.As(err, &f) || f.Rank != 0 || !f.Lost ||
		!strings.Contains(err.Error(), "said nothing at "+l.Addr().String()) {
		t.Error(err)
	}
}
