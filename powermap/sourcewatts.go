package powermap

import (
	"fmt"

	"thermsim/stack"
)

// SourceWatts is the mean power of p, a source of the stack the map was made from, over the time step (t0, t1] in W.
func (m *Map) SourceWatts(p *stack.Power, t0, t1 float64) (float64, error) {
	if err := checkStep(t0, t1); err != nil {
		return 0, err
	}
	for i := range m.Layers {
		for k := range m.Layers[i].sources {
			if s := &m.Layers[i].sources[k]; s.power == p {
				return s.total(s.mean(t0, t1)), nil
			}
		}
	}
	return 0, fmt.Errorf("power map: no such power among the sources")
}
