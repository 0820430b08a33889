package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/capacity"
	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/mpi"
	"thermsim/gpusolve/solution"
	"thermsim/internal/launcher"
	"thermsim/stack"
)

// team is the ranks of a run as this process sees them: itself alone, one of several processes, or all ranks.
type team struct {
	g         *session.Session
	plan      launcher.Plan
	cancel    context.CancelCauseFunc // of the run
	requested string                  // device of the stack or the flag; "" if neither gives one
	devices   []string                // of the ranks in this process
	groups    []ranks.Group           // of the ranks in this process; none before they have met, or where there is one
	signaled  func() error            // not nil when a signal has asked this process to end
	over      chan struct{}           // closed when the run has ended
	others    sync.WaitGroup          // ranks besides the first in this process
}

// newTeam plans the ranks of a run, which ends when its ranks fail.
func newTeam(ctx context.Context, g *session.Session, o *simulateOptions) (context.Context, *team, error) {
	p, err := o.ranks.Plan(&o.device)
	if err != nil {
		return ctx, nil, err
	}
	t := &team{g: g, plan: p, signaled: ctx.Err, over: make(chan struct{})}
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

// meet brings the ranks together. problem is why this one cannot take part; it is sent to the others.
func (t *team) meet(ctx context.Context, facts []ranks.Fact, problem error) error {
	if t.alone() || t.plan.Together() {
		if problem == nil && !t.alone() {
			t.groups = ranks.Local(t.plan.Ranks)
			t.watch()
			t.g.Detail("%d ranks in this process, on %s", t.plan.Ranks, strings.Join(t.devices, ", "))
		}
		return problem
	}
	group, err := mpi.Join(ctx, t.plan.Rank, t.plan.Ranks)
	switch {
	case ctx.Err() != nil && !t.reports():
		return exit.Quiet(exit.Interrupted)
	case ctx.Err() != nil:
		return exit.With(exit.Interrupted, errors.New("interrupted while waiting for the other ranks"))
	case err != nil:
		return errors.Join(problem, err)
	}
	t.groups = []ranks.Group{group}
	t.g.OnForcedEnd(func(status int) {
		time.Sleep(forwarding)
		group.Abort(status)
	}, !t.reports())
	t.g.Detail("%d ranks are connected by MPI (%s)", t.plan.Ranks, group.Library())
	if problem != nil {
		problem = exit.With(exit.Status(problem), problem)
	}
	err = ranks.Meet(group, hostName(), facts, firstLine(problem))
	if f := exit.FailureOf(err); f != nil { // the same for all
		t.groups = nil
		return errors.Join(t.refusal(f, problem), group.Close())
	}
	if err == nil {
		err = t.shareCores()
	}
	if err != nil {
		return t.leave(err, false)
	}
	return nil
}

// forwarding is how long a launcher has to forward a message: it may drop what it has not read when the run is aborted.
const forwarding = 100 * time.Millisecond

func hostName() string {
	host, err := os.Hostname()
	if err != nil {
		return "unknown host"
	}
	return host
}

// refusal is the error of this rank where rank f.Rank cannot take part: rank 0 reports it.
func (t *team) refusal(f *ranks.Failure, problem error) error {
	switch {
	case !t.reports():
		return exit.Quiet(max(exit.Internal, f.Status))
	case problem != nil:
		return problem
	}
	return f
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
			t.g.End(err.Error(), exit.Status(err))
		})
	}()
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
		var lost error
		if err, lost = t.agree(group, err); lost != nil {
			err = t.abandon(lost)
		}
		t.others.Wait()
		err = errors.Join(err, group.Close())
		if err != nil && !t.reports() && !t.plan.Together() {
			time.Sleep(rootFirst) // the launcher ends rank 0 once another rank has failed
		}
		return err
	}
	if !t.plan.Together() {
		return t.abandon(err)
	}
	group.Fail(exit.With(exit.Status(err), firstLine(err)))
	_, outcome := group.Gather(nil) // the failure that stands, which may be another one
	t.others.Wait()
	return cause(err, exit.FailureOf(outcome))
}

// rootFirst is how long a process waits before it reports a failure: rank 0 most often has the same one, and ends all.
const rootFirst = time.Second / 2

// abandon ends all processes of the run with the error of this one.
func (t *team) abandon(err error) error {
	if t.plan.Together() {
		return err
	}
	text := err.Error()
	if !t.reports() {
		time.Sleep(rootFirst)
		if t.signaled() != nil { // the launcher ends the run
			return exit.Quiet(exit.Status(err))
		}
		text = (&ranks.Failure{Rank: t.plan.Rank, Host: hostName(), Reason: "failed: " + text}).Error()
	}
	t.g.End(text, exit.Status(err))
	return err
}

// agree gives all ranks the exit status of rank 0.
func (t *team) agree(group ranks.Group, err error) (agreed, lost error) {
	all, lost := group.Gather([]byte{byte(exit.Status(err))})
	switch {
	case lost != nil && t.reports():
		return nil, fmt.Errorf("%w; the files had been written, and are complete", lost)
	case lost != nil || t.reports() || all[0][0] == exit.Done:
		return err, lost
	}
	return exit.Quiet(all[0][0]), nil
}

// cause is the error that this process, which has all ranks, reports where they have failed with f. err is the error of
// rank 0.
func cause(err error, f *ranks.Failure) error {
	ended := exit.FailureOf(err) != nil || exit.Status(err) == exit.Interrupted && f != nil && f.Rank != 0
	if f == nil || !ended || f.Status == exit.Interrupted && exit.Status(err) == exit.Interrupted {
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

func rankName(rank int) string { return fmt.Sprintf("rank %d: ", rank) }

// place chooses the devices of the ranks in this process, and refuses what ranks do not support.
func (t *team) place(s *stack.Stack, o *simulateOptions) error {
	if t.alone() {
		if o.device.Several() { // of which there is but one
			gpus, err := o.device.GPUs(device.List)
			if err != nil {
				return err
			}
			s.Solver.Device = fmt.Sprintf("gpu:%d", gpus[0])
		}
		return nil
	}
	if o.project.network() != nil {
		return exit.Usagef("--compat: this project is solved as a network of nodes, which does not run on several " +
			"ranks. Fix: " +
			"omit --compat, or use --ranks 1")
	}
	var err error
	t.requested = s.Solver.Device
	if t.devices, err = rankDevices(t.plan, t.requested, &o.device, device.List); err != nil {
		return err
	}
	s.Solver.Device = t.devices[0]
	return nil
}

// resources are where a rank's part of a run has to fit.
func (t *team) resources() capacity.Resources {
	m := capacity.ThisMachine()
	m.Ranks = t.plan.Ranks
	m.Together = t.plan.Together()
	return m
}

// facts are what all ranks of a run must have in common. s is nil where the input cannot be read.
func (o *simulateOptions) facts(command string, t *team, s *stack.Stack) []ranks.Fact {
	if t.alone() || s == nil || len(t.devices) == 0 {
		return nil
	}
	facts := t.identity(command)
	seen := map[string]int{}
	for i, in := range s.Inputs {
		name := filepath.Base(in.Path)
		if i == 0 {
			name = "the stack file"
		}
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		facts = append(facts, ranks.Fact{Name: name, Value: in.SHA256})
	}
	v := &s.Solver
	facts = append(facts,
		ranks.Fact{Name: "the grid", Value: fmt.Sprintf("%d x %d x %d cells", s.Grid.X.Cells, s.Grid.Y.Cells,
			capacity.Planes(s))},
		ranks.Fact{Name: "--set", Value: strings.Join(s.Set, ", ")},
		ranks.Fact{Name: "--precond", Value: v.Preconditioner},
		ranks.Fact{Name: "the rule to stop by",
			Value: fmt.Sprintf("tol %g K, rtol %g, atol %g W, %d iterations at most", v.Tol, v.RTol, v.ATol,
				v.MaxIter)})
	return append(facts, o.ranks.Facts...)
}

// refuseOverRanks finds flags that several ranks do not support.
func (o *transientOptions) refuseOverRanks(t *team) error {
	switch {
	case t.alone():
		return nil
	case o.checkpoints.needed():
		return exit.Usagef("--checkpoint and --resume: checkpoints are not supported on several ranks. Fix: omit " +
			"them, or use " +
			"--ranks 1")
	case o.policy != "":
		return exit.Usagef("--policy: policies are not supported on several ranks. Fix: omit it, " +
			"or use --ranks 1")
	}
	return nil
}

// timeFacts are those of a transient.
func timeFacts(f *pflag.FlagSet) (facts []ranks.Fact) {
	for _, name := range []string{"steps", "dt", "initial", "until", "dt-tol", "to-steady", "every", "at", "periodic"} {
		facts = append(facts, ranks.Fact{Name: "--" + name, Value: f.Lookup(name).Value.String()})
	}
	return facts
}

// sameStep gives all ranks the time step that rank 0 has: processors of other makes may find another one in the last
// bits.
func (t *team) sameStep(dt float64) (float64, error) {
	if t.alone() || t.plan.Together() {
		return dt, nil
	}
	all, err := t.groups[0].Gather(binary.LittleEndian.AppendUint64(nil, math.Float64bits(dt)))
	if err != nil {
		return 0, err
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(all[0])), nil
}
