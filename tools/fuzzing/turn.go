//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// grace is the time after the end of a turn when it counts as one that does not end.
const grace = 2 * time.Minute

// What a fuzzer prints.
var (
	progress = regexp.MustCompile(`(?m)^fuzz: elapsed: \S+, execs: (\d+) `)
	written  = regexp.MustCompile(`Failing input written to testdata/fuzz/\w+/(\w+)`)
	seeded   = regexp.MustCompile(`failure while testing seed corpus entry: \w+/(\S+)`)
)

// executions is the last number of executions that a fuzzer printed.
func executions(printed []byte) int64 {
	all := progress.FindAllSubmatch(printed, -1)
	if len(all) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(string(all[len(all)-1][1]), 10, 64) // digits
	return n
}

// turn runs a target for a time and adds to its counts.
func (c *fuzzer) turn(parent context.Context, t *target, length time.Duration) error {
	corpus := filepath.Join(c.corpus, c.module, t.Package)
	start, before := time.Now(), files(filepath.Join(corpus, t.Target))
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
	printed, err := cmd.CombinedOutput()
	c.lock.Lock()
	t.Executions += executions(printed)
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
	case ctx.Err() != nil && time.Now().After(c.end): // the campaign ended before the turn
		return nil
	case !errors.As(err, &exit) && ctx.Err() == nil:
		return fmt.Errorf("%s cannot be started: %w", t, err)
	}
	return c.failed(parent, t, work, corpus, printed)
}

// failed stores an input that failed, removes it from those that turns begin with, and runs it alone. An input is
// stopped after 10 s, which slow ones can reach on a busy machine; one that passes alone is stored and not counted.
func (c *fuzzer) failed(ctx context.Context, t *target, work, corpus string, printed []byte) error {
	folder := filepath.Join(c.crashers, t.Package, t.Target)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	name := ""
	seeds := filepath.Join(work, "testdata", "fuzz", t.Target)
	if m := written.FindSubmatch(printed); m != nil {
		name = string(m[1])
		if err := move(filepath.Join(seeds, name), filepath.Join(folder, name)); err != nil {
			return err
		}
	} else if m := seeded.FindSubmatch(printed); m != nil {
		name = string(m[1])
		if err := move(filepath.Join(corpus, t.Target, name), filepath.Join(folder, name)); err != nil &&
			!errors.Is(err, os.ErrNotExist) {
			return err // seeds of the repository stay
		}
	}
	if text, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
		if err := os.WriteFile(filepath.Join(seeds, name), text, 0o666); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, t.program, "-test.run=^"+t.Target+"$/^"+regexp.QuoteMeta(name)+"$",
		"-test.timeout=2m")
	cmd.Dir = work
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = nil // unknown
	}
	verdict := "it passes alone"
	c.lock.Lock()
	if err != nil || name == "" {
		verdict = "FAILED"
		t.Crashers++
	}
	n := t.Crashers
	c.lock.Unlock()
	fmt.Printf("%s: input %s: %s\n%s\n", t, name, verdict, printed[max(0, len(printed)-2000):])
	if name == "" {
		name = fmt.Sprintf("failed-%d", n)
	}
	report := bytes.Join([][]byte{[]byte(verdict), printed, out}, []byte("\n"))
	return os.WriteFile(filepath.Join(folder, name+".txt"), report, 0o666)
}

// move moves a file, also to another file system.
func move(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(to, text, 0o666), os.Remove(from))
}

// workplace makes a folder next to the package that looks like it to tests, so that the files a fuzzer writes do not
// affect other turns. The caller removes it.
func (t *target) workplace() (string, error) {
	work, err := os.MkdirTemp(filepath.Dir(t.Package), ".fuzzing-")
	if err != nil {
		return "", err
	}
	seeds := filepath.Join("testdata", "fuzz", t.Target)
	err = os.MkdirAll(filepath.Join(work, seeds), 0o777)
	for _, folder := range []string{"", "testdata", seeds} {
		err = errors.Join(err, link(t.Package, work, folder))
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(work))
	}
	return work, nil
}

// link links the contents of a folder of the package, if there is one, except the folders that the workplace has.
func link(from, work, folder string) error {
	from, err := filepath.Abs(filepath.Join(from, folder))
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.Name() == "testdata" || e.Name() == "fuzz" && e.IsDir() {
			continue
		}
		if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(work, folder, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// files is the number of files of a folder, 0 if it does not exist.
func files(folder string) int {
	entries, _ := os.ReadDir(folder)
	return len(entries)
}
