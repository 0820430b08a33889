package team

import (
	"slices"
	"sync"
	"testing"

	"thermsim/gpusolve/cuda/nccl"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ranks"
)

// wired is a device that knows what joins it to those of other ranks.
type wired struct {
	ops.Device
	by []string
}

func (w wired) Wires() []string { return w.by }

// Every rank learns what joins any two of them, each kind once; a device that knows nothing takes part.
func TestWiresOfAllRanks(t *testing.T) {
	by := [][]string{{nccl.NVLink}, {nccl.NVLink, nccl.InfiniBand}, nil, {nccl.Sockets}}
	var all sync.WaitGroup
	for rank, g := range ranks.Local(len(by)) {
		all.Go(func() {
			var dev ops.Device = wired{by: by[rank]}
			if rank == 2 {
				dev = nil
			}
			got := (&Team{Group: g}).Wires(dev)
			if want := []string{nccl.InfiniBand, nccl.NVLink, nccl.Sockets}; !slices.Equal(got, want) {
				t.Errorf("rank %d: %q, want %q", rank, got, want)
			}
		})
	}
	all.Wait()
}
