package report

import (
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/report/samples"
)

func sampleRun(t testing.TB, nx, ny int) *Run {
	m := samples.Build(t, samples.Stack(nx, ny))
	return &Run{
		Command: "steady", Version: "0.1.0", Mesh: m,
		Solution: &solution.Solution{
			Field: samples.Field{Mesh: m, Of: samples.Bumps},
			Status: solution.Status{
				Method: "pcg", Preconditioner: "multigrid", Iterations: 9, IterationsTotal: 9, ResidualW: 3.2e-9,
				RelativeResidual: 2e-10, EstimatedErrorK: 4e-5, Converged: true, Reason: solution.ReasonTolerance,
			},
			Energy: solution.Energy{In: 16, Out: 15.999999, ByFace: [6]float64{0, 15.999999, 0, 0, 0, 0},
				ImbalanceRel: 6.25e-8},
			Device: solution.DeviceInfo{Kind: "cpu", Name: "host, 2 threads"},
			Memory: solution.Memory{DeviceBytes: 12345678},
		},
	}
}
