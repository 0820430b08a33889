package response_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/study/response"
)

// blocks49 is the 10-layer stack with 7 x 7 blocks in its first powered layer.
func blocks49(n int) *stack.Stack {
	s := cases.Stack10(cases.Options{NX: n})
	s.Layers[5].Powers = nil
	p := stack.Power{Area: s.Domain()}
	for k := range 49 {
		r := stack.Rect{X: s.Size[0] * float64(k%7) / 7, Y: s.Size[1] * float64(k/7) / 7, Width: s.Size[0] / 7,
			Height: s.Size[1] / 7}
		p.Blocks = append(p.Blocks, stack.Block{Name: fmt.Sprint("b", k), Rects: []stack.Rect{r}, Watts: 1})
	}
	s.Layers[1].Powers = []stack.Power{p}
	return s
}

// BenchmarkResistances solves 49 blocks on 512 x 512 x 10 cells, and tells how many single steady solves take the same
// time, each with its set-up, on a device that is open. THERMSIM_DEVICE chooses the device.
func BenchmarkResistances(b *testing.B) {
	for _, method := range []string{"fourier", "multigrid"} {
		b.Run(method, func(b *testing.B) {
			s := blocks49(512)
			o := onDevice(b, method)
			m, err := mesh.Build(ports.Responding(s))
			if err != nil {
				b.Fatal(err)
			}
			o.Mesh = func(*stack.Stack) (*mesh.Mesh, error) { return m, nil }
			single := func() time.Duration {
				start := time.Now()
				one := o.Solver
				if method == "multigrid" {
					one.RTol = response.RTol
				}
				sol, err := gpusolve.Steady(context.Background(), m, one)
				if err != nil || !sol.Status.Converged {
					b.Fatal(err, sol)
				}
				sol.Close()
				return time.Since(start)
			}
			matrix := func() *response.Matrix {
				x, err := response.Resistances(context.Background(), s, o, false)
				if err != nil {
					b.Fatal(err)
				}
				return x
			}
			single() // the device compiles its kernels
			matrix()
			var one, all time.Duration
			var asymmetry float64
			for b.Loop() {
				one += single()
				start := time.Now()
				asymmetry = matrix().Asymmetry
				all += time.Since(start)
			}
			b.ReportMetric(one.Seconds()/float64(b.N)*1e3, "ms-one-solve/op")
			b.ReportMetric(all.Seconds()/float64(b.N)*1e3, "ms-matrix/op")
			b.ReportMetric(all.Seconds()/one.Seconds(), "solves")
			b.ReportMetric(asymmetry, "asymmetry")
		})
	}
}

// BenchmarkStepResponses answers steps in all 49 blocks on 512 x 512 x 10 cells, over 9 decades.
func BenchmarkStepResponses(b *testing.B) {
	s := blocks49(512)
	o := onDevice(b, "fourier")
	for b.Loop() {
		x, err := response.StepResponses(context.Background(), s, o, response.Request{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(x.Shifts), "shifts")
	}
}

func onDevice(b *testing.B, method string) response.Options {
	dev, err := device.Open(os.Getenv("THERMSIM_DEVICE"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = dev.Release() })
	return response.Options{Solver: gpusolve.Options{Executor: dev, Preconditioner: method}}
}
