package direct

import (
	"math"

	"thermsim/gpusolve/guess"
	"thermsim/gpusolve/snapshot"
)

func (s *System) Vectors() int { return 2 }

func (s *System) Keep(into *guess.Past) {
	s.fourier.ReadModes(s.X.Modes, into.Values[0])
	s.fourier.ReadModes(s.old.Modes, into.Values[1])
	into.Power = s.power.Watts
}

func (s *System) Resume(from *guess.Past) {
	s.fourier.WriteModes(s.X.Modes, from.Values[0])
	s.fourier.WriteModes(s.old.Modes, from.Values[1])
	s.X.solved++
	s.power.Watts = from.Power
	s.Forget()
}

// Forget leaves no bound of what is warm where.
func (s *System) Forget() { s.ceiling, s.unseen = math.Inf(1), false }

func (s *System) Snapshot(c *snapshot.Coder) {
	s.power.Snapshot(c)
	c.Float(&s.ceiling)
	c.Bool(&s.unseen)
	states := s.states
	if states == nil {
		states = []*state{s.X, s.old}
	}
	values := make([]float64, s.mesh.Cells())
	for _, x := range states {
		if !c.Reading() {
			s.fourier.ReadModes(x.Modes, values)
		}
		if c.Values(values); c.Err() == nil && c.Reading() {
			s.fourier.WriteModes(x.Modes, values)
			x.solved++
		}
	}
}
