package stepping

import (
	"context"
	"math"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// relaxation is the heat capacity divided by the conductance to the faces and the flow of coolant, in s: too short for
// the slowest time constant, but of its order in a stack that conducts well inside. It is infinite if nothing removes
// heat.
func relaxation(m *mesh.Mesh) float64 { return m.HeatCapacity() / m.GroundConductance() }

// SlowestTimeConstant estimates the slowest time constant of a stack in s: 1/lambda for the smallest eigenvalue of A u
// = lambda C u. A coarse mesh is enough, for the slowest mode is smooth. Without a face that leads heat to a
// temperature it is infinite.
//
// A backward-Euler step of dt without sources damps that mode by 1/(1 + dt lambda) and all others more, so a few steps
// leave it alone.
func SlowestTimeConstant(ctx context.Context, m *mesh.Mesh) (float64, error) {
	if !m.Grounded() {
		return math.Inf(1), nil
	}
	dt := 10 * relaxation(m)
	dev := host.Open()
	defer dev.Close()
	sys, err := dev.Assemble(m, dt)
	if err != nil {
		return 0, err
	}
	defer sys.Free()
	// Without power, and with faces at the ambient, only the state of the step before drives the stack.
	source, err := sys.NewSource(false)
	if err != nil {
		return 0, err
	}
	solver, pre, err := methods.SetUp(sys, "")
	if err != nil {
		return 0, err
	}
	var x, old, zero ops.Vector
	for _, v := range []*ops.Vector{&x, &old, &zero} {
		if *v, err = sys.New64(); err != nil {
			return 0, err
		}
	}
	source.SetOld(old)
	sys.Fill(x, 1)
	relative := driver.Options{RTol: 1e-6}
	rule := relative.StepRule(pre, 1)
	heat := sys.Stored(x, zero)
	tau := 0.0
	for range 20 {
		// old takes the state; the start of the solve matters little
		sys.Extrapolate(x, old, [4]ops.Vector{}, [4]float64{1})
		solver.Solve(ctx, rule, source, x)
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		next := sys.Stored(x, zero)
		last := tau
		tau = dt * next / (heat - next)
		if math.Abs(tau-last) < 1e-3*tau {
			break
		}
		heat = next
	}
	return tau, nil
}
