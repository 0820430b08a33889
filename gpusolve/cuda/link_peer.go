package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ranks"
)

// peerLink transfers data by copies of the driver between the GPUs of one process. Ranks exchange the addresses of
// their data. Their streams wait for each other; the host waits only until the other rank has made its call.
type peerLink struct {
	rank, size   int
	ctx          cudriver.Context
	sent, taken  cudriver.Event // what I send is ready; what I was sent has been copied
	others       []chan offer   // to me, from each rank
	all          [][]chan offer // to every rank, from each
	failed       <-chan struct{}
	d            *Device
	nvlink, peer bool
}

// offer is a message to another rank: the address of a part and the event after which it is valid, or that the other's
// part has been copied.
type offer struct {
	at   cudriver.DevicePtr
	ctx  cudriver.Context
	when cudriver.Event
}

// rendezvous holds the channels of the groups of this process, by a number that rank 0 chooses.
var rendezvous struct {
	sync.Mutex
	next uint64
	open map[uint64][][]chan offer
}

// errApart says that the GPUs of ranks cannot be reached by copies.
var errApart = errors.New("the ranks are not in one process")

// peerLinkOf joins the ranks of one process; errApart where they are several.
func peerLinkOf(d *Device, g ranks.Group) (Link, error) {
	mailboxes, err := meet(d, g)
	if err != nil {
		return nil, err
	}
	l := &peerLink{rank: g.Rank(), size: g.Size(), ctx: d.ctx, others: mailboxes[g.Rank()], all: mailboxes, d: d}
	l.failed = failedOf(g)
	for _, e := range []*cudriver.Event{&l.sent, &l.taken} {
		if *e, err = d.Driver.EventCreate(); err != nil {
			break
		}
	}
	if err := agreed(g, err); err != nil {
		return nil, err
	}
	return l, agreed(g, l.reach(g))
}

// meet finds the channels of a group whose ranks are all in this process, with one driver.
func meet(d *Device, g ranks.Group) ([][]chan offer, error) {
	host, _ := os.Hostname()
	driver := "the machine's"
	if !cudriver.IsMachine(d.Driver) {
		driver = fmt.Sprintf("%p", cudriver.Beneath(d.Driver))
	}
	mine := fmt.Appendf(make([]byte, 8), "%s %d %p %s", host, os.Getpid(), &rendezvous, driver)
	if g.Rank() == 0 {
		mailboxes := make([][]chan offer, g.Size())
		for to := range mailboxes {
			mailboxes[to] = make([]chan offer, g.Size())
			for from := range mailboxes[to] {
				mailboxes[to][from] = make(chan offer, 4) // more than a rank can be ahead
			}
		}
		rendezvous.Lock()
		rendezvous.next++
		if rendezvous.open == nil {
			rendezvous.open = map[uint64][][]chan offer{}
		}
		rendezvous.open[rendezvous.next] = mailboxes
		binary.LittleEndian.PutUint64(mine, rendezvous.next)
		rendezvous.Unlock()
	}
	all, err := g.Gather(mine)
	if err != nil {
		return nil, err
	}
	for _, of := range all {
		if string(of[8:]) != string(mine[8:]) {
			return nil, errApart
		}
	}
	number := binary.LittleEndian.Uint64(all[0])
	rendezvous.Lock()
	mailboxes := rendezvous.open[number]
	rendezvous.Unlock()
	if _, err := g.Gather(nil); err != nil { // all have found it
		return nil, err
	}
	rendezvous.Lock()
	delete(rendezvous.open, number)
	rendezvous.Unlock()
	return mailboxes, nil
}

// reach enables copies from the GPUs of the other ranks. Where the driver cannot, it copies through the host.
func (l *peerLink) reach(g ranks.Group) error {
	var mine [12]byte
	binary.LittleEndian.PutUint32(mine[:], uint32(l.d.dev))
	binary.LittleEndian.PutUint64(mine[4:], uint64(l.ctx))
	all, err := g.Gather(mine[:])
	if err != nil {
		return err
	}
	l.nvlink, l.peer = true, true
	for _, of := range all {
		dev, ctx := cudriver.Device(binary.LittleEndian.Uint32(of)),
			cudriver.Context(binary.LittleEndian.Uint64(of[4:]))
		if ctx == l.ctx {
			continue
		}
		atomics, err := l.d.Driver.DeviceGetP2PAttribute(cudriver.P2PNativeAtomicSupported, l.d.dev, dev)
		l.nvlink = l.nvlink && err == nil && atomics != 0
		can, err := l.d.Driver.DeviceGetP2PAttribute(cudriver.P2PAccessSupported, l.d.dev, dev)
		if err != nil || can == 0 {
			l.peer = false
			continue
		}
		const already = 704
		var failed *cudriver.Error
		if err := l.d.Driver.CtxEnablePeerAccess(ctx); err != nil &&
			!(errors.As(err, &failed) && failed.Result == already) {
			return err
		}
	}
	return nil
}

// send sends an offer to a rank.
func (l *peerLink) send(to int, o offer) error {
	select {
	case l.all[to][l.rank] <- o:
		return nil
	case <-l.failed:
		return errGone
	}
}

// errGone ends waits; the group has the reason.
var errGone = errors.New("another rank has failed")

// receive is the next offer of a rank.
func (l *peerLink) receive(from int) (offer, error) {
	select {
	case o := <-l.others[from]:
		return o, nil
	case <-l.failed:
		return offer{}, errGone
	}
}

// part is the data offered to a rank, and the destination of the data from it.
type part struct {
	rank     int
	from, to cudriver.DevicePtr
	bytes    int64    // bytes copied from it
	portion  *Portion // where it is not nil, pieces of bytes each
}

// trade offers parts to other ranks, copies theirs, and makes the stream wait until they have copied its own. Events
// are recorded again, or destroyed, only when all others have asked their streams to wait for them.
func (l *peerLink) trade(s *Space, parts []part) error {
	if err := s.Driver.EventRecord(l.sent, s.Stream); err != nil {
		return err
	}
	err := l.meetAll(s, parts, func(p part) offer { return offer{p.from, l.ctx, l.sent} }, func(p part, o offer) error {
		if p.portion == nil {
			return s.Driver.MemcpyPeerAsync(p.to, l.ctx, o.at, o.ctx, p.bytes, s.Stream)
		}
		for n := range p.portion.Count {
			if err := s.Driver.MemcpyPeerAsync(p.portion.In.piece(p.to, n), l.ctx, p.portion.There.piece(o.at, n),
				o.ctx, p.bytes, s.Stream); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.Driver.EventRecord(l.taken, s.Stream); err != nil {
		return err
	}
	if err := l.meetAll(s, parts, func(part) offer { return offer{when: l.taken} }, nil); err != nil {
		return err
	}
	return l.meetAll(s, parts, func(part) offer { return offer{} }, nil)
}

// meetAll sends an offer to the ranks of all parts. It receives theirs, makes the stream wait for their events, and
// then calls then.
func (l *peerLink) meetAll(s *Space, parts []part, show func(part) offer, then func(part, offer) error) error {
	for _, p := range parts {
		if err := l.send(p.rank, show(p)); err != nil {
			return err
		}
	}
	for _, p := range parts {
		o, err := l.receive(p.rank)
		if err != nil {
			return err
		}
		if o.when != 0 {
			if err := s.Driver.StreamWaitEvent(s.Stream, o.when); err != nil {
				return err
			}
		}
		if then != nil && p.bytes > 0 {
			if err := then(p, o); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *peerLink) Exchange(s *Space, down, up Transfer) error {
	var parts []part
	if l.rank > 0 {
		parts = append(parts, part{rank: l.rank - 1, from: down.From, to: up.To, bytes: up.Bytes})
	}
	if l.rank < l.size-1 {
		parts = append(parts, part{rank: l.rank + 1, from: up.From, to: down.To, bytes: down.Bytes})
	}
	return l.trade(s, parts)
}

func (l *peerLink) AllGather(s *Space, from, to cudriver.DevicePtr, bytes int64) error {
	if err := s.Driver.MemcpyDtoDAsync(to+cudriver.DevicePtr(int64(l.rank)*bytes), from, bytes, s.Stream); err != nil {
		return err
	}
	var parts []part
	for r := range l.size {
		if r != l.rank {
			parts = append(parts, part{rank: r, from: from, to: to + cudriver.DevicePtr(int64(r)*bytes), bytes: bytes})
		}
	}
	return l.trade(s, parts)
}

func (l *peerLink) AllToAll(s *Space, from, to cudriver.DevicePtr, with []Portion) error {
	var parts []part
	for n := 1; n < l.size; n++ { // each rank begins with another one
		r := (l.rank + n) % l.size
		parts = append(parts, part{rank: r, from: from, to: to, bytes: with[r].In.Bytes, portion: &with[r]})
	}
	return l.trade(s, parts)
}

// Recordable is false: a recording would not wait for the others' part.
func (l *peerLink) Recordable() bool { return false }

func (l *peerLink) String() string {
	switch {
	case !l.peer:
		return "copies of the driver through the host"
	case l.nvlink:
		return "copies of the driver over NVLink"
	}
	return "copies of the driver over PCI Express"
}

func (l *peerLink) Err() error {
	select {
	case <-l.failed:
		return errGone
	default:
		return nil
	}
}

func (l *peerLink) Close() error {
	return errors.Join(l.d.Driver.EventDestroy(l.sent), l.d.Driver.EventDestroy(l.taken))
}
