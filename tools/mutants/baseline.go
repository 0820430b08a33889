package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// baseline is a run of tests without a fault. What fails in it, for want of a program or a right, is skipped later; its
// time says when a run hangs.
type baseline struct {
	done    chan struct{}
	failing []string
	longest time.Duration
	err     error
}

func (b *baseline) wait() (*baseline, error) {
	<-b.done
	return b, b.err
}

// prepare begins a run of tests without a fault, once for the same arguments.
func (r *runner) prepare(ctx context.Context, args []string) *baseline {
	key := strings.Join(args, " ")
	r.lock.Lock()
	defer r.lock.Unlock()
	if b := r.baselines[key]; b != nil {
		return b
	}
	b := &baseline{done: make(chan struct{})}
	r.baselines[key] = b
	go func() {
		defer close(b.done)
		command := append([]string{"test", "-vet=off", "-count=1", "-timeout=" + r.limit.String()}, args...)
		out, err := exec.CommandContext(ctx, "go", command...).CombinedOutput()
		b.read(string(out))
		if err != nil && len(b.failing) == 0 {
			b.err = fmt.Errorf("go %s fails without a fault:\n%s", strings.Join(command, " "), out)
		}
		fmt.Fprintf(os.Stderr, "%-10s %s: %v, skipped: %q\n", "baseline", key, b.longest.Round(time.Second/10),
			b.failing)
	}()
	return b
}

var (
	failure = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
	seconds = regexp.MustCompile(`(?m)^(?:ok|FAIL)\s+\S+\s+([0-9.]+)s$`)
)

func (b *baseline) read(text string) {
	for _, m := range failure.FindAllStringSubmatch(text, -1) {
		b.failing = append(b.failing, m[1])
	}
	for _, m := range seconds.FindAllStringSubmatch(text, -1) {
		if s, err := strconv.ParseFloat(m[1], 64); err == nil {
			b.longest = max(b.longest, time.Duration(s*float64(time.Second)))
		}
	}
}

// arguments of go test that leave out what fails without a fault.
func (b *baseline) arguments(args []string) []string {
	if len(b.failing) == 0 {
		return args
	}
	skip := "^(" + strings.Join(b.failing, "|") + ")$"
	args = slices.Clone(args)
	if i := slices.Index(args, "-skip"); i >= 0 {
		args[i+1] += "|" + skip
		return args
	}
	return append([]string{"-skip", skip}, args...)
}
