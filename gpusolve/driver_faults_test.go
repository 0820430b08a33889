package gpusolve_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cases"
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/interpreter"
	"thermsim/gpusolve/ports"
	"thermsim/stack"
)

var driverFaults = flag.Int("driver-faults", 2, "how many calls of a kind fail, of each program of TestDriverFaults; 0 for all")

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
			sol, err := gpusolve.Steady(ctx, build(t, s), o)
			return end(s, sol, err)
		}
	}
	all := map[string]onDriver{
		"fourier": steady(slab, "fourier"),
		"hot":     steady(hot10(4), "multigrid"),
		"coolant": steady(cases.Tiers(4, 1, 1e-7, stack.PorousCavity), ""),
		"transient": func(ctx context.Context, o gpusolve.Options) error {
			o.Preconditioner = "multigrid"
			sol, err := gpusolve.Transient(ctx, build(t, slab), o, gpusolve.TransientOptions{Steps: 2, Dt: 1e-3})
			return end(slab, sol, err)
		},
		"transient, direct": func(ctx context.Context, o gpusolve.Options) error {
			sol, err := gpusolve.Transient(ctx, build(t, slab), o, gpusolve.TransientOptions{Steps: 2, Dt: 1e-3})
			return end(slab, sol, err)
		},
		"adaptive": func(ctx context.Context, o gpusolve.Options) error {
			sol, err := gpusolve.Adaptive(ctx, build(t, slab), o, gpusolve.AdaptiveOptions{Tol: 0.1, Until: 0.01})
			return end(slab, sol, err)
		},
		"many": func(ctx context.Context, o gpusolve.Options) error {
			watts := make([]float64, len(ports.InputsOf(slab)))
			for n := range watts {
				watts[n] = 1
			}
			_, err := gpusolve.SolveMany(ctx, build(t, slab), o, gpusolve.Many{Watts: [][]float64{watts, watts}})
			return err
		},
		"session": func(ctx context.Context, o gpusolve.Options) error {
			s, err := gpusolve.OpenSession(build(t, slab), o, 1e-3, nil)
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
		"matrix": func(ctx context.Context, o gpusolve.Options) error {
			a := newMatrix(t, laplacian(3, 2, 2).CSR())
			b := slices.Repeat([]float64{1}, 12)
			o.Preconditioner, o.Tol, o.RTol = "jacobi", 0, 1e-8
			_, err := gpusolve.SolveMatrix(ctx, a, b, o)
			return err
		},
	}
	for _, name := range gpusolve.Preconditioners() {
		if name != "fourier" {
			all[name] = steady(slab, name)
		}
	}
	return all
}

// resultFor is what a driver that is out of memory, or whose kernels fail, returns from a call.
func resultFor(call string) cudriver.Result {
	const launchFailed = 719
	if strings.Contains(call, "Alloc") {
		return cudriver.OutOfMemory
	}
	return launchFailed
}

// sampleCalls chooses of each kind of call the first, the last, and some between.
func sampleCalls(calls []string, most int) (chosen []int) {
	places := map[string][]int{}
	for n, call := range calls {
		places[call] = append(places[call], n)
	}
	for _, at := range places {
		if most == 0 || len(at) <= most {
			chosen = append(chosen, at...)
			continue
		}
		for k := range most {
			chosen = append(chosen, at[k*(len(at)-1)/max(1, most-1)])
		}
	}
	slices.Sort(chosen)
	return chosen
}

// Every allocation and every other call of the driver fails once, in all methods and ways to solve: the error is one of the device and names the call, nothing
// panics, and no object of the driver and no goroutine is left.
func TestDriverFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("solves a thousand times")
	}
	cache := new(interpreter.Cache)
	all := programs(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		run := all[name]
		attempt := func(fail func(string, int) error) (calls []string, m *interpreter.Machine, err error) {
			m = interpreter.New(interpreter.Options{NoRaces: true, Cache: cache})
			drv := cudriver.Faulty(m, fail)
			defer func() {
				if fault := recover(); fault != nil {
					err = fmt.Errorf("panic: %v", fault)
				}
			}()
			err = run(t.Context(), gpusolve.Options{Device: "gpu", Driver: drv, Tol: 1e-3})
			return drv.Calls(), m, err
		}
		calls, m, err := attempt(nil)
		if err != nil {
			t.Errorf("%s without a fault: %v", name, err)
			continue
		}
		empty(t, m)
		before := runtime.NumGoroutine()
		chosen := sampleCalls(calls, *driverFaults)
		unnoticed := map[string]int{}
		for _, n := range chosen {
			call := calls[n]
			_, m, err := attempt(cudriver.FailAt(n, resultFor(call)))
			var fault *cudriver.Error
			switch {
			case err == nil:
				unnoticed[call]++
			case !errors.As(err, &fault) || fault.Call != call || !strings.Contains(err.Error(), call):
				t.Errorf("%s, call %d of %d (%s): the error does not tell of it: %v", name, n, len(calls), call, err)
			case !errors.Is(err, gpusolve.ErrDevice):
				t.Errorf("%s, call %d of %d (%s): %v is not a device failure", name, n, len(calls), call, err)
			}
			if left := m.Objects(); withoutThat(call, left) != (interpreter.Objects{}) {
				t.Errorf("%s, call %d of %d (%s): left on the device: %+v", name, n, len(calls), call, left)
			}
		}
		for call, n := range unnoticed {
			if limit, known := withoutHarm[call]; !known || n > limit {
				t.Errorf("%s: %d failures of %s went unnoticed", name, n, call)
			}
		}
		if after := settled(before); after > before {
			t.Errorf("%s: %d goroutines before, %d after", name, before, after)
		}
		t.Logf("%s: %d calls, %d failed", name, len(calls), len(chosen))
	}
}

// withoutHarm lists the calls that give something back, or that something else makes up for, and how often at most: one block of multigrid for all of its memory, without
// which it takes that in parts; and of the many waits and bindings those of Close.
var withoutHarm = map[string]int{
	"cuMemFree": math.MaxInt, "cuMemFreeHost": math.MaxInt, "cuModuleUnload": math.MaxInt, "cuStreamDestroy": math.MaxInt, "cuGraphExecDestroy": math.MaxInt,
	"cuGraphDestroy": math.MaxInt, "cuEventDestroy": math.MaxInt, "cuDevicePrimaryCtxRelease": 1, "cuCtxSetCurrent": 2, "cuStreamSynchronize": 1, "cuStreamQuery": 1, "cuMemAlloc": 1,
}

// settled waits for goroutines to end.
func settled(wanted int) (now int) {
	for range 100 {
		if now = runtime.NumGoroutine(); now <= wanted {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return now
}
