package meshed

import (
	"math"

	"thermsim/gpusolve/guess"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/snapshot"
)

func (s *System) Vectors() int { return 2 + len(s.ahead.Past) }

func (s *System) Keep(into *guess.Past) {
	for n, x := range s.kept() {
		s.Sys.Read(x, into.Values[n])
	}
	into.Ahead, into.Power = s.ahead, s.power.Watts
}

func (s *System) Resume(from *guess.Past) {
	s.Forget()
	past := s.ahead.Past
	s.ahead, s.power.Watts = from.Ahead, from.Power
	s.ahead.Past = past
	for n, x := range s.kept() {
		s.Sys.Write(x, from.Values[n])
	}
}

// kept are the states and differences that the next step goes by.
func (s *System) kept() []ops.Vector {
	return append([]ops.Vector{s.X, s.old}, s.ahead.Past[:]...)
}

// Forget ends the continuation, and what was learnt of properties and leakage at other temperatures.
func (s *System) Forget() {
	s.ahead.Forget()
	if n := s.Outer; n != nil {
		n.made, n.rho, n.plain, n.since, n.again, n.firstK = false, 0, 0, 0, false, 0
		if n.Leakage != nil {
			n.checkedAt, n.cautious = math.Inf(-1), false
		}
	}
}

// SnapshotSolver is a solver that later solves with the same operator find as it was.
type SnapshotSolver interface{ Snapshot(c *snapshot.Coder) }

func (s *System) Snapshot(c *snapshot.Coder) {
	s.power.Snapshot(c)
	s.ahead.Snapshot(c)
	s.Solver.(SnapshotSolver).Snapshot(c)
	states := s.states
	if states == nil {
		states = s.kept()
	}
	values := make([]float64, s.mesh.Cells())
	for _, x := range states {
		if !c.Reading() {
			s.Sys.Read(x, values)
		}
		if c.Values(values); c.Err() == nil && c.Reading() {
			s.Sys.Write(x, values)
		}
	}
}
