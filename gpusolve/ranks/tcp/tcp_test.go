package tcp

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/rankstest"
)

// joinAll joins n ranks that change adjusts.
func joinAll(t *testing.T, n int, change func(c *Config)) ([]ranks.Group, []error) {
	t.Helper()
	place := rankstest.Place(t)
	groups, errs := make([]ranks.Group, n), make([]error, n)
	var all sync.WaitGroup
	for rank := range n {
		c := Config{Rank: rank, Ranks: n, Rendezvous: place, Host: fmt.Sprintf("node%d", rank), Wait: 10 * time.Second}
		if change != nil {
			change(&c)
		}
		all.Go(func() { groups[rank], errs[rank] = Join(context.Background(), c) })
	}
	all.Wait()
	return groups, errs
}

func joined(t *testing.T, n int) []ranks.Group {
	t.Helper()
	groups, errs := joinAll(t, n, nil)
	for rank, err := range errs {
		if err != nil {
			t.Fatalf("rank %d: %v", rank, err)
		}
	}
	return groups
}

// piped are groups whose connections are pipes of this process, so that they run on the clock of a synctest bubble.
// wrap changes a rank's end of a connection.
func piped(n int, wrap func(rank int, conn net.Conn) net.Conn) []ranks.Group {
	peers := make([][]*peer, n)
	for rank := range n {
		peers[rank] = make([]*peer, n)
		for other := range rank {
			a, b := net.Pipe()
			peers[rank][other] = newPeer(other, fmt.Sprintf("node%d", other), wrap(rank, a))
			peers[other][rank] = newPeer(rank, fmt.Sprintf("node%d", rank), wrap(other, b))
		}
	}
	groups := make([]ranks.Group, n)
	for rank := range n {
		groups[rank] = start(rank, fmt.Sprintf("node%d", rank), peers[rank])
	}
	return groups
}

func TestGroup(t *testing.T) {
	t.Parallel()
	rankstest.Run(t, joined)
}
