package main

import (
	"fmt"
	"math"
	"sync"
	"time"

	"thermsim/gpusolve"
)

// progressDelay is how long work may take before a progress line appears.
const progressDelay = time.Second

// progress shows what a long run is doing on one line of the terminal, rewritten in place. Without a terminal it does nothing.
type progress struct {
	console *console
	start   time.Time
	done    chan struct{}
	once    sync.Once
	ended   sync.WaitGroup

	mu    sync.Mutex
	phase string
	since time.Time // start of the phase
	solve gpusolve.Progress
}

// startProgress returns a running progress line; the caller calls stop.
func startProgress(c *console, phase string) *progress {
	now := time.Now()
	p := &progress{console: c, start: now, since: now, phase: phase, done: make(chan struct{})}
	if c.live && !c.quiet {
		p.ended.Go(p.draw)
	}
	return p
}

func (p *progress) draw() {
	const interval = 100 * time.Millisecond
	wait := time.NewTimer(progressDelay)
	defer wait.Stop()
	for {
		select {
		case <-p.done:
			p.console.clearLine()
			return
		case <-wait.C:
			p.console.redraw(p.line(time.Now()))
			wait.Reset(interval)
		}
	}
}

// stop ends the line and removes it; further calls do nothing.
func (p *progress) stop() {
	p.once.Do(func() { close(p.done) })
	p.ended.Wait()
}

// enter starts the next phase.
func (p *progress) enter(phase string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phase, p.since, p.solve = phase, time.Now(), gpusolve.Progress{}
}

// update takes the state of a running solve.
func (p *progress) update(s gpusolve.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.solve = s
}

func (p *progress) line(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.solve
	line := p.phase
	switch {
	case s.Steps > 0:
		line += fmt.Sprintf(": step %d of %d, t = %s", s.Step+1, s.Steps, seconds(s.Time))
		if s.Step > 0 {
			perStep := now.Sub(p.since).Seconds() / float64(s.Step)
			line += fmt.Sprintf(", %.3g steps/s, %s to go", 1/perStep, seconds(perStep*float64(s.Steps-s.Step)))
		}
	case s.Iteration > 0:
		line += fmt.Sprintf(": iteration %d", s.Iteration)
		if !math.IsNaN(s.ErrorK) {
			line += fmt.Sprintf(", error about %.1g K", s.ErrorK)
		}
	}
	return fmt.Sprintf("%s (%s)", line, seconds(math.Round(now.Sub(p.start).Seconds())))
}

// seconds writes a time for people, to three figures.
func seconds(s float64) string {
	switch a := math.Abs(s); {
	case s == 0:
		return "0 s"
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
