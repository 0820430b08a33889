//go:build linux && amd64

// Command faults makes each file operation of thermsim's commands fail, one in each run. Operations are opening,
// reading, writing, syncing, closing, renaming, creating and removing. They fail by an error, a partial transfer, a
// full, read-only or lost disk, or a signal at that operation. The tool intercepts the system calls (ptrace) of the
// unmodified program. After each run it compares the folder with those before and after an undisturbed run.
// docs/explanation/reliability.md has the results.
//
//	go run ./tools/faults -program bin/thermsim
//	go run ./tools/faults -program bin/thermsim -only '^(steady|render)$' -faults '^SIGKILL$' -most 2 -v
//	go run ./tools/faults -program bin/thermsim -signals 500 -pairs 50
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"time"

	"thermsim/tools/campaign"
)

// settings are the flags.
type settings struct {
	out                                  string
	only, faults                         *regexp.Regexp
	most, every, signals, pairs, workers int
	seed                                 uint64
	verbose, large                       bool
}

func main() {
	var s settings
	var c subject
	r := new(results)
	flag.StringVar(&c.program, "program", "bin/thermsim", "the thermsim to test")
	flag.StringVar(&c.repository, "repository", ".", "folder of the repository, for its examples of other formats")
	only := flag.String("only", "", "regular expression of commands")
	kinds := flag.String("faults", "", "regular expression of faults")
	flag.StringVar(&s.out, "json", "", "write the results to this file")
	flag.StringVar(&r.Commit, "commit", "", "commit of the program, for the results")
	from := flag.String("from", "", "print the tables of such a file, and test nothing")
	flag.IntVar(&s.most, "most", 6, "maximum number of tested operations of a kind on one file: first, last and some "+
		"between")
	flag.IntVar(&s.every, "every", 1, "test every n-th fault")
	flag.IntVar(&s.signals, "signals", 0, "number of signals at random times, sent instead of faults")
	flag.BoolVar(&s.large, "large", false, "send them to commands on two million cells")
	flag.IntVar(&s.pairs, "pairs", 0, "number of pairs of runs that start in one folder, instead of faults")
	flag.IntVar(&s.workers, "workers", runtime.GOMAXPROCS(0), "runs at a time")
	flag.DurationVar(&c.limit, "limit", time.Minute, "time after which a run counts as one that does not end")
	flag.Uint64Var(&s.seed, "seed", 1, "of random times")
	flag.BoolVar(&s.verbose, "v", false, "print every run")
	flag.Parse()
	var err error
	if *from != "" {
		if err = campaign.Load(*from, r); err == nil {
			r.print(os.Stdout)
		}
	} else if s.only, err = regexp.Compile(*only); err == nil {
		if s.faults, err = regexp.Compile(*kinds); err == nil {
			err = s.run(&c, r)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func (s *settings) run(c *subject, r *results) (err error) {
	if c.program, err = filepath.Abs(c.program); err != nil {
		return err
	}
	if c.folder, err = os.MkdirTemp(memory(), "faults-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.folder)
	go func() {
		end := make(chan os.Signal, 1)
		signal.Notify(end, os.Interrupt, syscall.SIGTERM)
		<-end
		_ = os.RemoveAll(c.folder) // temporary
		os.Exit(130)
	}()
	r.Most, r.Every, r.Seed = s.most, s.every, s.seed
	if err := s.test(c, r); err != nil {
		return err
	}
	r.print(os.Stdout)
	if err := campaign.Save(s.out, r); err != nil {
		return err
	}
	if n := len(r.Wrong); n > 0 {
		return fmt.Errorf("%d runs did not end as they should", n)
	}
	return nil
}

// test injects faults, or sends signals and starts pairs of runs.
func (s *settings) test(c *subject, r *results) error {
	if s.signals == 0 && s.pairs == 0 {
		return s.inject(c, r)
	}
	if s.signals > 0 {
		if err := s.signal(c, r); err != nil {
			return err
		}
	}
	return s.pair(c, r)
}

// memory is a folder on a file system in memory, if there is one.
func memory() string {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); err == nil && info.IsDir() {
		return shared
	}
	return ""
}
