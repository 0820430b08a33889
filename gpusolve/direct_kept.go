package gpusolve

import (
	"math"
	"thermsim/gpusolve/snapshot"
)

func (s *direct) vectors() int { return 2 }

func (s *direct) keep(into *past) {
	s.fourier.ReadModes(s.x.Modes, into.values[0])
	s.fourier.ReadModes(s.old.Modes, into.values[1])
	into.power = s.power.watts
}

func (s *direct) resume(from *past) {
	s.fourier.WriteModes(s.x.Modes, from.values[0])
	s.fourier.WriteModes(s.old.Modes, from.values[1])
	s.x.solved++
	s.power.watts = from.power
	s.forget()
}

// forget leaves no bound of what is warm where.
func (s *direct) forget() { s.ceiling, s.unseen = math.Inf(1), false }

func (s *direct) snapshot(c *snapshot.Coder) {
	s.power.snapshot(c)
	c.Float(&s.ceiling)
	c.Bool(&s.unseen)
	states := s.states
	if states == nil {
		states = []*state{s.x, s.old}
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
