package reducedmodel

import (
	"fmt"
	"math"

	"thermsim/study/response/ladder"
)

// OnePort is the driving-point impedance of an input, as networks: the mean rise over the heated area per watt.
type OnePort struct {
	Input  string
	Foster *ladder.Foster // in descending order of time constants.
	Cauer  *ladder.Cauer
}

// DrivingPoint is the Foster network of an input: L B of its mean, which is a square. ok is false if it is not, as for
// a power map, whose mean is not the transpose of its heat.
func (m *Model) DrivingPoint(input int) (f *ladder.Foster, ok bool) {
	if input >= len(m.Outputs) || m.Outputs[input].Of != input {
		return nil, false
	}
	f = &ladder.Foster{}
	total := 0.0
	for k := range m.Tau {
		r := m.L.At(input, k) * m.B.At(k, input)
		if r > 0 {
			f.R, f.Tau = append(f.R, r), append(f.Tau, m.Tau[k])
			total += r
		} else if r < -1e-9*m.B.At(k, input)*m.B.At(k, input) {
			return nil, false
		}
	}
	return f, total > 0
}

// OnePort has the smallest number of sections whose step response, at the input's range, stays within a bound in K.
// Sections with neighboring time constants are merged, beginning with the pair that changes the response least. The
// resistances add up, and the time constant is the weighted mean. The steady state and the delay (the first moment) are
// preserved.
func (m *Model) OnePort(input int, bound float64) (*OnePort, error) {
	whole, ok := m.DrivingPoint(input)
	if !ok {
		return nil, fmt.Errorf("%w: input %s has no driving-point impedance with positive resistances", ErrModel,
			m.Inputs[input].Name)
	}
	scale := m.Inputs[input].Range
	from, to := m.Span()
	times := LogTimes(from, to, 12)
	want := make([]float64, len(times))
	for n, t := range times {
		want[n] = whole.Step(t)
	}
	p := &OnePort{Input: m.Inputs[input].Name, Foster: whole}
	for f := merge(whole); f != nil; f = merge(f) {
		wrong := 0.0
		for n, t := range times {
			wrong = math.Max(wrong, scale*math.Abs(f.Step(t)-want[n]))
		}
		if wrong > bound {
			break
		}
		p.Foster = f
	}
	var err error
	p.Cauer, err = p.Foster.Cauer()
	return p, err
}

// merge merges the two neighbors that change the response least; nil for a single section.
func merge(f *ladder.Foster) *ladder.Foster {
	if len(f.R) < 2 {
		return nil
	}
	at, least := 0, math.Inf(1)
	for k := range len(f.R) - 1 {
		ratio := math.Log(f.Tau[k] / f.Tau[k+1])
		if cost := f.R[k] * f.R[k+1] / (f.R[k] + f.R[k+1]) * ratio * ratio; cost < least {
			at, least = k, cost
		}
	}
	r := f.R[at] + f.R[at+1]
	tau := (f.R[at]*f.Tau[at] + f.R[at+1]*f.Tau[at+1]) / r
	g := &ladder.Foster{}
	g.R = append(append(append(g.R, f.R[:at]...), r), f.R[at+2:]...)
	g.Tau = append(append(append(g.Tau, f.Tau[:at]...), tau), f.Tau[at+2:]...)
	return g
}
