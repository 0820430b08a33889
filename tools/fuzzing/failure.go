//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

var (
	written = regexp.MustCompile(`Failing input written to testdata/fuzz/\w+/(\w+)`)
	seeded  = regexp.MustCompile(`failure while testing seed corpus entry: \w+/(\S+)`)
)

// failed keeps an input that failed, takes it out of those that turns begin with, and tries it alone: an input ends
// after 10 s, which one that is slow may take where other programs are busy. Such a one is kept and not counted.
func (c *campaign) failed(ctx context.Context, t *target, work, corpus string, said []byte) error {
	folder := filepath.Join(c.crashers, t.Package, t.Target)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	name := ""
	seeds := filepath.Join(work, "testdata", "fuzz", t.Target)
	if m := written.FindSubmatch(said); m != nil {
		name = string(m[1])
		if err := move(filepath.Join(seeds, name), filepath.Join(folder, name)); err != nil {
			return err
		}
	} else if m := seeded.FindSubmatch(said); m != nil {
		name = string(m[1])
		if err := move(filepath.Join(corpus, t.Target, name), filepath.Join(folder, name)); err != nil &&
			!errors.Is(err, os.ErrNotExist) {
			return err // one of the repository's stays where it is
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
		err = nil // not known
	}
	verdict := "it passes alone"
	c.lock.Lock()
	if err != nil || name == "" {
		verdict = "FAILED"
		t.Crashers++
	}
	n := t.Crashers
	c.lock.Unlock()
	fmt.Printf("%s: input %s: %s\n%s\n", t, name, verdict, said[max(0, len(said)-2000):])
	if name == "" {
		name = fmt.Sprintf("failed-%d", n)
	}
	return os.WriteFile(filepath.Join(folder, name+".txt"), fmt.Appendf(nil, "%s\n%s\n%s", verdict, said, out), 0o666)
}

// move moves a file, to another file system too.
func move(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(to, text, 0o666), os.Remove(from))
}
