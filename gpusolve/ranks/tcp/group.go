// Package tcp joins ranks that are processes, on one machine or several: every two of them have a connection.
//
// A rank that dies is noticed by its connections, which the system resets at once; one whose machine is silent, after
// Silence. Everybody then ends with the same Failure, which names it.
package tcp

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"thermsim/gpusolve/ranks"
)

// Silence is how long nothing may come from a rank before it counts as lost. Ranks that compute send signs of life
// meanwhile.
const Silence = 6 * time.Second

// group implements ranks.Group.
type group struct {
	rank  int
	host  string
	peers []*peer // by rank; nil in this rank's own place

	done    chan struct{} // closed when the group has failed or was left
	failing chan struct{} // closed when it has failed
	ended   sync.Once
	mu      sync.Mutex
	failure *ranks.Failure
	suspect []*ranks.Failure // ranks that are gone without a word, in the order in which that was noticed
	left    bool             // Close was called

	running sync.WaitGroup
}

var errLeft = errors.New("the group of ranks was left already")

// start lets a group whose connections stand begin its work.
func start(rank int, host string, peers []*peer) *group {
	g := &group{rank: rank, host: host, peers: peers, done: make(chan struct{}), failing: make(chan struct{})}
	for _, p := range g.others() {
		p.heard.Store(p.now())
		g.running.Go(func() { g.hear(p) })
		go g.beat(p)
	}
	go g.watch()
	return g
}

func (g *group) Rank() int { return g.rank }
func (g *group) Size() int { return len(g.peers) }

// Failed is closed once the group has failed, while this rank may be waiting for something else: links beside the group
// are to be cut then.
func (g *group) Failed() <-chan struct{} { return g.failing }

// others are all peers in the order of their ranks.
func (g *group) others() []*peer { return present(g.peers) }

// hear takes what a peer sends until it ends.
func (g *group) hear(p *peer) {
	err := p.listen(func(k kind, payload []byte) bool {
		switch k {
		case beat:
		case bye:
			close(p.ended)
			return false
		case failed:
			g.end(decodeFailure(payload, p))
			return false
		default:
			p.inbox.put(message{k, payload})
		}
		return true
	})
	if err != nil {
		g.lose(p, err)
	}
}

// receive waits for the next message of a peer, which must be of the kind that this rank is at.
func (g *group) receive(p *peer, want kind) ([]byte, error) {
	for {
		if m, ok := p.inbox.take(); ok {
			if m.kind != want {
				g.Fail(fmt.Errorf("lost step with rank %d: it got %q where %q was due; this is a fault of thermsim",
					p.rank, m.kind, want))
				return nil, g.outcome()
			}
			return m.payload, nil
		}
		select {
		case <-p.inbox.ready:
			continue
		case <-g.done:
			return nil, g.outcome()
		case <-p.ended:
		}
		if p.inbox.empty() {
			g.end(&ranks.Failure{Rank: p.rank, Host: p.host, Reason: "has left, and others wait for it; this is a " +
				"fault of thermsim"})
			return nil, g.outcome()
		}
	}
}

// deliver sends a message to a peer.
func (g *group) deliver(p *peer, k kind, data []byte) error {
	select {
	case <-g.done:
		return g.outcome()
	default:
	}
	if err := p.send(k, data); err != nil {
		g.lose(p, err)
		<-g.done // lose ends the group, if not at once
		return g.outcome()
	}
	return nil
}

// outcome is what methods return when the group is done.
func (g *group) outcome() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failure == nil {
		return errLeft
	}
	return g.failure
}
