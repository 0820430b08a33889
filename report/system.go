package report

import (
	"math"

	"thermsim/gpusolve/solution"
	"thermsim/report/summary"
)

// NewSystemSummary gathers the numbers of a solve. What is known of the matrix, names of files, the largest error and
// the times of reading are the caller's.
func NewSystemSummary(b []float64, s *solution.Vector) *summary.System {
	st := &s.Status
	sum := &summary.System{
		Schema: 1,
		Source: summary.Source{Norm: norm(b)},
		Device: deviceOf(&s.Device),
		Solver: summary.SystemSolver{
			Method: st.Method, Preconditioner: st.Preconditioner, Details: st.Details, Iterations: st.IterationsTotal,
			ResidualNorm: st.ResidualW, RelativeResidual: st.RelativeResidual, Converged: st.Converged,
			Reason: st.Reason,
		},
		Solution: summary.Vector{Min: math.Inf(1), Max: math.Inf(-1), Norm: norm(s.X), LargestError: math.NaN()},
		Time: summary.SystemTime{DeviceS: s.Timing.Device.Seconds(), SetupS: s.Timing.Setup.Seconds(),
			SolveS: s.Timing.Solve.Seconds()},
		Memory: summary.Memory{DeviceBytes: s.Memory.DeviceBytes, HostPeakBytes: hostPeakBytes()},
	}
	for _, v := range s.X {
		sum.Solution.Min, sum.Solution.Max = min(sum.Solution.Min, v), max(sum.Solution.Max, v)
	}
	return sum
}

// norm is the Euclidean norm, scaled so that no square overflows.
func norm(v []float64) float64 {
	largest, sum := 0.0, 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	if largest == 0 || math.IsNaN(largest) || math.IsInf(largest, 0) {
		return largest
	}
	for _, x := range v {
		sum += x / largest * (x / largest)
	}
	return largest * math.Sqrt(sum)
}
