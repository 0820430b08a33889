package cputime

import (
	"testing"
	"time"
)

// Work adds to the time that was used.
func TestUsed(t *testing.T) {
	before, sum := Used(), 0.0
	for Used() < before+20*time.Millisecond {
		for n := range 1000 {
			sum += 1 / float64(n+1)
		}
	}
	if after := Used(); after < before+20*time.Millisecond || sum == 0 {
		t.Errorf("%v after %v", after, before)
	}
}
