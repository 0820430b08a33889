package powermap

import (
	"errors"
	"fmt"
	"slices"

	"thermsim/stack"
)

// BlockWatts is the mean power in W of every block of p over the time step (t0, t1]. p is a source of the map's stack.
func (m *Map) BlockWatts(p *stack.Power, t0, t1 float64) ([]float64, error) {
	if err := checkStep(t0, t1); err != nil {
		return nil, err
	}
	s := m.find(p)
	if s == nil || len(p.Blocks) == 0 {
		return nil, errors.New("power map: no such floorplan among the sources")
	}
	return slices.Clone(s.mean(t0, t1)), nil
}

// SourceWatts is the mean power in W of p over the time step (t0, t1]. p is a source of the map's stack.
func (m *Map) SourceWatts(p *stack.Power, t0, t1 float64) (float64, error) {
	if err := checkStep(t0, t1); err != nil {
		return 0, err
	}
	s := m.find(p)
	if s == nil {
		return 0, errors.New("power map: no such power among the sources")
	}
	return s.total(s.mean(t0, t1)), nil
}

// LayerWatts is the mean power of m.Layers[i] over the time step (t0, t1] in W.
func (m *Map) LayerWatts(i int, t0, t1 float64) (float64, error) {
	if err := checkStep(t0, t1); err != nil {
		return 0, err
	}
	if i < 0 || i >= len(m.Layers) {
		return 0, fmt.Errorf("power map: layer %d of %d with power", i, len(m.Layers))
	}
	return m.Layers[i].mean(t0, t1), nil
}

func (l *LayerMap) mean(t0, t1 float64) float64 {
	var total Sum
	for k := range l.sources {
		s := &l.sources[k]
		total.Add(s.total(s.mean(t0, t1)))
	}
	return total.Value()
}

// InputWatts is the mean power in W over the time step (t0, t1] of every block, uniform power and power map, in the
// order of Vectors.
func (m *Map) InputWatts(t0, t1 float64) ([]float64, error) {
	if err := checkStep(t0, t1); err != nil {
		return nil, err
	}
	return m.inputWatts(func(s *source) []float64 { return s.mean(t0, t1) }), nil
}
