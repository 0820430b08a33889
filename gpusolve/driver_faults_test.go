package gpusolve_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/stack"
)

// onDriver is something that is done on a GPU. It closes what it is given.
type onDriver func(ctx context.Context, o gpusolve.Options) error

// programs are all methods on a steady stack, and all ways to solve.
func programs(t *testing.T) map[string]onDriver {
	slab := cases.Slab(cases.Options{NX: 3, NY: 2}, 2)
	end := func(s *stack.Stack, sol *gpusolve.Solution, err error) error {
		if sol == nil {
			return err
		}
		defer sol.Close()
		if err == nil {
			err = sol.Field.Plane(0, make([]float64, s.Grid.X.Cells*s.Grid.Y.Cells))
		}
		return err
	}
	steady := func(s *stack.Stack, precond string) onDriver {
		return func(ctx context.Context, o gpusolve.Options) error {
			o.Preconditioner = precond
			sol, err := gpusolve.Steady(ctx, solves.Build(t, s), o)
			return end(s, sol, err)
		}
	}
	all := map[string]onDriver{
		"fourier": steady(slab, "fourier"),
		"hot":     steady(solves.Hot10(4), "multigrid"),
		"coolant": steady(cases.Tiers(3, 1, 1e-7, stack.PorousCavity), ""),
		"transient": func(ctx context.Context, o gpusolve.Options) error {
			o.Preconditioner = "multigrid"
			sol, err := gpusolve.Transient(ctx, solves.Build(t, slab), o, gpusolve.TransientOptions{Steps: 2, Dt: 1e-3})
			return end(slab, sol, err)
		},
		"transient, direct": func(ctx context.Context, o gpusolve.Options) error {
			sol, err := gpusolve.Transient(ctx, solves.Build(t, slab), o, gpusolve.TransientOptions{Steps: 2, Dt: 1e-3})
			return end(slab, sol, err)
		},
		"adaptive": func(ctx context.Context, o gpusolve.Options) error {
			sol, err := gpusolve.Adaptive(ctx, solves.Build(t, slab), o, gpusolve.AdaptiveOptions{Tol: 1, Until: 1e-3})
			return end(slab, sol, err)
		},
		"many": func(ctx context.Context, o gpusolve.Options) error {
			watts := make([]float64, len(ports.InputsOf(slab)))
			for n := range watts {
				watts[n] = 1
			}
			_, err := gpusolve.SolveMany(ctx, solves.Build(t, slab), o, gpusolve.Many{Watts: [][]float64{watts, watts}})
			return err
		},
		"session": func(ctx context.Context, o gpusolve.Options) error {
			s, err := gpusolve.OpenSession(solves.Build(t, slab), o, 1e-3, nil)
			if err != nil {
				return err
			}
			defer s.Close()
			for range 2 {
				if _, err := s.Step(ctx); err != nil {
					return err
				}
			}
			_, err = s.Hottest()
			return err
		},
		"block factors": func(ctx context.Context, o gpusolve.Options) error {
			o.Preconditioner, o.Tol, o.RTol = "ddilu:solver=bicgstab", 0, 1e-6
			sol, err := gpusolve.Steady(ctx, solves.Build(t, slab), o)
			return end(slab, sol, err)
		},
		"matrix": func(ctx context.Context, o gpusolve.Options) error {
			a := solves.NewMatrix(t, solves.Laplacian(3, 2, 2).CSR())
			b := slices.Repeat([]float64{1}, 12)
			o.Preconditioner, o.Tol, o.RTol = "jacobi", 0, 1e-8
			_, err := matrix.Solve(ctx, a, b, o)
			return err
		},
	}
	for _, name := range methods.Names() {
		switch name {
		case "fourier":
		case "chebyshev":
			all[name] = steady(slab, "chebyshev:steps=8")
		default:
			all[name] = steady(slab, name)
		}
	}
	return all
}

// Allocations and all other calls of the driver fail, one in each run, in all methods and ways to solve: the error is
// one of the device and names the call, nothing panics, and no object of the driver and no goroutine is left.
func TestDriverFaults(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("of", func(t *testing.T) {
		all := programs(t)
		for turn, name := range slices.Sorted(maps.Keys(all)) {
			if turn%testtier.Pick(2, 1) > 0 {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				driverFaults(t, all[name], turn)
			})
		}
	})
	if after := settled(before); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

// driverFaults runs a program without a fault, and with one of some of its calls.
func driverFaults(t *testing.T, run onDriver, turn int) {
	attempt := func(fail func(string, int) error) (calls []string, m *interpreter.Machine, err error) {
		m = devices.Machine(interpreter.Options{NoRaces: true})
		drv := cudriver.Faulty(m, fail)
		defer func() {
			if fault := recover(); fault != nil {
				err = fmt.Errorf("panic: %v", fault)
			}
		}()
		err = run(t.Context(), gpusolve.Options{Device: "gpu", Driver: drv, Tol: 1})
		return drv.Calls(), m, err
	}
	calls, m, err := attempt(nil)
	if err != nil {
		t.Fatalf("without a fault: %v", err)
	}
	solves.Empty(t, m)
	chosen := solves.SampleCalls(calls, testtier.Pick(1, 40), turn)
	unnoticed := map[string]int{}
	for _, n := range chosen {
		call := calls[n]
		_, m, err := attempt(cudriver.FailAt(n, solves.ResultFor(call)))
		var fault *cudriver.Error
		switch {
		case err == nil:
			unnoticed[call]++
		case !errors.As(err, &fault) || fault.Call != call || !strings.Contains(err.Error(), call):
			t.Errorf("call %d of %d (%s): the error does not name it: %v", n, len(calls), call, err)
		case !errors.Is(err, gpusolve.ErrDevice):
			t.Errorf("call %d of %d (%s): %v is not a device failure", n, len(calls), call, err)
		}
		if left := m.Objects(); withoutThat(call, left) != (interpreter.Objects{}) {
			t.Errorf("call %d of %d (%s): left on the device: %+v", n, len(calls), call, left)
		}
	}
	for call, n := range unnoticed {
		if limit, known := solves.WithoutHarm[call]; !known || n > limit {
			t.Errorf("%d failures of %s went unnoticed", n, call)
		}
	}
	t.Logf("%d calls, %d failed", len(calls), len(chosen))
}

// settled waits for goroutines to end, half a minute at most: only those that stay take so long.
func settled(wanted int) (now int) {
	for range 3000 {
		if now = runtime.NumGoroutine(); now <= wanted {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return now
}

// withoutThat leaves out what a call that fails leaves behind: what it was to give back or to wait for.
func withoutThat(call string, o interpreter.Objects) interpreter.Objects {
	switch call {
	case "cuMemFree":
		o.Allocations, o.Bytes = 0, 0
	case "cuMemFreeHost":
		o.Pinned = 0
	case "cuEventDestroy":
		o.Events = 0
	case "cuModuleUnload":
		o.Modules = 0
	case "cuStreamDestroy":
		o.Streams = 0
	case "cuGraphDestroy":
		o.Graphs = 0
	case "cuGraphExecDestroy":
		o.GraphExecs = 0
	case "cuDevicePrimaryCtxRelease":
		o.Contexts = 0
	case "cuStreamSynchronize", "cuStreamQuery", "cuStreamEndCapture": // a stream that is captured cannot be waited for
		o.Unwaited = 0
	}
	return o
}
