package main

import (
	"math"
	"strings"
	"testing"

	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/report"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// flat is a field of one temperature, but for its first cell.
type flat struct{ kelvin, first float64 }

func (f flat) Plane(k int, dst []float64) error {
	for i := range dst {
		dst[i] = f.kelvin
	}
	if k == 0 {
		dst[0] = f.first
	}
	return nil
}

// A verdict sees the last field, every earlier step and the heat balance; each case is one fault in a run that is good
// otherwise.
func TestVerdict(t *testing.T) {
	s, m := tinyMesh(t)
	const tmax = 350
	for name, c := range map[string]struct {
		spoil  func(*solution.Solution)
		status int
		says   string
	}{
		"good":   {func(*solution.Solution) {}, exit.Done, ""},
		"steady": {func(s *solution.Solution) { s.Steps = nil }, exit.Done, ""},
		"not converged": {func(s *solution.Solution) {
			s.Status.Converged, s.Status.Reason = false, solution.ReasonIterations
		}, exit.NotConverged, "not converged (iteration limit"},
		"first step unconverged": {func(s *solution.Solution) {
			s.Steps[0].Converged = false
		}, exit.NotConverged, "first in step 1 of 3"},
		"middle step unconverged": {func(s *solution.Solution) {
			s.Steps[1].Converged = false
		}, exit.NotConverged, "first in step 2 of 3"},
		"middle step without a temperature": {func(s *solution.Solution) {
			s.Steps[1].MaxK = math.NaN()
		}, exit.NotConverged, "first in step 2 of 3"},
		"middle step infinite": {func(s *solution.Solution) {
			s.Steps[1].MaxK = math.Inf(1)
		}, exit.NotConverged, "first in step 2 of 3"},
		"NaN cell": {func(s *solution.Solution) {
			s.Field = flat{320, math.NaN()}
		}, exit.NotConverged, "1 cell without a finite temperature"},
		"infinite cell": {func(s *solution.Solution) {
			s.Field = flat{320, math.Inf(-1)}
		}, exit.NotConverged, "1 cell without a finite temperature"},
		"NaN cell of a steady state": {func(s *solution.Solution) {
			s.Steps, s.Field = nil, flat{320, math.NaN()}
		}, exit.NotConverged, "1 cell without a finite temperature"},
		"runaway": {func(s *solution.Solution) {
			s.Status.Converged, s.Status.Reason = false, solution.ReasonRunaway
		}, exit.Runaway, "lower the power or the leakage"},
		"imbalance": {func(s *solution.Solution) {
			s.Energy.ImbalanceRel = 2e-3
		}, exit.NotConverged, "energy balance is off by 0.002"},
		"imbalance unknown": {func(s *solution.Solution) {
			s.Energy.ImbalanceRel = math.NaN()
		}, exit.NotConverged, "energy balance is off by NaN"},
		"hotter than any solid": {func(s *solution.Solution) {
			s.Field = flat{320, 2e6}
		}, exit.NotConverged, "the hottest cell is at 2e+06 K"},
		"hotter than any solid in a step": {func(s *solution.Solution) {
			s.Steps[1].MaxK = 3e6
		}, exit.NotConverged, "the hottest cell is at 3e+06 K"},
		"hot at the end": {func(s *solution.Solution) {
			s.Field = flat{320, 350.5}
		}, exit.TooHot, "by 0.5 K"},
		"hot in the first step": {func(s *solution.Solution) {
			s.Steps[0].MaxK = 351
		}, exit.TooHot, "by 1 K"},
		"hot in the middle": {func(s *solution.Solution) {
			s.Steps[1].MaxK = 352
		}, exit.TooHot, "by 2 K"},
		"as hot as allowed": {func(s *solution.Solution) {
			s.Field, s.Steps[1].MaxK = flat{320, 350}, 350
		}, exit.Done, ""},
		"unconverged and hot": {func(s *solution.Solution) {
			s.Steps[1].Converged, s.Steps[2].MaxK = false, 400
		}, exit.NotConverged, "first in step 2"},
	} {
		step := solution.Step{Time: 1e-3, MaxK: 320, PowerW: 1, Converged: true}
		sol := &solution.Solution{
			Status: solution.Status{Method: "pcg", Preconditioner: "multigrid", Converged: true,
				Reason: solution.ReasonTolerance, EstimatedErrorK: math.NaN()},
			Field: flat{320, 320}, Energy: solution.Energy{In: 1, Out: 1, Scale: 1}, Dt: 1e-3,
			Steps: []solution.Step{step, step, step},
		}
		c.spoil(sol)
		sol.CheckBalance(m)
		s.TMax = tmax
		r := &report.Run{Command: "transient", Mesh: m, Solution: sol}
		sum, err := report.Summarise(r)
		if err != nil {
			t.Fatal(err)
		}
		err = verdict(r, sum, true, nil, "out")
		if exit.Status(err) != c.status || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: exit status %d, want %d: %v", name, exit.Status(err), c.status, err)
		}
		s.TMax = 0
		if sum, err = report.Summarise(r); err != nil {
			t.Fatal(err)
		}
		if err := verdict(r, sum, false, nil, "out"); c.status == exit.TooHot && err != nil {
			t.Errorf("%s: without --tmax: %v", name, err)
		}
	}
}

// Of several limits that are exceeded the verdict counts how many.
func TestVerdictCountsLimits(t *testing.T) {
	s, err := stackfile.Parse("tiny.toml", []byte(tinyStack), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.TMax = 350
	s.Layers[0].Regions = []stack.Region{{Name: "hot", Rect: s.Domain(), TMax: 340}}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	sol := &solution.Solution{Status: solution.Status{Method: "pcg", Converged: true, Reason: solution.ReasonTolerance},
		Field: flat{360, 360}, Energy: solution.Energy{In: 1, Out: 1, Scale: 1}}
	r := &report.Run{Command: "steady", Mesh: m, Solution: sol}
	sum, err := report.Summarise(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := verdict(r, sum, false, nil, "out"); exit.Status(err) != exit.TooHot ||
		!strings.Contains(err.Error(), "; 2 of 2 limits are exceeded") {
		t.Errorf("%v", err)
	}
}
