package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/signal"
	"time"

	"thermsim/gpusolve/solution"
	"thermsim/report"
)

// printSummary prints the tables, or the JSON, on stdout.
func printSummary(g *globals, r *report.Run, s *report.Summary, o *simulateOptions) error {
	defer g.timings.log.Begin("print")()
	var err error
	switch {
	case bool(o.json):
		err = s.WriteJSON(g.stdout)
	case o.lines:
		err = report.WriteJSONLine(g.stdout, "summary", *s)
	case !g.quiet:
		err = s.WriteText(g.stdout, g.style)
		if err == nil && !o.noMap {
			err = report.WriteTerminalMap(g.stdout, r, s, g.style.Width, g.depth)
		}
	}
	if err != nil {
		return err
	}
	g.note("maps and tables are in %s; %s in all", o.out, seconds(s.Time.TotalS))
	return nil
}

// logSolution is the part of the log that -v asks for.
func logSolution(g *globals, r *report.Run) {
	s := r.Solution
	g.detail("device: %s (%s), opened in %s", deviceText(s.Device), s.Device.Why, seconds(s.Timing.Device.Seconds()))
	if s.Device.Transport != "" {
		g.detail("the ranks are joined by %s", s.Device.Transport)
	}
	g.detail("%s: %s; set up in %s", solution.MethodText(s.Status.Method, s.Status.Preconditioner), s.Status.Details,
		seconds(s.Timing.Setup.Seconds()))
	if s.Status.Timings != "" {
		g.detail("set-up of %s: %s", s.Status.Preconditioner, s.Status.Timings)
	}
	if s.Status.Fallback != "" {
		g.detail("%s", s.Status.Fallback)
	}
	if n := s.Status.Nonlinear; n != nil {
		g.detail("properties follow the temperature: %d linear systems, nonlinear residual %.3g W, contraction %.2g",
			n.OuterTotal, n.ResidualW, n.Contraction)
	}
	g.detail("solved in %s: %d iterations, residual %.3g W%s, %s",
		seconds(s.Timing.Solve.Seconds()), s.Status.IterationsTotal, s.Status.ResidualW, errorText(&s.Status),
		s.Status.Reason)
	g.detail("%s on the device", byteCount(float64(s.Memory.DeviceBytes)))
	if s.Device.Kind == "gpu" && s.Timing.Device+s.Timing.Setup > slowStart {
		g.detail("opening and setting up a GPU takes this long when its driver compiles the kernels for it; it keeps " +
			"them, and the next run starts sooner")
	}
}

// errorText tells the estimated error, where the method gives one.
func errorText(st *solution.Status) string {
	if math.IsNaN(st.EstimatedErrorK) {
		return ""
	}
	return fmt.Sprintf(", estimated error %.2g K", st.EstimatedErrorK)
}

// slowStart is longer than opening a GPU and setting up takes once the driver has the kernels in its cache.
const slowStart = 400 * time.Millisecond

// deviceText names a device for people.
func deviceText(d solution.DeviceInfo) string {
	switch {
	case d.Kind == "gpu":
		return d.Kind + " " + d.Name
	case d.Threads == 1:
		return fmt.Sprintf("%s %s, 1 thread", d.Kind, d.Name)
	}
	return fmt.Sprintf("%s %s, %d threads", d.Kind, d.Name, d.Threads)
}

// outlast returns a context for saving what was finished: the first interrupt does not end it, the second one does. An
// interrupt that ended ctx already counts as the first.
func outlast(ctx context.Context) (saving context.Context, stop func()) {
	saving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, endings()...)
	left := 2
	if ctx.Err() != nil {
		left = 1
	}
	go func() {
		for left > 0 {
			select {
			case <-signals:
				left--
			case <-saving.Done():
				return
			}
		}
		cancel()
	}()
	return saving, func() {
		signal.Stop(signals)
		cancel()
	}
}
