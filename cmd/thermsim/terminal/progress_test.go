package terminal

import (
	"math"
	"strings"
	"testing"
	"time"

	"thermsim/gpusolve"
)

func TestProgressLine(t *testing.T) {
	start := time.Now()
	p := &Progress{start: start, since: start, phase: "stepping"}
	at := func(after time.Duration, s gpusolve.Progress) string {
		p.Update(s)
		return p.line(start.Add(after))
	}
	for _, c := range []struct{ got, want string }{
		{at(2*time.Second, gpusolve.Progress{}), "stepping (0:02)"},
		{at(2*time.Second, gpusolve.Progress{Iteration: 7, ErrorK: 0.0123}), "stepping: iteration 7 (0:02), error " +
			"about 0.012 K"},
		{at(2*time.Second, gpusolve.Progress{Iteration: 7, ErrorK: math.NaN()}), "stepping: iteration 7 (0:02)"},
		{at(2*time.Second, gpusolve.Progress{Step: 0, Steps: 50, Iteration: 3}), "stepping: step 1 of 50 (0:02)"},
		{at(20*time.Second, gpusolve.Progress{Step: 10, Steps: 50, Time: 0.01}), "stepping: step 11 of 50 (0:20, " +
			"1:20 to go), t = 10 ms, 0.50 steps/s"},
		{at(2*time.Hour, gpusolve.Progress{Step: 4, Steps: 6, Time: 1}), "stepping: step 5 of 6 (2:00:00, 1:00:00 to " +
			"go), t = 1 s, 0.00056 steps/s"},
		{at(9*time.Second, gpusolve.Progress{Step: 4, Time: 0.002, Until: 0.01, Period: 3}), "stepping (period 3): " +
			"t = 2 ms of 10 ms (0:09), step 5"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// The line is rewritten in place, never wider than the terminal, and gone before anything else is printed.
func TestProgressIsErased(t *testing.T) {
	var screen strings.Builder
	width := 40
	c := &Console{Stderr: &screen, live: true, width: func() int { return width }}
	c.redraw("solving:\niteration 7")
	width = 10 // the window was made narrower
	c.redraw("solving: iteration 7")
	c.Note("done")
	c.ClearLine()
	want := "\r\x1b[Ksolving: iteration 7" + "\r\x1b[Ksolving: " + "\r\x1b[K" + "thermsim: done\n"
	if screen.String() != want {
		t.Errorf("got %q, want %q", screen.String(), want)
	}
}

func TestPlainNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.0123: "0.012", 1.5: "1.5", 12.4: "12", 123456: "120000",
		4.4e-5: "0.000044", 3e-9: "3e-09"} {
		if got := plain(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{0: "0 s", 1e-9: "1 ns", 2.5e-6: "2.5 us", 0.0137: "13.7 ms", 59.96: "60 s",
		1234: "21 min"} {
		if got := Seconds(s); got != want {
			t.Errorf("%g s: %q, want %q", s, got, want)
		}
	}
}
