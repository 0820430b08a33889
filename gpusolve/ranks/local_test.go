package ranks_test

import (
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
