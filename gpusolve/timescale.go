package gpusolve

import (
	"context"
	"math"

	"thermsim/mesh"
	"thermsim/powermap"
)

// SlowestTimeConstant estimates the slowest time constant of a stack in s: 1/lambda for the smallest eigenvalue of A u = lambda C u.
// A coarse mesh is enough, for the slowest mode is smooth. Without a face that leads heat to a temperature it is infinite.
//
// A backward-Euler step of dt without sources damps that mode by 1/(1 + dt lambda) and all others more, so a few steps leave it alone.
func SlowestTimeConstant(ctx context.Context, m *mesh.Mesh) (float64, error) {
	if !m.Grounded() {
		return math.Inf(1), nil
	}
	quiet := *m.Stack
	for f := range quiet.Boundary {
		quiet.Boundary[f].Temperature = quiet.Ambient
		quiet.Boundary[f].Flux = 0
	}
	cold := *m
	cold.Stack, cold.Power = &quiet, new(powermap.Map)
	// The heat capacity over the conductance of the faces is too short, but the right order for a stack that conducts well inside.
	dt := 10 * heatCapacity(&cold) / faceConductance(&cold)
	e, err := newEngine(&cold, Options{Device: "cpu"}, 1, dt)
	if err != nil {
		return 0, err
	}
	defer e.close()
	e.sys.Fill(e.x, 1)
	relative := Options{RTol: 1e-6}
	rule := relative.rule(e.pre, 1)
	zero, err := e.sys.New64()
	if err != nil {
		return 0, err
	}
	heat := e.sys.Stored(e.x, zero)
	tau := 0.0
	for range 20 {
		e.sys.Extrapolate(e.x, e.old, nil, false) // old takes the state; the start of the solve matters little
		e.solver.Solve(ctx, rule, e.x, e.old)
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		next := e.sys.Stored(e.x, zero)
		last := tau
		tau = dt * next / (heat - next)
		if math.Abs(tau-last) < 1e-3*tau {
			break
		}
		heat = next
	}
	return tau, nil
}
