package methods_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
)

func stackMesh(t *testing.T, o cases.Options) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Build(cases.Stack10(o))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// field is the whole temperature field of a steady solve, and how it ended.
func steadyField(t *testing.T, m *mesh.Mesh, o gpusolve.Options) ([]float64, gpusolve.Status) {
	t.Helper()
	o.Device = "cpu"
	s, err := gpusolve.Steady(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return solves.WholeField(t, m, s.Field), s.Status
}

// At CUTh-Solver's stopping rule, ||b - A x|| <= 1e-6 W, its errors stay below 3.3e-4 K (table III): in every form and
// format, against multigrid at the accuracy that can be attained.
func TestChebyshevAccuracy(t *testing.T) {
	m := stackMesh(t, cases.Options{NX: 18})
	exact, _ := steadyField(t, m, gpusolve.Options{RTol: 1e-14})
	iterations := map[string]int{}
	for _, method := range []string{
		"chebyshev", "chebyshev:precision=adaptive", "chebyshev:precision=adaptive,form=scaled",
		"chebyshev:precision=adaptive,promote=paper", "chebyshev:precision=adaptive,format=csr",
		"chebyshev:precision=adaptive,entries=fp32,bounds=found",
		"chebyshev:precision=fixed-fp64",
		"chebyshev:precision=fixed-fp64,form=scaled", "chebyshev:precision=fixed-fp64,format=csr",
		"jacobi:precision=adaptive",
		"none:precision=adaptive,format=csr", "none:precision=fixed-fp64",
	} {
		got, st := steadyField(t, m, gpusolve.Options{Preconditioner: method, ATol: 1e-6})
		if e := solves.Furthest(got, exact); !st.Converged || !(e <= 3.3e-4) || !(st.ResidualW <= 1e-6) {
			t.Errorf("%s: error %.3g K, residual %.3g W, %s", method, e, st.ResidualW, st.Reason)
		}
		iterations[method] = st.Iterations
		if b := st.Spectrum; strings.HasPrefix(method, "chebyshev") != (b != nil) || b != nil &&
			!(b.Low > 0 && b.High > b.Largest && b.Largest > b.Low && b.Steps == 80) {
			t.Errorf("%s: the spectrum is %+v", method, b)
		}
		log := st.Precision
		if log == nil || log.Early+log.Late != st.Iterations {
			t.Errorf("%s: the log of precisions is %+v with %d iterations", method, log, st.Iterations)
		} else if adaptive := log.Mode == "adaptive"; adaptive != (log.Switches == 1) || adaptive != (log.Early > 0) {
			t.Errorf("%s: the log of precisions is %+v", method, log)
		}
	}
	// One restart, and what FP16 costs the preconditioner.
	for _, form := range []string{"", ",form=scaled"} {
		fixed, adaptive := iterations["chebyshev:precision=fixed-fp64"+form],
			iterations["chebyshev:precision=adaptive"+form]
		t.Logf("%d iterations in FP64, %d adaptive", fixed, adaptive)
		if adaptive > fixed+fixed*3/10+1 {
			t.Errorf("%d iterations in FP64, %d adaptive", fixed, adaptive)
		}
	}
	if a, b := iterations["chebyshev"], iterations["chebyshev:precision=fixed-fp64"]; a != b {
		t.Errorf("%d iterations by default, %d in FP64", a, b)
	}
	if a, b := iterations["chebyshev:precision=fixed-fp64"],
		iterations["chebyshev:precision=fixed-fp64,format=csr"]; a != b {
		t.Errorf("%d iterations with diagonals and %d by rows", a, b)
	}
}

// More Lanczos steps never cost more than 5 % of the iterations, in either form, whether the polynomial leaves many
// eigenvalues below its interval or few.
func TestMoreLanczosStepsDoNoHarm(t *testing.T) {
	for _, n := range []int{testtier.Pick(16, 48)} {
		m := stackMesh(t, cases.Options{NX: n, H: 1000})
		for _, method := range []string{"form=scaled", "form=plain", "form=scaled,degree=60", "form=scaled,degree=10"} {
			least := 1 << 30
			var counts []int
			for _, steps := range []int{20, 40, 80, 160, 320} {
				_, st := steadyField(t, m,
					gpusolve.Options{Preconditioner: fmt.Sprintf("chebyshev:precision=fixed-fp64,%s,steps=%d", method,
						steps), ATol: 1e-6})
				counts = append(counts, st.Iterations)
				// A whole iteration is more than 5 % of few.
				if !st.Converged || float64(st.Iterations) > max(1.05*float64(least), float64(least)+1) {
					t.Errorf("%d x %d, %s: %d iterations with %d steps, %d with fewer", n, n, method, st.Iterations,
						steps, least)
				}
				least = min(least, st.Iterations)
			}
			t.Logf("%d x %d, %s: %v", n, n, method, counts)
		}
	}
}

// In FP32 throughout the recursive residual meets the rule and the true one does not; in FP16 throughout the iteration
// diverges. Both say so, and leave a field of numbers, as close as they came.
func TestFixedLowPrecision(t *testing.T) {
	m := stackMesh(t, cases.Options{NX: 16})
	exact, _ := steadyField(t, m, gpusolve.Options{RTol: 1e-14})
	for _, method := range []string{"chebyshev", "jacobi", "none"} {
		got, st := steadyField(t, m, gpusolve.Options{Preconditioner: method + ":precision=fixed-fp32", ATol: 1e-6})
		if st.Converged || st.Reason != solution.ReasonDrift || !(st.ResidualW > 1e-5) ||
			!(solves.Furthest(got, exact) < 10) {
			t.Errorf("%s in FP32: %s, residual %g W, error %g K", method, st.Reason, st.ResidualW,
				solves.Furthest(got, exact))
		}
		got, st = steadyField(t, m, gpusolve.Options{Preconditioner: method + ":precision=fixed-fp16", ATol: 1e-6})
		if st.Converged || st.Reason != solution.ReasonDivergence && st.Reason != solution.ReasonBreakdown &&
			st.Reason != solution.ReasonStagnation {
			t.Errorf("%s in FP16: %s", method, st.Reason)
		}
		for c, v := range got {
			if !(math.Abs(v-300) < 1e4) {
				t.Fatalf("%s in FP16: cell %d has %g K", method, c, v)
			}
		}
	}
}

// Set-up serves all time steps, which look at the true residual more often and follow multigrid's to 2.7e-4 K (table
// IV).
func TestChebyshevTransient(t *testing.T) {
	m := stackMesh(t, cases.Options{NX: 14})
	run := func(o gpusolve.Options) ([]float64, *gpusolve.Solution) {
		o.Device = "cpu"
		s, err := gpusolve.Transient(context.Background(), m, o, gpusolve.TransientOptions{Steps: 6, Dt: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return solves.WholeField(t, m, s.Field), s
	}
	exact, _ := run(gpusolve.Options{RTol: 1e-12})
	for _, method := range []string{"chebyshev:precision=adaptive", "chebyshev:precision=adaptive,form=scaled",
		"jacobi:precision=adaptive"} {
		got, s := run(gpusolve.Options{Preconditioner: method, ATol: 1e-6})
		if e := solves.Furthest(got, exact); !s.Status.Converged || !(e <= 2.7e-4) {
			t.Errorf("%s: error %g K, %s", method, e, s.Status.Reason)
		}
		if log := s.Status.Precision; log.Solves != 6 || log.Early+log.Late != s.Status.IterationsTotal ||
			log.Last.Reason == solution.SwitchReason("") {
			t.Errorf("%s: the log of precisions is %+v with %d iterations", method, log, s.Status.IterationsTotal)
		}
	}
}

// Every rule is met, and the error is below its estimate.
func TestChebyshevRules(t *testing.T) {
	m := stackMesh(t, cases.Options{NX: 16})
	exact, _ := steadyField(t, m, gpusolve.Options{RTol: 1e-13})
	for _, o := range []gpusolve.Options{{}, {Tol: 1e-3}, {RTol: 1e-9}, {ATol: 1e-5}} {
		o.Preconditioner = "chebyshev:precision=adaptive,form=scaled"
		x, st := steadyField(t, m, o)
		tol := o.Tol
		if tol == 0 {
			tol = gpusolve.DefaultTol
		}
		if inKelvin := o.RTol == 0 && o.ATol == 0; !st.Converged || st.Reason != solution.ReasonTolerance || inKelvin &&
			!(st.EstimatedErrorK <= tol) {
			t.Errorf("%+v: %s, estimate %g K", o, st.Reason, st.EstimatedErrorK)
		}
		if e := solves.Furthest(x, exact); !(e <= st.EstimatedErrorK) {
			t.Errorf("%+v: error %g K, estimate %g K", o, e, st.EstimatedErrorK)
		}
	}
	_, st := steadyField(t, m, gpusolve.Options{Preconditioner: "chebyshev:precision=adaptive", RTol: 1e-12,
		MaxIter: 3})
	if st.Converged || st.Reason != solution.ReasonIterations || st.Iterations != 3 {
		t.Errorf("limit of 3: %d iterations, %s", st.Iterations, st.Reason)
	}
	if _, st = steadyField(t, m, gpusolve.Options{Preconditioner: "chebyshev:precision=adaptive,form=scaled",
		RTol: 1e-30, MaxIter: 5000}); st.Reason != solution.ReasonAttainable && st.Reason != solution.ReasonStagnation {
		t.Errorf("impossible tolerance: %s", st.Reason)
	}
	if _, err := gpusolve.Steady(context.Background(), m,
		gpusolve.Options{Preconditioner: "none:format=csr", Device: "cpu"}); err == nil {
		t.Error("a format without precision was taken")
	}
}

// Whole solves by the kernels that ship: the processor's iterations and field, in every precision and format. By
// default a GPU uses FP16, which a processor does only if asked.
func TestChebyshevKernelsSolveAsTheProcessorDoes(t *testing.T) {
	t.Parallel()
	m := stackMesh(t, testtier.Pick(cases.Options{NX: 4, NY: 3}, cases.Options{NX: 6, NY: 5}))
	for _, method := range []string{
		"chebyshev:degree=8,form=scaled", "chebyshev:degree=12,precision=fixed-fp64,format=csr",
		"jacobi:precision=fixed-fp16",
	} {
		asked := strings.Replace(method, "degree=8", "degree=8,precision=adaptive", 1)
		want, host := steadyField(t, m, gpusolve.Options{Preconditioner: asked, ATol: 1e-4})
		machine := devices.Machine(interpreter.Options{NoRaces: true}) // the conformance suite looks for them
		s, err := gpusolve.Steady(context.Background(), m,
			gpusolve.Options{Preconditioner: method, ATol: 1e-4, Executor: solves.OnInterpreter(t, machine)})
		if err != nil {
			t.Fatal(err)
		}
		got, st := solves.WholeField(t, m, s.Field), s.Status
		if st.Precision.Mode != host.Precision.Mode {
			t.Errorf("%s: precision %s; expected %s", method, st.Precision.Mode, host.Precision.Mode)
		}
		if st.Reason != host.Reason ||
			math.Abs(float64(st.Iterations-host.Iterations)) > 2+0.1*float64(host.Iterations) {
			t.Errorf("%s: %d iterations, %s; the processor took %d, %s", method, st.Iterations, st.Reason,
				host.Iterations, host.Reason)
		}
		if d := solves.Furthest(got, want); st.Converged && !(d <= 1e-3) {
			t.Errorf("%s: fields differ by %g K", method, d)
		}
		s.Close()
		solves.Empty(t, machine)
	}
}
