package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed suites.txt
var suitesText string

// suite is a line of suites.txt: files that faults go into, and the tests that shall notice.
type suite struct {
	files  string
	weight int        // its share of the sample
	tests  [][]string // arguments of go test, tried one after the other
}

// readSuites reads lines of "FILES; WEIGHT; ARGUMENTS; ARGUMENTS ...".
func readSuites(text string) (list []suite, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, ";")
		if len(fields) < 3 {
			return nil, fmt.Errorf("%q: want FILES; WEIGHT; ARGUMENTS", line)
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

// faults of a suite, in a random order that is the same every time.
func (s *suite) faults(seed uint64) ([]fault, error) {
	files, err := filepath.Glob(s.files)
	if err != nil {
		return nil, err
	}
	var all []fault
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || strings.HasSuffix(f, "_launch.go") {
			continue
		}
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

// readReasons reads the survivors that are known to do no harm: the name of a fault, a tab and the reason.
func readReasons(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := map[string]string{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, found := strings.Cut(line, "\t")
		if !found || reason == "" {
			return nil, fmt.Errorf("%s:%d: want the name of a fault, a tab and a reason", path, n)
		}
		all[name] = reason
	}
	return all, lines.Err()
}

// shares distributes n faults over suites by their weights, the first ones getting what is left over.
func shares(suites []suite, n int) []int {
	total := 0
	for _, s := range suites {
		total += s.weight
	}
	if total == 0 {
		return make([]int, len(suites))
	}
	list := make([]int, len(suites))
	left := n
	for i, s := range suites {
		list[i] = n * s.weight / total
		left -= list[i]
	}
	order := make([]int, len(suites))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return n*suites[b].weight%total - n*suites[a].weight%total })
	for _, i := range order[:left] {
		list[i]++
	}
	return list
}
