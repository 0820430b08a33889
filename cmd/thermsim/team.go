package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/gpusolve"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/tcp"
	"thermsim/gpusolve/solution"
	"thermsim/internal/launcher"
)

// team is the ranks of a run as this process sees them: itself alone, one of several processes, or all ranks.
type team struct {
	g         *session.Session
	plan      launcher.Plan
	cancel    context.CancelCauseFunc // of the run
	requested string                  // device of the stack or the flag; "" if neither gives one
	devices   []string                // of the ranks in this process
	groups    []ranks.Group           // of the ranks in this process; none before they have met, or where there is one
	over      chan struct{}           // closed when the run has ended
	others    sync.WaitGroup          // ranks besides the first in this process
}

// newTeam plans the ranks of a run, which ends when its ranks fail.
func newTeam(ctx context.Context, g *session.Session, o *simulateOptions) (context.Context, *team, error) {
	p, err := o.ranks.Plan(&o.device)
	if err != nil {
		return ctx, nil, err
	}
	t := &team{g: g, plan: p, over: make(chan struct{})}
	ctx, t.cancel = context.WithCancelCause(ctx)
	if p.Rank > 0 && !g.Verbose {
		g.Quiet = true // rank 0 reports
	}
	if !p.Together() {
		g.Name = rankName(p.Rank)
	}
	return ctx, t, nil
}

// alone says that there are no ranks.
func (t *team) alone() bool { return t.plan.Ranks == 1 }

// reports says that this process prints and writes.
func (t *team) reports() bool { return t.plan.Rank == 0 }

// meet brings the ranks together. problem is why this one cannot take part; it is sent to the others, so that they do
// not wait.
func (t *team) meet(ctx context.Context, o *flags.Ranks, facts []ranks.Fact, problem error) error {
	if t.alone() || t.plan.Together() {
		if problem == nil && !t.alone() {
			t.groups = ranks.Local(t.plan.Ranks)
			t.watch()
			t.g.Detail("%d ranks in this process, on %s", t.plan.Ranks, strings.Join(t.devices, ", "))
		}
		return problem
	}
	wait := time.Duration(o.Wait * float64(time.Second))
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	if problem != nil {
		problem = exit.With(exit.Status(problem), problem)
	}
	t.g.Detail("%d ranks meet at %s", t.plan.Ranks, t.plan.Rendezvous)
	group, err := tcp.Join(ctx, tcp.Config{Rank: t.plan.Rank, Ranks: t.plan.Ranks, Rendezvous: t.plan.Rendezvous,
		Wait: wait, Host: host, Facts: facts, Problem: firstLine(problem)})
	switch {
	case problem != nil:
		return t.groupError(problem, exit.FailureOf(err))
	case err != nil:
		return t.groupError(err, exit.FailureOf(err))
	}
	t.groups = []ranks.Group{group}
	t.g.OnForcedEnd(t.part)
	t.watch()
	t.g.Detail("%d ranks are connected; transport: TCP", t.plan.Ranks)
	if err := t.shareCores(); err != nil {
		return t.leave(err, false)
	}
	return nil
}

// identity is what all ranks of a run must have in common, in addition to its input.
func (t *team) identity(command string) []ranks.Fact {
	kind := "cpu"
	if strings.HasPrefix(t.devices[0], "gpu") {
		kind = "gpu"
	}
	return []ranks.Fact{{Name: "the version of thermsim", Value: versionText()}, {Name: "the command", Value: command},
		{Name: "the kind of processor", Value: runtime.GOARCH}, {Name: "the kind of device", Value: kind}}
}

// solve runs a solve on all ranks of this process. The others are at work until the solution of rank 0 is closed; that
// of a process without rank 0 has no field, and no error but one that ends the group.
func (t *team) solve(options gpusolve.Options, run func(o gpusolve.Options, reports bool) (*solution.Solution, error)) (
	*solution.Solution, error) {
	if t.alone() {
		return run(options, true)
	}
	for i, group := range t.groups[1:] {
		o := options
		o.Ranks, o.Device, o.Progress, o.Notice = group, t.devices[i+1], nil, nil
		t.others.Go(func() {
			s, err := run(o, false)
			if s == nil {
				group.Fail(err)
				return
			}
			s.Close()
			_, _ = group.Gather([]byte{0}) // rank 0 reports failures
		})
	}
	options.Ranks = t.groups[0]
	if t.reports() {
		return run(options, true)
	}
	t.g.Keep() // a signal is agreed upon with rank 0, which may have steps to save
	s, err := run(options, false)
	if s != nil {
		err = nil // interrupted, which rank 0 reports
	}
	return s, err
}

// groupGrace is how long a run may take to end by itself after its ranks have failed: longer than leaving a group
// takes.
const groupGrace = 3 * time.Second

// watch ends the run when its ranks fail.
func (t *team) watch() {
	group := t.groups[0]
	failing, ok := group.(interface{ Failed() <-chan struct{} })
	if !ok {
		return
	}
	go func() {
		select {
		case <-t.over:
			return
		case <-failing.Failed():
		}
		_, err := group.Gather(nil) // which returns the failure
		t.cancel(err)
		time.AfterFunc(groupGrace, func() {
			err := t.groupError(err, exit.FailureOf(err))
			text := err.Error()
			if errors.As(err, new(exit.Quiet)) {
				text = ""
			}
			t.g.End(text, exit.Status(err))
		})
	}()
}

// part informs the other ranks that this one is ended by force.
func (t *team) part(text string, status int) {
	t.groups[0].Fail(exit.With(status, errors.New(text)))
	_ = t.groups[0].Close() // waits until it has arrived
}

// leave ends the ranks' work together: done says that this process has written its files, or has none to write. It
// returns what the command ends with.
func (t *team) leave(err error, done bool) error {
	defer t.cancel(nil)
	if t.alone() || len(t.groups) == 0 {
		return err
	}
	defer close(t.over)
	group := t.groups[0]
	if err == nil || done {
		err = t.agree(group, err)
	} else {
		group.Fail(exit.With(exit.Status(err), firstLine(err)))
		_, outcome := group.Gather(nil) // the failure that stands, which may be another one
		err = t.groupError(err, exit.FailureOf(outcome))
	}
	t.others.Wait()
	return errors.Join(err, group.Close())
}

// agree gives all ranks the exit status of rank 0.
func (t *team) agree(group ranks.Group, err error) error {
	all, lost := group.Gather([]byte{byte(exit.Status(err))})
	switch {
	case lost != nil && t.reports():
		return t.groupError(fmt.Errorf("%w; the files had been written, and are complete", lost), exit.FailureOf(lost))
	case lost != nil:
		return t.groupError(lost, exit.FailureOf(lost))
	case t.reports() || all[0][0] == exit.Done:
		return err
	}
	return exit.Quiet(all[0][0])
}

// groupError is the error of this rank when the group has failed with f: rank 0 reports the failure, or each rank if
// rank 0 cannot. err is the error of this rank's work.
func (t *team) groupError(err error, f *ranks.Failure) error {
	if f == nil {
		return err
	}
	if t.reports() && exit.Status(err) == exit.Interrupted && f.Status == exit.Interrupted {
		return err
	}
	consequence := exit.FailureOf(err) != nil
	own := !consequence && exit.Status(err) != exit.Interrupted
	mine := f.Rank == t.plan.Rank
	switch {
	case t.reports() && (own || mine && !consequence):
		return err
	case t.reports(), mine && f.Lost: // no other rank knows
		return f
	case f.Rank != 0 || !f.Lost:
		if !t.g.Verbose {
			return exit.Quiet(max(exit.Internal, f.Status))
		}
	}
	if own {
		return err
	}
	return f
}

// firstLine is the first line of an error, for the message about a rank.
func firstLine(err error) error {
	if err == nil {
		return nil
	}
	first, rest, _ := strings.Cut(err.Error(), "\n")
	if rest == "" {
		return err
	}
	return exit.With(exit.Status(err), errors.New(first+" (and more)"))
}
