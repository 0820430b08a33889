package cuda

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/nccl"
	"thermsim/gpusolve/ranks"
)

// ncclLink carries everything with NCCL.
type ncclLink struct {
	library    *nccl.Library
	comm       *nccl.Comm
	rank, size int
	stop       chan struct{} // ends the watch

	mu    sync.Mutex
	ended error // the communicator was aborted
}

// NCCLLink joins the ranks of a group by NCCL, on the GPU that is bound. Every rank of the group must call it; where
// one of them has no NCCL the error is nccl.ErrAbsent on all.
func NCCLLink(g ranks.Group) (Link, error) {
	library, err := nccl.Open()
	if err := agreed(g, err); err != nil {
		return nil, err
	}
	var id nccl.ID
	if g.Rank() == 0 {
		id, err = library.UniqueID()
	}
	if err := agreed(g, unusable(err)); err != nil {
		return nil, err
	}
	all, err := g.Gather(id[:])
	if err != nil {
		return nil, err
	}
	copy(id[:], all[0])
	l := &ncclLink{library: library, rank: g.Rank(), size: g.Size(), stop: make(chan struct{})}
	l.comm, err = library.Join(id, l.rank, l.size)
	if err := agreed(g, unusable(err)); err != nil {
		return nil, err
	}
	go l.watch(failedOf(g))
	return l, nil
}

// apart finds ranks that share a GPU, which NCCL does not join: some of them would learn of it, and the others wait for
// them.
func (d *Device) apart(g ranks.Group) error {
	name, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // as NCCL distinguishes machines
	mine := name + " " + string(boot)
	var failed error
	for _, a := range []cudriver.DeviceAttribute{cudriver.PCIDomain, cudriver.PCIBus, cudriver.PCIDevice} {
		n, err := d.Driver.DeviceGetAttribute(a, d.dev)
		failed = errors.Join(failed, err)
		mine += fmt.Sprint(" ", n)
	}
	if err := agreed(g, unusable(failed)); err != nil {
		return err
	}
	all, err := g.Gather([]byte(mine))
	if err != nil {
		return err
	}
	for a := range all {
		for b := range a {
			if string(all[a]) == string(all[b]) {
				return fmt.Errorf("%w for ranks %d and %d, which share a GPU", nccl.ErrAbsent, b, a)
			}
		}
	}
	return nil
}

// unusable is an NCCL that does not join the ranks, as where two of them share a GPU.
func unusable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", nccl.ErrAbsent, err)
}

// agreed makes an error of one rank one of all: they go on together or not at all.
func agreed(g ranks.Group, mine error) error {
	text := []byte{}
	if mine != nil {
		text = []byte(mine.Error())
	}
	all, err := g.Gather(text)
	if err != nil {
		return err
	}
	if mine != nil {
		return mine
	}
	for n, t := range all {
		if len(t) > 0 {
			return fmt.Errorf("%w on rank %d: %s", nccl.ErrAbsent, n, t)
		}
	}
	return nil
}

// watch ends what waits for ranks that are gone.
func (l *ncclLink) watch(failed <-chan struct{}) {
	select {
	case <-failed:
		l.end(errors.New("another rank is gone"), l.comm.Abort)
	case <-l.stop:
	}
}

// end gives the communicator back once.
func (l *ncclLink) end(why error, how func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return nil
	}
	l.ended = why
	return how()
}

func (l *ncclLink) Exchange(s *Space, down, up Transfer) error {
	if err := l.Err(); err != nil {
		return err
	}
	return l.comm.Group(func() error {
		var errs [4]error
		if l.rank > 0 {
			errs[0] = l.comm.Send(down.From, down.Bytes, l.rank-1, s.Stream)
			errs[1] = l.comm.Receive(up.To, up.Bytes, l.rank-1, s.Stream)
		}
		if l.rank < l.size-1 {
			errs[2] = l.comm.Send(up.From, up.Bytes, l.rank+1, s.Stream)
			errs[3] = l.comm.Receive(down.To, down.Bytes, l.rank+1, s.Stream)
		}
		return errors.Join(errs[:]...)
	})
}

func (l *ncclLink) AllGather(s *Space, from, to cudriver.DevicePtr, bytes int64) error {
	if err := l.Err(); err != nil {
		return err
	}
	return l.comm.AllGather(from, to, bytes, s.Stream)
}

func (l *ncclLink) AllToAll(s *Space, from, to cudriver.DevicePtr, with []Portion) error {
	if err := l.Err(); err != nil {
		return err
	}
	return l.comm.Group(func() error {
		for r, p := range with {
			for n := 0; n < p.Count && r != l.rank; n++ {
				err := l.comm.Send(p.Out.piece(from, n), p.Out.Bytes, r, s.Stream)
				if err == nil {
					err = l.comm.Receive(p.In.piece(to, n), p.In.Bytes, r, s.Stream)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (l *ncclLink) Recordable() bool { return true }

func (l *ncclLink) String() string { return "NCCL " + l.library.Version.String() }

// Wires are what NCCL has found.
func (l *ncclLink) Wires() []string { return nccl.Links() }

func (l *ncclLink) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

func (l *ncclLink) Close() error {
	close(l.stop)
	return l.end(errors.New("closed"), l.comm.Destroy)
}
