package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Outcomes of a fault.
const (
	killed   = "killed"
	survived = "survived"
	harmless = "harmless"   // survived for a known reason
	invalid  = "not viable" // does not compile
)

// result of a fault.
type result struct {
	fault
	Outcome string  `json:"outcome"`
	By      string  `json:"by,omitempty"`  // the test that noticed
	Run     int     `json:"run,omitempty"` // the run of tests of the suite that noticed, from 1
	Reason  string  `json:"reason,omitempty"`
	Seconds float64 `json:"seconds"`
}

// runner runs tests on faults.
type runner struct {
	folder  string // for overlays
	limit   time.Duration
	reasons map[string]string
	found   map[string]result // of earlier campaigns, by the fault's name
	record  io.Writer         // a line of JSON for each result; nil without

	lock      sync.Mutex
	baselines map[string]func() (*baseline, error) // by the arguments of go test
	results   []result
}

// resume reads the results of earlier campaigns, and appends others to the file.
func (r *runner) resume(path string) error {
	r.found = map[string]result{}
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var res result
		if err := d.Decode(&res); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.found[res.name()] = res
	}
	r.record, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	return err
}

// recall takes the results of earlier campaigns.
func (r *runner) recall() {
	for _, res := range r.found {
		if r.judge(&res); res.Outcome != invalid {
			r.results = append(r.results, res)
		}
	}
}

// all tries the plans, with one fault per worker at a time. Faults that do not compile do not count.
func (r *runner) all(ctx context.Context, plans []plan, workers int) error {
	r.baselines = map[string]func() (*baseline, error){}
	var g errgroup.Group
	g.SetLimit(workers)
	for _, p := range plans {
		g.Go(func() error {
			for _, f := range p.faults {
				if p.wanted == 0 || ctx.Err() != nil {
					return nil
				}
				res, err := r.one(ctx, f, p.tests)
				if ctx.Err() != nil {
					return nil
				}
				if err != nil {
					return err
				}
				if res.Outcome != invalid {
					p.wanted--
				}
			}
			if p.wanted > 0 && ctx.Err() == nil {
				return fmt.Errorf("%s: %d faults too few: the others do not compile", p.files, p.wanted)
			}
			return nil
		})
	}
	return g.Wait()
}

// one tries a fault, unless its result is known, and keeps the result.
func (r *runner) one(ctx context.Context, f fault, tests [][]string) (result, error) {
	res, known := r.found[f.name()]
	if res.fault = f; !known {
		start := time.Now()
		if err := r.try(ctx, &res, tests); err != nil {
			return res, err
		}
		res.Seconds = time.Since(start).Round(100 * time.Millisecond).Seconds()
	}
	r.judge(&res)
	r.lock.Lock()
	defer r.lock.Unlock()
	if res.Outcome != invalid {
		r.results = append(r.results, res)
		fmt.Println(&res)
	}
	if known || r.record == nil || ctx.Err() != nil {
		return res, nil
	}
	return res, json.NewEncoder(r.record).Encode(res)
}

// try plants a fault by an overlay, which leaves the files unchanged, and runs tests until one fails. A test that
// hangs has noticed, too.
func (r *runner) try(ctx context.Context, res *result, tests [][]string) error {
	overlay, err := r.overlay(&res.fault)
	if err != nil {
		return err
	}
	res.Outcome = survived
	for n, args := range tests {
		b, err := r.baseline(ctx, args)
		if err != nil {
			return err
		}
		limit := min(r.limit, 30*time.Second+3*b.longest)
		args = append([]string{"test", "-vet=off", "-failfast", "-count=1", "-overlay=" + overlay,
			"-timeout=" + limit.String()}, b.arguments(args)...)
		out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
		switch text := string(out); {
		case err == nil:
			continue
		case strings.Contains(text, "[setup failed]"):
			return fmt.Errorf("go %s cannot be run:\n%s", strings.Join(args, " "), text)
		case strings.Contains(text, "[build failed]"):
			res.Outcome = invalid
		default:
			res.Outcome, res.By, res.Run = killed, noticed(text), n+1
		}
		return nil
	}
	return nil
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

// overlay writes the file with the fault, and the overlay file for the go command.
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
	changed, overlay := filepath.Join(dir, filepath.Base(f.File)), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	return overlay, errors.Join(err, os.WriteFile(changed, []byte(text), 0o666), os.WriteFile(overlay, list, 0o666))
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

// baseline is a run of tests without a fault. Tests that fail in it, because a program or permission is missing, are
// skipped later; its duration determines when a run counts as hanging.
type baseline struct {
	failing []string
	longest time.Duration
}

// baseline runs tests without a fault, once for the same arguments.
func (r *runner) baseline(ctx context.Context, args []string) (*baseline, error) {
	key := strings.Join(args, " ")
	r.lock.Lock()
	once := r.baselines[key]
	if once == nil {
		once = sync.OnceValues(func() (*baseline, error) {
			command := append([]string{"test", "-vet=off", "-count=1", "-timeout=" + r.limit.String()}, args...)
			out, err := exec.CommandContext(ctx, "go", command...).CombinedOutput()
			b := readBaseline(string(out))
			if err != nil && len(b.failing) == 0 {
				return nil, fmt.Errorf("go %s fails without a fault:\n%s", strings.Join(command, " "), out)
			}
			fmt.Fprintf(os.Stderr, "%-10s %s: %v, skipped: %q\n", "baseline", key, b.longest.Round(time.Second/10),
				b.failing)
			return b, nil
		})
		r.baselines[key] = once
	}
	r.lock.Unlock()
	return once()
}

var (
	failure = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
	seconds = regexp.MustCompile(`(?m)^(?:ok|FAIL)\s+\S+\s+([0-9.]+)s$`)
)

func readBaseline(text string) *baseline {
	b := new(baseline)
	for _, m := range failure.FindAllStringSubmatch(text, -1) {
		b.failing = append(b.failing, m[1])
	}
	for _, m := range seconds.FindAllStringSubmatch(text, -1) {
		if s, err := strconv.ParseFloat(m[1], 64); err == nil {
			b.longest = max(b.longest, time.Duration(s*float64(time.Second)))
		}
	}
	return b
}

// arguments of go test that skip what fails without a fault.
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
