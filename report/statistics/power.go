package statistics

import (
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// Interval is the time over which a report states powers: the last step of a transient. The zero value is a steady
// state.
type Interval struct{ from, to float64 }

// ReportInterval is the last step of a transient.
func ReportInterval(s *solution.Solution) Interval {
	if len(s.Steps) == 0 {
		return Interval{}
	}
	end := s.Steps[len(s.Steps)-1].Time
	return Interval{max(0, end-s.Dt), end}
}

func (t Interval) steady() bool { return t.to <= t.from }

// BlockWatts is the power of each of the blocks.
func (t Interval) BlockWatts(m *mesh.Mesh, blocks []*Block) ([]float64, error) {
	watts := make([]float64, len(blocks))
	var row []float64
	for i, b := range blocks {
		watts[i] = b.Power.Blocks[b.Index].Watts
		if t.steady() || (b.Power.Trace == nil && len(b.Power.Schedule) == 0) {
			continue
		}
		if b.Index == 0 {
			var err error
			if row, err = m.Power.BlockWatts(b.Power, t.from, t.to); err != nil {
				return nil, err
			}
		}
		watts[i] = row[b.Index]
	}
	return watts, nil
}

// LayerWatts is the power on the grid of every layer of the stack.
func (t Interval) LayerWatts(m *mesh.Mesh) ([]float64, error) {
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
