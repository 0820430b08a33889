package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// What becomes of a fault.
const (
	killed     = "killed"
	survived   = "survived"
	harmless   = "harmless"   // survived, with a reason
	invalid    = "not viable" // does not compile
	unfinished = "unfinished" // has survived the first run of tests
)

// result of a fault.
type result struct {
	fault
	Outcome string  `json:"outcome"`
	By      string  `json:"by,omitempty"`  // the test that noticed
	Run     int     `json:"run,omitempty"` // of tests, in the order of the suite, which it was in; from 1
	Reason  string  `json:"reason,omitempty"`
	Seconds float64 `json:"seconds"`
}

// runner runs tests on faults.
type runner struct {
	folder    string // for overlays
	limit     time.Duration
	reasons   map[string]string
	record    record
	lock      sync.Mutex
	baselines map[string]*baseline
	slots     chan struct{} // as many as faults are tried at a time
	left      []trial
	results   []result
	errs      []error
}

// try plants a fault, by an overlay that leaves the files as they are, and runs tests until one fails. A test that
// hangs has noticed too. The first of the runs is number first of the suite.
func (r *runner) try(ctx context.Context, f fault, first int, tests [][]string) (result, error) {
	start := time.Now()
	res := result{fault: f, Outcome: survived}
	done := func() (result, error) {
		res.Seconds = time.Since(start).Round(100 * time.Millisecond).Seconds()
		r.judge(&res)
		return res, ctx.Err()
	}
	overlay, err := r.overlay(&f)
	if err != nil {
		return res, err
	}
	for n, args := range tests {
		b, err := r.prepare(ctx, args).wait()
		if err != nil {
			return res, err
		}
		limit := min(r.limit, 30*time.Second+3*b.longest)
		args = append([]string{"test", "-vet=off", "-failfast", "-count=1", "-overlay=" + overlay,
			"-timeout=" + limit.String()}, b.arguments(args)...)
		out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
		if err == nil {
			continue
		}
		text := string(out)
		if strings.Contains(text, "[setup failed]") {
			return res, fmt.Errorf("go %s cannot be run:\n%s", strings.Join(args, " "), text)
		}
		if strings.Contains(text, "[build failed]") {
			res.Outcome = invalid
			return done()
		}
		res.Outcome, res.By, res.Run = killed, noticed(text), first+n
		return done()
	}
	return done()
}

// judge excuses a survivor that has a reason.
func (r *runner) judge(res *result) {
	if res.Outcome == harmless {
		res.Outcome, res.Reason = survived, ""
	}
	if reason := r.reasons[res.name()]; res.Outcome == survived && reason != "" {
		res.Outcome, res.Reason = harmless, reason
	}
}

// noticed is the first test that failed.
func noticed(text string) string {
	for line := range strings.Lines(text) {
		if _, after, found := strings.Cut(line, "--- FAIL: "); found {
			name, _, _ := strings.Cut(after, " ")
			return name
		}
		if strings.HasPrefix(line, "panic: ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

func (r *runner) overlay(f *fault) (string, error) {
	text, err := f.planted()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(r.folder, "")
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(f.File)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, filepath.Base(f.File))
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(changed, []byte(text), 0o666); err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, list, 0o666)
}

func (r *result) String() string {
	s := fmt.Sprintf("%-10s %s:%d %s\n           was     %s\n           becomes %s", r.Outcome, r.File, r.Line,
		r.Function, r.Was, r.Becomes)
	if r.By != "" {
		s += "\n           by      " + r.By
	}
	if r.Reason != "" {
		s += "\n           because " + r.Reason
	}
	return s
}
