package stepping

import "math"

// ladder gives the lengths of steps: a unit of time times a power of two, so that few different operators have to be
// set up. Steps begin at multiples of their length after the start of an interval of constant power, and end with the
// interval.
type ladder struct {
	unit  float64 // s; 0 where the intervals have no common one, and each is its own
	rung  int     // the length of steps is unit 2^rung
	first int     // the rung that the first step of the last interval came to

	start, end float64 // s, of the interval
	own        float64 // s, its unit
	at         float64 // steps from the start, a whole number
}

const (
	lowestRung = -60
	// together is the difference, relative to the time, up to which moments are one.
	together = 1e-9
	// finest is how many times shorter a common unit of intervals may be than the shortest of them.
	finest = 64
)

// newLadder takes the moments at which intervals begin and end, ascending; without any it begins with a first length.
func newLadder(moments []float64, first float64) ladder {
	if len(moments) < 2 {
		return ladder{unit: first}
	}
	shortest, unit := math.Inf(1), 0.0
	for i, t := range moments[1:] {
		length := t - moments[i]
		shortest = math.Min(shortest, length)
		unit = common(unit, length, together*t)
	}
	if unit*finest < shortest {
		unit = 0
	}
	return ladder{unit: unit}
}

// common is the largest length of which two are multiples, within a tolerance.
func common(a, b, tolerance float64) float64 {
	for a > tolerance {
		rest := math.Mod(b, a)
		if a-rest <= tolerance {
			rest = 0
		}
		a, b = rest, a
	}
	return b
}

// enter begins an interval with steps of the length that the last one began with.
func (l *ladder) enter(start, end float64) {
	wanted := l.own * math.Ldexp(1, l.first)
	l.start, l.end, l.at = start, end, 0
	switch {
	case l.unit > 0:
		l.own = l.unit
	case l.own == 0 || math.Abs(end-start-l.own) > together*end:
		l.own = end - start
		if wanted > 0 {
			l.first = int(math.Ceil(math.Log2(wanted / l.own)))
		}
	}
	l.rung = l.first
	l.fit()
}

// step is the length of steps.
func (l *ladder) step() float64 { return l.own * math.Ldexp(1, l.rung) }

// time is where the next step starts.
func (l *ladder) time() float64 { return l.start + l.at*l.step() }

// next is where it ends: exactly at the end of the interval where it is the last.
func (l *ladder) next() float64 {
	t := l.start + (l.at+1)*l.step()
	if math.Abs(t-l.end) <= together*math.Abs(l.end) {
		return l.end
	}
	return t
}

// done says that the interval is over.
func (l *ladder) done() bool { return l.time() >= l.end-together*math.Abs(l.end) }

// halve makes the next step shorter, so many times by half.
func (l *ladder) halve(times int) {
	l.rung -= times
	l.at *= math.Ldexp(1, times)
}

// double makes it longer, if a step of twice the length begins here and ends within the interval.
func (l *ladder) double() bool {
	if math.Mod(l.at, 2) != 0 || l.time()+2*l.step() > l.end*(1+together) {
		return false
	}
	l.rung++
	l.at /= 2
	return true
}

// fit makes the next step no longer than what is left of the interval, and says whether it was.
func (l *ladder) fit() (shorter bool) {
	for l.rung > lowestRung && l.time()+l.step() > l.end*(1+together) {
		l.halve(1)
		shorter = true
	}
	return shorter
}
