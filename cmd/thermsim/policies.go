package main

import (
	"context"

	"github.com/spf13/pflag"

	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/report"
	"thermsim/study/policy"
)

// control is a table of policies at work in a run.
type control struct {
	*policy.Controller
	power *gpusolve.PowerControls
	last  float64 // s, end of the step before
}

func addPolicyFlag(f *pflag.FlagSet, path *string) {
	f.StringVar(path, "policy", "", "throttle powers by the [[policy]] tables in `FILE`: limits, delays")
}

// control has the policies of a file set the powers of the run. Without a file it does nothing.
func (s *simulation) control(path string) error {
	if path == "" {
		return nil
	}
	if s.o.project.network() != nil {
		return exit.Usagef("--policy: with --compat this project is solved as a network of nodes, whose powers " +
			"policies do not set; leave one of the two out")
	}
	table, err := policy.Load(path)
	if err != nil {
		return err
	}
	power := s.Mesh.Power.Controls()
	c, err := policy.Start(path, table, s.Mesh, power)
	if err != nil {
		return err
	}
	s.policies = &control{Controller: c, power: power}
	s.Columns = c.Columns()
	return nil
}

// Reads is true of every step: the powers of the next follow from it.
func (c *control) Reads(int) bool { return true }

// Step sets the powers of the next step. It comes after the recorders that tell of this one.
func (c *control) Step(_ int, step solution.Step, f solution.Field) error {
	from := c.last
	c.last = step.Time
	return c.Look(from, step.Time, f)
}

// Finish implements report.Recorder.
func (c *control) Finish(context.Context, *report.End) error { return nil }
