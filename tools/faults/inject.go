//go:build linux && amd64

package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// inject lets faults strike, one in each run.
func (s *settings) inject(c *campaign, r *results, only, kinds *regexp.Regexp) error {
	for i := range scenarios {
		if !only.MatchString(scenarios[i].name) {
			continue
		}
		p, err := c.prepare(&scenarios[i])
		if err != nil {
			return err
		}
		if err := s.injectAll(p, r, kinds); err != nil {
			return err
		}
		if s.out != "" { // so that what ends early has figures
			if err := s.write(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *settings) injectAll(p *prepared, r *results, kinds *regexp.Regexp) error {
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(s.workers)
	row := &row{Command: p.name, Operations: len(p.list), Faults: map[string]int{}, Held: map[string]int{}}
	chosen, n := choose(p.list, s.most), 0
	if s.verbose {
		for _, o := range p.list {
			fmt.Fprintf(os.Stderr, "%s: %v\n", p.name, o)
		}
	}
	for k := range faults {
		f := &faults[k]
		if !kinds.MatchString(f.name) {
			continue
		}
		for _, at := range chosen {
			if !f.concerns(at) {
				continue
			}
			if n++; n%s.every != 0 {
				continue
			}
			g.Go(func() error {
				struck, held, wrong, e, err := p.strike(f, at)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					return err
				}
				s.tell(p, f, at, held, wrong, e)
				row.count(f.name, struck, held, e.status == p.status)
				if len(wrong) > 0 {
					r.Wrong = append(r.Wrong, wrongRun{p.name, f.name, at, wrong})
				}
				return nil
			})
		}
	}
	err := g.Wait()
	r.Rows = append(r.Rows, *row)
	return err
}

// tell prints a run that went wrong, and with -v every other.
func (s *settings) tell(p *prepared, f *fault, at operation, held string, wrong []string, e *ended) {
	if len(wrong) == 0 && !s.verbose {
		return
	}
	outcome := held
	if len(wrong) > 0 {
		outcome = "WRONG: " + strings.Join(wrong, "; ")
	}
	fmt.Fprintf(os.Stderr, "%s: %s at %v: status %d, %s: %q\n", p.name, f.name, at, e.status, outcome,
		strings.TrimSpace(e.said))
}

// choose takes of the operations of one kind on one file the first and last, and some between.
func choose(list []operation, most int) (chosen []operation) {
	count := map[operation]int{}
	for _, o := range list {
		count[o.numberless()]++
	}
	for _, o := range list {
		n := count[o.numberless()]
		if n <= most || o.N == 0 || most > 1 && o.N*(most-1)/(n-1) != (o.N-1)*(most-1)/(n-1) {
			chosen = append(chosen, o)
		}
	}
	return chosen
}
