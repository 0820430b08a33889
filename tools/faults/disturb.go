//go:build linux && amd64

package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// disturbed are the commands that get signals at random moments. Samples take the first ones, which are quick.
var disturbed = []string{"resumed transient", "solve", "steady", "transient", "transient with checkpoints", "sweep",
	"render", "diff", "reduce"}

// signals are what they get. A broken pipe is one whose reader has gone, by which the system itself sends SIGPIPE.
var signals = []fault{
	{name: "SIGINT", verdict: verdict{sends: syscall.SIGINT}},
	{name: "SIGTERM", verdict: verdict{sends: syscall.SIGTERM}},
	{name: "SIGHUP", verdict: verdict{sends: syscall.SIGHUP}},
	{name: "SIGPIPE", verdict: verdict{sends: syscall.SIGPIPE}},
	{name: "SIGKILL", verdict: verdict{sends: syscall.SIGKILL}},
	{name: brokenPipe, verdict: verdict{fails: syscall.EPIPE}},
}

const brokenPipe = "broken pipe"

// disturb sends signals at random moments, and lets commands write into one folder at once.
func (s *settings) disturb(c *campaign, r *results) error {
	if s.signals > 0 {
		if err := s.signal(c, r); err != nil {
			return err
		}
	}
	if s.pairs > 0 {
		return s.pair(c, r)
	}
	return nil
}

// toDisturb are the commands of disturbed, or the large ones.
func (s *settings) toDisturb() (all []*scenario) {
	if s.large {
		for i := range large {
			all = append(all, &large[i])
		}
		return all
	}
	for _, name := range disturbed {
		all = append(all, find(name))
	}
	return all
}

func (s *settings) signal(c *campaign, r *results) error {
	list := s.toDisturb()
	list = list[:min(s.signals, len(list))]
	all := make([]*prepared, len(list))
	var g errgroup.Group
	g.SetLimit(s.workers)
	for i, of := range list {
		r.Signals = append(r.Signals, row{Command: of.name, Faults: map[string]int{}, Held: map[string]int{}})
		g.Go(func() (err error) {
			if all[i], err = c.prepare(of); err == nil {
				err = all[i].time()
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(s.seed, 1))
	for n := range s.signals {
		which := n % len(all)
		f := &signals[n/len(all)%len(signals)]
		p := all[which]
		after := time.Duration(rng.Float64() * 1.1 * float64(p.took))
		g.Go(func() error {
			held, wrong, e, err := p.interrupt(f, after)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				return err
			}
			at := operation{Kind: "after", Name: after.Round(time.Millisecond).String()}
			s.tell(p, f, at, held, wrong, e)
			row := &r.Signals[which]
			row.count(f.name, true, held, e.status == p.status)
			row.Longest = max(row.Longest, e.after.Seconds())
			if e.after > time.Second {
				fmt.Fprintf(os.Stderr, "%s: %s after %v of %v: ends %.2f s later\n", p.name, f.name,
					after.Round(time.Millisecond), p.took.Round(time.Millisecond), e.after.Seconds())
			}
			if len(wrong) > 0 {
				r.Wrong = append(r.Wrong, wrongRun{p.name, f.name, at, wrong})
			}
			return nil
		})
	}
	return g.Wait()
}

// time measures an undisturbed run: the longest of three, as other programs may be busy.
func (p *prepared) time() error {
	p.took = 0
	for range 3 {
		work := p.campaign.fresh()
		if err := copyFolder(p.start, work); err != nil {
			return err
		}
		begun := time.Now()
		if _, err := p.campaign.undisturbed(p.scenario, work, p.command); err != nil {
			return err
		}
		p.took = max(p.took, time.Since(begun))
		remove(work)
	}
	return nil
}

// interrupt sends a signal after a time.
func (p *prepared) interrupt(f *fault, after time.Duration) (held string, wrong []string, e *ended, err error) {
	work := p.campaign.fresh()
	defer remove(work)
	if err := copyFolder(p.start, work); err != nil {
		return "", nil, nil, err
	}
	cmd := exec.Command(p.campaign.program, p.command...)
	cmd.Dir, cmd.Env, cmd.Stdin = work, environment(work), strings.NewReader(p.input)
	var said bytes.Buffer
	cmd.Stderr = &said
	strike := func() { _ = cmd.Process.Signal(f.verdict.sends) } // it may have ended
	if f.name == brokenPipe {
		reads, writes, err := os.Pipe()
		if err != nil {
			return "", nil, nil, err
		}
		defer reads.Close()
		defer writes.Close()
		cmd.Args = append(cmd.Args, "-v")
		cmd.Stdout, cmd.Stderr = writes, writes
		go func() { _, _ = io.Copy(io.Discard, reads) }() // until it is closed
		strike = func() { _ = reads.Close() }
	}
	if err := cmd.Start(); err != nil {
		return "", nil, nil, err
	}
	if w, ok := cmd.Stdout.(*os.File); ok {
		_ = w.Close() // the program has its own
	}
	var struck time.Time
	timer := time.AfterFunc(after, func() { struck = time.Now(); strike() })
	e, err = wait(cmd, p.campaign.limit, work, &said)
	end := time.Now()
	if err != nil {
		return "", nil, e, err
	}
	// that a reader is gone shows at the next line that is written
	if !timer.Stop() && !struck.IsZero() && e.status != p.status && f.name != brokenPipe {
		e.after = max(0, end.Sub(struck))
	}
	at := operation{Name: "stderr"} // where a message may be lost
	held, wrong = p.judge(e, f, at)
	return held, wrong, e, nil
}

// rivals are two commands that write into one folder.
var rivals = []struct {
	name            string
	scenario, other string // names of scenarios; of the second the command that went before is taken
}{
	{"solve and export", "solve", "export"},
	{"steady and transient", "steady", "transient"},
	{"steady and steady", "steady", "steady"},
	{"render and steady", "render", "steady"},
	{"diff and check", "diff", "check"},
	{"sweep and sweep", "sweep", "sweep"},
	{"reduce and rth", "reduce", "rth"},
}

func find(name string) *scenario {
	for i := range scenarios {
		if scenarios[i].name == name {
			return &scenarios[i]
		}
	}
	return nil
}

// pair lets two commands begin at nearly the same time in one folder.
func (s *settings) pair(c *campaign, r *results) error {
	rng := rand.New(rand.NewPCG(s.seed, 2))
	var ready []*prepared
	for _, of := range rivals[:min(s.pairs, len(rivals))] {
		p, err := c.prepare(find(of.scenario))
		if err != nil {
			return err
		}
		if err := p.time(); err != nil {
			return err
		}
		ready = append(ready, p)
		r.Pairs = append(r.Pairs, row{Command: of.name, Faults: map[string]int{}, Held: map[string]int{}})
	}
	for n := range s.pairs {
		which := n % len(rivals)
		p, other := ready[which], find(rivals[which].other)
		after := time.Duration((2*rng.Float64() - 1) * 0.9 * float64(p.took))
		outcome, wrong, err := p.race(other.command, after)
		if err != nil {
			return err
		}
		row := &r.Pairs[which]
		row.Faults["pairs"]++
		row.Held[outcome]++
		if len(wrong) > 0 {
			at := operation{Kind: "after", Name: after.Round(time.Millisecond).String()}
			fmt.Fprintf(os.Stderr, "%s %v: WRONG: %s\n", rivals[which].name, after, strings.Join(wrong, "; "))
			r.Wrong = append(r.Wrong, wrongRun{rivals[which].name, "pair", at, wrong})
		}
	}
	return nil
}

// Outcomes of a race.
const (
	bothDone   = "both, one after the other"
	oneRefused = "one refused"
)

// race starts two commands, the second so long after the first; where that is negative, before it.
func (p *prepared) race(other []string, after time.Duration) (outcome string, wrong []string, err error) {
	work := p.campaign.fresh()
	defer remove(work)
	if err := copyFolder(p.start, work); err != nil {
		return "", nil, err
	}
	var both [2]*ended
	var g errgroup.Group
	for n, args := range [][]string{p.command, other} {
		g.Go(func() (err error) {
			if n == 0 && after < 0 || n == 1 && after > 0 {
				time.Sleep(max(after, -after))
			}
			both[n], err = p.campaign.undisturbed(p.scenario, work, args)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return "", nil, err
	}
	outcome = bothDone
	for n, e := range both {
		switch {
		case e.crashed() != "":
			wrong = append(wrong, e.crashed())
		case e.status == 2 && strings.Contains(e.said, "another thermsim is writing") && both[1-n].status == 0:
			outcome = oneRefused
		case e.status != 0:
			wrong = append(wrong, fmt.Sprintf("status %d: %s", e.status, strings.TrimSpace(e.said)))
		}
	}
	return outcome, append(wrong, p.oneRun(work)...), nil
}
