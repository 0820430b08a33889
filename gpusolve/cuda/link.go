package cuda

import (
	"errors"
	"fmt"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/nccl"
	"thermsim/gpusolve/ranks"
)

// staged transfers data through the host's memory and the group: slow, but available on every machine.
type staged struct{ group ranks.Group }

// underlying is the innermost of wrapped groups.
func underlying(g ranks.Group) ranks.Group {
	for {
		u, ok := g.(interface{ Unwrap() ranks.Group })
		if !ok {
			return g
		}
		g = u.Unwrap()
	}
}

// failedOf is closed when a group has failed; nil where it cannot report that.
func failedOf(g ranks.Group) <-chan struct{} {
	if f, ok := underlying(g).(interface{ Failed() <-chan struct{} }); ok {
		return f.Failed()
	}
	return nil
}

// StagedLink moves device memory through the host.
func StagedLink(g ranks.Group) Link { return staged{g} }

func (l staged) Exchange(s *Space, down, up Transfer) error {
	toBelow, fromAbove := make([]byte, down.Bytes), make([]byte, down.Bytes)
	toAbove, fromBelow := make([]byte, up.Bytes), make([]byte, up.Bytes)
	below, above := l.group.Rank() > 0, l.group.Rank() < l.group.Size()-1
	if below {
		if err := copyDown(s, toBelow, down.From); err != nil {
			return err
		}
	}
	if above {
		if err := copyDown(s, toAbove, up.From); err != nil {
			return err
		}
	}
	if err := l.group.Exchange(toBelow, toAbove, fromBelow, fromAbove); err != nil {
		return err
	}
	if above {
		if err := copyUp(s, down.To, fromAbove); err != nil {
			return err
		}
	}
	if below {
		return copyUp(s, up.To, fromBelow)
	}
	return nil
}

func (l staged) AllGather(s *Space, from, to cudriver.DevicePtr, bytes int64) error {
	mine := make([]byte, bytes)
	if err := copyDown(s, mine, from); err != nil {
		return err
	}
	all, err := l.group.Gather(mine)
	if err != nil {
		return err
	}
	joined := make([]byte, 0, int64(len(all))*bytes)
	for n, part := range all {
		if int64(len(part)) != bytes {
			return fmt.Errorf("rank %d: got %d bytes; expected %d", n, len(part), bytes)
		}
		joined = append(joined, part...)
	}
	return copyUp(s, to, joined)
}

func (l staged) AllToAll(s *Space, from, to cudriver.DevicePtr, with []Portion) error {
	me, size := l.group.Rank(), l.group.Size()
	for n := 1; n < size; n++ { // each rank begins with another one
		r := (me + n) % size
		p := with[r]
		message := make([]byte, int64(p.Count)*p.Out.Bytes)
		for k := range p.Count {
			if err := copyDown(s, message[int64(k)*p.Out.Bytes:int64(k+1)*p.Out.Bytes], p.Out.piece(from, k)); err !=
				nil {
				return err
			}
		}
		if err := l.group.Send(r, message); err != nil {
			return err
		}
	}
	for n := 1; n < size; n++ {
		r := (me + size - n) % size
		p := with[r]
		data, err := l.group.Receive(r)
		if err != nil {
			return err
		}
		if int64(len(data)) != int64(p.Count)*p.In.Bytes {
			return fmt.Errorf("rank %d: got %d bytes; expected %d", r, len(data), int64(p.Count)*p.In.Bytes)
		}
		for k := range p.Count {
			if err := copyUp(s, p.In.piece(to, k), data[int64(k)*p.In.Bytes:int64(k+1)*p.In.Bytes]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l staged) Recordable() bool { return false }

func (l staged) String() string { return "the host's memory" }

func (l staged) Err() error { return nil }

func (l staged) Close() error { return nil }

// copyDown fills host memory and waits.
func copyDown(s *Space, to []byte, from cudriver.DevicePtr) error {
	if len(to) == 0 {
		return nil
	}
	Receive(s, to, cudriver.At[byte](from))
	return s.err
}

// copyUp sends host memory and waits.
func copyUp(s *Space, to cudriver.DevicePtr, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	Send(s, cudriver.At[byte](to), from)
	return s.err
}

// LinkOf joins the device to those of the other ranks, which all ask for it, once for a group: by NCCL where all ranks
// have it, by copies of the driver between the GPUs of one process, and else through the host's memory.
func (d *Device) LinkOf(g ranks.Group) (Link, error) {
	if d.link != nil && (d.linked == nil || d.linked == underlying(g)) {
		return d.link, nil
	}
	if d.link != nil {
		if err := d.link.Close(); err != nil {
			return nil, err
		}
	}
	d.link, d.linkWarning, d.linked = nil, "", underlying(g)
	noNCCL := errNotMachine
	if cudriver.IsMachine(d.Driver) {
		if noNCCL = d.apart(g); noNCCL == nil {
			if d.link, noNCCL = NCCLLink(g); noNCCL == nil {
				return d.link, nil
			}
			d.link = nil
		}
		if !errors.Is(noNCCL, nccl.ErrAbsent) {
			return nil, noNCCL
		}
	}
	link, err := peerLinkOf(d, g)
	if err == nil {
		d.link = link
		return link, nil
	}
	if !errors.Is(err, errApart) {
		return nil, err
	}
	d.linkWarning = fmt.Sprintf("the GPUs exchange rows through the host's memory, which is slow: %v", noNCCL)
	d.link = StagedLink(g)
	return d.link, nil
}

// errNotMachine is for drivers that NCCL cannot use.
var errNotMachine = errors.New("not the driver of this machine")

// Transport describes the connection between the GPUs of a run's ranks, "" without any, and warns of a slow one.
func (d *Device) Transport() (text, warning string) {
	if d.link == nil {
		return "", ""
	}
	return d.link.String(), d.linkWarning
}

// JoinedByHost says whether data pass to other ranks through the memory of their hosts.
func (d *Device) JoinedByHost() bool {
	_, by := d.link.(staged)
	return by
}

// Wires are what joins this GPU to those of other ranks beneath the transport, as NVLink or InfiniBand, where that is
// known.
func (d *Device) Wires() []string {
	if l, ok := d.link.(interface{ Wires() []string }); ok {
		return l.Wires()
	}
	return nil
}

// Link moves device memory between the ranks of a run, in the order of a space's stream. Every rank makes the same
// calls in the same order.
type Link interface {
	// Exchange sends down bytes from down.From to the rank below, which receives them at its down.To, and up bytes from
	// up.From to the rank above. At the ends of the ranks nothing is sent or received where there is no neighbour.
	Exchange(s *Space, down, up Transfer) error
	// AllGather gives every rank the bytes of all, in the order of their ranks.
	AllGather(s *Space, from, to cudriver.DevicePtr, bytes int64) error
	// AllToAll has every rank send pieces of its memory at from to every other, and receive theirs into to. with has a
	// portion for each rank; the own one counts for nothing.
	AllToAll(s *Space, from, to cudriver.DevicePtr, with []Portion) error
	// Recordable says whether transfers may be part of recorded launches: those that need the host may not.
	Recordable() bool
	// String says what carries the data, as "NCCL 2.28.9".
	String() string
	// Err is what has ended the link, nil while all is well.
	Err() error
	Close() error
}

// Transfer is what passes one way: what this rank sends lies at From, what it receives goes to To, of the same size.
type Transfer struct {
	From, To cudriver.DevicePtr
	Bytes    int64
}

// Spans of memory lie Step bytes apart from At on, with Bytes each.
type Spans struct{ At, Step, Bytes int64 }

// piece is where number n lies in memory.
func (p Spans) piece(base cudriver.DevicePtr, n int) cudriver.DevicePtr {
	return base + cudriver.DevicePtr(p.At+int64(n)*p.Step)
}

// Portion is what passes between this rank and another: Count pieces each way. Out are those that this rank sends, In
// where those that it receives go, There where they lie in the memory of the other.
type Portion struct {
	Count          int
	Out, In, There Spans
}
