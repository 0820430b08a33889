package report

import (
	"math"
	"os"
	"runtime/metrics"
	"strconv"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/report/summary"
)

// NewSystemSummary summarizes a solve. The caller adds the matrix, file names, the largest error and the times of
// reading.
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

// AddColumn adds the solution for a further right-hand side.
func AddColumn(sum *summary.System, b []float64, s *solution.Vector) {
	if sum.Columns == nil {
		first := &sum.Solver
		sum.Columns = []summary.Column{{Iterations: first.Iterations, ResidualNorm: first.ResidualNorm,
			RelativeResidual: first.RelativeResidual, Converged: first.Converged, Reason: first.Reason}}
	}
	c := NewSystemSummary(b, s)
	of, to := &c.Solver, &sum.Solver
	sum.Columns = append(sum.Columns, summary.Column{Iterations: of.Iterations, ResidualNorm: of.ResidualNorm,
		RelativeResidual: of.RelativeResidual, Converged: of.Converged, Reason: of.Reason})
	to.Iterations += of.Iterations
	to.ResidualNorm = max(to.ResidualNorm, of.ResidualNorm)
	to.RelativeResidual = max(to.RelativeResidual, of.RelativeResidual)
	if to.Converged && !of.Converged {
		to.Converged, to.Reason = false, of.Reason
	}
	sum.Source.Norm = math.Hypot(sum.Source.Norm, c.Source.Norm)
	sum.Solution.Norm = math.Hypot(sum.Solution.Norm, c.Solution.Norm)
	sum.Solution.Min, sum.Solution.Max = min(sum.Solution.Min, c.Solution.Min), max(sum.Solution.Max, c.Solution.Max)
	sum.Time.SolveS += c.Time.SolveS
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

// hostPeakBytes is the largest resident set of this process so far: VmHWM from /proc if available, otherwise the memory
// that the Go runtime has mapped.
func hostPeakBytes() int64 {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		if peak, ok := vmHWM(string(status)); ok {
			return peak
		}
	}
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}

// vmHWM reads the line "VmHWM:   1234 kB".
func vmHWM(status string) (int64, bool) {
	_, rest, found := strings.Cut(status, "VmHWM:")
	if !found {
		return 0, false
	}
	line, _, _ := strings.Cut(rest, "\n")
	kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "kB")), 10, 64)
	return kb * 1024, err == nil
}
