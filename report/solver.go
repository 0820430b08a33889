package report

import (
	"math"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report/statistics"
	"thermsim/report/summary"
)

func summariseLeakage(m *mesh.Mesh, l *solution.Leakage) *summary.Leakage {
	if l == nil {
		return nil
	}
	s := &summary.Leakage{PowerW: l.Watts, LoopGain: l.Gain, At: statistics.PlaceOf(m, l.I, l.J, l.K),
		Runaway: l.Runaway,
		TimeS:   l.Time, LargestFactor: l.Factor,
		OutOfRange: l.Outside, FromK: l.From, ToK: l.To}
	if !(l.Gain > 0) {
		s.LoopGain = math.NaN()
	}
	return s
}

func summariseNonlinear(m *mesh.Mesh, n *solution.Nonlinear) *summary.Nonlinear {
	if n == nil {
		return nil
	}
	s := &summary.Nonlinear{OuterIterations: n.OuterTotal, ResidualNormW: n.ResidualW, Contraction: n.Contraction,
		Leakage: summariseLeakage(m, n.Leakage)}
	for i, cells := range n.Outside {
		if cells > 0 {
			material := &m.Stack.Materials[i]
			from, to, _ := material.Range()
			s.OutOfRange = append(s.OutOfRange, summary.OutOfRange{Material: material.Name, FromK: from, ToK: to,
				Cells: cells})
		}
	}
	return s
}

func summariseStepping(s *solution.Stepping) *summary.Stepping {
	if s == nil {
		return nil
	}
	return &summary.Stepping{
		Method: s.Method, TolK: s.TolK, LargestErrorK: s.LargestErrorK, Steps: s.Steps, Rejected: s.Rejected,
		Solves: s.Solves, Setups: s.Setups,
		PowerChanges: s.Changes, ShortestS: s.ShortestS, LongestS: s.LongestS, PeakK: s.PeakK, PeakS: s.PeakS,
		SteadyRestK: s.RestK, Steady: s.Steady, PeriodS: s.Period, Periods: s.Periods, ClosureK: s.ClosureK,
	}
}

func summariseSolver(m *mesh.Mesh, sol *solution.Solution) summary.Solver {
	st := &sol.Status
	return summary.Solver{
		Method: st.Method, Preconditioner: st.Preconditioner, Iterations: st.Iterations,
		ResidualNormW: st.ResidualW, RelativeResidual: st.RelativeResidual, EstimatedErrorK: st.EstimatedErrorK,
		Converged: st.Converged, Reason: st.Reason, Fallback: st.Fallback,
		Nonlinear: summariseNonlinear(m, st.Nonlinear),
	}
}
