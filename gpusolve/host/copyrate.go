package host

import (
	"sync"
	"time"
)

// CopyBandwidth is the rate in bytes per second at which all threads together read and write when they copy memory far
// beyond caches, best of several.
func (d *Device) CopyBandwidth() (float64, error) {
	const bytes = 64 << 20
	threads := d.Threads()
	from, to := make([][]byte, threads), make([][]byte, threads)
	for i := range from {
		from[i], to[i] = make([]byte, bytes), make([]byte, bytes)
		for at := 0; at < bytes; at += 4096 {
			from[i][at], to[i][at] = 1, 1 // memory that was never written to is not there
		}
	}
	best := 0.0
	for range 5 {
		var all sync.WaitGroup
		start := time.Now()
		for i := range from {
			all.Go(func() { copy(to[i], from[i]) })
		}
		all.Wait()
		best = max(best, 2*bytes*float64(threads)/time.Since(start).Seconds())
	}
	return best, nil
}
