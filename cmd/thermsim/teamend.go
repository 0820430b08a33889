package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve/ranks"
)

// stranded is how long a run may take to end by itself after its ranks have failed: longer than leaving a group takes.
const stranded = 3 * time.Second

// watch ends the run when its ranks fail, whatever it is at.
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
		time.AfterFunc(stranded, func() {
			err := t.spoken(err, exit.FailureOf(err))
			text := err.Error()
			if errors.As(err, new(exit.Quiet)) {
				text = ""
			}
			t.g.End(text, exit.Status(err))
		})
	}()
}

// part tells the other ranks that this one is ended by force.
func (t *team) part(text string, status int) {
	t.groups[0].Fail(exit.With(status, errors.New(text)))
	_ = t.groups[0].Close() // waits for the word to arrive
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
		group.Fail(exit.With(exit.Status(err), shortened(err)))
		_, outcome := group.Gather(nil) // the failure that stands, which may be another one
		err = t.spoken(err, exit.FailureOf(outcome))
	}
	t.others.Wait()
	return errors.Join(err, group.Close())
}

// agree gives all ranks the exit status of rank 0.
func (t *team) agree(group ranks.Group, err error) error {
	all, lost := group.Gather([]byte{byte(exit.Status(err))})
	switch {
	case lost != nil && t.reports():
		return t.spoken(fmt.Errorf("%w; the files had been written, and are complete", lost), exit.FailureOf(lost))
	case lost != nil:
		return t.spoken(lost, exit.FailureOf(lost))
	case t.reports() || all[0][0] == exit.Done:
		return err
	}
	return exit.Quiet(all[0][0])
}

// spoken is what this rank ends with when the group has failed with f: one rank tells what happened, which is rank 0,
// or each where rank 0 cannot. err is how this rank's own work ended.
func (t *team) spoken(err error, f *ranks.Failure) error {
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
	case t.reports(), mine && f.Lost: // nobody else knows
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

// shortened is the first line of an error, for the line that tells of a rank.
func shortened(err error) error {
	if err == nil {
		return nil
	}
	first, rest, _ := strings.Cut(err.Error(), "\n")
	if rest == "" {
		return err
	}
	return exit.With(exit.Status(err), errors.New(first+" (and more)"))
}
