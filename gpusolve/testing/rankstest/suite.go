// Package rankstest holds what every ranks.Group must keep.
package rankstest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"thermsim/gpusolve/ranks"
)

// Open makes the groups of n ranks, one for each, in the order of their numbers.
type Open func(t *testing.T, n int) []ranks.Group

// Run holds an implementation to the interface.
func Run(t *testing.T, open Open) {
	for _, n := range []int{1, 2, 3, 4, 8} {
		t.Run(fmt.Sprintf("%d ranks", n), func(t *testing.T) {
			t.Run("numbers", func(t *testing.T) { numbers(t, open(t, n)) })
			for _, c := range checks {
				t.Run(c.name, func(t *testing.T) { succeed(t, open(t, n), c.run) })
			}
			for rank := range n {
				t.Run(fmt.Sprintf("fail %d", rank), func(t *testing.T) { fail(t, open(t, n), rank) })
			}
		})
	}
}

// checks are what every rank of a group does. The last one closes it.
var checks = []struct {
	name string
	run  func(g ranks.Group) error
}{{"gather", gather}, {"exchange", exchange}, {"pairs", pairs}, {"mixed", mixed}, {"close", leave}}

// RunProcess is Run for the only rank of this process, one of several that do the same.
func RunProcess(g ranks.Group) error {
	for _, c := range checks {
		if err := c.run(g); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return g.Close()
}

// patience is far longer than anything here takes.
const patience = 20 * time.Second

// each runs a function on every rank at once and returns their errors.
func each(t *testing.T, groups []ranks.Group, run func(g ranks.Group) error) []error {
	t.Helper()
	errs := make([]error, len(groups))
	ended := make(chan struct{})
	var all sync.WaitGroup
	for i, g := range groups {
		all.Go(func() { errs[i] = run(g) })
	}
	go func() {
		all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("ranks wait for ever")
	}
	return errs
}

// succeed runs a function on every rank and then leaves.
func succeed(t *testing.T, groups []ranks.Group, run func(g ranks.Group) error) {
	t.Helper()
	for rank, err := range each(t, groups, func(g ranks.Group) error { return errors.Join(run(g), g.Close()) }) {
		if err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

func numbers(t *testing.T, groups []ranks.Group) {
	for i, g := range groups {
		if g.Rank() != i || g.Size() != len(groups) {
			t.Errorf("rank %d of %d calls itself %d of %d", i, len(groups), g.Rank(), g.Size())
		}
	}
	succeed(t, groups, func(ranks.Group) error { return nil })
}

// text is n bytes that identify their sender and its turn.
func text(n int, words ...uint64) []byte {
	seed := [32]byte{}
	for i, w := range words {
		binary.LittleEndian.PutUint64(seed[8*i:], w)
	}
	b := make([]byte, n)
	rand.NewChaCha8(seed).Read(b)
	return b
}

// length of a message: mostly short, empty at times, and longer than the buffers of a connection.
func length(words ...uint64) int {
	b := text(16, append(words, 1<<40)...)
	pick := binary.LittleEndian.Uint64(b)
	size := int(binary.LittleEndian.Uint64(b[8:]) >> 1)
	switch pick % 16 {
	case 0:
		return 0
	case 1:
		return size % (1 << 20)
	case 2, 3, 4:
		return size % (100 << 10)
	}
	return size % 100
}

const rounds = 40

func gather(g ranks.Group) error {
	for k := range rounds {
		if err := gatherOnce(g, uint64(k)); err != nil {
			return err
		}
	}
	return nil
}

func gatherOnce(g ranks.Group, k uint64) error {
	mine := text(length(k, uint64(g.Rank())), k, uint64(g.Rank()))
	all, err := g.Gather(mine)
	if err != nil {
		return err
	}
	if len(all) != g.Size() {
		return fmt.Errorf("gathered %d of %d", len(all), g.Size())
	}
	for rank, got := range all {
		if !bytes.Equal(got, text(length(k, uint64(rank)), k, uint64(rank))) {
			return fmt.Errorf("round %d: wrong bytes of rank %d", k, rank)
		}
	}
	for i := range mine {
		mine[i] = 0xff // the caller may write to what it gave
	}
	for i := range all[g.Rank()] {
		all[g.Rank()][i] = 0 // and to what it got
	}
	return nil
}

func exchange(g ranks.Group) error {
	for k := range rounds {
		if err := exchangeOnce(g, uint64(k)); err != nil {
			return err
		}
	}
	return nil
}

const up, down = 1, 2

func exchangeOnce(g ranks.Group, k uint64) error {
	r := uint64(g.Rank())
	toBelow, toAbove := text(length(k, r, down), k, r, down), text(length(k, r, up), k, r, up)
	wantBelow, wantAbove := text(length(k, r-1, up), k, r-1, up), text(length(k, r+1, down), k, r+1, down)
	fromBelow, fromAbove := make([]byte, len(wantBelow)), make([]byte, len(wantAbove))
	if g.Rank() == 0 {
		toBelow, fromBelow, wantBelow = nil, nil, nil
	}
	if g.Rank() == g.Size()-1 {
		fromAbove, wantAbove = []byte("kept"), []byte("kept")
	}
	if err := g.Exchange(toBelow, toAbove, fromBelow, fromAbove); err != nil {
		return err
	}
	if !bytes.Equal(fromBelow, wantBelow) || !bytes.Equal(fromAbove, wantAbove) {
		return fmt.Errorf("round %d: wrong bytes", k)
	}
	clear(toAbove)
	return nil
}

// pairs sends from every rank to every other before anything is received.
func pairs(g ranks.Group) error {
	r := uint64(g.Rank())
	for k := range uint64(10) {
		for to := range g.Size() {
			if to == g.Rank() {
				continue
			}
			data := text(length(k, r, uint64(to)), k, r, uint64(to))
			if err := g.Send(to, data); err != nil {
				return err
			}
			clear(data)
		}
	}
	for from := g.Size() - 1; from >= 0; from-- {
		for k := uint64(0); k < 10 && from != g.Rank(); k++ {
			got, err := g.Receive(from)
			if err != nil {
				return err
			}
			if !bytes.Equal(got, text(length(k, uint64(from), r), k, uint64(from), r)) {
				return fmt.Errorf("message %d of rank %d: wrong bytes", k, from)
			}
		}
	}
	return nil
}

// mixed does all kinds in an order that all ranks draw alike, with pauses that they do not.
func mixed(g ranks.Group) error {
	same, own := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(3, uint64(g.Rank())))
	for k := range uint64(rounds) {
		var err error
		switch same.IntN(3) {
		case 0:
			err = gatherOnce(g, k)
		case 1:
			err = exchangeOnce(g, k)
		case 2:
			err = pass(g, same.IntN(g.Size()), same.IntN(g.Size()), k)
		}
		if err != nil {
			return err
		}
		if own.IntN(10) == 0 {
			time.Sleep(time.Duration(own.IntN(int(2 * time.Millisecond))))
		}
	}
	return nil
}

// pass moves one message.
func pass(g ranks.Group, from, to int, k uint64) error {
	data := text(length(k), k)
	switch {
	case from == to:
	case g.Rank() == from:
		return g.Send(to, data)
	case g.Rank() == to:
		got, err := g.Receive(from)
		if err == nil && !bytes.Equal(got, data) {
			err = errors.New("wrong bytes")
		}
		return err
	}
	return nil
}

// reason is an error with an exit status.
type reason struct{}

func (reason) Error() string   { return "out of paper" }
func (reason) ExitStatus() int { return 42 }

// fail lets a rank give up while the others wait: for all, for a neighbour, for one.
func fail(t *testing.T, groups []ranks.Group, rank int) {
	errs := each(t, groups, func(g ranks.Group) error {
		if err := gatherOnce(g, 1); err != nil {
			return err
		}
		if g.Rank() == rank {
			g.Fail(reason{})
			g.Fail(errors.New("a second reason counts for nothing"))
			_, err := g.Gather(nil)
			return err
		}
		var err error
		switch rank % 3 {
		case 1:
			_, err = g.Receive(rank)
		case 2:
			err = g.Exchange(nil, nil, nil, nil)
		}
		if err == nil { // some may exchange with none that failed
			_, err = g.Gather(nil)
		}
		if again := g.Send(rank, nil); again == nil {
			return errors.New("a call after the failure succeeded")
		}
		return err
	})
	for i, err := range errs {
		var f *ranks.Failure
		if !errors.As(err, &f) || f.Rank != rank || !strings.Contains(f.Reason, "out of paper") || f.Status != 42 {
			t.Errorf("rank %d got %v", i, err)
		}
	}
	for rank, err := range each(t, groups, ranks.Group.Close) {
		if err != nil {
			t.Errorf("rank %d cannot close: %v", rank, err)
		}
	}
}

// leave closes at different times: what was sent before arrives all the same.
func leave(g ranks.Group) error {
	if g.Rank() == 0 {
		for to := 1; to < g.Size(); to++ {
			if err := g.Send(to, text(100<<10, uint64(to))); err != nil {
				return err
			}
		}
		return errors.Join(g.Close(), g.Close())
	}
	time.Sleep(time.Duration(g.Rank()) * 5 * time.Millisecond)
	got, err := g.Receive(0)
	if err == nil && !bytes.Equal(got, text(100<<10, uint64(g.Rank()))) {
		err = errors.New("wrong bytes")
	}
	return err
}
