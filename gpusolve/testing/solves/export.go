package solves

import (
	"testing"
	"time"

	"thermsim/gpusolve/stepping"
)

// StepsAhead lets a device take steps ahead of those who look at them, however long that takes, until the test ends.
func StepsAhead(t *testing.T) {
	before := stepping.LookaheadTime
	stepping.LookaheadTime = time.Hour
	t.Cleanup(func() { stepping.LookaheadTime = before })
}
