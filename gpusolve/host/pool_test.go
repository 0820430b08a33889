package host

import (
	"strings"
	"sync/atomic"
	"testing"
)

type countTask struct {
	seen []atomic.Int32
	fail int
}

func (t *countTask) Run(lo, hi, _ int) {
	for j := lo; j < hi; j++ {
		if j == t.fail {
			panic("row of misfortune")
		}
		t.seen[j].Add(1)
	}
}

func TestEveryRowOnce(t *testing.T) {
	p := newPool(3)
	defer p.close()
	for _, rows := range []int{0, 1, 2, 7, 1000} {
		c := &countTask{make([]atomic.Int32, rows), -1}
		p.run(c, rows, 1<<20)
		for j := range c.seen {
			if n := c.seen[j].Load(); n != 1 {
				t.Fatalf("row %d of %d was done %d times", j, rows, n)
			}
		}
	}
}

// A panic in any worker comes out on the caller's goroutine.
func TestPanicReachesTheCaller(t *testing.T) {
	for fail := range 8 {
		func() {
			p := newPool(2)
			defer p.close()
			defer func() {
				if f, ok := recover().(string); !ok || !strings.Contains(f, "misfortune") {
					t.Errorf("row %d: recovered %v", fail, f)
				}
			}()
			p.run(&countTask{make([]atomic.Int32, 64), fail * 9}, 64, 1<<20)
		}()
	}
}
