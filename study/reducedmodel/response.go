package reducedmodel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Transfer is H(s) = L (1 + s tau)^-1 B in K/W at a real frequency s in 1/s, a matrix of outputs by inputs. These are
// the rises after one step of backward Euler of the length 1/s under one watt, and the steady rises if s is zero.
func (m *Model) Transfer(s float64) Matrix {
	return m.weighted(func(tau float64) float64 { return 1 / (1 + s*tau) })
}

// StepResponse is the matrix of the rises in K/W at time t after steps of one watt.
func (m *Model) StepResponse(t float64) Matrix {
	return m.weighted(func(tau float64) float64 { return -math.Expm1(-t / tau) })
}

// weighted is L diag(f(tau)) B.
func (m *Model) weighted(f func(tau float64) float64) Matrix {
	h := NewMatrix(len(m.Outputs), len(m.Inputs))
	for k, tau := range m.Tau {
		w, b := f(tau), m.B.Row(k)
		for o := range m.Outputs {
			l := w * m.L.At(o, k)
			row := h.Row(o)
			for i := range row {
				row[i] += l * b[i]
			}
		}
	}
	return h
}

// Span is the time range of step responses in s: from far below the shortest time constant to far above the longest.
func (m *Model) Span() (from, to float64) {
	return m.Tau[len(m.Tau)-1] / 100, 30 * m.Tau[0]
}

// LogTimes are times between two limits, perDecade of them in every decade.
func LogTimes(from, to float64, perDecade int) []float64 {
	n := max(1, int(math.Ceil(math.Log10(to/from)*float64(perDecade))))
	times := make([]float64, n+1)
	for k := range times {
		times[k] = from * math.Pow(to/from, float64(k)/float64(n))
	}
	return times
}

// Difference bounds the differences between the outputs of two models of one stack, in K, for powers between 0 and each
// input's Range. step is the largest difference after steps of any of the inputs. anyPower applies to powers with any
// time dependence within their range. It is the integral of the positive part of the difference of the impulse
// responses, or of the negative part: half the total variation of the difference of the step responses if both have the
// same steady state.
func Difference(a, b *Model) (step, anyPower float64, err error) {
	if len(a.Inputs) != len(b.Inputs) || len(a.Outputs) != len(b.Outputs) {
		return 0, 0, fmt.Errorf("%w: cannot compare %d inputs and %d outputs with %d and %d", ErrModel, len(a.Inputs),
			len(a.Outputs), len(b.Inputs), len(b.Outputs))
	}
	from, to := a.Span()
	if f, t := b.Span(); f < from || t > to {
		from, to = math.Min(f, from), math.Max(t, to)
	}
	last := NewMatrix(len(a.Outputs), len(a.Inputs))
	ups, downs := make([]float64, len(last.Data)), make([]float64, len(last.Data))
	for _, t := range LogTimes(from, to, 8) {
		now := a.StepResponse(t).Minus(b.StepResponse(t))
		for k, rise := range now.Minus(last).Data {
			if rise > 0 {
				ups[k] += rise
			} else {
				downs[k] -= rise
			}
		}
		last = now
		step = math.Max(step, Worst(a.Inputs, last))
	}
	for o := range a.Outputs {
		up, down := 0.0, 0.0
		for i, in := range a.Inputs {
			k := o*len(a.Inputs) + i
			up, down = up+ups[k]*in.Range, down+downs[k]*in.Range
		}
		anyPower = math.Max(anyPower, math.Max(up, down))
	}
	return step + startDifference(a, b), anyPower, nil
}

// startDifference is the largest difference of the responses to the initial state.
func startDifference(a, b *Model) float64 {
	top := 0.0
	if a.Start == nil || b.Start == nil {
		return top
	}
	from, to := a.Span()
	for _, t := range append(LogTimes(from, to, 8), 0) {
		top = math.Max(top, floats.Distance(a.StartResponse(t), b.StartResponse(t), math.Inf(1)))
	}
	return top
}

// StartResponse is the contribution of the initial state to each output at time t in K.
func (m *Model) StartResponse(t float64) []float64 {
	return m.decayed(func(tau float64) float64 { return math.Exp(-t / tau) })
}

// decayed is L diag(f(tau)) Start.
func (m *Model) decayed(f func(tau float64) float64) []float64 {
	rise := make([]float64, len(m.Outputs))
	for k, z := range m.Start {
		w := z * f(m.Tau[k])
		for o := range rise {
			rise[o] += m.L.At(o, k) * w
		}
	}
	return rise
}

// StartStep is the contribution of the initial state after one backward-Euler step dt, in K.
func (m *Model) StartStep(dt float64) []float64 {
	return m.decayed(func(tau float64) float64 { return tau / (tau + dt) })
}

// Worst is the largest rise in K of an output under any combination of powers within their ranges: rises of one sign
// add up.
func Worst(inputs []Input, h Matrix) float64 {
	top := 0.0
	for o := range h.Rows {
		up, down := 0.0, 0.0
		for i, v := range h.Row(o) {
			if v > 0 {
				up += v * inputs[i].Range
			} else {
				down -= v * inputs[i].Range
			}
		}
		top = math.Max(top, math.Max(up, down))
	}
	return top
}
