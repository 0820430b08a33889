package cmg

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// grain is the number of vertices that a worker takes at a time. It does not depend on the number of workers, so
// neither do sums per grain.
const grain = 1 << 14

// each calls f for consecutive ranges of [0, n), on all cores. part numbers the ranges.
func each(n int, f func(part, lo, hi int)) { inRanges(n, grain, f) }

// fewer is the range of rows, of so many entries in all, that is as much work as a grain of short ones.
func fewer(rows int, entries int64) int {
	const short = 8
	return int(max(16, min(grain, grain*short*int64(rows)/max(1, entries))))
}

func inRanges(n, grain int, f func(part, lo, hi int)) {
	parts := (n + grain - 1) / grain
	workers := min(runtime.GOMAXPROCS(0), parts)
	if workers <= 1 {
		for p := range parts {
			f(p, p*grain, min(n, (p+1)*grain))
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for {
				p := int(next.Add(1)) - 1
				if p >= parts {
					return
				}
				f(p, p*grain, min(n, (p+1)*grain))
			}
		})
	}
	wait.Wait()
}

// sumOver adds f over [0, n) in an order that does not depend on the workers.
func sumOver(n int, f func(lo, hi int) float64) float64 {
	partial := make([]float64, (n+grain-1)/grain)
	each(n, func(part, lo, hi int) { partial[part] = f(lo, hi) })
	total := 0.0
	for _, v := range partial {
		total += v
	}
	return total
}
