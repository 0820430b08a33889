package main

import (
	"strings"
	"testing"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
)

// A fault of thermsim itself must not look like a fault of the user, and shows a trace only on request.
func TestPanicReport(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		var said strings.Builder
		g := &session.Session{Console: &terminal.Console{Stderr: &said, Verbose: verbose}}
		if status := reportPanic(g, "index out of range", []byte("goroutine 1")); status != exit.Crash {
			t.Errorf("exit status %d, want %d", status, exit.Crash)
		}
		if text := said.String(); !strings.Contains(text, "please report") ||
			!strings.Contains(text, "index out of range") {
			t.Errorf("message %q", text)
		}
		if got := strings.Contains(said.String(), "goroutine 1"); got != verbose {
			t.Errorf("trace shown: %v, want %v", got, verbose)
		}
	}
}
