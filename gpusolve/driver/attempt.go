package driver

import (
	"context"
	"math"
	"strings"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
)

// headway notices when the estimate of the error no longer falls: multigrid that brings it down by less than half in
// window iterations is slower than any of its successors.
type headway struct {
	best [window]float64 // the least estimate up to an iteration, of the last ones
	n    int
}

const window = 20

// lost takes the estimate of the next iteration; NaN, where there is none yet, counts as no headway.
func (h *headway) lost(errorK float64) bool {
	now := errorK
	if math.IsNaN(now) {
		now = math.Inf(1)
	}
	if h.n > 0 {
		now = math.Min(now, h.best[(h.n-1)%window])
	}
	before := h.best[h.n%window]
	h.best[h.n%window] = now
	h.n++
	return h.n > window && now > before/2
}

// line is who tried to solve a system before the present method.
type line struct {
	Tried []string // each with why it gave up
	Next  int      // of the successors
}

// String tells what stalled, in the order it was tried.
func (l *line) String(now string) string {
	if len(l.Tried) == 0 {
		return ""
	}
	return strings.Join(l.Tried, ", ") + "; " + now + " took over"
}

// Attempt runs the default method until it is done or makes no headway.
func (d *Driver) Attempt(ctx context.Context, rule krylov.Rule, b ops.Source, watch Watch) (krylov.Outcome, error) {
	watched, stop := context.WithCancel(ctx)
	defer stop()
	var h headway
	out, err := d.Improve(watched, rule, b, func(n int, errorK float64) {
		if watch != nil {
			watch(n, errorK)
		}
		if h.lost(errorK) {
			stop()
		}
	})
	if out.Reason == krylov.Interrupted && ctx.Err() == nil {
		out.Reason = krylov.Stagnation
	}
	return out, err
}
