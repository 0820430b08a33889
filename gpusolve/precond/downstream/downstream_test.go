package downstream

import (
	"context"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// solve brings the error below 1e-4 K.
func solve(t *testing.T, s *stack.Stack) (krylov.Outcome, *mesh.Mesh) {
	t.Helper()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	d := host.Open()
	defer d.Close()
	sys, err := d.Assemble(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := sys.NewSource(true)
	if err != nil {
		t.Fatal(err)
	}
	b.SetPower(m.Power.Steady())
	definition := Definition()
	k, _, err := definition.SetUp(sys, precond.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := sys.New64()
	if err != nil {
		t.Fatal(err)
	}
	k.StartFromZero()
	return k.Solve(context.Background(), krylov.Rule{Tol: 1e-4, MaxIter: 200}, b, x), m
}

// peclet is that of a cell: what the coolant carries over what the solids of its column conduct to the next cell
// downstream.
func peclet(m *mesh.Mesh) float64 {
	heat, conducted := 0.0, 0.0
	c := m.Cavities[0]
	for _, h := range c.Heat {
		heat += h
	}
	row := make([]float64, m.NX())
	for k := range m.NZ() {
		m.CouplingY(k, 0, row)
		for _, g := range row {
			conducted += g / float64(len(m.Cavities))
		}
	}
	return heat / conducted
}

// models in the order of the table.
var models = [2]stack.CavityModel{stack.ResolvedChannels, stack.PorousCavity}

// count solves a stack and returns the iterations; the grid of channels is made odd.
func count(t *testing.T, model stack.CavityModel, n, cavities int, flow float64, most int) (iterations int,
	pe float64) {
	t.Helper()
	if model == stack.ResolvedChannels {
		n |= 1
	}
	out, m := solve(t, cases.Tiers(n, cavities, flow, model))
	if !out.Converged || out.Iterations > most {
		t.Errorf("%s, %d, %d cavities, Peclet %.2g: %+v", model, n, cavities, peclet(m), out)
	}
	return out.Iterations, peclet(m)
}

// Iterations stay few for any flow, grid and number of cavities.
func TestIterationsDoNotDependOnFlowOrGrid(t *testing.T) {
	for _, model := range models {
		for _, n := range []int{16, 32, 64, 128} {
			for _, flow := range []float64{2e-9, 2e-7, 2e-5, 2e-3} {
				count(t, model, n, 1, flow, 8)
			}
		}
		count(t, model, 32, 4, 2e-9, 8)
		count(t, model, 32, 4, 2e-6, 8)
	}
}
