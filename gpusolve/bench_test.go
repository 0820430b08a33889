package gpusolve_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/testing/cases"
	"thermsim/stack"
)

// BenchmarkSteady solves the 10-layer stack with h = 10000 at the default tolerance. Set-up is counted.
func BenchmarkSteady(b *testing.B) {
	for _, n := range []int{256, 512, 1024} {
		b.Run(fmt.Sprintf("%dx%dx10", n, n), func(b *testing.B) {
			m := solves.Build(b, cases.Stack10(cases.Options{NX: n}))
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
	m := solves.Build(b, cases.Stack10(cases.Options{NX: 256}))
	for b.Loop() {
		sol, err := gpusolve.Transient(context.Background(), m, gpusolve.Options{},
			gpusolve.TransientOptions{Steps: 50, Dt: 1e-3})
		if err != nil || !sol.Status.Converged {
			b.Fatal(err, sol)
		}
		b.ReportMetric(float64(sol.Status.IterationsTotal), "iterations/op")
		sol.Close()
	}
}

// BenchmarkSolveMany solves the 512 x 512 x 10 stack under 1000 power vectors of 49 blocks in each of its two powered
// layers. THERMSIM_DEVICE chooses the device.
func BenchmarkSolveMany(b *testing.B) {
	s := cases.Stack10(cases.Options{NX: 512})
	for l := range s.Layers {
		if p := s.Layers[l].Powers; len(p) > 0 {
			s.Layers[l].Powers = []stack.Power{{Area: p[0].Area, Blocks: tiles(s.Size, 7)}}
		}
	}
	m := solves.Build(b, s)
	dev, err := device.Open(os.Getenv("THERMSIM_DEVICE"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = dev.Release() }()
	blocks := len(ports.InputsOf(s))
	watts := make([][]float64, 1000)
	for v := range watts {
		watts[v] = make([]float64, blocks)
		for n := range watts[v] {
			watts[v][n] = float64((v*7+n*13)%101) / 100
		}
	}
	for b.Loop() {
		many, err := gpusolve.SolveMany(context.Background(), m, gpusolve.Options{Executor: dev},
			gpusolve.Many{Watts: watts})
		if err != nil || !many.Status.Converged {
			b.Fatal(err, many)
		}
		b.ReportMetric(many.Timing.Setup.Seconds(), "s-setup/op")
		b.ReportMetric(many.Timing.Solve.Seconds(), "s-solve/op")
		b.ReportMetric(float64(blocks), "blocks")
	}
}

// tiles divide the ground plan into n x n blocks.
func tiles(size [2]float64, n int) []stack.Block {
	var all []stack.Block
	for k := range n * n {
		r := stack.Rect{X: size[0] * float64(k%n) / float64(n), Y: size[1] * float64(k/n) / float64(n),
			Width: size[0] / float64(n), Height: size[1] / float64(n)}
		all = append(all, stack.Block{Name: fmt.Sprint("b", k), Rects: []stack.Rect{r}, Watts: 1})
	}
	return all
}
