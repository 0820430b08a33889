//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// grace is what a turn may take longer than it was given, before it counts as one that does not end.
const grace = 2 * time.Minute

var progress = regexp.MustCompile(`^fuzz: elapsed: \S+, execs: (\d+) `)

// turn lets a target run for a time and takes over what it says.
func (c *campaign) turn(parent context.Context, t *target, length time.Duration) error {
	corpus := filepath.Join(c.corpus, c.module, t.Package)
	start, before := time.Now(), files(filepath.Join(corpus, t.Target))
	defer c.ended(t)
	work, err := t.workplace()
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	ctx, cancel := context.WithTimeout(parent, length+grace)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.program, "-test.run=^$", "-test.fuzz=^"+t.Target+"$", "-test.parallel=1",
		"-test.fuzzcachedir="+corpus,
		"-test.fuzztime="+length.Round(time.Millisecond).String(), "-test.fuzzminimizetime=5x")
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var said bytes.Buffer
	count := &counter{}
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	read := make(chan struct{})
	go func() { defer close(read); count.read(io.TeeReader(out, &said)) }()
	err = cmd.Run()
	in.Close()
	<-read
	c.lock.Lock()
	t.Executions += count.executions
	t.Interesting += max(0, files(filepath.Join(corpus, t.Target))-before)
	t.taken += time.Since(start).Seconds() - length.Seconds()
	if cmd.ProcessState != nil {
		t.CoreHours += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Hours()
	}
	c.lock.Unlock()
	var exit *exec.ExitError
	switch {
	case err == nil || ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil
	case ctx.Err() != nil && time.Now().After(c.end): // the end of all came before that of the turn
		return nil
	case !errors.As(err, &exit) && ctx.Err() == nil:
		return fmt.Errorf("%s cannot be started: %w", t, err)
	}
	return c.failed(parent, t, work, corpus, said.Bytes())
}

// ended lets others have the core.
func (c *campaign) ended(t *target) {
	c.lock.Lock()
	defer c.lock.Unlock()
	t.running--
	c.changed.Broadcast()
}

// counter takes executions from what a fuzzer says.
type counter struct{ executions int64 }

func (c *counter) read(r io.Reader) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if m := progress.FindSubmatch(line); m != nil {
			c.executions, _ = strconv.ParseInt(string(m[1]), 10, 64)
		}
		if err != nil {
			return
		}
	}
}
