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
