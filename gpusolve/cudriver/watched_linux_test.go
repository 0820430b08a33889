package cudriver

import (
	"syscall"
	"testing"
	"time"
)

// A wait of a second takes little of a processor.
func TestLongWaitsRest(t *testing.T) {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	_ = Watched(&stuck{}, time.Second).StreamSynchronize(1)
	if took := used() - before; took > 300*time.Millisecond {
		t.Errorf("%v of a processor in a wait of 1 s", took)
	}
}
