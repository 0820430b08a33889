package powermap

import (
	"fmt"
	"math"
	"slices"

	"thermsim/stack"
)

// Transient reports whether any source changes in time.
func (m *Map) Transient() bool {
	for i := range m.Layers {
		if m.Layers[i].Transient() {
			return true
		}
	}
	return false
}

// Transient reports whether any source of the layer changes in time.
func (l *LayerMap) Transient() bool {
	return slices.ContainsFunc(l.sources, func(s source) bool { return s.transient() })
}

// Average fills planes with the mean power over the time step (t0, t1], in s: planes[i] belongs to m.Layers[i] and
// holds W per cell, nx*ny, x fastest. It returns the mean power of all sources in W. The mean is the exact integral of
// the traces and schedules over the step divided by its length, so a backward-Euler run puts in the energy of the
// trace, wherever its steps fall. Sources without trace and schedule contribute their steady watts.
func (m *Map) Average(t0, t1 float64, planes [][]float64) (watts float64, err error) {
	if err := checkStep(t0, t1); err != nil {
		return 0, err
	}
	if len(planes) != len(m.Layers) {
		return 0, fmt.Errorf("power map: %d planes for %d layers with power", len(planes), len(m.Layers))
	}
	for i := range m.Layers {
		l := &m.Layers[i]
		if len(planes[i]) != l.cells() {
			return 0, fmt.Errorf("power map: plane %d has %d cells, the grid %d", i, len(planes[i]), l.cells())
		}
		if !l.Transient() {
			l.Rows(0, m.Grid.NY(), planes[i])
			continue
		}
		clear(planes[i])
		for k := range l.sources {
			s := &l.sources[k]
			s.draw(m.Grid, s.mean(t0, t1), planes[i])
		}
	}
	return m.MeanWatts(t0, t1)
}

// MeanWatts is the mean power of all sources over the time step (t0, t1] in W, without rasterising anything.
func (m *Map) MeanWatts(t0, t1 float64) (float64, error) {
	if err := checkStep(t0, t1); err != nil {
		return 0, err
	}
	var total sum
	for i := range m.Layers {
		total.add(m.Layers[i].mean(t0, t1))
	}
	return total.value(), nil
}

// Changed reports whether the mean power over the step (u0, u1] differs anywhere from that over (t0, t1]. A time
// stepper asks it before it rasterises the power of a step again.
func (m *Map) Changed(t0, t1, u0, u1 float64) bool {
	if checkStep(t0, t1) != nil || checkStep(u0, u1) != nil {
		return true
	}
	for i := range m.Layers {
		for k := range m.Layers[i].sources {
			s := &m.Layers[i].sources[k]
			if s.transient() && !slices.Equal(s.mean(t0, t1), s.mean(u0, u1)) {
				return true
			}
		}
	}
	return false
}

func (s *source) transient() bool { return s.power.Trace != nil || len(s.power.Schedule) > 0 }

// mean is the strength of s averaged over (t0, t1]. Within an interval of the schedule the factor is constant, so the
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

func checkTimes(layer *stack.Layer, p *stack.Power) error {
	for i, c := range p.Schedule {
		if math.IsNaN(c.Factor) || math.IsInf(c.Factor, 0) || !(c.Time >= 0) || i > 0 &&
			!(c.Time > p.Schedule[i-1].Time) {
			return fault(p.Pos, "the schedule of a power of layer %q must have ascending times and finite "+
				"factors (entry %d)", layer.Name, i+1)
		}
	}
	t := p.Trace
	if t == nil {
		return nil
	}
	if len(p.Blocks) == 0 || p.Map != nil {
		return fault(p.Pos, "layer %q has a power trace without blocks to apply it to", layer.Name)
	}
	if len(t.Times) == 0 || len(t.Times) != len(t.Watts) || t.Times[0] != 0 {
		return fault(p.Pos, "the power trace of layer %q has %d rows for %d times; they must be as many, and the "+
			"first time 0", layer.Name, len(t.Watts), len(t.Times))
	}
	for i, row := range t.Watts {
		end := t.End
		if i+1 < len(t.Times) {
			end = t.Times[i+1]
		}
		if !(end > t.Times[i]) || math.IsInf(end, 0) {
			return fault(p.Pos, "the times of the power trace of layer %q do not ascend at row %d", layer.Name, i+1)
		}
		if len(row) != len(p.Blocks) {
			return fault(p.Pos, "row %d of the power trace of layer %q has %d values for %d blocks", i+1, layer.Name,
				len(row), len(p.Blocks))
		}
		for _, w := range row {
			if math.IsNaN(w) || math.IsInf(w, 0) {
				return fault(p.Pos, "row %d of the power trace of layer %q holds a value that is not finite", i+1,
					layer.Name)
			}
		}
	}
	return nil
}
