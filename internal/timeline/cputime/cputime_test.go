//go:build unix

package cputime

import (
	"testing"
	"time"
)

// Work adds to the time that was used, and waiting does not.
func TestUsed(t *testing.T) {
	const wait = 200 * time.Millisecond
	before := Used()
	time.Sleep(wait)
	if used := Used() - before; used > wait/2 {
		t.Errorf("%v of a processor while nothing was done for %v", used, wait)
	}
	before, sum := Used(), 0.0
	for end := time.Now().Add(10 * time.Second); Used() < before+wait/10 && time.Now().Before(end); {
		for n := range 1000 {
			sum += 1 / float64(n+1)
		}
	}
	if used := Used() - before; used < wait/10 || sum == 0 {
		t.Errorf("%v of a processor for 10 s of work", used)
	}
}
