//go:build unix

// Command fuzzing runs every fuzz target of the repository for a given time, with one process of one worker on each
// core. Targets take turns; those of whole runs and of solvers get more. Inputs that add coverage stay in the cache of
// `go test`. Inputs that fail are moved from the packages to the folder of -crashers. To make one a seed, copy it to
// testdata/fuzz/TARGET of its package.
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
	flag.DurationVar(&s.whole, "for", 10*time.Minute, "total time, including builds")
	flag.DurationVar(&s.slice, "turn", time.Minute, "time of one turn of a target")
	flag.IntVar(&s.cores, "cores", runtime.NumCPU(), "targets at a time")
	flag.StringVar(&s.corpus, "corpus", "", "folder of inputs that add coverage (default: that of go test)")
	flag.StringVar(&s.crashers, "crashers", "bin/crashers", "folder of failing inputs and the output of their tests")
	flag.StringVar(&s.binary, "binaries", "", "folder of the test programs (default: temporary)")
	flag.StringVar(&s.json, "json", "", "add the counts to those of `FILE`, after each turn")
	flag.StringVar(&s.commit, "commit", "", "commit of the program, for -json")
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
