//go:build linux && amd64

package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"thermsim/tools/campaign"
)

// inject makes faults strike, one in each run.
func (s *settings) inject(c *subject, r *results) error {
	for i := range scenarios {
		if !s.only.MatchString(scenarios[i].name) {
			continue
		}
		p, err := c.prepare(&scenarios[i])
		if err != nil {
			return err
		}
		if err := s.injectAll(p, r); err != nil {
			return err
		}
		if err := campaign.Save(s.out, r); err != nil { // an interrupted campaign has results
			return err
		}
	}
	return nil
}

func (s *settings) injectAll(p *prepared, r *results) error {
	var g errgroup.Group
	g.SetLimit(s.workers)
	r.Rows = append(r.Rows, newRow(p.name))
	row := &r.Rows[len(r.Rows)-1]
	row.Operations = len(p.list)
	chosen, n := choose(p.list, s.most), 0
	if s.verbose {
		for _, o := range p.list {
			fmt.Fprintf(os.Stderr, "%s: %v\n", p.name, o)
		}
	}
	for k := range faults {
		f := &faults[k]
		if !s.faults.MatchString(f.name) {
			continue
		}
		for _, at := range chosen {
			if !f.concerns(at) {
				continue
			}
			if n++; n%s.every != 0 {
				continue
			}
			g.Go(func() error {
				one, err := p.strike(f, at)
				if err == nil {
					r.note(row, one, s.verbose)
				}
				return err
			})
		}
	}
	return g.Wait()
}

// choose takes of the operations of one kind on one file the first and last, and some between.
func choose(list []operation, most int) (chosen []operation) {
	count := map[operation]int{}
	for _, o := range list {
		count[o.numberless()]++
	}
	for _, o := range list {
		n := count[o.numberless()]
		if n <= most || o.N == 0 || most > 1 && o.N*(most-1)/(n-1) != (o.N-1)*(most-1)/(n-1) {
			chosen = append(chosen, o)
		}
	}
	return chosen
}

// disturbed are the commands that receive signals at random times. Samples take the first ones, which are quick.
var disturbed = []string{"resumed transient", "solve", "steady", "transient", "transient with checkpoints", "sweep",
	"render", "diff", "reduce"}

// signals are those that they receive. A broken pipe is one whose reader has gone, for which the system sends SIGPIPE.
var signals = []fault{
	{name: "SIGINT", verdict: verdict{sends: syscall.SIGINT}},
	{name: "SIGTERM", verdict: verdict{sends: syscall.SIGTERM}},
	{name: "SIGHUP", verdict: verdict{sends: syscall.SIGHUP}},
	{name: "SIGPIPE", verdict: verdict{sends: syscall.SIGPIPE}},
	{name: "SIGKILL", verdict: verdict{sends: syscall.SIGKILL}},
	{name: brokenPipe, verdict: verdict{fails: syscall.EPIPE}},
}

const brokenPipe = "broken pipe"

func find(name string) *scenario {
	return &scenarios[slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == name })]
}

// signal sends signals at random times.
func (s *settings) signal(c *subject, r *results) error {
	var list []*scenario
	for _, name := range disturbed {
		list = append(list, find(name))
	}
	if s.large {
		list = nil
		for i := range large {
			list = append(list, &large[i])
		}
	}
	list = list[:min(s.signals, len(list))]
	all := make([]*prepared, len(list))
	var g errgroup.Group
	g.SetLimit(s.workers)
	for i, of := range list {
		r.Signals = append(r.Signals, newRow(of.name))
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
	rng := rand.New(rand.NewPCG(s.seed, 1))
	for n := range s.signals {
		index := n % len(all)
		f, p := &signals[n/len(all)%len(signals)], all[index]
		after := time.Duration(rng.Float64() * 1.1 * float64(p.took))
		g.Go(func() error {
			one, err := p.interrupt(f, after)
			if err != nil {
				return err
			}
			r.note(&r.Signals[index], one, s.verbose)
			if one.after > time.Second {
				fmt.Fprintf(os.Stderr, "%s: %s after %v of %v: ends %.2f s later\n", p.name, f.name,
					after.Round(time.Millisecond), p.took.Round(time.Millisecond), one.after.Seconds())
			}
			return nil
		})
	}
	return g.Wait()
}

// time measures undisturbed runs: the longest of three, because other programs may be busy.
func (p *prepared) time() error {
	p.took = 0
	for range 3 {
		work, err := p.fresh()
		if err != nil {
			return err
		}
		e, err := p.subject.undisturbed(p.scenario, work, p.command)
		if err != nil {
			return err
		}
		p.took = max(p.took, e.Wall)
		remove(work)
	}
	return nil
}

// interrupt sends a signal after a time, or closes the pipe that reads the output.
func (p *prepared) interrupt(f *fault, after time.Duration) (*run, error) {
	work, err := p.fresh()
	defer remove(work)
	if err != nil {
		return nil, err
	}
	cmd := p.subject.command(p.scenario, work, p.command)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	strike := func() { _ = cmd.Process.Signal(f.verdict.sends) } // it may have ended
	if f.name == brokenPipe {
		reads, writes, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		defer reads.Close()
		defer writes.Close()
		cmd.Args = append(cmd.Args, "-v")
		cmd.Stdout, cmd.Stderr = writes, writes
		go func() { _, _ = io.Copy(io.Discard, reads) }() // until it is closed
		strike = func() { _ = reads.Close() }
	}
	running, err := campaign.Start(cmd, p.subject.limit)
	if err != nil {
		return nil, err
	}
	if w, ok := cmd.Stdout.(*os.File); ok {
		_ = w.Close() // the program has its own
	}
	var struck time.Time
	timer := time.AfterFunc(after, func() { struck = time.Now(); strike() })
	o, err := running.Wait()
	end := time.Now()
	if err != nil {
		return nil, err
	}
	e := &ended{Outcome: o, work: work, stderr: stderr.String()}
	// a closed pipe is noticed at the next line that is written
	if !timer.Stop() && !struck.IsZero() && e.Status != 0 && f.name != brokenPipe {
		e.after = max(0, end.Sub(struck))
	}
	r := &run{prepared: p, fault: f, ended: e, at: moment(after)}
	r.state, r.wrong = p.judge(e, f, operation{Name: "stderr"}) // a message may be lost
	return r, nil
}

// moment represents the time of a disturbance in the results.
func moment(after time.Duration) operation {
	return operation{Kind: "after", Name: after.Round(time.Millisecond).String()}
}

// rivals are two commands that write into one folder: of a scenario, and of another one.
var rivals = []struct{ name, scenario, other string }{
	{"solve and export", "solve", "export"},
	{"steady and transient", "steady", "transient"},
	{"steady and steady", "steady", "steady"},
	{"render and steady", "render", "steady"},
	{"diff and check", "diff", "check"},
	{"sweep and sweep", "sweep", "sweep"},
	{"reduce and rth", "reduce", "rth"},
}

// pair starts two commands at nearly the same time in one folder.
func (s *settings) pair(c *subject, r *results) error {
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
		r.Pairs = append(r.Pairs, newRow(of.name))
	}
	for n := range s.pairs {
		index := n % len(rivals)
		p, of := ready[index], rivals[index]
		after := time.Duration((2*rng.Float64() - 1) * 0.9 * float64(p.took))
		outcome, wrong, err := p.race(find(of.other).command, after)
		if err != nil {
			return err
		}
		r.Pairs[index].Faults["pairs"]++
		r.Pairs[index].Held[outcome]++
		if len(wrong) > 0 {
			fmt.Fprintf(os.Stderr, "%s %v: wrong: %s\n", of.name, after, strings.Join(wrong, "; "))
			r.Wrong = append(r.Wrong, wrongRun{of.name, "pair", moment(after), wrong})
		}
	}
	return nil
}

// Outcomes of a race.
const (
	bothDone   = "both, one after the other"
	oneRefused = "one refused"
)

// race starts two commands, the second after a time, or before the first if that is negative.
func (p *prepared) race(other []string, after time.Duration) (outcome string, wrong []string, err error) {
	work, err := p.fresh()
	defer remove(work)
	if err != nil {
		return "", nil, err
	}
	var both [2]*ended
	var errs [2]error
	var wait sync.WaitGroup
	for n, args := range [][]string{p.command, other} {
		wait.Go(func() {
			if n == 0 && after < 0 || n == 1 && after > 0 {
				time.Sleep(max(after, -after))
			}
			both[n], errs[n] = p.subject.undisturbed(p.scenario, work, args)
		})
	}
	wait.Wait()
	outcome = bothDone
	for n, e := range both {
		switch {
		case errs[n] != nil:
			return "", nil, errs[n]
		case e.crashed() != "":
			wrong = append(wrong, e.crashed())
		case e.Status == 2 && both[1-n].Status == 0 &&
			strings.Contains(e.stderr, "another thermsim process is writing"):
			outcome = oneRefused
		case e.Status != 0:
			wrong = append(wrong, fmt.Sprintf("status %d: %s", e.Status, strings.TrimSpace(e.stderr)))
		}
	}
	return outcome, append(wrong, p.oneRun(work)...), nil
}
