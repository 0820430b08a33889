// Command errorbench asks whether "estimated largest error" is what it says: it solves random stacks by every method, finds the exact solution of
// the same equations by elimination, and counts the solves whose error exceeds the estimate.
//
//	go run ./tools/errorbench -stacks 2000
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"thermsim/gpusolve"
)

func main() {
	stacks := flag.Int("stacks", 2000, "how many random stacks")
	from := flag.Uint64("from", 0, "seed of the first; every second one is extreme")
	methods := flag.String("methods", strings.Join(gpusolve.Preconditioners(), ","), "preconditioners without settings, with commas between")
	tol := flag.Float64("tol", gpusolve.DefaultTol, "tolerance in K")
	limit := flag.Int("max-iter", 20000, "iterations of a solve")
	flag.Parse()
	names := strings.Split(*methods, ",")
	for _, n := range names {
		if err := gpusolve.CheckPreconditioner(n); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	var all []trial
	for seed := *from; seed < *from+uint64(*stacks); seed++ {
		t, err := try(seed, names, *tol, *limit)
		if err != nil {
			fmt.Fprintf(os.Stderr, "stack %d: %v\n", seed, err)
			os.Exit(1)
		}
		all = append(all, t...)
	}
	fmt.Printf("%d random stacks, to %g K\n\n", *stacks, *tol)
	fmt.Println("| method | solved to the tolerance | error above the estimate | worst error over estimate | median estimate over error | worst error, K |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, n := range names {
		summarise(n, all).print()
	}
	for _, t := range all {
		if t.exceeds() {
			fmt.Printf("\nstack %d by %s: error %.2g K, estimate %.2g K, %d iterations", t.seed, t.method, t.error, t.estimate, t.iterations)
		}
	}
	fmt.Println()
}

// summary of a method.
type summary struct {
	method                  string
	solves, solved, exceeds int
	ratio, median, worst    float64
}

func summarise(method string, all []trial) summary {
	s := summary{method: method}
	var above []float64
	for _, t := range all {
		if t.method != method {
			continue
		}
		s.solves++
		if !t.solved {
			continue
		}
		s.solved++
		if t.exceeds() {
			s.exceeds++
		}
		s.worst = max(s.worst, t.error)
		if t.estimate > 0 { // 0 where the residual is
			s.ratio = max(s.ratio, t.error/t.estimate)
			above = append(above, t.estimate/t.error)
		}
	}
	if slices.SortFunc(above, cmp.Compare); len(above) > 0 {
		s.median = above[len(above)/2]
	}
	return s
}

func (s summary) print() {
	fmt.Printf("| %s | %d of %d | %d | %.2f | %.1f | %.1e |\n", s.method, s.solved, s.solves, s.exceeds, s.ratio, s.median, s.worst)
}
