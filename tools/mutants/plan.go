package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// plan is faults of a suite: the first ones that compile are wanted.
type plan struct {
	files  string
	faults []fault
	wanted int
	tests  [][]string
}

// sampled plans a random sample of n faults, the same for the same seed.
func sampled(suites []suite, n int, seed uint64) ([]plan, error) {
	if len(suites) == 0 {
		return nil, errors.New("no suite of suites.txt is chosen")
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

// all tries what is planned: the first run of tests on all faults, then the others on what that left.
func (r *runner) all(ctx context.Context, plans []plan, workers int) ([]result, error) {
	// Tests run without a fault first: what fails then notices nothing.
	for i := range plans {
		r.prepare(ctx, plans[i].tests[0])
	}
	r.slots = make(chan struct{}, workers)
	var wait sync.WaitGroup
	for i := range plans {
		wait.Go(func() { r.first(ctx, &plans[i]) })
	}
	wait.Wait()
	for _, t := range r.left {
		for _, args := range t.tests {
			r.prepare(ctx, args)
		}
	}
	for _, t := range r.left {
		wait.Go(func() { r.one(ctx, t.fault, t.tests, false) })
	}
	wait.Wait()
	return r.results, errors.Join(r.errs...)
}

// first gives as many faults as are wanted the first run of tests. Those that do not compile do not count: others
// follow.
func (r *runner) first(ctx context.Context, p *plan) {
	if _, err := r.prepare(ctx, p.tests[0]).wait(); err != nil {
		r.end(ctx, result{}, err)
		return
	}
	for len(p.faults) > 0 && p.wanted > 0 && ctx.Err() == nil {
		batch := p.faults[:min(p.wanted, len(p.faults))]
		p.faults = p.faults[len(batch):]
		var (
			wait  sync.WaitGroup
			valid atomic.Int64
		)
		for _, f := range batch {
			wait.Go(func() {
				if r.one(ctx, f, p.tests, true) != invalid {
					valid.Add(1)
				}
			})
		}
		wait.Wait()
		p.wanted -= int(valid.Load())
	}
	if p.wanted > 0 && ctx.Err() == nil {
		r.end(ctx, result{}, fmt.Errorf("%s: %d faults are wanted that cannot be planted: the others do not compile",
			p.files, p.wanted))
	}
}

// trial is a fault that the first run of tests left alive, with the runs that follow.
type trial struct {
	fault fault
	tests [][]string
}

// one tries a fault once a worker is free, unless its result is known.
func (r *runner) one(ctx context.Context, f fault, tests [][]string, begins bool) string {
	if res, known := r.record.known(&f); known {
		res.fault = f
		r.judge(&res)
		return r.end(ctx, res, nil)
	}
	r.slots <- struct{}{}
	defer func() { <-r.slots }()
	if ctx.Err() != nil {
		return unfinished
	}
	if !begins || len(tests) == 1 {
		first := 2
		if begins {
			first = 1
		}
		res, err := r.try(ctx, f, first, tests)
		return r.end(ctx, res, err)
	}
	res, err := r.try(ctx, f, 1, tests[:1])
	if err == nil && res.Outcome == survived { // one that has a reason is asked no further
		r.lock.Lock()
		r.left = append(r.left, trial{f, tests[1:]})
		r.lock.Unlock()
		res.Outcome = unfinished
	}
	return r.end(ctx, res, err)
}

// end keeps a result, unless time is over.
func (r *runner) end(ctx context.Context, res result, err error) string {
	r.lock.Lock()
	defer r.lock.Unlock()
	if ctx.Err() != nil {
		return unfinished
	}
	if err == nil {
		err = r.record.add(&res)
	}
	if err != nil {
		r.errs = append(r.errs, err)
		return unfinished
	}
	if res.Outcome != invalid && res.Outcome != unfinished {
		r.results = append(r.results, res)
		fmt.Println(&res)
	}
	return res.Outcome
}
