package bench

import (
	"fmt"

	"thermsim/gpusolve/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// The ten-layer stack on which the paper's matrices are modelled. The paper gives their sizes alone, so these are choices: die and powers are those of
// package cases, h the paper's for its first floorplan, and the step about a fiftieth of the stack's slowest time constant, 5.3 s, which is thermsim's default.
const (
	heatTransfer = 1000 // W/(m2 K)
	timeStep     = 0.1  // s
	timeSteps    = 50
	stopW        = 1e-6 // ||b - A x||2, the paper's rule
)

// system is one matrix of the benchmark.
type system struct {
	name   string
	nx, ny int
}

// planes is the number of layers, one cell each.
const planes = 10

func (s system) cells() int   { return s.nx * s.ny * planes }
func (s system) grid() string { return fmt.Sprintf("%dx%dx%d", s.nx, s.ny, planes) }

// systems are CUTh1 to CUTh7: 5.1, 8.4, 14, 18, 24, 28 and 35 million unknowns.
func systems() []system {
	var all []system
	for i, n := range []int{714, 917, 1183, 1342, 1549, 1673, 1871} {
		all = append(all, system{fmt.Sprintf("CUTh%d", i+1), n, n})
	}
	return all
}

// stack of the system.
func (s system) stack() *stack.Stack {
	return cases.Stack10(cases.Options{NX: s.nx, NY: s.ny, H: heatTransfer})
}

func (s system) mesh() (*mesh.Mesh, error) { return mesh.Build(s.stack()) }

// problem describes the stack for readers of a result.
func problem() Problem {
	s := system{"", 2, 2}.stack()
	p := Problem{DieMM: s.Size[0] * 1e3, HWm2K: heatTransfer, StepS: timeStep, Steps: timeSteps, StopW: stopW}
	for i := range s.Layers {
		l := &s.Layers[i]
		p.LayersUM = append(p.LayersUM, l.Thickness*1e6)
		p.ConductWmK = append(p.ConductWmK, s.Materials[l.Material].K[0])
		p.CapacityJm3K = append(p.CapacityJm3K, s.Materials[l.Material].C)
		for _, w := range l.Powers {
			p.PowerW += w.Uniform
			for _, b := range w.Blocks {
				p.PowerW += b.Watts
			}
		}
	}
	return p
}
