package reducedmodel

import (
	"fmt"
	"math"

	"thermsim/study/response/ladder"
)

// OnePort is the driving-point impedance of an input: the rise of the mean over what it heats, per watt in it, as
// networks.
type OnePort struct {
	Input  string
	Foster *ladder.Foster // with time constants descending
	Cauer  *ladder.Cauer
	ErrorK float64 // largest difference of the Foster network's step response from the model's, under the input's range
}

// DrivingPoint is the Foster network of an input: L B of its mean, which is a square. ok is false where it is none, as
// that of a power map, whose mean is not the transpose of its heat.
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

// OnePort has as few sections as keep the step response, under the input's range, within a bound in K. Neighbours on
// the axis of time constants become one section, the pair first that changes least: the resistances add up, and the
// time constant is their mean, so that the steady state and the delay (the first moment) stay.
func (m *Model) OnePort(input int, bound float64) (*OnePort, error) {
	whole, ok := m.DrivingPoint(input)
	if !ok {
		return nil, fmt.Errorf("%w: input %s has no driving-point impedance of positive resistances", ErrModel,
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
		p.Foster, p.ErrorK = f, wrong
	}
	var err error
	p.Cauer, err = p.Foster.Cauer()
	return p, err
}

// merge joins the two neighbours that change least, nil where there is one section alone.
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
