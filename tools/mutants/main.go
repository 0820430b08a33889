// Command mutants plants small faults in the program, one at a time, and runs the tests that should notice: wrong
// comparisons, signs, factors and conditions, omitted calls and dropped errors. It prints the survivors, and fails if
// more than one in twenty has no reason in survivors.txt.
//
//	go run ./tools/mutants -n 300 -o mutants.jsonl
//	go run ./tools/mutants -list tools/mutants/audit.txt -only '^(mesh|powermap)/'
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"
	"time"

	"thermsim/tools/campaign"
)

type settings struct {
	n             int
	seed          uint64
	workers       int
	limit         time.Duration
	list, results string
	only          *regexp.Regexp
	json, commit  string
}

func main() {
	var s settings
	flag.IntVar(&s.n, "n", 300, "number of faults; 0 counts what the results hold and plants none")
	flag.Uint64Var(&s.seed, "seed", 1, "of the sample")
	flag.IntVar(&s.workers, "j", 2, "faults at a time")
	flag.DurationVar(&s.limit, "timeout", 5*time.Minute, "of one run of tests")
	flag.StringVar(&s.list, "list", "", "plant the faults of `FILE` instead of a sample")
	flag.StringVar(&s.results, "o", "", "append results to `FILE`, a line each; faults in it are not tried again")
	flag.StringVar(&s.json, "json", "", "write counts by package and all results to `FILE`")
	flag.StringVar(&s.commit, "commit", "", "of the program, for -json")
	only := flag.String("only", "", "plant only in files whose path matches a regular expression")
	whole := flag.Duration("for", 24*time.Hour, "time limit of the campaign; unfinished faults have no result")
	flag.Parse()
	var err error
	if s.only, err = regexp.Compile(*only); err != nil {
		fmt.Fprintln(os.Stderr, "mutants: -only:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *whole)
	defer cancel()
	if err = s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func (s *settings) run(ctx context.Context) error {
	suites, err := readSuites(suitesText)
	if err != nil {
		return err
	}
	r := runner{limit: s.limit}
	if r.reasons, err = readReasons("tools/mutants/survivors.txt"); err != nil {
		return err
	}
	if r.folder, err = os.MkdirTemp("", "mutants"); err != nil {
		return err
	}
	defer os.RemoveAll(r.folder)
	if err := r.resume(s.results); err != nil {
		return err
	}
	if s.n > 0 || s.list != "" {
		plans, err := s.plans(suites)
		if err != nil {
			return err
		}
		if err := r.all(ctx, plans, s.workers); err != nil {
			return err
		}
	} else {
		r.recall()
	}
	if err := campaign.Save(s.json, summarise(s, r.results)); err != nil {
		return err
	}
	return verdict(r.results)
}

func (s *settings) plans(suites []suite) ([]plan, error) {
	if s.list != "" {
		return listed(s.list, suites, s.only)
	}
	return sampled(slices.DeleteFunc(suites, func(t suite) bool { return !s.only.MatchString(t.files) }), s.n, s.seed)
}

// verdict counts, and fails if too many survive.
func verdict(results []result) error {
	counts := map[string]int{}
	for i := range results {
		counts[results[i].Outcome]++
	}
	fmt.Printf("%d faults: %d killed, %d equivalent, %d survived\n", len(results), counts[killed], counts[harmless],
		counts[survived])
	if 20*counts[survived] > len(results) {
		return fmt.Errorf("%d of %d faults go unnoticed, more than one in twenty. Fix: write tests that assert what "+
			"they break, or give the reason in tools/mutants/survivors.txt", counts[survived], len(results))
	}
	return nil
}
