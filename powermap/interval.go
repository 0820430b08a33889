package powermap

import (
	"math"
	"sort"

	"thermsim/stack"
)

// rowShare is the share of a time step that falls into one row of a trace.
type rowShare struct {
	row   int
	share float64
}

// part is a piece of a time step in which the schedule's factor is constant, and its share of the step.
type part struct {
	t0, t1, factor, share float64
}

// traceShares divides the step (t0, t1] among the rows of tr. A row may appear more than once; the shares sum to 1.
func traceShares(tr *stack.Trace, t0, t1 float64) []rowShare {
	tiny := timeRounding(t1, tr.End)
	var shares []rowShare
	if !tr.Repeat {
		shares = windowShares(tr.Times, math.Inf(1), t0, t1, tiny, shares)
	} else {
		shares = repeatedShares(tr, t0, t1, tiny)
	}
	if len(shares) == 0 { // the step is shorter than the rounding of its times
		middle := t0 + (t1-t0)/2
		if tr.Repeat {
			middle = math.Mod(middle, tr.End)
		}
		return []rowShare{{rowAt(tr.Times, middle), 1}}
	}
	var total Sum
	for _, s := range shares {
		total.Add(s.share)
	}
	for i := range shares {
		shares[i].share /= total.Value()
	}
	return shares
}

// repeatedShares counts the rest of the period in which the step begins, the whole periods, and the start of the last
// one: a step over a million periods costs no more than one over three.
func repeatedShares(tr *stack.Trace, t0, t1, tiny float64) []rowShare {
	start := math.Mod(t0, tr.End)
	length := t1 - t0
	if start+length <= tr.End {
		return windowShares(tr.Times, tr.End, start, start+length, tiny, nil)
	}
	shares := windowShares(tr.Times, tr.End, start, tr.End, tiny, nil)
	length -= tr.End - start
	if whole := math.Floor(length / tr.End); whole > 0 {
		n := len(shares)
		shares = windowShares(tr.Times, tr.End, 0, tr.End, 0, shares)
		for i := range shares[n:] {
			shares[n+i].share *= whole
		}
		length -= whole * tr.End
	}
	return windowShares(tr.Times, tr.End, 0, length, tiny, shares)
}

// windowShares appends the seconds of (t0, t1] that fall into each row, leaving out pieces no longer than tiny.
func windowShares(times []float64, end, t0, t1, tiny float64, shares []rowShare) []rowShare {
	for row := rowAt(times, t0); row < len(times) && times[row] < t1; row++ {
		next := end
		if row+1 < len(times) {
			next = times[row+1]
		}
		if d := math.Min(t1, next) - math.Max(t0, times[row]); d > tiny {
			shares = append(shares, rowShare{row, d})
		}
	}
	return shares
}

// rowAt is the row in force at time t, the first one before its start.
func rowAt(times []float64, t float64) int {
	return max(0, sort.Search(len(times), func(i int) bool { return times[i] > t })-1)
}

// scheduleParts divides the step (t0, t1] where the schedule changes. Before its first point the factor is 1.
func scheduleParts(points []stack.ScalePoint, t0, t1 float64) []part {
	tiny := timeRounding(t1, 0)
	current := part{t0: t0, t1: t1, factor: 1, share: 1}
	var parts []part
	for _, p := range points {
		if p.Time >= t1-tiny {
			break
		}
		if p.Time > t0+tiny {
			closed := current
			closed.t1 = p.Time
			parts = append(parts, closed)
			current.t0 = p.Time
		}
		current.factor = p.Factor
	}
	if len(parts) == 0 {
		return append(parts, current)
	}
	parts = append(parts, current)
	for i := range parts {
		parts[i].share = (parts[i].t1 - parts[i].t0) / (t1 - t0)
	}
	return parts
}

// timeRounding is the length below which a piece of a step is rounding: steps are n dt, rows m interval, and neither is
// exact.
func timeRounding(t1, end float64) float64 { return 64 * epsilon * math.Max(t1, end) }
