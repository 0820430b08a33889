package main

import (
	"fmt"
	"math"

	"thermsim/gpusolve/solution"
	"thermsim/report"
)

// verdict judges a finished run that has been written: nil when it can be relied on and is cool enough.
func verdict(r *report.Run, s *report.Summary, tmax float64, out string) error {
	st := &r.Solution.Status
	if doubt := s.Doubt(); doubt != "" {
		return withStatus(exitNotConverged, fmt.Errorf("not converged (%s%s); the best field found is in %s, marked as such; %s",
			doubt, errorText(st), out, remedy(st)))
	}
	imbalance := s.Energy.ImbalanceRel
	if limit := solution.ImbalanceLimit(r.Mesh, r.Solution); !(imbalance <= limit) {
		return withStatus(exitNotConverged, fmt.Errorf("the energy balance is off by %.2g of the heat flow, above the limit of %.2g; the field is in %s; solve to a smaller --tol, --rtol or --atol",
			imbalance, limit, out))
	}
	if hottest := hottest(s); tmax > 0 && hottest > tmax {
		return withStatus(exitTooHot, fmt.Errorf("hottest point %.2f degC exceeds --tmax %.2f degC by %.3g K; %s/summary.json lists the hot spots",
			celsius(hottest), celsius(tmax), hottest-tmax, out))
	}
	return nil
}

// remedy is what to do about a solve that did not converge.
func remedy(st *solution.Status) string {
	switch {
	case st.Reason == solution.ReasonUnsettled:
		return "properties change more with the temperature than the iteration can follow: take smaller time steps, less power, or laws that are less steep"
	case st.Fallback != "":
		return st.Fallback + ", in vain; accept a larger --tol, or look for extreme values in the stack with 'thermsim check'"
	case st.Reason == solution.ReasonIterations && st.Preconditioner != "multigrid":
		return "raise --max-iter or use --precond multigrid"
	case st.Reason == solution.ReasonIterations:
		return "raise --max-iter, use --precond ic or cmg, or accept a larger --tol"
	case st.Precision != nil && st.Precision.Mode != "adaptive" && st.Precision.Mode != "fixed-fp64":
		return "precision=" + st.Precision.Mode + " is there for comparison; take precision=adaptive"
	case st.Reason == solution.ReasonStagnation && st.Preconditioner == "multigrid":
		return "use --precond ic or cmg, accept a larger --tol, or look for extreme values in the stack with 'thermsim check'"
	case st.Reason == solution.ReasonStagnation && st.Method == "direct":
		return "use --precond multigrid, or look for extreme values in the stack with 'thermsim check'"
	case st.Reason == solution.ReasonStagnation:
		return "accept a larger --tol, or look for extreme values in the stack with 'thermsim check'"
	}
	return "look for extreme values in the stack with 'thermsim check'"
}

// hottest is the largest temperature of the run in K, over all steps of a transient.
func hottest(s *report.Summary) float64 {
	hot := s.Temperature.MaxK
	for _, step := range s.StepMaxima {
		hot = math.Max(hot, step.MaxK)
	}
	return hot
}

func celsius(kelvin float64) float64 { return kelvin - 273.15 }
