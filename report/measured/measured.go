// Package measured compares computed temperatures with measured ones.
package measured

import (
	"cmp"
	"math"
	"slices"

	"thermsim/report/summary"
	"thermsim/stack"
)

// Comparison collects the computed temperatures of the measured values of a stack.
type Comparison struct {
	// Computed temperatures in K, by value; NaN for values that the run has not reached.
	Computed []float64

	of    *stack.Stack
	timed []int // values with a time that are still to come, in the order of their times
	time  float64
	last  []float64 // temperatures of the probes at that time; nil without any
}

// New is nil for a stack without measured values.
func New(s *stack.Stack) *Comparison {
	values := s.Measured.Values
	if len(values) == 0 {
		return nil
	}
	c := &Comparison{of: s, Computed: slices.Repeat([]float64{math.NaN()}, len(values))}
	for n := range values {
		if !math.IsNaN(values[n].Time) {
			c.timed = append(c.timed, n)
		}
	}
	slices.SortStableFunc(c.timed, func(a, b int) int { return cmp.Compare(values[a].Time, values[b].Time) })
	return c
}

// Steady takes the temperatures of all probes in a steady state.
func (c *Comparison) Steady(probes []float64) {
	for n, v := range c.of.Measured.Values {
		if math.IsNaN(v.Time) {
			c.Computed[n] = probes[v.Probe]
		}
	}
}

// Start takes the uniform temperature at the start of a transient.
func (c *Comparison) Start(kelvin float64) {
	c.Step(0, slices.Repeat([]float64{kelvin}, len(c.of.Probes)))
}

// Step takes the temperatures of all probes at the end of a step. Between steps they are interpolated.
func (c *Comparison) Step(time float64, probes []float64) {
	values := c.of.Measured.Values
	for len(c.timed) > 0 && values[c.timed[0]].Time <= time {
		n := c.timed[0]
		c.timed = c.timed[1:]
		v := &values[n]
		switch now := probes[v.Probe]; {
		case v.Time == time:
			c.Computed[n] = now
		case c.last != nil:
			c.Computed[n] = c.last[v.Probe] + (now-c.last[v.Probe])*(v.Time-c.time)/(time-c.time)
		}
	}
	c.time, c.last = time, append(c.last[:0], probes...)
}

// Summary summarizes the differences.
func (c *Comparison) Summary() *summary.Measured {
	s := &summary.Measured{}
	all := deviations{}
	by := make([]deviations, len(c.of.Probes))
	for n, v := range c.of.Measured.Values {
		p := &c.of.Probes[v.Probe]
		row := summary.MeasuredValue{Probe: p.Name, XM: p.X, YM: p.Y, ZM: p.Z, TimeS: v.Time, MeasuredK: v.Kelvin,
			ComputedK: c.Computed[n]}
		s.Values = append(s.Values, row)
		if math.IsNaN(row.DifferenceK()) {
			s.NotCompared++
			continue
		}
		all.add(&row)
		by[v.Probe].add(&row)
	}
	s.Deviation = all.result()
	for n := range by {
		if by[n].Count > 0 {
			s.Places = append(s.Places, by[n].result())
		}
	}
	m := &c.of.Measured
	for _, l := range []summary.MeasuredLimit{{Name: "bias", LimitK: m.Bias, ValueK: math.Abs(s.BiasK)},
		{Name: "rms", LimitK: m.RMS, ValueK: s.RMSK},
		{Name: "worst", LimitK: m.Worst, ValueK: math.Abs(s.Worst.DifferenceK())}} {
		if l.LimitK > 0 {
			l.OK = l.ValueK <= l.LimitK // false if nothing was compared
			s.Limits = append(s.Limits, l)
		}
	}
	return s
}

// deviations gathers a Deviation.
type deviations struct {
	summary.Deviation
	sum, square float64
}

func (d *deviations) add(v *summary.MeasuredValue) {
	off := v.DifferenceK()
	d.sum += off
	d.square += off * off
	if d.Count++; d.Count == 1 || math.Abs(off) > math.Abs(d.Worst.DifferenceK()) {
		d.Worst = *v
	}
}

// result is NaN without any value.
func (d *deviations) result() summary.Deviation {
	n := float64(d.Count)
	d.BiasK, d.RMSK = d.sum/n, math.Sqrt(d.square/n)
	if d.Count == 0 {
		nan := math.NaN()
		d.Worst = summary.MeasuredValue{XM: nan, YM: nan, ZM: nan, TimeS: nan, MeasuredK: nan, ComputedK: nan}
	}
	return d.Deviation
}
