package stackfile

import (
	"thermsim/stack"
	"thermsim/stack/internal/faults"
)

// blockTrace reads the schedule or the duty cycle of a block, and reports whether it has one.
func (l *loader) blockTrace(t *table, b *stack.Block) bool {
	var trace *stack.Trace
	switch {
	case t.has("duty"):
		trace = l.dutyCycle(t.sub("duty"))
	case t.has("schedule"):
		trace = l.blockSchedule(t)
	case t.has("period"):
		l.fail(t.pos("period"), "add schedule, or use duty", "period needs a schedule")
	}
	if trace == nil {
		return t.has("duty") || t.has("schedule")
	}
	if !t.has("power") {
		b.Watts = trace.Mean(0)
	}
	if l.inTime == nil {
		l.inTime = map[stack.Pos]*stack.Trace{}
	}
	l.inTime[b.Pos] = trace
	return true
}

// dutyCycle is the trace of a duty cycle; nil, and the fault noted, if it makes no sense.
func (l *loader) dutyCycle(t *table) *stack.Trace {
	if t == nil {
		return nil
	}
	period, on := t.scalar("period"), t.scalar("on")
	high, idle := t.scalar("power"), t.scalar("idle")
	if period == 0 || on == 0 {
		return nil // reported
	}
	if on >= period {
		l.fail(t.pos("on"), "give a constant power, or a shorter time",
			"a duty cycle must be on for less than its period")
		return nil
	}
	return &stack.Trace{Times: []float64{0, on}, End: period, Repeat: true, Watts: [][]float64{{high}, {idle}}}
}

// blockSchedule is the trace of a schedule; nil, and the fault noted, if it makes no sense.
func (l *loader) blockSchedule(t *table) *stack.Trace {
	before := len(l.faults.Found)
	trace := &stack.Trace{End: t.scalar("period"), Repeat: t.has("period")}
	for i, pt := range t.tables("schedule") {
		at := pt.scalar("t")
		switch {
		case i == 0 && at != 0:
			l.fail(pt.pos("t"), `start with { t = "0 s", power = "0 W" }`, "a schedule must start at 0 s")
		case i > 0 && at <= trace.Times[i-1]:
			l.fail(pt.pos("t"), "", "times of a schedule must ascend")
		}
		trace.Times = append(trace.Times, at)
		trace.Watts = append(trace.Watts, []float64{pt.scalar("power")})
	}
	last := len(trace.Times) - 1
	switch {
	case len(l.faults.Found) > before || last < 0:
		return nil
	case trace.Repeat && trace.End <= trace.Times[last]:
		l.fail(t.pos("period"), "make it longer", "period must exceed the last time of the schedule")
		return nil
	case !trace.Repeat && last == 0:
		l.fail(t.pos("schedule"), "give power, or a second point", "a schedule of one point is a constant power")
		return nil
	case !trace.Repeat:
		trace.End = 2*trace.Times[last] - trace.Times[last-1]
	}
	return trace
}

// splitTimed gives every block with a schedule or a duty cycle a separate power, since a power has one trace.
func (l *loader) splitTimed(powers []stack.Power) []stack.Power {
	if l.inTime == nil {
		return powers
	}
	var all []stack.Power
	for _, p := range powers {
		var constant []stack.Block
		var timed []stack.Power
		for _, b := range p.Blocks {
			trace := l.inTime[b.Pos]
			switch {
			case trace == nil:
				constant = append(constant, b)
			case p.Trace != nil:
				l.fail(b.Pos, "remove one of them", "block %q has its own schedule in addition to a trace",
					faults.Shorten(b.Name))
			default:
				q := p
				q.Blocks, q.Trace = []stack.Block{b}, trace
				timed = append(timed, q)
			}
		}
		if p.Blocks = constant; len(constant) > 0 || len(timed) == 0 {
			all = append(all, p)
		}
		all = append(all, timed...)
	}
	return all
}
