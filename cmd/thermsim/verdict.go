package main

import (
	"fmt"
	"strings"

	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve/solution"
	"thermsim/report"
	"thermsim/report/summary"
)

// verdict judges a finished run that has been written: nil when it can be relied on and keeps its limits. flag says
// that --tmax set that of the stack.
func verdict(r *report.Run, s *summary.Summary, flag bool, out string) error {
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
	if len(exceeded) == 0 {
		return nil
	}
	what := limitText(&exceeded[0], flag)
	if n := len(exceeded); n > 1 {
		what += fmt.Sprintf("; %d of %d limits are exceeded", n, len(s.Limits))
	}
	return exit.With(exit.TooHot, fmt.Errorf("%s; %s/limits.csv lists the limits", what, out))
}

// limitText tells of a limit that is exceeded. That of the whole stack is called by the flag where the flag set it.
func limitText(l *summary.Limit, flag bool) string {
	text := l.Text()
	if l.Kind == "stack" && flag {
		text = strings.Replace(text, "its tmax of", "--tmax", 1)
	}
	return text
}

// remedy is what to do about a solve that did not converge.
func remedy(st *solution.Status) string {
	switch {
	case st.Reason == solution.ReasonUnsettled:
		return "properties change more with the temperature than the iteration can follow: take smaller time steps, " +
			"less power, or laws that are less steep"
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
	if err := verdict(r, s, o.tmax > 0, o.out); err != nil {
		return err
	}
	return o.strict.Refuse(s.Warnings, " about the result; the files are in "+o.out)
}
