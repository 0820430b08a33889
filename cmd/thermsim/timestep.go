package main

import (
	"context"
	"math"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/stepping"
	"thermsim/mesh"
	"thermsim/stack"
)

const (
	defaultSteps = 50
	// stepsPerTimeConstant is how many default steps make the slowest time constant of the stack.
	stepsPerTimeConstant = 50
	// coarseSide is the grid on which that time constant is found: the slowest mode is smooth.
	coarseSide = 48
)

// planSteps settles the number and length of the steps and the initial temperature.
func planSteps(ctx context.Context, g *session.Session, s *stack.Stack, o *transientOptions) (gpusolve.TransientOptions,
	error) {
	plan := gpusolve.TransientOptions{Steps: defaultSteps, Dt: s.Transient.Dt}
	if s.Transient.Steps > 0 {
		plan.Steps = s.Transient.Steps
	}
	if o.steps > 0 {
		plan.Steps = o.steps
	}
	if o.initial.kelvin > 0 {
		s.Transient.Initial = o.initial.kelvin
	}
	if o.dt > 0 {
		plan.Dt = o.dt
	}
	if until := s.Transient.Until; until > 0 {
		if o.steps > 0 && o.dt == 0 {
			plan.Dt = until / float64(plan.Steps)
		} else if o.steps == 0 && plan.Dt > 0 {
			plan.Steps = stepsUntil(until, plan.Dt)
		}
	}
	if plan.Dt > 0 {
		return plan, nil
	}
	var err error
	plan.Dt, err = chosenStep(ctx, g, s)
	return plan, err
}

// chosenStep is a part of the stack's slowest time constant, which the user hears of.
func chosenStep(ctx context.Context, g *session.Session, s *stack.Stack) (float64, error) {
	tau, err := slowestTimeConstant(ctx, s)
	switch {
	case err != nil:
		return 0, err
	case math.IsInf(tau, 0):
		return 0, exit.Usagef("no face of the stack leads heat to a temperature, so it has no time constant to " +
			"choose a step from; give --dt or dt in [transient]")
	}
	dt := tau / stepsPerTimeConstant
	tellStep(g, dt, tau)
	return dt, nil
}

func tellStep(g *session.Session, dt, tau float64) {
	g.Note("steps of %s, a fiftieth of the slowest time constant (%s); --dt or dt in [transient] says otherwise",
		terminal.Seconds(dt), terminal.Seconds(tau))
}

// stepsUntil is how many steps of dt end there or just beyond.
func stepsUntil(until, dt float64) int {
	return int(math.Min(math.Ceil(until/dt*(1-1e-12)), math.MaxInt32))
}

// slowestTimeConstant estimates it in s on a coarse mesh of the stack.
func slowestTimeConstant(ctx context.Context, s *stack.Stack) (float64, error) {
	coarse := *s
	coarse.Grid = stack.Grid{X: stack.Axis{Cells: min(coarseSide, s.Grid.X.Cells)},
		Y: stack.Axis{Cells: min(coarseSide, s.Grid.Y.Cells)}}
	m, err := mesh.Build(&coarse)
	if err != nil {
		return 0, exit.With(exit.Input, err)
	}
	return stepping.SlowestTimeConstant(ctx, m)
}
