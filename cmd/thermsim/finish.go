package main

import (
	"fmt"
	"math"
	"time"

	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/solution"
	"thermsim/report"
	"thermsim/report/jsonfile"
	"thermsim/report/printout"
	"thermsim/report/summary"
)

// printSummary prints the tables, or the JSON, on stdout.
func printSummary(g *session.Session, r *report.Run, s *summary.Summary, o *simulateOptions) error {
	defer g.Timings.Log.Begin("print")()
	var err error
	switch {
	case bool(o.json):
		err = s.WriteJSON(g.Stdout)
	case o.lines:
		err = jsonfile.WriteLine(g.Stdout, "summary", *s)
	case !g.Quiet:
		err = printout.Write(g.Stdout, s, g.Style)
		if err == nil && !o.noMap {
			err = report.WriteTerminalMap(g.Stdout, r.Mesh, r.Solution.Field, s, g.Style.Width, g.Depth)
		}
	}
	if err != nil {
		return err
	}
	g.Note("maps and tables are in %s; %s in all", o.out, terminal.Seconds(s.Time.TotalS))
	return nil
}

// logSolution is the part of the log that -v asks for.
func logSolution(g *session.Session, r *report.Run) {
	s := r.Solution
	g.Detail("device: %s (%s), opened in %s", deviceText(s.Device), s.Device.Why,
		terminal.Seconds(s.Timing.Device.Seconds()))
	if s.Device.Transport != "" {
		g.Detail("the ranks are joined by %s", s.Device.Transport)
	}
	g.Detail("%s: %s; set up in %s", solution.MethodText(s.Status.Method, s.Status.Preconditioner), s.Status.Details,
		terminal.Seconds(s.Timing.Setup.Seconds()))
	if s.Status.Timings != "" {
		g.Detail("set-up of %s: %s", s.Status.Preconditioner, s.Status.Timings)
	}
	if s.Status.Fallback != "" {
		g.Detail("%s", s.Status.Fallback)
	}
	if n := s.Status.Nonlinear; n != nil {
		g.Detail("properties follow the temperature: %d linear systems, nonlinear residual %.3g W, contraction %.2g",
			n.OuterTotal, n.ResidualW, n.Contraction)
	}
	g.Detail("solved in %s: %d iterations, residual %.3g W%s, %s",
		terminal.Seconds(s.Timing.Solve.Seconds()), s.Status.IterationsTotal, s.Status.ResidualW, errorText(&s.Status),
		s.Status.Reason)
	g.Detail("%s on the device", terminal.Bytes(float64(s.Memory.DeviceBytes)))
	if s.Device.Kind == "gpu" && s.Timing.Device+s.Timing.Setup > slowStart {
		g.Detail("opening and setting up a GPU takes this long when its driver compiles the kernels for it; it keeps " +
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
