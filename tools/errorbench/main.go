// Command errorbench asks whether "estimated largest error" is what it says: it solves random stacks by every method,
// finds the exact solution of the same equations by elimination, and counts the solves whose error exceeds the
// estimate.
//
//	go run ./tools/errorbench -stacks 2000
//	go run ./tools/errorbench FILE...
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"thermsim/gpusolve"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/testing/cases"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

func main() {
	count := flag.Int("stacks", 2000, "how many random stacks")
	from := flag.Uint64("from", 0, "seed of the first; every second one is extreme")
	asked := flag.String("methods", strings.Join(methods.Names(), ","),
		"preconditioners without settings, with commas between")
	tol := flag.Float64("tol", gpusolve.DefaultTol, "tolerance in K")
	limit := flag.Int("max-iter", 20000, "iterations of a solve")
	flag.Parse()
	names := strings.Split(*asked, ",")
	for _, n := range names {
		if err := methods.Check(n); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	stacks, err := drawnOrRead(*from, *count, flag.Args())
	if err != nil {
		fail(err)
	}
	var all []trial
	for _, s := range stacks {
		t, err := try(s, names, *tol, *limit)
		if err != nil {
			fail(fmt.Errorf("%s: %w", s.Title, err))
		}
		all = append(all, t...)
	}
	fmt.Printf("%d stacks, to %g K\n\n", len(stacks), *tol)
	fmt.Println(header)
	for _, n := range names {
		summarise(n, all).print()
	}
	for _, t := range all {
		if t.exceeds(1) || t.misleads(far) || t.converged && !t.balanced || !t.converged && t.within {
			fmt.Printf("\n%s by %s: %s, error %.2g K, estimate %.2g K, %d iterations, balance %t", t.stack, t.method,
				t.reason, t.error, t.estimate, t.iterations, t.balanced)
		}
	}
	fmt.Println()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// drawnOrRead draws stacks, or reads files where some are named.
func drawnOrRead(from uint64, count int, files []string) (all []*stack.Stack, err error) {
	for _, name := range files {
		s, err := stackfile.Load(name)
		if err != nil {
			return nil, err
		}
		s.Title = name
		all = append(all, s)
	}
	for seed := from; len(files) == 0 && seed < from+uint64(count); seed++ {
		all = append(all, cases.Any(seed))
	}
	return all, nil
}

// far above its estimate is an error that makes the estimate useless.
const far = 3

const header = `| method | solves | converged | error above the estimate | above 3 times | worst error over estimate | median estimate over error | worst error, K | converged out of balance | not converged | of them right | estimate 3 times too small |
|---|---|---|---|---|---|---|---|---|---|---|---|`

// summary of a method.
type summary struct {
	method                             string
	solves, converged, above, farAbove int
	ratio, median, worst               float64
	unbalanced                         int // called converged out of balance
	right, misleading                  int // of those not called converged
}

func summarise(method string, all []trial) summary {
	s := summary{method: method}
	var estimates []float64
	for _, t := range all {
		if t.method != method {
			continue
		}
		s.solves++
		s.above += one(t.exceeds(1))
		s.farAbove += one(t.exceeds(far))
		s.unbalanced += one(t.converged && !t.balanced)
		s.right += one(!t.converged && t.within)
		s.misleading += one(t.misleads(far))
		if !t.converged {
			continue
		}
		s.converged++
		s.worst = max(s.worst, t.error)
		if t.estimate > 0 && t.error > 0 { // 0 where rounding alone is left
			s.ratio = max(s.ratio, t.error/t.estimate)
			estimates = append(estimates, t.estimate/t.error)
		}
	}
	if slices.SortFunc(estimates, cmp.Compare); len(estimates) > 0 {
		s.median = estimates[len(estimates)/2]
	}
	return s
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (s summary) print() {
	fmt.Printf("| %s | %d | %d | %d | %d | %.2f | %.1f | %.1e | %d | %d | %d | %d |\n", s.method, s.solves, s.converged,
		s.above, s.farAbove,
		s.ratio, s.median, s.worst, s.unbalanced, s.solves-s.converged, s.right, s.misleading)
}
