package gpusolve_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cases"
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/interpreter"
	"thermsim/stack"
)

// onInterpreter opens the CUDA executor on the interpreter of PTX.
func onInterpreter(t testing.TB, drv cudriver.Driver) *cuda.Device {
	t.Helper()
	d, err := cuda.Open(drv, 0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// empty fails the test where anything is left on the device.
func empty(t testing.TB, m *interpreter.Machine) {
	t.Helper()
	if left := m.Objects(); left != (interpreter.Objects{}) {
		t.Errorf("left on the device: %+v", left)
	}
}

func smallKinds() map[string]*stack.Stack {
	return map[string]*stack.Stack{
		"homogeneous": cases.Stack10(cases.Options{NX: 26, NY: 23}),
		"2.5D":        cases.Interposer(cases.Stack10(cases.Options{NX: 25})),
		"graded":      cases.Graded(cases.Stack10(cases.Options{NX: 16, NY: 18}), 4),
		"tall":        cases.Slab(cases.Options{NX: 9, NY: 7}, 19),
	}
}

// Whole solves by the kernels that ship, against the processor's.
func TestKernelsSolveAsTheProcessorDoes(t *testing.T) {
	for name, s := range smallKinds() {
		for _, tol := range []float64{1e-4, 1e-6} {
			onHost := steady(t, s, gpusolve.Options{Tol: tol, Device: "cpu", Preconditioner: "multigrid"})
			want := field(t, s, onHost.Field)
			var first []float64
			for seed := range int64(2) {
				m := interpreter.New(interpreter.Options{Seed: seed})
				sol, err := gpusolve.Steady(context.Background(), build(t, s), gpusolve.Options{Tol: tol, Executor: onInterpreter(t, m), Preconditioner: "multigrid"})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got := field(t, s, sol.Field)
				// Residuals in FP32 may cost an iteration, and near their rounding a fresh start from the true residual.
				extra := 1
				if tol < 1e-5 {
					extra = 3
				}
				if n, h := sol.Status.Iterations, onHost.Status.Iterations; n < h-1 || n > h+extra {
					t.Errorf("%s at %g K: %d iterations, %d on the processor", name, tol, n, h)
				}
				if d := largestDifference(want, got); d > math.Max(tol, 1e-5) || !sol.Status.Converged || sol.Energy.ImbalanceRel > 1e-4 {
					t.Errorf("%s at %g K: fields differ by %g K: %+v, %+v", name, tol, d, sol.Status, sol.Energy)
				}
				if first == nil {
					first = got
				} else if largestDifference(first, got) != 0 {
					t.Errorf("%s: another order of blocks and warps changes the result", name)
				}
				sol.Close()
				empty(t, m)
			}
		}
	}
}

func TestKernelsStepAsTheProcessorDoes(t *testing.T) {
	s := cases.Interposer(cases.Stack10(cases.Options{NX: 14, NY: 11}))
	plan := gpusolve.TransientOptions{Steps: 4, Dt: 1e-3}
	run := func(o gpusolve.Options) *gpusolve.Solution {
		sol, err := gpusolve.Transient(context.Background(), build(t, s), o, plan)
		if err != nil {
			t.Fatal(err)
		}
		return sol
	}
	want := run(gpusolve.Options{Device: "cpu"})
	m := interpreter.New(interpreter.Options{})
	got := run(gpusolve.Options{Executor: onInterpreter(t, m)})
	if d := largestDifference(field(t, s, want.Field), field(t, s, got.Field)); d > 1e-4 {
		t.Errorf("fields differ by %g K", d)
	}
	if math.Abs(want.Energy.Stored-got.Energy.Stored) > 1e-4*want.Energy.Stored || got.Energy.ImbalanceRel > 1e-4 {
		t.Errorf("energy %+v, want %+v", got.Energy, want.Energy)
	}
	want.Close()
	got.Close()
	empty(t, m)
}

// Every driver call fails once: the error says so, nothing hangs and nothing stays on the device, save what a failed free leaves.
func TestEveryDriverCallFailsOnce(t *testing.T) {
	cache := new(interpreter.Cache)
	s := cases.Slab(cases.Options{NX: 3, NY: 2}, 2)
	for name, run := range map[string]func(d *cuda.Device) (*gpusolve.Solution, error){
		"steady": func(d *cuda.Device) (*gpusolve.Solution, error) {
			return gpusolve.Steady(context.Background(), build(t, s), gpusolve.Options{Executor: d})
		},
		"transient": func(d *cuda.Device) (*gpusolve.Solution, error) {
			return gpusolve.Transient(context.Background(), build(t, s), gpusolve.Options{Executor: d}, gpusolve.TransientOptions{Steps: 2, Dt: 1e-3})
		},
		"block factors": func(d *cuda.Device) (*gpusolve.Solution, error) {
			return gpusolve.Steady(context.Background(), build(t, s), gpusolve.Options{Executor: d, Preconditioner: "ddilu:solver=bicgstab", RTol: 1e-6})
		},
	} {
		solve := func(drv cudriver.Driver) error {
			d, err := cuda.Open(drv, 0)
			if err != nil {
				return err
			}
			sol, err := run(d)
			if err != nil {
				if !errors.Is(err, gpusolve.ErrDevice) {
					t.Errorf("%s: %v is not a device failure", name, err)
				}
				return err
			}
			dst := make([]float64, 6)
			err = sol.Field.Plane(0, dst)
			sol.Close()
			return err
		}
		m := interpreter.New(interpreter.Options{NoRaces: true, Cache: cache})
		all := cudriver.Faulty(m, func(string, int) error { return nil })
		if err := solve(all); err != nil {
			t.Fatal(err)
		}
		empty(t, m)
		calls := all.Calls()
		unnoticed := map[string]int{}
		for n, call := range calls {
			m := interpreter.New(interpreter.Options{NoRaces: true, Cache: cache})
			err := solve(cudriver.Faulty(m, cudriver.FailAt(n, 999)))
			var fault *cudriver.Error
			if err != nil && !errors.As(err, &fault) {
				t.Errorf("%s, call %d of %d (%s): the error hides the driver's: %v", name, n, len(calls), call, err)
			}
			if err == nil {
				unnoticed[call]++
			}
			if left := m.Objects(); withoutThat(call, left) != (interpreter.Objects{}) {
				t.Errorf("%s, call %d of %d (%s): left on the device: %+v", name, n, len(calls), call, left)
			}
		}
		// What gives something back cannot spoil a result any more: all of these, and one wait and two bindings of the many.
		for call, n := range unnoticed {
			if limit, known := cleaning[call]; !known || n > limit {
				t.Errorf("%s: %d failures of %s went unnoticed", name, n, call)
			}
		}
	}
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

// cleaning lists the calls that a solution's Close makes, and how often at most.
var cleaning = map[string]int{
	"cuMemFree": math.MaxInt, "cuMemFreeHost": 1, "cuModuleUnload": 10, "cuStreamDestroy": 1, "cuGraphExecDestroy": 2,
	"cuDevicePrimaryCtxRelease": 1, "cuCtxSetCurrent": 2, "cuStreamSynchronize": 1,
}
