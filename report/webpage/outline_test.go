package webpage

import (
	"math"
	"testing"
)

// The chart of a long transient keeps its ends, every peak and every trough, and no more points than a screen shows.
func TestOutlineOfManySteps(t *testing.T) {
	for _, n := range []int{0, 1, mostSteps, mostSteps + 1, 3*mostSteps + 17, 1_000_003} {
		steps := make([]Step, n)
		for i := range steps {
			steps[i] = Step{Time: float64(i + 1), MaxK: 300 + math.Sin(float64(i)*1e-4)}
		}
		if n > 10 {
			steps[n/2].MaxK, steps[n/3].MaxK, steps[7].MaxK = 400, 200, math.NaN()
		}
		got := outline(steps)
		finite := n
		if n > 10 {
			finite--
		}
		if len(got) > mostSteps || n <= mostSteps && len(got) != finite {
			t.Fatalf("%d steps: %d points", n, len(got))
		}
		if n == 0 {
			continue
		}
		if got[0] != steps[0] || got[len(got)-1] != steps[n-1] {
			t.Errorf("%d steps: from %v to %v", n, got[0], got[len(got)-1])
		}
		low, high := math.Inf(1), math.Inf(-1)
		for i, s := range got {
			low, high = min(low, s.MaxK), max(high, s.MaxK)
			if steps[int(s.Time)-1] != s || i > 0 && s.Time <= got[i-1].Time {
				t.Fatalf("%d steps: point %d is %v", n, i, s)
			}
		}
		if n > 10 && (low != 200 || high != 400) {
			t.Errorf("%d steps: from %g to %g K, want 200 to 400", n, low, high)
		}
	}
}
