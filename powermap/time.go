package powermap

import (
	"fmt"
	"math"
	"slices"
)

// Transient reports whether any source changes in time.
func (m *Map) Transient() bool {
	return slices.ContainsFunc(m.Layers, func(l LayerMap) bool { return l.Transient() })
}

// Transient reports whether any source of the layer changes in time.
func (l *LayerMap) Transient() bool {
	return slices.ContainsFunc(l.sources, func(s source) bool { return s.transient() })
}

// Average fills planes with the mean power over the time step (t0, t1], in s: planes[i] belongs to m.Layers[i] and
// holds W per cell, nx*ny, x fastest. It returns the mean power of all sources in W. The mean is the exact integral of
// the traces and schedules over the step, divided by its length. A backward-Euler run therefore adds the energy of the
// trace, whatever its steps. Sources without trace and schedule contribute their steady power.
func (m *Map) Average(t0, t1 float64, planes [][]float64) (watts float64, err error) {
	if err := checkStep(t0, t1); err != nil {
		return 0, err
	}
	for i := range m.Layers {
		l := &m.Layers[i]
		if !l.Transient() {
			l.Rows(0, m.Grid.NY(), planes[i])
			continue
		}
		clear(planes[i])
		for k := range l.sources {
			s := &l.sources[k]
			s.draw(m.Grid, s.mean(t0, t1), 0, m.Grid.NY(), planes[i])
		}
	}
	return m.MeanWatts(t0, t1)
}

// MeanWatts is the mean power of all sources over the time step (t0, t1] in W, without rasterizing.
func (m *Map) MeanWatts(t0, t1 float64) (float64, error) {
	if err := checkStep(t0, t1); err != nil {
		return 0, err
	}
	var total Sum
	for i := range m.Layers {
		total.Add(m.Layers[i].mean(t0, t1))
	}
	return total.Value(), nil
}

// Changed reports whether the mean power over the step (u0, u1] differs anywhere from that over (t0, t1]. A time
// stepper checks this before it rasterizes the power of a step again.
func (m *Map) Changed(t0, t1, u0, u1 float64) bool {
	if checkStep(t0, t1) != nil || checkStep(u0, u1) != nil {
		return true
	}
	for s := range m.sources() {
		if s.transient() && !slices.Equal(s.mean(t0, t1), s.mean(u0, u1)) {
			return true
		}
	}
	return false
}

func (s *source) transient() bool { return s.power.Trace != nil || len(s.power.Schedule) > 0 }

// mean is the mean strength of s over (t0, t1]. Within an interval of the schedule the factor is constant, so the
// integral of the product is the sum over those intervals of factor times the integral of the trace.
func (s *source) mean(t0, t1 float64) []float64 {
	if !s.transient() {
		return s.steady
	}
	mean := make([]float64, len(s.steady))
	for _, part := range scheduleParts(s.power.Schedule, t0, t1) {
		s.addMean(part.factor, part.t0, part.t1, part.share, mean)
	}
	return mean
}

func (s *source) addMean(factor, t0, t1, share float64, mean []float64) {
	if s.power.Trace == nil {
		for b, w := range s.steady {
			mean[b] += factor * share * w
		}
		return
	}
	for _, r := range traceShares(s.power.Trace, t0, t1) {
		for b, w := range s.power.Trace.Watts[r.row] {
			mean[b] += factor * share * r.share * w
		}
	}
}

func checkStep(t0, t1 float64) error {
	if !(t0 >= 0) || !(t1 > t0) || math.IsInf(t1, 0) {
		return fmt.Errorf("power map: a time step from %g s to %g s; it must start at 0 or later and end "+
			"after it starts", t0, t1)
	}
	return nil
}
