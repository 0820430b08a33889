package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/rankstest"
)

// facts of a run, with some changed: pairs of names and values.
func facts(changed ...string) []ranks.Fact {
	list := []ranks.Fact{{Name: "the version", Value: "v1.2.3"}, {Name: "the grid", Value: "8 x 8 x 3 cells"},
		{Name: "chip.toml", Value: strings.Repeat("ab", 32)}}
	for i := 0; i < len(changed); i += 2 {
		found := false
		for k := range list {
			if list[k].Name == changed[i] {
				list[k].Value, found = changed[i+1], true
			}
		}
		if !found {
			list = append(list, ranks.Fact{Name: changed[i], Value: changed[i+1]})
		}
	}
	return list
}

// broke is an error with an exit status of its own.
type broke struct{}

func (broke) Error() string   { return "cannot read the stack file" }
func (broke) ExitStatus() int { return 2 }

// Ranks that do not fit are refused, with one message for all that names the rank and what differs.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(c *Config)
		rank   int
		want   string
	}{
		"another version": {func(c *Config) {
			c.Facts = facts("the version", "v1.2.4")
		}, 2, "rank 2 on node2 was refused: the version is v1.2.4 there and v1.2.3 on rank 0"},
		"another grid": {func(c *Config) {
			c.Facts = facts("the grid", "9 x 8 x 3 cells")
		}, 1, "rank 1 on node1 was refused: the grid is 9 x 8 x 3 cells there and 8 x 8 x 3 cells on rank 0"},
		"another stack": {func(c *Config) {
			c.Facts = facts("chip.toml", strings.Repeat("cd", 32))
		}, 2, "rank 2 on node2 was refused: chip.toml differs from that of rank 0"},
		"one more file": {func(c *Config) {
			c.Facts = facts("powers.csv", "x")
		}, 2, "rank 2 on node2 was refused: powers.csv is known there and not on rank 0"},
		"one file less": {func(c *Config) {
			c.Facts = facts()[:2]
		}, 2, "rank 2 on node2 was refused: chip.toml is not known there"},
		"more ranks": {func(c *Config) {
			c.Ranks = 4
		}, 2, "rank 2 on node2 was refused: it was started with 4 ranks, rank 0 with 3"},
		"a rank twice": {func(c *Config) { c.Rank = 1 }, 1, "was refused: there is a rank 1 already, on node"},
		"a rank 0 too many": {func(c *Config) {
			c.Rank = 0
			c.Rendezvous = "127.0.0.1:0"
		}, 2, "rank 2 did not appear at"},
		"a problem": {func(c *Config) {
			c.Problem = broke{}
		}, 2, "rank 2 on node2 failed: cannot read the stack file"},
		"problem of rank 0": {func(c *Config) {
			c.Problem = broke{}
		}, 0, "rank 0 on node0 failed: cannot read the stack file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			odd := max(tt.rank, 0)
			if name == "a rank twice" {
				odd = 2
			}
			_, errs := joinAll(t, 3, func(c *Config) {
				c.Facts = facts()
				c.Wait = 2 * time.Second
				if c.Rank == odd {
					tt.change(c)
				}
			})
			for rank, err := range errs {
				var f *ranks.Failure
				switch {
				case name == "a rank 0 too many" && rank == 2: // it waits at a place of its own
				case !errors.As(err, &f) || f.Rank != tt.rank || !strings.Contains(err.Error(), tt.want):
					t.Errorf("rank %d: %v; want %q", rank, err, tt.want)
				case !strings.Contains(name, "too many") && f.Status != 2:
					t.Errorf("rank %d: status %d", rank, f.Status)
				}
			}
		})
	}
}

// Ranks that do not come are named, after the time that was stated.
func TestMissingRanks(t *testing.T) {
	t.Parallel()
	place := rankstest.Place(t)
	for want, c := range map[string]Config{
		"rank 1 did not appear at " + place + " within 300ms, nor did ranks 2, 3": {Rank: 0, Ranks: 4},
		"rank 0 was not found at " + place + " within 300ms: connection refused":  {Rank: 1, Ranks: 2},
	} {
		c.Rendezvous, c.Wait = place, 300*time.Millisecond
		start := time.Now()
		_, err := Join(context.Background(), c)
		if err == nil || err.Error() != want {
			t.Errorf("%v; want %s", err, want)
		}
		if took := time.Since(start); took < c.Wait {
			t.Errorf("%s: after %v", want, took)
		}
	}
}

// Strangers at the door do not disturb.
func TestStrangers(t *testing.T) {
	place := rankstest.Place(t)
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			conn, err := net.Dial("tcp", place)
			if err != nil {
				continue
			}
			fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: here\r\n\r\n")
			conn.Close()
		}
	}()
	groups := make(chan error, 3)
	for rank := range 3 {
		c := Config{Rank: rank, Ranks: 3, Rendezvous: place, Wait: 5 * time.Second}
		time.AfterFunc(time.Duration(rank)*100*time.Millisecond, func() {
			g, err := Join(context.Background(), c)
			if err == nil {
				err = work(g)
			}
			groups <- err
		})
	}
	for range 3 {
		if err := <-groups; err != nil {
			t.Error(err)
		}
	}
	close(stop)
	<-done
}

// Whoever is told to end while it waits ends, and so do the others.
func TestInterruptedRendezvous(t *testing.T) {
	t.Parallel()
	for who := range 2 {
		place := rankstest.Place(t)
		errs := make([]error, 2)
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(100*time.Millisecond, cancel)
		done := make(chan struct{})
		other := 1 - who
		go func() {
			defer close(done)
			_, errs[other] = Join(context.Background(),
				Config{Rank: other, Ranks: 3, Rendezvous: place, Wait: 3 * time.Second})
		}()
		_, errs[who] = Join(ctx, Config{Rank: who, Ranks: 3, Rendezvous: place, Wait: time.Minute})
		var f *ranks.Failure
		if !errors.As(errs[who], &f) || f.Status != 130 {
			t.Errorf("rank %d: %v", who, errs[who])
		}
		if who != 0 { // rank 0 waits a while for the last rank, which hears it too
			_, err := Join(context.Background(), Config{Rank: 2, Ranks: 3, Rendezvous: place, Wait: 3 * time.Second})
			if !errors.As(err, &f) || f.Rank != who && !strings.Contains(err.Error(), "was not found") {
				t.Errorf("rank %d was interrupted, and rank 2 says %v", who, err)
			}
		}
		<-done
		if !errors.As(errs[other], &f) || f.Rank != who {
			t.Errorf("rank %d was interrupted, and rank %d says %v", who, other, errs[other])
		}
	}
}

func TestPlacesThatAreNone(t *testing.T) {
	for _, c := range []Config{{Ranks: 0, Rendezvous: "a:1"}, {Rank: 2, Ranks: 2, Rendezvous: "a:1"},
		{Rank: -1, Ranks: 2, Rendezvous: "a:1"}, {Ranks: 2}, {Ranks: 2, Rendezvous: ":7"}} {
		if _, err := Join(context.Background(), c); err == nil {
			t.Errorf("%+v", c)
		}
	}
}
