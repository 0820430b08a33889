// Command mutants plants small faults in the program, one at a time, and runs the tests that should notice: wrong
// comparisons, signs, factors, conditions, calls left out and errors dropped. It prints the survivors, and fails where
// more than one in twenty has no reason to survive in survivors.txt.
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
)

type settings struct {
	n       int
	seed    uint64
	workers int
	limit   time.Duration
	list    string
	only    *regexp.Regexp
	results string
	json    string
	commit  string
}

func main() {
	var s settings
	flag.IntVar(&s.n, "n", 300, "number of faults; 0 counts what the results hold and plants none")
	flag.Uint64Var(&s.seed, "seed", 1, "of the sample")
	flag.IntVar(&s.workers, "j", 2, "faults at a time")
	flag.DurationVar(&s.limit, "timeout", 5*time.Minute, "of one run of tests")
	flag.StringVar(&s.list, "list", "", "plant the faults of `FILE`, in place of a sample")
	flag.StringVar(&s.results, "o", "", "add results to `FILE`, a line each; faults that are in it are not tried again")
	flag.StringVar(&s.json, "json", "", "write counts by package and all results to `FILE`")
	flag.StringVar(&s.commit, "commit", "", "of the program, for -json")
	only := flag.String("only", "", "plant in files alone whose path matches a regular expression")
	whole := flag.Duration("for", 24*time.Hour, "time for all: what has not ended then has no result")
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
	if err = campaign(ctx, &s); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func campaign(ctx context.Context, s *settings) error {
	suites, err := readSuites(suitesText)
	if err != nil {
		return err
	}
	r := runner{limit: s.limit, baselines: map[string]*baseline{}}
	if r.reasons, err = readReasons("tools/mutants/survivors.txt"); err != nil {
		return err
	}
	if r.folder, err = os.MkdirTemp("", "mutants"); err != nil {
		return err
	}
	defer os.RemoveAll(r.folder)
	if err := r.record.open(s.results); err != nil {
		return err
	}
	defer r.record.close()
	results := r.ofRecord()
	if s.n > 0 || s.list != "" {
		plans, err := s.plans(suites)
		if err != nil {
			return err
		}
		if results, err = r.all(ctx, plans, s.workers); err != nil {
			return err
		}
	}
	if s.json != "" {
		if err := summarise(s, results).write(s.json); err != nil {
			return err
		}
	}
	return verdict(results)
}

func (s *settings) plans(suites []suite) ([]plan, error) {
	if s.list != "" {
		return listed(s.list, suites, s.only)
	}
	return sampled(slices.DeleteFunc(suites, func(t suite) bool { return !s.only.MatchString(t.files) }), s.n, s.seed)
}

// verdict counts, and fails where too many survive.
func verdict(results []result) error {
	counts := map[string]int{}
	for i := range results {
		counts[results[i].Outcome]++
	}
	fmt.Printf("%d faults: %d killed, %d harmless, %d survived\n", len(results), counts[killed], counts[harmless],
		counts[survived])
	if 20*counts[survived] > len(results) {
		return fmt.Errorf("%d of %d faults go unnoticed, more than one in twenty; write tests that assert what they "+
			"break, or give the reason in tools/mutants/survivors.txt", counts[survived], len(results))
	}
	return nil
}
