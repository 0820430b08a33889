package report

import (
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
)

// hostPeakBytes is the largest resident set of this process so far: VmHWM where /proc tells it, elsewhere what the Go
// runtime has mapped, which is close since nothing here allocates outside it.
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
