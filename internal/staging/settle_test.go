package staging

import (
	"errors"
	"maps"
	"syscall"
	"testing"
)

// The process dies in a commit, and while the next one undoes that, one operation fails: to look at a file among them.
// Whoever comes then finds the old run or the new one.
func TestFaultsWhileACommitIsUndone(t *testing.T) {
	t.Parallel()
	dead := errors.New("dead")
	before, after := states(t, run.Set)
	var all watcher
	if _, err := trial(t, run, &all); err != nil {
		t.Fatal(err)
	}
	for k, at := range all.list {
		if at.op != "rename" || k%3 > 0 {
			continue
		}
		for n, more := 0, true; more; n++ {
			gone := false
			dir, _ := trial(t, run, &watcher{act: func(op operation) error {
				if gone = gone || op == at; gone {
					return dead
				}
				return nil
			}})
			seen := 0
			second := run
			second.Fault = func(string, string) error {
				if seen++; seen == n+1 {
					return syscall.EIO
				}
				return nil
			}
			if s, err := Begin(dir, second); err == nil {
				s.Abort()
			}
			more = seen > n
			if _, err := Look(dir); err != nil {
				t.Errorf("dead at %v, fault %d: %v", at, n, err)
			}
			if got := content(t, dir); !maps.Equal(got, before) && !maps.Equal(got, after) {
				t.Errorf("dead at %v, fault %d: the folder holds %v", at, n, got)
			}
		}
	}
}
