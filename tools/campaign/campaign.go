// Package campaign has what the tools that run programs many times share: starting a program with a time limit, what
// the run took and how it ended, and files of results.
package campaign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Outcome is how a program ended.
type Outcome struct {
	Status int            // exit status, -1 after a signal
	Signal syscall.Signal // that ended it
	Killed bool           // at the time limit
	Wall   time.Duration
	CPU    time.Duration
	Memory int64  // maximum resident size in bytes, 0 where it is unknown
	Stderr string // unless the command has another writer
}

// Process is a running program.
type Process struct {
	*exec.Cmd
	stderr bytes.Buffer
	begun  time.Time
	limit  *time.Timer
}

// Start starts a program, which is killed at the time limit.
func Start(cmd *exec.Cmd, limit time.Duration) (*Process, error) {
	p := &Process{Cmd: cmd}
	if cmd.Stderr == nil {
		cmd.Stderr = &p.stderr
	}
	p.begun = time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.limit = time.AfterFunc(limit, func() { _ = cmd.Process.Kill() })
	return p, nil
}

// Wait waits for the end of the program. A program that fails is no error.
func (p *Process) Wait() (Outcome, error) {
	err := p.Cmd.Wait()
	o := Outcome{Killed: !p.limit.Stop(), Wall: time.Since(p.begun), Stderr: p.stderr.String()}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return o, err
	}
	state := p.ProcessState
	o.Status, o.CPU, o.Memory = state.ExitCode(), state.UserTime()+state.SystemTime(), PeakMemory(state)
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		o.Signal = status.Signal()
	}
	return o, nil
}

// Run starts a program and waits for its end.
func Run(cmd *exec.Cmd, limit time.Duration) (Outcome, error) {
	p, err := Start(cmd, limit)
	if err != nil {
		return Outcome{}, err
	}
	return p.Wait()
}

// Save writes results as JSON. It replaces the file as a whole, so an interrupted campaign leaves the previous one. An
// empty path writes nothing.
func Save(path string, results any) error {
	if path == "" {
		return nil
	}
	text, err := json.MarshalIndent(results, "", " ")
	if err != nil {
		return err
	}
	part := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(part, append(text, '\n'), 0o666); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// Load reads such a file.
func Load(path string, results any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, results); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
