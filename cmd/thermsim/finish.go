package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"thermsim/report"
)

// writeReport writes the files of a run.
func writeReport(ctx context.Context, g *globals, r *report.Run, o *simulateOptions) (*report.Summary, error) {
	s, err := report.Summarise(r)
	if err != nil {
		return nil, err
	}
	maps := r.Mesh.Stack.Output.Maps
	files, err := report.Write(ctx, r, s, report.Options{Dir: o.out, Maps: maps, LargeCSV: len(maps) > 0})
	if err != nil {
		return nil, err
	}
	g.detail("wrote %d files in %s", len(files), seconds(s.Time.ReportS))
	return s, nil
}

// printSummary prints the tables, or the JSON, on stdout.
func printSummary(g *globals, s *report.Summary, o *simulateOptions) error {
	var err error
	switch {
	case o.json:
		err = s.WriteJSON(g.stdout)
	case !g.quiet:
		err = s.WriteText(g.stdout, g.style)
	}
	if err != nil {
		return fmt.Errorf("cannot print the results: %w; they are in %s", err, o.out)
	}
	g.note("maps and tables are in %s; %s in all", o.out, seconds(s.Time.TotalS))
	return nil
}

// logSolution is the part of the log that -v asks for.
func logSolution(g *globals, r *report.Run) {
	s := r.Solution
	g.detail("device: %s %s, %d threads (%s), opened in %s", s.Device.Kind, s.Device.Name, s.Device.Threads, s.Device.Why, seconds(s.Timing.Device.Seconds()))
	g.detail("%s with %s: %s; set up in %s", s.Status.Method, s.Status.Preconditioner, s.Status.Details, seconds(s.Timing.Setup.Seconds()))
	g.detail("solved in %s: %d iterations, residual %.3g W, estimated error %.2g K, %s",
		seconds(s.Timing.Solve.Seconds()), s.Status.IterationsTotal, s.Status.ResidualW, s.Status.EstimatedErrorK, s.Status.Reason)
	g.detail("%s on the device", byteCount(float64(s.Memory.DeviceBytes)))
}

// outlast returns a context for saving what was finished: the first interrupt does not end it, the second one does. An interrupt that
// ended ctx already counts as the first.
func outlast(ctx context.Context) (saving context.Context, stop func()) {
	saving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
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
