package main

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
)

// listed plans the faults of a file, which were found by hand. A line FILE: FUNCTION begins one; lines that begin with
// - are what stands there once, those that begin with + what takes its place. Remarks begin with #.
func listed(name string, suites []suite, only *regexp.Regexp) ([]plan, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var (
		plans    []plan
		f        *fault
		was, now []string
	)
	flush := func() error {
		if f == nil {
			return nil
		}
		p, err := f.place(strings.Join(was, "\n"), strings.Join(now, "\n"), suites)
		if only.MatchString(f.File) {
			plans = append(plans, p)
		}
		f, was, now = nil, nil, nil
		return err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '-':
			was = append(was, line[1:])
		case line[0] == '+':
			now = append(now, line[1:])
		default:
			if err := flush(); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			file, function, _ := strings.Cut(line, ": ")
			f = &fault{File: file, Function: function}
		}
	}
	if err := flush(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return plans, nil
}

// place finds where a listed fault goes and the tests that should notice, those of the suite of its file.
func (f *fault) place(was, now string, suites []suite) (plan, error) {
	text, err := os.ReadFile(f.File)
	if err != nil {
		return plan{}, err
	}
	if was == "" || strings.Count(string(text), was) != 1 {
		return plan{}, fmt.Errorf("%s: %s: %q does not stand there once", f.File, f.Function, was)
	}
	f.from = strings.Index(string(text), was)
	f.to, f.with = f.from+len(was), now
	f.Line = 1 + strings.Count(string(text[:f.from]), "\n")
	f.Was, f.Becomes = strings.Join(strings.Fields(was), " "), strings.Join(strings.Fields(now), " ")
	for i := range suites {
		if fits, _ := path.Match(suites[i].files, f.File); fits {
			return plan{files: f.File, faults: []fault{*f}, wanted: 1, tests: suites[i].tests}, nil
		}
	}
	return plan{}, fmt.Errorf("%s: no suite of suites.txt has tests for it", f.File)
}
