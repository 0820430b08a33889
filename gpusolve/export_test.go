package gpusolve

import (
	"testing"
	"time"
)

// StepsAhead lets a device take steps ahead of those who look at them, however long that takes, until the test ends.
func StepsAhead(t *testing.T) {
	before := longestAhead
	longestAhead = time.Hour
	t.Cleanup(func() { longestAhead = before })
}
