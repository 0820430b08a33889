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
func (c *campaign) turn(ctx context.Context, t *target, length time.Duration) error {
	corpus := filepath.Join(c.corpus, c.module, t.Package)
	before := files(filepath.Join(corpus, t.Target))
	ctx, cancel := context.WithTimeout(ctx, length+grace)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.program, "-test.run=^$", "-test.fuzz=^"+t.Target+"$", "-test.parallel=1", "-test.fuzzcachedir="+corpus,
		"-test.fuzztime="+length.Round(time.Millisecond).String(), "-test.fuzzminimizetime=5x")
	cmd.Dir = t.Package
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var said bytes.Buffer
	count := &counter{}
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	read := make(chan struct{})
	go func() { defer close(read); count.read(io.TeeReader(out, &said)) }()
	err := cmd.Run()
	in.Close()
	<-read
	c.lock.Lock()
	defer c.lock.Unlock()
	defer c.changed.Broadcast()
	t.running--
	t.Executions += count.executions
	t.Interesting += max(0, files(filepath.Join(corpus, t.Target))-before)
	if cmd.ProcessState != nil {
		t.CoreHours += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Hours()
	}
	var exit *exec.ExitError
	switch {
	case err == nil || ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil
	case ctx.Err() != nil && time.Now().After(c.end): // the end of all came before that of the turn
		return nil
	case !errors.As(err, &exit) && ctx.Err() == nil:
		return fmt.Errorf("%s cannot be started: %w", t, err)
	}
	t.Crashers++
	fmt.Printf("%s failed:\n%s\n", t, tail(said.Bytes()))
	return c.keep(t, said.Bytes())
}

// keep moves inputs that failed out of the package, so that other turns do not begin with them.
func (c *campaign) keep(t *target, said []byte) error {
	folder := filepath.Join(c.crashers, t.Package, t.Target)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	name := fmt.Sprintf("failed-%d", t.Crashers)
	if m := written.FindSubmatch(said); m != nil {
		name = string(m[2])
		text, err := os.ReadFile(filepath.Join(t.Package, string(m[1])))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o666)
		}
		if err == nil {
			err = os.Remove(filepath.Join(t.Package, string(m[1])))
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, name+".txt"), said, 0o666)
}

var written = regexp.MustCompile(`Failing input written to (testdata/fuzz/\w+/(\w+))`)

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

func tail(text []byte) []byte {
	return text[max(0, len(text)-4000):]
}
