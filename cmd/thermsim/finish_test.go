package main

import (
	"strings"
	"testing"
	"time"

	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/solution"
	"thermsim/report"
)

// The log names the device, and says how long opening it took.
func TestLogOfDevice(t *testing.T) {
	for _, c := range []struct {
		device  solution.DeviceInfo
		opening time.Duration
		line    string
	}{
		{solution.DeviceInfo{Kind: "cpu", Name: "linux/amd64", Threads: 2, Why: "asked for"}, time.Second,
			"device: cpu linux/amd64, 2 threads (asked for), opened in 1 s\n"},
		{solution.DeviceInfo{Kind: "cpu", Name: "linux/arm64", Threads: 1, Why: "asked for"}, time.Second,
			"device: cpu linux/arm64, 1 thread (asked for), opened in 1 s\n"},
		{solution.DeviceInfo{Kind: "gpu", Name: "NVIDIA H200", Why: "asked for"}, 300 * time.Millisecond,
			"device: gpu NVIDIA H200 (asked for), opened in 300 ms\n"},
	} {
		var said strings.Builder
		g := &session.Session{Console: &terminal.Console{Stderr: &said, Verbose: true}}
		s := &solution.Solution{Device: c.device}
		s.Timing.Device = c.opening
		logSolution(g, &report.Run{Solution: s})
		if text := said.String(); !strings.Contains(text, c.line) {
			t.Errorf("%+v:\n%s", c, text)
		}
	}
}
