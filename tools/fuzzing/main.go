//go:build unix

// Command fuzzing runs every fuzz target of the repository, one process of one worker on each core, for as long as it
// is told. Targets take turns; those of whole runs and of solvers get more. Inputs that add coverage stay where `go
// test` keeps them. Inputs that fail are moved out of the packages, into the folder of -crashers: put one below
// testdata/fuzz/TARGET of its package, where it is a seed from then on.
//
//	go run ./tools/fuzzing -for 10m
//	go run ./tools/fuzzing -for 1h -cores 1 -only '^stack/ ' -json fuzzing.json
//	go run ./tools/fuzzing -for 4h -json docs/measurements/fuzzing.json -commit COMMIT
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"syscall"
	"time"
)

// settings are the flags.
type settings struct {
	whole, slice             time.Duration
	cores                    int
	only                     *regexp.Regexp
	corpus, crashers, binary string // folders
	json, commit             string
}

func main() {
	var s settings
	flag.DurationVar(&s.whole, "for", 10*time.Minute, "time for all, building included")
	flag.DurationVar(&s.slice, "turn", time.Minute, "time of a target before others have their turn")
	flag.IntVar(&s.cores, "cores", runtime.NumCPU(), "targets at a time")
	flag.StringVar(&s.corpus, "corpus", "", "folder of inputs that add coverage (default: that of go test)")
	flag.StringVar(&s.crashers, "crashers", "bin/crashers", "folder of inputs that fail, each with what the test said")
	flag.StringVar(&s.binary, "binaries", "", "folder of the test programs (default: one that is removed in the end)")
	flag.StringVar(&s.json, "json", "", "add the counts to those of `FILE`, after each turn")
	flag.StringVar(&s.commit, "commit", "", "of the program, for -json")
	only := flag.String("only", "", "regular expression of targets, as \"stack/stackfile FuzzTOML\"")
	flag.Parse()
	var err error
	if s.only, err = regexp.Compile(*only); err == nil {
		err = run(&s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzzing:", err)
		os.Exit(1)
	}
}

func run(s *settings) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if s.binary == "" {
		var err error
		if s.binary, err = os.MkdirTemp("", "fuzzing"); err != nil {
			return err
		}
		defer os.RemoveAll(s.binary)
	}
	c := &fuzzer{settings: s, end: time.Now().Add(s.whole)}
	if err := c.prepare(ctx); err != nil {
		return err
	}
	err := c.all(ctx)
	r := record{}.plus("", c.rows())
	failed := 0
	for _, w := range r.Rows {
		failed += w.Crashers
	}
	fmt.Printf("%d executions of %d targets in %.2f core hours, %d inputs failed\n", r.Total.Executions,
		r.Total.Targets, r.Total.CoreHours, failed)
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d inputs failed; they are in %s", failed, s.crashers)
	}
	return err
}
