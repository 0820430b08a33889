package report

import (
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// interval is the time over which a report states powers: the last step of a transient. The zero value is a steady
// state.
type interval struct{ from, to float64 }

func reportInterval(s *solution.Solution) interval {
	if len(s.Steps) == 0 {
		return interval{}
	}
	end := s.Steps[len(s.Steps)-1].Time
	return interval{max(0, end-s.Dt), end}
}

func (t interval) steady() bool { return t.to <= t.from }

// blockWatts is the power of each of the blocks.
func (t interval) blockWatts(m *mesh.Mesh, blocks []*block) ([]float64, error) {
	watts := make([]float64, len(blocks))
	var row []float64
	for i, b := range blocks {
		watts[i] = b.power.Blocks[b.index].Watts
		if t.steady() || (b.power.Trace == nil && len(b.power.Schedule) == 0) {
			continue
		}
		if b.index == 0 {
			var err error
			if row, err = m.Power.BlockWatts(b.power, t.from, t.to); err != nil {
				return nil, err
			}
		}
		watts[i] = row[b.index]
	}
	return watts, nil
}

// layerWatts is the power on the grid of every layer of the stack.
func (t interval) layerWatts(m *mesh.Mesh) ([]float64, error) {
	watts := make([]float64, len(m.Stack.Layers))
	for i, l := range m.Power.Layers {
		if !t.steady() && m.Power.Transient() {
			w, err := m.Power.LayerWatts(i, t.from, t.to)
			if err != nil {
				return nil, err
			}
			watts[l.Layer] = w
			continue
		}
		watts[l.Layer] = l.Mapped
	}
	return watts, nil
}
