package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"thermsim/gpusolve/solution"
	"thermsim/report"
)

// Saving what a transient finished survives one interrupt and ends with the second; the one that ended the solve
// counts.
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

// The log names the device, and says what made the first run on a GPU slow.
func TestLogOfDevice(t *testing.T) {
	for _, c := range []struct {
		device  solution.DeviceInfo
		opening time.Duration
		line    string
		told    bool
	}{
		{solution.DeviceInfo{Kind: "cpu", Name: "linux/amd64", Threads: 2, Why: "asked for"}, time.Second,
			"device: cpu linux/amd64, 2 threads (asked for), opened in 1 s\n", false},
		{solution.DeviceInfo{Kind: "cpu", Name: "linux/arm64", Threads: 1, Why: "asked for"}, time.Second,
			"device: cpu linux/arm64, 1 thread (asked for), opened in 1 s\n", false},
		{solution.DeviceInfo{Kind: "gpu", Name: "NVIDIA H200", Why: "asked for"}, 300 * time.Millisecond,
			"device: gpu NVIDIA H200 (asked for), opened in 300 ms\n", false},
		{solution.DeviceInfo{Kind: "gpu", Name: "NVIDIA H200", Why: "asked for"}, time.Second,
			"device: gpu NVIDIA H200 (asked for), opened in 1 s\n", true},
	} {
		var said strings.Builder
		g := &globals{console: &console{stderr: &said, verbose: true}}
		s := &solution.Solution{Device: c.device}
		s.Timing.Device = c.opening
		logSolution(g, &report.Run{Solution: s})
		if text := said.String(); !strings.Contains(text, c.line) ||
			strings.Contains(text, "compiles the kernels") != c.told {
			t.Errorf("%+v:\n%s", c, text)
		}
	}
}
