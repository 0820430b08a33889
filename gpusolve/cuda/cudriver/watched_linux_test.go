package cudriver

import (
	"testing"
	"time"

	"thermsim/internal/timeline/cputime"
)

// A wait of a second takes little of a processor.
func TestLongWaitsRest(t *testing.T) {
	before := cputime.Used()
	_ = Watched(&stuck{}, time.Second).StreamSynchronize(1)
	if took := cputime.Used() - before; took > 300*time.Millisecond {
		t.Errorf("%v of a processor in a wait of 1 s", took)
	}
}
