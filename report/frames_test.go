package report

import (
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/report/samples"
)

// An animation of a long transient keeps evenly spread maps and the last one, and their number does not grow with the
// steps.
func TestFramesOfALongTransient(t *testing.T) {
	m := samples.Build(t, samples.Stack(4, 3))
	for _, steps := range []int{1, 2, 800, 801, 1601, 5003} {
		r, err := NewFrameRecorder(m, "")
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= steps; n++ {
			var f solution.Field = samples.Field{Mesh: m, Of: func(x, y, z float64) float64 { return 300 + float64(n) }}
			if err := r.Step(n, solution.Step{Time: float64(n) * 1e-3}, f); err != nil {
				t.Fatal(err)
			}
		}
		if got := len(r.maps); got > 2*maxFrames || got < min(steps, maxFrames) {
			t.Errorf("%d steps: %d maps", steps, got)
		}
		if r.lo != 301 || r.hi != 300+float64(steps) {
			t.Errorf("%d steps: from %g to %g K", steps, r.lo, r.hi)
		}
		if last := len(r.at) - 1; r.at[last] != steps || r.times[last] != float64(steps)*1e-3 {
			t.Errorf("%d steps: the last map is of step %d", steps, r.at[last])
		}
		for i, at := range r.at {
			if r.maps[i][0] != 300+float64(at) || i+1 < len(r.at) && at%r.stride != 0 {
				t.Fatalf("%d steps: map %d shows %g K, of step %d", steps, i, r.maps[i][0], at)
			}
		}
	}
}
