package main

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/internal/timeline"
)

// timingsFlag is --timings: when the parts of a run began and how long they took.
type timingsFlag struct {
	file string        // "-" for a table on stderr
	log  *timeline.Log // nil where nobody asked
}

// addTimingsFlag offers it.
func (g *globals) addTimingsFlag(f *pflag.FlagSet) {
	f.StringVar(&g.timings.file, "timings", "", "write how long the parts of the run took into `FILE` (- for stderr)")
}

// logTimings begins the log, if what it is to be written into can be.
func (g *globals) logTimings() error {
	if g.timings.file == "" {
		return nil
	}
	if g.timings.file != "-" {
		if err := staging.CheckReplace(g.timings.file); err != nil {
			return usagef("%w; name another file with --timings, or - for stderr", err)
		}
	}
	g.timings.log = timeline.New(g.start)
	g.timings.log.Add("start", g.start, time.Since(g.start))
	return nil
}

// tellTimings writes the log at the end of the process.
func (g *globals) tellTimings() error {
	log := g.timings.log
	if log == nil {
		return nil
	}
	log.Add("whole run", g.start, time.Since(g.start))
	if g.timings.file == "-" {
		for _, s := range log.Spans() {
			g.print(fmt.Sprintf("%10.1f ms %+10.1f ms  %s", milliseconds(s.Start), milliseconds(s.Took),
				printable.Text(s.Name)))
		}
		return nil
	}
	if err := staging.Replace(g.timings.file, log.WriteJSON); err != nil {
		return fmt.Errorf("cannot write the timings: %w", err)
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
