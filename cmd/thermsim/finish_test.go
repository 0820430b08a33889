package main

import (
	"context"
	"os"
	"testing"
	"time"
)

// Saving what a transient finished survives one interrupt and ends with the second; the one that ended the solve counts.
func TestOutlast(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	signal := func(t *testing.T) {
		if err := self.Signal(os.Interrupt); err != nil {
			t.Skipf("this system sends no interrupts: %v", err)
		}
	}
	ended := func(ctx context.Context, wait time.Duration) bool {
		select {
		case <-ctx.Done():
			return true
		case <-time.After(wait):
			return false
		}
	}
	t.Run("interrupted solve", func(t *testing.T) {
		solve, cancel := context.WithCancel(context.Background())
		cancel()
		saving, stop := outlast(solve)
		defer stop()
		if ended(saving, 20*time.Millisecond) {
			t.Fatal("saving ended with the solve")
		}
		signal(t)
		if !ended(saving, 10*time.Second) {
			t.Error("the second interrupt did not end saving")
		}
	})
	t.Run("finished solve", func(t *testing.T) {
		saving, stop := outlast(context.Background())
		defer stop()
		signal(t)
		if ended(saving, 50*time.Millisecond) {
			t.Fatal("one interrupt ended saving")
		}
		signal(t)
		if !ended(saving, 10*time.Second) {
			t.Error("the second interrupt did not end saving")
		}
	})
	t.Run("stopped", func(t *testing.T) {
		saving, stop := outlast(context.Background())
		stop()
		if !ended(saving, 10*time.Second) {
			t.Error("stop leaves the context open")
		}
	})
}
