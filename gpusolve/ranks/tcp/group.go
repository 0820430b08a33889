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
				g.Fail(fmt.Errorf("is out of step with rank %d: got %q; expected %q. This is a bug in thermsim",
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
			g.end(&ranks.Failure{Rank: p.rank, Host: p.host, Reason: "has left while others wait for it. This is a " +
				"bug in thermsim"})
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

// beats is the time between signs of life where nothing else is sent.
const beats = time.Second

var errSilent = errors.New("silent")

// beat sends signs of life to a peer, from a separate goroutine: a rank that computes long is not dead.
func (g *group) beat(p *peer) {
	tick := time.NewTicker(beats)
	defer tick.Stop()
	for {
		select {
		case <-g.done:
			return
		case <-p.ended:
			return
		case <-tick.C:
		}
		if time.Duration(p.now()-p.last.Load()) < beats/2 || !p.writing.TryLock() {
			continue // something was sent just now, or is being sent
		}
		err := p.write(beat, nil)
		p.writing.Unlock()
		if err != nil {
			g.lose(p, err)
			return
		}
	}
}

// watch looks for peers from which nothing comes. Where this rank itself stood still, as when the whole job was
// suspended, the others get their time again.
func (g *group) watch() {
	const interval = beats / 2
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for before := time.Now(); ; before = time.Now() {
		select {
		case <-g.done:
			return
		case <-tick.C:
		}
		stood := time.Since(before) > 4*interval
		for _, p := range g.others() {
			select {
			case <-p.ended:
				continue
			default:
			}
			if stood {
				p.heard.Store(p.now())
			}
			if time.Duration(p.now()-p.heard.Load()) > Silence {
				g.lose(p, errSilent)
				p.conn.Close() // what is being written to it will never end
			}
		}
	}
}

// Close leaves the group: in order, where it has not failed. It waits a moment for the others to leave too, because a
// connection that is closed with unread data is reset, and takes along what was said last.
func (g *group) Close() error {
	g.mu.Lock()
	if g.left {
		g.mu.Unlock()
		return nil
	}
	g.left = true
	g.mu.Unlock()
	g.ended.Do(func() {
		close(g.done)
		var leaving sync.WaitGroup
		for _, p := range g.others() {
			leaving.Go(func() { p.dismiss(bye, nil) })
		}
		leaving.Wait()
	})
	quiet := make(chan struct{})
	go func() {
		g.running.Wait()
		close(quiet)
	}()
	select {
	case <-quiet:
	case <-time.After(farewell):
	}
	for _, p := range g.others() {
		p.conn.Close()
	}
	return nil
}

// alone is the length from which messages to several ranks are sent at once rather than one after the other.
const alone = 32 << 10

// each sends a message to peers.
func (g *group) each(k kind, peers []*peer, data [][]byte) error {
	select {
	case <-g.done:
		return g.outcome()
	default:
	}
	errs := make([]error, len(peers))
	var sending sync.WaitGroup
	for i, p := range peers {
		if len(data[i]) < alone || i == len(peers)-1 {
			errs[i] = g.deliver(p, k, data[i])
			continue
		}
		sending.Go(func() { errs[i] = g.deliver(p, k, data[i]) })
	}
	sending.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Gather sends to every rank directly: each has to receive all in any case, and one way is shorter than several.
func (g *group) Gather(mine []byte) ([][]byte, error) {
	peers := g.others()
	data := make([][]byte, len(peers))
	for i := range data {
		data[i] = mine
	}
	if err := g.each(gathered, peers, data); err != nil {
		return nil, err
	}
	all := make([][]byte, g.Size())
	all[g.rank] = append([]byte(nil), mine...)
	for _, p := range peers {
		payload, err := g.receive(p, gathered)
		if err != nil {
			return nil, err
		}
		all[p.rank] = payload
	}
	return all, nil
}

func (g *group) Exchange(toBelow, toAbove, fromBelow, fromAbove []byte) error {
	var peers []*peer
	var out, in [][]byte
	if g.rank > 0 {
		peers, out, in = append(peers, g.peers[g.rank-1]), append(out, toBelow), append(in, fromBelow)
	}
	if g.rank < g.Size()-1 {
		peers, out, in = append(peers, g.peers[g.rank+1]), append(out, toAbove), append(in, fromAbove)
	}
	if err := g.each(exchanged, peers, out); err != nil {
		return err
	}
	for i, p := range peers {
		payload, err := g.receive(p, exchanged)
		if err != nil {
			return err
		}
		if len(payload) != len(in[i]) {
			g.Fail(fmt.Errorf("got %d bytes from rank %d; expected %d. This is a bug in thermsim", len(payload),
				p.rank, len(in[i])))
			return g.outcome()
		}
		copy(in[i], payload)
		p.inbox.giveBack(payload)
	}
	return nil
}

// Send does not wait for Receive.
func (g *group) Send(to int, data []byte) error {
	p, err := g.partner(to)
	if err != nil {
		return err
	}
	return g.deliver(p, sent, data)
}

func (g *group) Receive(from int) ([]byte, error) {
	p, err := g.partner(from)
	if err != nil {
		return nil, err
	}
	return g.receive(p, sent)
}

func (g *group) partner(rank int) (*peer, error) {
	if rank < 0 || rank >= g.Size() || rank == g.rank {
		return nil, fmt.Errorf("rank %d of %d has no messages for rank %d", g.rank, g.Size(), rank)
	}
	return g.peers[rank], nil
}
