package cu

import (
	"errors"
	"runtime"
	"sync"
	"testing"
)

func TestThreadRunsOneAfterTheOther(t *testing.T) {
	th := NewThread()
	defer th.Close()
	sum := 0 // no lock: the race detector sees whether Do orders the closures
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if err := th.Do(func() error { sum++; return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if sum != 400 {
		t.Errorf("%d closures ran, want 400", sum)
	}
}

func TestThreadPassesTheErrorOn(t *testing.T) {
	th := NewThread()
	defer th.Close()
	want := errors.New("mine")
	if err := th.Do(func() error { return want }); err != want {
		t.Errorf("Do = %v", err)
	}
}

func TestThreadAfterItsEnd(t *testing.T) {
	closed := NewThread()
	closed.Close()
	closed.Close()
	exited := NewThread()
	first := exited.Do(func() error { runtime.Goexit(); return nil })
	for what, err := range map[string]error{
		"closed": closed.Do(func() error { return nil }), "during Goexit": first, "after Goexit": exited.Do(func() error { return nil }),
	} {
		if !errors.Is(err, ErrThreadEnded) {
			t.Errorf("%s: %v", what, err)
		}
	}
	exited.Close()
}
