//go:build linux && amd64

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// campaign runs a program under faults.
type campaign struct {
	program    string
	repository string
	folder     string // for work folders
	limit      time.Duration
	folders    atomic.Int64
	ready      sync.Map // of functions that prepare a scenario once, by its name
}

// environment lets runs be alike: no GPU, no colours, nothing of the user's.
func environment(work string) []string {
	return []string{"PATH=/usr/bin:/bin", "HOME=" + work, "TMPDIR=" + filepath.Join(work, "tmp"),
		"CUDA_VISIBLE_DEVICES=", "GOMAXPROCS=2"}
}

// run runs a command in a work folder; decide may be nil.
func (c *campaign) run(s *scenario, work string, args []string, decide func(operation) verdict) (*ended, error) {
	if decide == nil {
		decide = func(operation) verdict { return verdict{} }
	}
	if err := os.WriteFile(work+".stdin", []byte(s.input), 0o666); err != nil {
		return nil, err
	}
	t, err := trace(c.program, args, work, environment(work), c.limit, decide)
	if err != nil {
		return nil, err
	}
	said, err := os.ReadFile(work + ".stderr")
	if err != nil {
		return nil, err
	}
	if s.answers {
		answers, err := os.ReadFile(work + ".stdout")
		if err != nil {
			return nil, err
		}
		if said = append(said, answers...); t.status == 0 && bytes.Contains(answers, []byte(`"ok":false`)) {
			t.status = 1 // which stands for that answer
		}
	}
	return &ended{t, work, string(said)}, nil
}

// undisturbed runs a command that nobody traces, which is faster.
func (c *campaign) undisturbed(s *scenario, work string, args []string) (*ended, error) {
	cmd := exec.Command(c.program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = work, environment(work), strings.NewReader(s.input)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return wait(cmd, c.limit, work, &said)
}

// wait waits for the end of a program.
func wait(cmd *exec.Cmd, limit time.Duration, work string, said *bytes.Buffer) (*ended, error) {
	timer := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	e := &ended{traced: &traced{status: cmd.ProcessState.ExitCode(), late: !timer.Stop()}, work: work,
		said: said.String()}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.signal = status.Signal()
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = nil
	}
	return e, err
}

// fresh is a name for a work folder.
func (c *campaign) fresh() string {
	return filepath.Join(c.folder, fmt.Sprintf("w%d", c.folders.Add(1)))
}

func remove(work string) {
	for _, path := range []string{work, work + ".stdout", work + ".stderr", work + ".stdin"} {
		_ = os.RemoveAll(path) // temporary
	}
}

// prepare runs the earlier commands of a scenario, and its command three times. A scenario is prepared once.
func (c *campaign) prepare(s *scenario) (*prepared, error) {
	once, _ := c.ready.LoadOrStore(s.name, sync.OnceValues(func() (*prepared, error) { return c.prepareOnce(s) }))
	return once.(func() (*prepared, error))()
}

func (c *campaign) prepareOnce(s *scenario) (*prepared, error) {
	p := &prepared{scenario: s, campaign: c, start: c.fresh(), varying: map[string]bool{}}
	if err := s.prepare(c.repository, p.start); err != nil {
		return nil, err
	}
	for _, args := range s.earlier {
		if e, err := c.undisturbed(s, p.start, args); err != nil || e.status != 0 {
			return nil, fmt.Errorf("%w: %s: %v %+v", errStart, strings.Join(args, " "), err, e)
		}
	}
	var err error
	if p.old, _, err = p.filesOnTheWay(p.start, new(fault)); err != nil {
		return nil, err
	}
	if s.killed != nil {
		if _, err := c.run(s, p.start, s.killed, func(o operation) verdict {
			if o.key() == s.at {
				return verdict{sends: syscall.SIGKILL}
			}
			return verdict{}
		}); err != nil {
			return nil, err
		}
	}
	if _, p.kept, err = p.filesOnTheWay(p.start, new(fault)); err != nil {
		return nil, err
	}
	for n := range 3 {
		work := c.fresh()
		if err := copyFolder(p.start, work); err != nil {
			return nil, err
		}
		begun := time.Now()
		e, err := c.run(s, work, s.command, nil)
		if err != nil || e.status != s.status {
			return nil, fmt.Errorf("%w: %s: %v, status %d, %s", errStart, strings.Join(s.command, " "), err, e.status,
				e.said)
		}
		p.took = time.Since(begun)
		all, kept, err := p.files(work)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			p.fresh, p.list = all, e.operations
		}
		for name, text := range all {
			if text != p.fresh[name] {
				p.varying[name] = true
			}
		}
		if held, why := p.which(work, all); held != isNew || len(leftovers(kept)) > 0 {
			return nil, fmt.Errorf("%w: %s: the folder is %s: %s, %v", errStart, strings.Join(s.command, " "), held,
				why, leftovers(kept))
		}
		remove(work)
	}
	return p, nil
}

// strike lets a fault strike at an operation.
func (p *prepared) strike(f *fault, at operation) (struck bool, held string, wrong []string, e *ended, err error) {
	work := p.campaign.fresh()
	defer remove(work)
	if err := copyFolder(p.start, work); err != nil {
		return false, "", nil, nil, err
	}
	e, err = p.campaign.run(p.scenario, work, p.command, func(o operation) verdict {
		switch {
		case o.key() == at.key():
			struck = true
			return f.verdict
		case struck && f.follows(o):
			return f.verdict
		}
		return verdict{}
	})
	if err != nil || !struck {
		return struck, "", nil, e, err
	}
	held, wrong = p.judge(e, f, at)
	return struck, held, wrong, e, nil
}
