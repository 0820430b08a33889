//go:build linux && amd64

// Command faults lets every operation on files that a command of thermsim does go wrong, one in each run: opening,
// reading, writing, bringing to the disk, closing, renaming, making and removing, by error, by halves, by a full,
// read-only or lost disk, or by a signal at that operation. It stands between the program and the system (ptrace), and
// needs nothing of the program. After each run it compares the folder with those before and after an undisturbed run.
// docs/explanation/reliability.md holds its figures.
//
//	go run ./tools/faults -program bin/thermsim
//	go run ./tools/faults -program bin/thermsim -only '^(steady|render)$' -faults 'SIG' -most 2 -v
//	go run ./tools/faults -program bin/thermsim -signals 500 -pairs 50
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"time"
)

// settings are the flags.
type settings struct {
	program, repository, only, faults, out string
	commit, from                           string
	most, every, signals, pairs, workers   int
	limit                                  time.Duration
	seed                                   uint64
	verbose, large                         bool
}

func main() {
	var s settings
	flag.StringVar(&s.program, "program", "bin/thermsim", "the thermsim to try")
	flag.StringVar(&s.repository, "repository", ".", "where its examples of other formats are")
	flag.StringVar(&s.only, "only", "", "regular expression of commands")
	flag.StringVar(&s.faults, "faults", "", "regular expression of faults")
	flag.StringVar(&s.out, "json", "", "write the figures to this file")
	flag.StringVar(&s.commit, "commit", "", "commit of the program, for the figures")
	flag.StringVar(&s.from, "from", "", "print the tables of such a file, and try nothing")
	flag.IntVar(&s.most, "most", 6, "reads, writes and so on of one file that are tried at most: first, last and "+
		"some between")
	flag.IntVar(&s.every, "every", 1, "try one in so many")
	flag.IntVar(&s.signals, "signals", 0, "send so many signals at random moments, in place of faults")
	flag.BoolVar(&s.large, "large", false, "send them to commands on two million cells")
	flag.IntVar(&s.pairs, "pairs", 0, "let so many pairs of runs write into one folder, in place of faults")
	flag.IntVar(&s.workers, "workers", runtime.GOMAXPROCS(0), "runs at once")
	flag.DurationVar(&s.limit, "limit", time.Minute, "time after which a run counts as one that does not end")
	flag.Uint64Var(&s.seed, "seed", 1, "of random moments")
	flag.BoolVar(&s.verbose, "v", false, "print every run")
	flag.Parse()
	if err := s.run(); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func (s *settings) run() error {
	if s.from != "" {
		r, err := read(s.from)
		if err == nil {
			r.print(os.Stdout)
		}
		return err
	}
	only, err := regexp.Compile(s.only)
	if err != nil {
		return err
	}
	kinds, err := regexp.Compile(s.faults)
	if err != nil {
		return err
	}
	c := &campaign{repository: s.repository, limit: s.limit}
	if c.program, err = filepath.Abs(s.program); err != nil {
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
	r := results{Commit: s.commit, Most: s.most, Every: s.every, Seed: s.seed}
	if s.signals > 0 || s.pairs > 0 {
		err = s.disturb(c, &r)
	} else {
		err = s.inject(c, &r, only, kinds)
	}
	if err != nil {
		return err
	}
	r.print(os.Stdout)
	if s.out != "" {
		if err := s.write(&r); err != nil {
			return err
		}
	}
	if n := len(r.Wrong); n > 0 {
		return fmt.Errorf("%d runs did not end as they should", n)
	}
	return nil
}

// memory is a folder on a file system in memory, where there is one.
func memory() string {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); err == nil && info.IsDir() {
		return shared
	}
	return ""
}

func read(path string) (*results, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(results)
	return r, json.Unmarshal(text, r)
}

func (s *settings) write(r *results) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(s.out, append(text, '\n'), 0o666)
}
