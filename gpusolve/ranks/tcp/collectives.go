package tcp

import (
	"fmt"
	"sync"
)

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
			g.Fail(fmt.Errorf("got %d bytes from rank %d where %d were due; this is a fault of thermsim", len(payload),
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
