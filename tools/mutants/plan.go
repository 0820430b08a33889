package main

import (
	_ "embed"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed suites.txt
var suitesText string

// suite is a line of suites.txt: files that faults are planted in, and the tests that should notice.
type suite struct {
	files  string
	weight int        // its share of the sample
	tests  [][]string // arguments of go test, tried one after the other
}

// plan is a list of faults; the first ones that compile are tried, as many as wanted.
type plan struct {
	files  string
	faults []fault
	wanted int
	tests  [][]string
}

// entries are the lines of a text that are not empty and no remarks.
func entries(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			if line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

// readSuites reads lines of "files; weight; arguments; arguments ...".
func readSuites(text string) (list []suite, err error) {
	for line := range entries(text) {
		fields := strings.Split(line, ";")
		if len(fields) < 3 {
			return nil, fmt.Errorf("got %q; expected files; weight; arguments", line)
		}
		s := suite{files: strings.TrimSpace(fields[0])}
		if s.weight, err = strconv.Atoi(strings.TrimSpace(fields[1])); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		for _, t := range fields[2:] {
			s.tests = append(s.tests, strings.Fields(t))
		}
		list = append(list, s)
	}
	return list, nil
}

// readReasons reads the reasons of survivors: the name of a fault, a tab and the reason.
func readReasons(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	all := map[string]string{}
	for line := range entries(string(text)) {
		name, reason, _ := strings.Cut(line, "\t")
		if reason == "" {
			return nil, fmt.Errorf("%s: got %q; expected the name of a fault, a tab and a reason", path, line)
		}
		all[name] = reason
	}
	return all, err
}

// sampled plans a random sample of n faults, the same for the same seed.
func sampled(suites []suite, n int, seed uint64) ([]plan, error) {
	if len(suites) == 0 {
		return nil, errors.New("-only matches no suite of suites.txt")
	}
	var plans []plan
	for i, share := range shares(suites, n) {
		if share == 0 {
			continue
		}
		list, err := suites[i].faults(seed)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan{files: suites[i].files, faults: list, wanted: share, tests: suites[i].tests})
	}
	return plans, nil
}

// shares distributes n faults over suites by their weights, the remainder to those with the largest fractions.
func shares(suites []suite, n int) []int {
	total := 0
	for _, s := range suites {
		total += s.weight
	}
	list, order, left := make([]int, len(suites)), make([]int, len(suites)), n
	if total == 0 {
		return list
	}
	for i, s := range suites {
		order[i], list[i] = i, n*s.weight/total
		left -= list[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return n*suites[b].weight%total - n*suites[a].weight%total })
	for _, i := range order[:left] {
		list[i]++
	}
	return list
}

// faults of a suite, in a random order that the seed determines.
func (s *suite) faults(seed uint64) ([]fault, error) {
	files, err := sources(s.files)
	if err != nil {
		return nil, err
	}
	var all []fault
	for _, f := range files {
		list, err := faultsOf(f)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("nothing can be planted in %s", s.files)
	}
	r := rand.New(rand.NewPCG(seed, uint64(len(s.files))))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all, nil
}

// sources are the files of a pattern without tests and generated files.
func sources(pattern string) ([]string, error) {
	files, err := filepath.Glob(pattern)
	return slices.DeleteFunc(files, func(name string) bool {
		return strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_launch.go")
	}), err
}

// listed plans the faults of a file, which were found by hand. A line FOLDER: DESCRIPTION begins one. Lines that begin
// with - are the original text, which occurs once in the Go files of the folder; those that begin with + replace it.
func listed(name string, suites []suite, only *regexp.Regexp) ([]plan, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var faults []fault
	for line := range entries(string(text)) {
		if line[0] != '-' && line[0] != '+' {
			folder, description, _ := strings.Cut(line, ": ")
			faults = append(faults, fault{File: folder, Function: description})
			continue
		}
		if len(faults) == 0 {
			return nil, fmt.Errorf("%s: got %q before the first FOLDER: DESCRIPTION", name, line)
		}
		to := &faults[len(faults)-1].Was
		if line[0] == '+' {
			to = &faults[len(faults)-1].with
		}
		if *to != "" {
			*to += "\n"
		}
		*to += line[1:]
	}
	var plans []plan
	for i := range faults {
		p, err := faults[i].locate(suites)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if only.MatchString(faults[i].File) {
			plans = append(plans, p)
		}
	}
	return plans, nil
}

// locate finds the file with the original text of a listed fault, and the suite of the file.
func (f *fault) locate(suites []suite) (plan, error) {
	files, err := sources(f.File + "/*.go")
	if err != nil {
		return plan{}, err
	}
	found := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return plan{}, err
		}
		if n := strings.Count(string(text), f.Was); n > 0 && f.Was != "" {
			found += n
			f.File, f.from = name, strings.Index(string(text), f.Was)
			f.Line = 1 + strings.Count(string(text[:f.from]), "\n")
		}
	}
	if found != 1 {
		return plan{}, fmt.Errorf("%s: %s: %q occurs %d times; expected once", f.File, f.Function, f.Was, found)
	}
	f.to = f.from + len(f.Was)
	f.Was, f.Becomes = strings.Join(strings.Fields(f.Was), " "), strings.Join(strings.Fields(f.with), " ")
	for i := range suites {
		if fits, _ := path.Match(suites[i].files, f.File); fits {
			return plan{files: f.File, faults: []fault{*f}, wanted: 1, tests: suites[i].tests}, nil
		}
	}
	return plan{}, fmt.Errorf("%s: no suite of suites.txt has tests for it", f.File)
}
