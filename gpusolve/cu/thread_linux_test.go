package cu

import (
	"syscall"
	"testing"
)

func TestThreadStaysOnItsThread(t *testing.T) {
	th := NewThread()
	var ids [20]int
	for i := range ids {
		if err := th.Do(func() error { ids[i] = syscall.Gettid(); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("ran on threads %v", ids)
		}
	}
	th.Close()
}
