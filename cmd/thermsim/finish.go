package main

import (
	"fmt"
	"math"
	"strings"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/solution"
	"thermsim/report"
	"thermsim/report/jsonfile"
	"thermsim/report/printout"
	"thermsim/report/quantity"
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
		style := g.Style
		style.Units = o.outputs.Units
		err = printout.Write(g.Stdout, s, style)
		if err == nil && !o.noMap {
			err = report.WriteTerminalMap(g.Stdout, r.Mesh, r.Solution.Field, s, style, g.Depth)
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
		g.Detail("setup of %s: %s", s.Status.Preconditioner, s.Status.Timings)
	}
	if s.Status.Fallback != "" {
		g.Detail("%s", s.Status.Fallback)
	}
	if n := s.Status.Nonlinear; n != nil {
		g.Detail("temperature-dependent properties: %d linear systems, nonlinear residual %.3g W, contraction %.2g",
			n.OuterTotal, n.ResidualW, n.Contraction)
	}
	g.Detail("solved in %s: %d iterations, residual %.3g W%s, %s",
		terminal.Seconds(s.Timing.Solve.Seconds()), s.Status.IterationsTotal, s.Status.ResidualW, errorText(&s.Status),
		s.Status.Reason)
	g.Detail("%s on the device", terminal.Bytes(float64(s.Memory.DeviceBytes)))
}

// errorText is the estimated error, where the method gives one.
func errorText(st *solution.Status) string {
	if math.IsNaN(st.EstimatedErrorK) {
		return ""
	}
	return fmt.Sprintf(", estimated error %.2g K", st.EstimatedErrorK)
}

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

// verdict judges a finished run that has been written: nil when it can be relied on and keeps its limits. flag says
// that --tmax set that of the stack.
func verdict(r *report.Run, s *summary.Summary, flag bool, unit *quantity.Scale, out string) error {
	st := &r.Solution.Status
	if st.Reason == solution.ReasonRunaway {
		return exit.With(exit.Runaway,
			fmt.Errorf("thermal runaway %s; it is in %s, marked as such; lower the power or the leakage, or "+
				"cool better", s.Doubt(), out))
	}
	if imbalance := s.Energy.ImbalanceRel; st.Reason == solution.ReasonImbalance {
		return exit.With(exit.NotConverged,
			fmt.Errorf("the energy balance is off by %.2g of the heat flow, above the limit of %.2g; the field is in "+
				"%s; solve to a smaller --tol, --rtol or --atol",
				imbalance, solution.ImbalanceLimit(r.Mesh, r.Solution), out))
	}
	if doubt := s.Doubt(); doubt != "" {
		return exit.With(exit.NotConverged,
			fmt.Errorf("not converged (%s%s); the best field found is in %s, marked as such; %s",
				doubt, errorText(st), out, remedy(st)))
	}
	if why := s.Implausible(); why != "" {
		return exit.With(exit.NotConverged, fmt.Errorf("%s; the field is in %s", why, out))
	}
	exceeded := s.Exceeded()
	if off := s.ExceededMeasured(); len(exceeded) == 0 && len(off) > 0 {
		return exit.With(exit.TooHot, fmt.Errorf("%s; %s/measured.csv lists the values", off[0].Text(), out))
	}
	if len(exceeded) == 0 {
		return nil
	}
	what := limitText(&exceeded[0], flag, unit)
	if n := len(exceeded); n > 1 {
		what += fmt.Sprintf("; %d of %d limits are exceeded", n, len(s.Limits))
	}
	return exit.With(exit.TooHot, fmt.Errorf("%s; %s/limits.csv lists the limits", what, out))
}

// limitText describes an exceeded limit. That of the whole stack is named after the flag if the flag set it.
func limitText(l *summary.Limit, flag bool, unit *quantity.Scale) string {
	text := l.Text(unit)
	if l.Kind == "stack" && flag {
		text = strings.Replace(text, "its tmax of", "--tmax", 1)
	}
	return text
}

// remedy is what to do about a solve that did not converge.
func remedy(st *solution.Status) string {
	switch {
	case st.Reason == solution.ReasonUnsettled:
		return "properties change too strongly with temperature for the iteration to converge. Fix: use smaller time " +
			"steps, less power, or less steep laws"
	case st.Reason == solution.ReasonOutOfRange:
		return "check units of currents, resistances and [power_grid], lower the currents, or cool better"
	case st.Fallback != "":
		return st.Fallback + ", in vain; accept a larger --tol, or look for extreme values in the stack with " +
			"'thermsim check'"
	case st.Reason == solution.ReasonIterations && st.Preconditioner != "multigrid":
		return "raise --max-iter or use --precond multigrid"
	case st.Reason == solution.ReasonIterations:
		return "raise --max-iter, use --precond ic or cmg, or accept a larger --tol"
	case st.Precision != nil && st.Precision.Mode != "adaptive" && st.Precision.Mode != "fixed-fp64":
		return "precision=" + st.Precision.Mode + " is there for comparison; take precision=adaptive"
	case st.Reason == solution.ReasonStagnation && st.Preconditioner == "multigrid":
		return "use --precond ic or cmg, accept a larger --tol, or look for extreme values in the stack with " +
			"'thermsim check'"
	case st.Reason == solution.ReasonStagnation && st.Method == solution.MethodDirect:
		return "use --precond multigrid, or look for extreme values in the stack with 'thermsim check'"
	case st.Reason == solution.ReasonStagnation:
		return "accept a larger --tol, or look for extreme values in the stack with 'thermsim check'"
	}
	return "look for extreme values in the stack with 'thermsim check'"
}

// strictVerdict is verdict, and where that has nothing to say, what --strict makes of warnings about the result.
func strictVerdict(r *report.Run, s *summary.Summary, o *simulateOptions) error {
	if err := verdict(r, s, o.tmax > 0, o.outputs.Units.Scale, o.out); err != nil {
		return err
	}
	return o.strict.Refuse(s.Warnings, " about the result; the files are in "+o.out)
}
