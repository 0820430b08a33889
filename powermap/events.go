package powermap

import (
	"math"

	"thermsim/stack"
)

// NextChange is the first time after t, in s, at which the power of any source changes; +Inf if there is none. Between
// two changes all powers are constant. Times that differ only by rounding count as one.
func (m *Map) NextChange(t float64) float64 {
	if t < 0 {
		t = 0
	}
	last := t + 2*m.longest()
	for at := t; at <= last; {
		next := m.nextEntry(at)
		if math.IsInf(next, 1) {
			return next
		}
		end := m.nextEntry(next)
		if math.IsInf(end, 1) {
			end = 2 * next
		}
		if m.Changed(at, next, next, end) {
			return next
		}
		at = next
	}
	return math.Inf(1) // every row was seen, and none differs
}

// longest is the time in s after which traces only repeat.
func (m *Map) longest() float64 {
	end := 0.0
	m.timed(func(p *stack.Power) {
		if p.Trace != nil {
			end = math.Max(end, p.Trace.End)
		}
		if n := len(p.Schedule); n > 0 {
			end = math.Max(end, p.Schedule[n-1].Time)
		}
	})
	return end
}

// timed calls f for every power that may change in time.
func (m *Map) timed(f func(p *stack.Power)) {
	for s := range m.sources() {
		if s.transient() {
			f(s.power)
		}
	}
}

// nextEntry is the time after t of the next row of a trace or point of a schedule.
func (m *Map) nextEntry(t float64) float64 {
	next := math.Inf(1)
	m.timed(func(p *stack.Power) {
		for _, c := range p.Schedule {
			if c.Time > t+timeRounding(t, c.Time) {
				next = math.Min(next, c.Time)
				break
			}
		}
		if p.Trace != nil {
			next = math.Min(next, nextRow(p.Trace, t))
		}
	})
	return next
}

// nextRow is the start of the next row of a trace after t.
func nextRow(tr *stack.Trace, t float64) float64 {
	begin, tiny := 0.0, timeRounding(t, tr.End)
	if tr.Repeat {
		begin = math.Floor((t+tiny)/tr.End) * tr.End
	}
	for row := rowAt(tr.Times, t-begin); row < len(tr.Times); row++ {
		if at := begin + tr.Times[row]; at > t+tiny {
			return at
		}
	}
	if tr.Repeat {
		return begin + tr.End
	}
	return math.Inf(1)
}

// mostRepeats is the largest number of periods of the longest trace after which all traces begin again together.
const mostRepeats = 1000

// Period is the time in s after which all powers repeat forever. It is 0 if they do not: nothing repeats, a trace
// remains in its last row, a schedule changes a power once, or traces have no common period within a thousand of the
// longest.
func (m *Map) Period() float64 {
	longest, lasting := 0.0, false
	m.timed(func(p *stack.Power) {
		lasting = lasting || len(p.Schedule) > 0 && (len(p.Schedule) > 1 || p.Schedule[0].Time > 0)
		if t := p.Trace; t != nil && t.Repeat {
			longest = math.Max(longest, t.End)
		} else if t != nil && len(t.Times) > 1 {
			lasting = true
		}
	})
	if lasting || longest == 0 {
		return 0
	}
	for n := 1.0; n <= mostRepeats; n++ {
		fits := true
		m.timed(func(p *stack.Power) {
			if t := p.Trace; t != nil && t.Repeat {
				times := n * longest / t.End
				fits = fits && math.Abs(times-math.Round(times)) <= 1e-9*times
			}
		})
		if fits {
			return n * longest
		}
	}
	return 0
}

// LastChange is a time in s after which no power changes, except for traces that repeat.
func (m *Map) LastChange() float64 { return m.longest() }
