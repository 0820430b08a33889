package gpusolve_test

import (
	"context"
	"fmt"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cases"
)

// BenchmarkSteady solves the 10-layer stack with h = 10000 at the default tolerance. Set-up is counted.
func BenchmarkSteady(b *testing.B) {
	for _, n := range []int{256, 512, 1024} {
		b.Run(fmt.Sprintf("%dx%dx10", n, n), func(b *testing.B) {
			m := build(b, cases.Stack10(cases.Options{NX: n}))
			var setup, solve, bytes float64
			for b.Loop() {
				sol, err := gpusolve.Steady(context.Background(), m, gpusolve.Options{})
				if err != nil || !sol.Status.Converged {
					b.Fatal(err, sol)
				}
				setup += sol.Timing.Setup.Seconds()
				solve += sol.Timing.Solve.Seconds()
				bytes = float64(sol.Memory.DeviceBytes)
				sol.Close()
			}
			b.ReportMetric(setup/float64(b.N), "s-setup/op")
			b.ReportMetric(solve/float64(b.N), "s-solve/op")
			b.ReportMetric(bytes/float64(m.Cells()), "B/cell")
		})
	}
}

// BenchmarkTransient takes 50 steps of 1 ms on 256 x 256 x 10 cells, from ambient and with constant power.
func BenchmarkTransient(b *testing.B) {
	m := build(b, cases.Stack10(cases.Options{NX: 256}))
	for b.Loop() {
		sol, err := gpusolve.Transient(context.Background(), m, gpusolve.Options{}, gpusolve.TransientOptions{Steps: 50, Dt: 1e-3})
		if err != nil || !sol.Status.Converged {
			b.Fatal(err, sol)
		}
		b.ReportMetric(float64(sol.Status.IterationsTotal), "iterations/op")
		sol.Close()
	}
}
