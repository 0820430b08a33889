package terminal

import (
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	"thermsim/gpusolve"
)

// progressDelay is how long work may take before a progress line appears.
const progressDelay = time.Second

// Progress shows what a long run is doing on one line of the terminal, rewritten in place. Without a terminal it does
// nothing.
type Progress struct {
	Console *Console
	start   time.Time
	done    chan struct{}
	once    sync.Once
	ended   sync.WaitGroup

	mu    sync.Mutex
	phase string
	since time.Time // start of the phase
	solve gpusolve.Progress
}

// StartProgress returns a running progress line; the caller calls stop.
func StartProgress(c *Console, phase string) *Progress {
	now := time.Now()
	p := &Progress{Console: c, start: now, since: now, phase: phase, done: make(chan struct{})}
	if c.live && !c.Quiet {
		p.ended.Go(p.draw)
	}
	return p
}

func (p *Progress) draw() {
	const interval = 100 * time.Millisecond
	wait := time.NewTimer(progressDelay)
	defer wait.Stop()
	for {
		select {
		case <-p.done:
			p.Console.ClearLine()
			return
		case <-wait.C:
			p.Console.redraw(p.line(time.Now()))
			wait.Reset(interval)
		}
	}
}

// Stop ends the line and removes it; further calls do nothing.
func (p *Progress) Stop() {
	p.once.Do(func() { close(p.done) })
	p.ended.Wait()
}

// Enter starts the next phase.
func (p *Progress) Enter(phase string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phase, p.since, p.solve = phase, time.Now(), gpusolve.Progress{}
}

// Update takes the state of a running solve.
func (p *Progress) Update(s gpusolve.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.solve = s
}

// line is what runs, how far it is, and in brackets the time since the start and, with steps, the time to go:
// a narrow terminal cuts the least important part.
func (p *Progress) line(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.solve
	line, spent := p.phase, clock(now.Sub(p.start))
	if s.Period > 0 {
		line += fmt.Sprintf(" (period %d)", s.Period)
	}
	switch {
	case s.Steps > 0 && s.Step > 0:
		perStep := now.Sub(p.since) / time.Duration(s.Step)
		toGo := clock(perStep * time.Duration(s.Steps-s.Step))
		line += fmt.Sprintf(": step %d of %d (%s, %s to go), t = %s, %s steps/s", s.Step+1, s.Steps, spent, toGo,
			Seconds(s.Time), plain(1/perStep.Seconds()))
	case s.Steps > 0:
		line += fmt.Sprintf(": step 1 of %d (%s)", s.Steps, spent)
	case s.Time > 0 && s.Until > 0 && !math.IsInf(s.Until, 1):
		line += fmt.Sprintf(": t = %s of %s (%s), step %d", Seconds(s.Time), Seconds(s.Until), spent, s.Step+1)
	case s.Time > 0:
		line += fmt.Sprintf(": t = %s (%s), step %d", Seconds(s.Time), spent, s.Step+1)
	case s.Iteration > 0:
		line += fmt.Sprintf(": iteration %d (%s)", s.Iteration, spent)
		if !math.IsNaN(s.ErrorK) {
			line += fmt.Sprintf(", error about %s K", plain(s.ErrorK))
		}
	default:
		line += fmt.Sprintf(" (%s)", spent)
	}
	return line
}

// clock writes a duration as min:s, or h:min:s.
func clock(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// plain writes two figures without an exponent, as far as a line bears the zeros.
func plain(v float64) string {
	if a := math.Abs(v); v == 0 || a < 1e-6 || a >= 1e7 || math.IsInf(v, 0) {
		return fmt.Sprintf("%.1g", v)
	}
	digits := 1 - int(math.Floor(math.Log10(math.Abs(v))))
	unit := math.Pow10(digits)
	return strconv.FormatFloat(math.Round(v*unit)/unit, 'f', max(0, digits), 64)
}

// Seconds writes a time for people, to three figures.
func Seconds(s float64) string {
	switch a := math.Abs(s); {
	case s == 0:
		return "0 s"
	case a >= 1e7:
		return fmt.Sprintf("%.3g s", s)
	case a >= 600:
		return fmt.Sprintf("%.0f min", s/60)
	case a >= 1:
		return fmt.Sprintf("%.3g s", s)
	case a >= 1e-3:
		return fmt.Sprintf("%.3g ms", s*1e3)
	case a >= 1e-6:
		return fmt.Sprintf("%.3g us", s*1e6)
	}
	return fmt.Sprintf("%.3g ns", s*1e9)
}
