package gpusolve

import (
	"math"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/snapshot"
)

func (s *meshed) vectors() int { return 2 + len(s.ahead.past) }

func (s *meshed) keep(into *past) {
	for n, x := range s.kept() {
		s.sys.Read(x, into.values[n])
	}
	into.ahead, into.power = s.ahead, s.power.watts
}

func (s *meshed) resume(from *past) {
	s.forget()
	past := s.ahead.past
	s.ahead, s.power.watts = from.ahead, from.power
	s.ahead.past = past
	for n, x := range s.kept() {
		s.sys.Write(x, from.values[n])
	}
}

// kept are the states and differences that the next step goes by.
func (s *meshed) kept() []ops.Vector {
	return append([]ops.Vector{s.x, s.old}, s.ahead.past[:]...)
}

// forget ends the continuation, and what was learnt of properties and leakage at other temperatures.
func (s *meshed) forget() {
	s.ahead.forget()
	if n := s.outer; n != nil {
		n.made, n.rho, n.plain, n.since, n.again, n.firstK = false, 0, 0, 0, false, 0
		if n.leakage != nil {
			n.checkedAt, n.cautious = math.Inf(-1), false
		}
	}
}

// snapshotSolver is a solver that later solves with the same operator find as it was.
type snapshotSolver interface{ Snapshot(c *snapshot.Coder) }

func (s *meshed) snapshot(c *snapshot.Coder) {
	s.power.snapshot(c)
	s.ahead.snapshot(c)
	s.solver.(snapshotSolver).Snapshot(c)
	states := s.states
	if states == nil {
		states = s.kept()
	}
	values := make([]float64, s.mesh.Cells())
	for _, x := range states {
		if !c.Reading() {
			s.sys.Read(x, values)
		}
		if c.Values(values); c.Err() == nil && c.Reading() {
			s.sys.Write(x, values)
		}
	}
}
