package session

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/internal/timeline"
)

// timingsFlag is --timings: when the parts of a run began and how long they took.
type timingsFlag struct {
	File string        // "-" for a table on stderr
	Log  *timeline.Log // nil without --timings
}

// AddTimingsFlag offers it.
func (g *Session) AddTimingsFlag(f *pflag.FlagSet) {
	f.StringVar(&g.Timings.File, "timings", "", "write a timing breakdown of the run to `FILE` (- for stderr)")
}

// LogTimings begins the log, if what it is to be written into can be.
func (g *Session) LogTimings() error {
	if g.Timings.File == "" {
		return nil
	}
	if g.Timings.File != "-" {
		if err := staging.CheckReplace(g.Timings.File); err != nil {
			return exit.Usagef("%w; name another file with --timings, or - for stderr", err)
		}
	}
	g.Timings.Log = timeline.New(g.Start)
	g.Timings.Log.Add("start", g.Start, time.Since(g.Start))
	return nil
}

// WriteTimings writes the log at the end of the process.
func (g *Session) WriteTimings() error {
	log := g.Timings.Log
	if log == nil {
		return nil
	}
	log.Add("whole run", g.Start, time.Since(g.Start))
	if g.Timings.File == "-" {
		for _, s := range log.Spans() {
			g.Print(fmt.Sprintf("%10.1f ms %+10.1f ms  %s", milliseconds(s.Start), milliseconds(s.Took),
				printable.Text(s.Name)))
		}
		return nil
	}
	if err := staging.Replace(g.Timings.File, log.WriteJSON); err != nil {
		return fmt.Errorf("cannot write the timings: %w", err)
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
