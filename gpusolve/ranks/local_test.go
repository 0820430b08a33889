package ranks_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/rankstest"
)

func TestLocal(t *testing.T) {
	rankstest.Run(t, func(_ *testing.T, n int) []ranks.Group { return ranks.Local(n) })
}

// BenchmarkGather is what ranks whose goroutines are bound to threads, as those that drive GPUs, take to agree on a
// sum.
func BenchmarkGather(b *testing.B) {
	groups := ranks.Local(2)
	var wait sync.WaitGroup
	b.ResetTimer()
	for _, g := range groups {
		wait.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for range b.N {
				if _, err := g.Gather(make([]byte, 9)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
}

// A rank that fails after a gather does not end the gather of another, which has all data.
func TestGatherBeforeFailure(t *testing.T) {
	for range 20_000 {
		groups := ranks.Local(2)
		var wait sync.WaitGroup
		for _, g := range groups {
			wait.Go(func() {
				if _, err := g.Gather([]byte{1}); err != nil {
					t.Error(err)
				}
				g.Fail(errors.New("afterwards"))
			})
		}
		wait.Wait()
	}
}
