package downstream

import (
	"context"
	"fmt"
	"os"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/precond"
	"thermsim/mesh"
	"thermsim/stack"
)

// tiers is a stack of dies with a cavity below each but the first, every second one against the flow of the others where counter is set.
func tiers(n, cavities int, flow float64, model stack.CavityModel, counter, central bool) *stack.Stack {
	const side = 10e-3
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{side, side}}
	s.Grid.X, s.Grid.Y = stack.Axis{Cells: n}, stack.Axis{Cells: n}
	s.Materials = []stack.Material{{Name: "silicon", K: [3]float64{130, 130, 130}, C: 1.628e6}, {Name: "beol", K: [3]float64{2.25, 2.25, 2.25}, C: 2.175e6}}
	add := func(name string, material int, thickness, watts float64) *stack.Layer {
		y := stack.Layer{Name: name, Material: material, Thickness: thickness, Cells: 1}
		if watts > 0 {
			y.Powers = []stack.Power{{Area: s.Domain(), Blocks: []stack.Block{
				{Name: "hot", Rects: []stack.Rect{{X: side / 8, Y: side / 8, Width: side / 4, Height: side / 4}}, Watts: watts / 2},
				{Name: "cold", Rects: []stack.Rect{{X: side / 2, Y: 0, Width: side / 2, Height: side}}, Watts: watts / 2},
			}}}
		}
		s.Layers = append(s.Layers, y)
		return &s.Layers[len(s.Layers)-1]
	}
	die := func(d int) {
		add(fmt.Sprintf("si%d", d), 0, 50e-6, 0)
		add(fmt.Sprintf("feol%d", d), 0, 2e-6, 30)
		add(fmt.Sprintf("beol%d", d), 1, 10e-6, 0)
	}
	die(0)
	width := side / float64(n)
	for c := range cavities {
		y := add(fmt.Sprintf("cavity%d", c), 0, 100e-6, 0)
		w := &stack.Coolant{Model: model, Fluid: stack.Fluid{K: 0.6, C: 4.172e6}, Inlet: 300, Direction: stack.TowardsNorth, Flow: flow, Central: central,
			Channels: &stack.Channels{Width: width, Wall: width, FirstWall: width, Count: (n - 1) / 2}, HSide: 27132, HTop: 57132, HBottom: 47132}
		if model == stack.PorousCavity {
			w.HTop, w.HBottom = 50698, 55698
		}
		if counter && c%2 == 1 {
			w.Direction = stack.TowardsSouth
		}
		y.Coolant = w
		die(c + 1)
	}
	return s
}

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

// peclet is that of a cell: what the coolant carries over what the solids of its column conduct to the next cell downstream.
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

// scan is the table of iterations in docs/robustness.md.
func scan(t *testing.T, sizes, cavities []int, most int) {
	for _, model := range []stack.CavityModel{stack.ResolvedChannels, stack.PorousCavity} {
		for _, n := range sizes {
			for _, number := range cavities {
				line := fmt.Sprintf("| %s | %d | %d |", model, n, number)
				for _, flow := range []float64{2e-9, 2e-8, 2e-7, 2e-6, 2e-5, 2e-4, 2e-3} {
					columns := n
					if model == stack.ResolvedChannels {
						columns = n | 1
					}
					out, m := solve(t, tiers(columns, number, flow*float64(number), model, true, false))
					if !out.Converged || out.Iterations > most {
						t.Errorf("%s, %d, %d cavities, Peclet %.2g: %+v", model, n, number, peclet(m), out)
					}
					line += fmt.Sprintf(" %d (%.1g) |", out.Iterations, peclet(m))
				}
				t.Log(line)
			}
		}
	}
}

// Iterations stay few for any flow.
func TestIterationsDoNotDependOnTheFlow(t *testing.T) { scan(t, []int{32}, []int{1, 2}, 12) }

// TestRobustnessTable prints the whole table where THERMSIM_ROBUSTNESS is set.
func TestRobustnessTable(t *testing.T) {
	if os.Getenv("THERMSIM_ROBUSTNESS") == "" {
		t.Skip("set THERMSIM_ROBUSTNESS to print the table")
	}
	scan(t, []int{64, 128, 256}, []int{1, 2, 8}, 200)
}
