// Command mutants plants small faults in the program, one at a time, and runs the tests that should notice: wrong comparisons, signs, factors, conditions,
// calls left out and errors dropped. It prints the survivors, and fails where more than one in twenty has no reason to survive in survivors.txt.
//
//	go run ./tools/mutants -n 300 -json mutants.json
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"time"
)

func main() {
	n := flag.Int("n", 300, "number of faults")
	seed := flag.Uint64("seed", 1, "of the sample")
	workers := flag.Int("j", 2, "faults at a time")
	limit := flag.Duration("timeout", 5*time.Minute, "of one run of tests")
	file := flag.String("json", "", "write results to `FILE`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := campaign(ctx, *n, *seed, *workers, *limit, *file); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func campaign(ctx context.Context, n int, seed uint64, workers int, limit time.Duration, file string) error {
	suites, err := readSuites(suitesText)
	if err != nil {
		return err
	}
	r := runner{limit: limit}
	if r.reasons, err = readReasons("tools/mutants/survivors.txt"); err != nil {
		return err
	}
	if r.folder, err = os.MkdirTemp("", "mutants"); err != nil {
		return err
	}
	defer os.RemoveAll(r.folder)
	results, err := r.all(ctx, suites, shares(suites, n), seed, workers)
	if err != nil {
		return err
	}
	if file != "" {
		text, err := json.MarshalIndent(map[string]any{"faults": n, "seed": seed, "results": results}, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, append(text, '\n'), 0o666); err != nil {
			return err
		}
	}
	return verdict(results)
}

// all tries as many faults of each suite as its share says; those that do not compile do not count.
func (r *runner) all(ctx context.Context, suites []suite, share []int, seed uint64, workers int) ([]result, error) {
	var (
		lock    sync.Mutex
		results []result
		faults  []error
		wait    sync.WaitGroup
	)
	slots := make(chan struct{}, workers)
	for i := range suites {
		list, err := suites[i].faults(seed)
		if err != nil {
			return nil, err
		}
		wait.Go(func() {
			for left := share[i]; left > 0 && len(list) > 0; {
				// So many at a time as are still wanted: a fault that does not compile is followed by another one.
				batch := list[:min(left, len(list))]
				list = list[len(batch):]
				var some sync.WaitGroup
				for _, f := range batch {
					some.Go(func() {
						slots <- struct{}{}
						defer func() { <-slots }()
						res, err := r.try(ctx, f, suites[i].tests)
						lock.Lock()
						defer lock.Unlock()
						if err != nil {
							faults = append(faults, err)
							return
						}
						if res.Outcome != invalid {
							left--
							results = append(results, res)
							fmt.Println(&res)
						}
					})
				}
				some.Wait()
				if ctx.Err() != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	return results, errors.Join(faults...)
}

// verdict counts, and fails where too many survive.
func verdict(results []result) error {
	counts := map[string]int{}
	for i := range results {
		counts[results[i].Outcome]++
	}
	fmt.Printf("%d faults: %d killed, %d harmless, %d survived\n", len(results), counts[killed], counts[harmless], counts[survived])
	if 20*counts[survived] > len(results) {
		return fmt.Errorf("%d of %d faults go unnoticed, more than one in twenty; write tests that assert what they break, or give the reason in tools/mutants/survivors.txt", counts[survived], len(results))
	}
	return nil
}
