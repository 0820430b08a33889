package gpusolve_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"thermsim/gpusolve/testing/solves"
	"thermsim/stack/stackfile"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/stack"
)

// TestLumpedLeakage compares a cell behind a resistance with theory: T - Ta = R (P + L exp(b (T - Tr))) has the
// solution u = -W(-a b)/b for u = T - Ta - R P, with a = R L exp(b (Ta + R P - Tr)), and its loop gain is b u.
func TestLumpedLeakage(t *testing.T) {
	const beta = 0.015
	for _, c := range []struct{ watts, leaking float64 }{{0, 1}, {10, 3}, {25, 8}, {40, 5}, {12, 14.5}} {
		s, r := solves.LeakyLump(c.watts, solves.Exponential(c.leaking, beta))
		a := r * c.leaking * math.Exp(beta*(300+r*c.watts-358.15))
		if a*beta >= 1/math.E {
			t.Fatalf("%+v has no solution", c)
		}
		u := -solves.LambertW0(-a*beta) / beta
		want := 300 + r*c.watts + u
		for _, device := range []ops.Device{nil, devices.Interpreter(t, interpreter.Options{NoRaces: true})} {
			sol := solves.Steady(t, s, gpusolve.Options{Device: "cpu", Executor: device, Tol: 1e-10})
			got := solves.Field(t, s, sol.Field)[0]
			n := sol.Status.Nonlinear.Leakage
			t.Logf("%+v: %.10f K, want %.10f K (%.2g); gain %.8f, want %.8f; %d systems", c, got, want, got-want,
				n.Gain, beta*u, sol.Status.Nonlinear.OuterTotal)
			if !sol.Status.Converged || math.Abs(got-want) > 1e-8 {
				t.Errorf("%+v: %.10f K, want %.10f K; %+v", c, got, want, sol.Status)
			}
			if math.Abs(n.Gain-beta*u) > 1e-6 || math.Abs(n.Watts-u/r) > 1e-8 || n.Runaway {
				t.Errorf("gain %.10g, want %.10g; %.10g W leak, want %.10g W", n.Gain, beta*u, n.Watts, u/r)
			}
			if math.Abs(sol.Energy.In-c.watts-u/r) > 1e-8 || sol.Energy.ImbalanceRel > 1e-10 {
				t.Errorf("%+v", sol.Energy)
			}
		}
	}
}

// TestLumpedRunaway comes close to the critical power from both sides, and starts far beyond it.
func TestLumpedRunaway(t *testing.T) {
	const beta = 0.015
	for _, c := range []struct{ watts, leaking float64 }{{10, 5}, {0, 10}, {30, 2}} {
		_, r := solves.LeakyLump(0, stack.Leakage{})
		limit := solves.LumpedLimit(r, c.watts, c.leaking, beta)
		for _, part := range []float64{0.999, 1.001, 1.5, 4} {
			s, _ := solves.LeakyLump(part*limit*c.watts, solves.Exponential(part*limit*c.leaking, beta))
			sol := solves.Steady(t, s, gpusolve.Options{Device: "cpu"})
			n := sol.Status.Nonlinear.Leakage
			t.Logf("%+v at %g times the critical power: %s, gain %.4g, factor %.6f, %d systems", c, part,
				sol.Status.Reason, n.Gain, n.Factor, sol.Status.Nonlinear.OuterTotal)
			if part < 1 {
				if !sol.Status.Converged || n.Runaway || !(n.Gain > 0.9 && n.Gain < 1) {
					t.Errorf("%g times the critical power: %+v, %+v", part, sol.Status, n)
				}
				continue
			}
			if sol.Status.Converged || sol.Status.Reason != solution.ReasonRunaway || !n.Runaway || !(n.Gain >= 1) {
				t.Errorf("%g times the critical power: %+v, %+v", part, sol.Status, n)
			}
			if math.Abs(n.Factor*part-1) > 1e-3 {
				t.Errorf("%g times the critical power: factor %.6f, want %.6f", part, n.Factor, 1/part)
			}
			if !(sol.PeakK < 700) || sol.Energy.ImbalanceRel > 1e-3 {
				t.Errorf("%g times the critical power: %g K, %+v", part, sol.PeakK, sol.Energy)
			}
		}
	}
}

// frankKamenetskii is a slab between two faces of 300 K with leakage alone, at a value of the parameter delta = beta q
// L^2/k, q the power per volume at 300 K and L half of the thickness.
func frankKamenetskii(nz int, delta float64) *stack.Stack {
	const beta, half, k = 0.02, 1e-3, 100.0
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{1e-3, 1e-3}}
	s.Grid = stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}}
	s.Materials = []stack.Material{{Name: "m", K: [3]float64{k, k, k}, C: 1.6e6}}
	l := solves.Exponential(delta*k/(beta*half*half)*2*half*1e-6*math.Exp(beta*58.15), beta)
	s.Layers =
		[]stack.Layer{{Name: "l", Thickness: 2 * half, Cells: nz,
			Powers: []stack.Power{{Area: s.Domain(), Leakage: l}}}}
	for _, f := range []stack.Face{stack.Bottom, stack.Top} {
		s.Boundary[f] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 300}
	}
	return s
}

// TestFrankKamenetskii compares a slab whose leakage grows exponentially with theory (D. A. Frank-Kamenetskii, 1939):
// there is a solution up to delta = 0.878458, where u = beta (T - 300 K) is 1.186842 in the middle, and below it u = um
// - 2 ln cosh(z sqrt(delta exp(um)/2)).
func TestFrankKamenetskii(t *testing.T) {
	const critical = 0.8784576797812903
	for _, delta := range []float64{0.3, 0.8, 0.85} {
		um := 0.0 // of the lower branch, from below
		for range 100000 {
			um = 2 * math.Log(math.Cosh(math.Sqrt(delta*math.Exp(um)/2)))
		}
		var middle [2]float64
		var gain float64
		for g, nz := range []int{45, 135} {
			s := frankKamenetskii(nz, delta)
			sol := solves.Steady(t, s, gpusolve.Options{Device: "cpu", Tol: 1e-8})
			if !sol.Status.Converged {
				t.Fatalf("%+v", sol.Status)
			}
			middle[g] = 0.02 * (solves.Field(t, s, sol.Field)[nz/2] - 300)
			gain = sol.Status.Nonlinear.Leakage.Gain
		}
		got := middle[1] + (middle[1]-middle[0])/8
		t.Logf("delta %.5g: %.9f in the middle, want %.9f; gain %.5f", delta, got, um, gain)
		if math.Abs(got-um) > 2e-6 {
			t.Errorf("delta %g: %.9f in the middle, want %.9f", delta, got, um)
		}
	}
	const nz = 135
	for _, part := range []float64{1.001, 1.3, 3} {
		sol := solves.Steady(t, frankKamenetskii(nz, part*critical), gpusolve.Options{Device: "cpu"})
		n := sol.Status.Nonlinear.Leakage
		t.Logf("%g times the critical power: %s, gain %.4g, factor %.6f, hottest %.6f of 1.186842, %d systems", part,
			sol.Status.Reason, n.Gain, n.Factor, 0.02*(sol.PeakK-300), sol.Status.Nonlinear.OuterTotal)
		if sol.Status.Reason != solution.ReasonRunaway || math.Abs(n.Factor*part-1) > 1e-3 || n.K < nz/2-1 ||
			n.K > nz/2+1 {
			t.Errorf("%+v, %+v", sol.Status, n)
		}
	}
}

// leakyNonlinear is a random stack of two materials that follow the temperature or not, with leakage in two layers.
func leakyNonlinear(t *testing.T, rng *rand.Rand, properties bool) *stack.Stack {
	s := randomNonlinear(rng)
	if !properties {
		for i := range s.Materials {
			s.Materials[i].KCurve, s.Materials[i].CCurve = [3]*stack.Curve{}, nil
		}
	}
	// Up to 60 K or so beside the temperatures of the faces, and leakage of a third of the power in either layer.
	hottest, power := solves.Steady(t, s, gpusolve.Options{Device: "cpu"}).PeakK, &s.Layers[0].Powers[0]
	share := math.Min(1, 60/(hottest-300))
	power.Uniform *= share
	s.Boundary[stack.Bottom].Flux *= share
	for l := range 2 {
		if l > 0 {
			s.Layers[l].Powers = []stack.Power{{Area: s.Domain()}}
		}
		s.Layers[l].Powers[0].Leakage = stack.Leakage{Watts: power.Uniform * (0.05 + 0.3*rng.Float64()),
			Factor: solves.SomeLaw(rng)}
	}
	return s
}

// TestLeakageAgainstNewton compares random stacks with the independent code, with and without properties that follow
// the temperature.
func TestLeakageAgainstNewton(t *testing.T) {
	leakageAgainstNewton(t, func(t *testing.T, seed uint64) *stack.Stack {
		return leakyNonlinear(t, rand.New(rand.NewPCG(seed, 3)), seed%2 == 0)
	})
}

// TestTilePowersAgainstNewton does so with maps of power at several temperatures, alone or in addition to other
// leakage.
func TestTilePowersAgainstNewton(t *testing.T) {
	leakageAgainstNewton(t, func(t *testing.T, seed uint64) *stack.Stack {
		rng := rand.New(rand.NewPCG(seed, 13))
		s := leakyNonlinear(t, rng, seed%2 == 0)
		uniform := &s.Layers[0].Powers[0]
		for l := range 2 {
			tiles := stack.Power{Area: s.Domain(), Map: solves.SomeTiles(rng, 0.3*uniform.Uniform)}
			if s.Layers[l].Powers = append(s.Layers[l].Powers, tiles); seed%3 > 0 {
				s.Layers[l].Powers[0].Leakage = stack.Leakage{}
			}
		}
		uniform.Uniform *= 0.5
		return s
	})
}

func leakageAgainstNewton(t *testing.T, random func(t *testing.T, seed uint64) *stack.Stack) {
	gain := func(sol *gpusolve.Solution) float64 { return 1 / (1 - sol.Status.Nonlinear.Leakage.Gain) }
	solves.AgainstNewton(t, random, 300, gain,
		func(t *testing.T, d *solves.Dense, want []float64, sol *gpusolve.Solution) {
			leaking, n := 0.0, sol.Status.Nonlinear
			for c, kelvin := range want {
				leaking += d.Leaking(c, kelvin)
			}
			if math.Abs(n.Leakage.Watts-leaking) > 1e-7*math.Abs(leaking) || sol.Energy.ImbalanceRel > 1e-8 {
				t.Errorf("%.10g W leak, want %.10g W; imbalance %.3g", n.Leakage.Watts, leaking,
					sol.Energy.ImbalanceRel)
			}
			t.Logf("gain %.4f, %d systems", n.Leakage.Gain, n.OuterTotal)
		})
}

// TestLeakageBitsIndependentOfCores solves with one and with four workers, below the limit and beyond it.
func TestLeakageBitsIndependentOfCores(t *testing.T) {
	for _, watts := range []float64{8, 60} {
		s := solves.Hot10(33)
		s.Layers[0].Powers = append(s.Layers[0].Powers,
			stack.Power{Area: s.Domain(), Leakage: solves.Exponential(watts, 0.015)})
		run := func(n int) ([]float64, solution.Leakage) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
			sol := solves.Steady(t, s, gpusolve.Options{Device: "cpu"})
			t.Logf("%g W: %s, %+v", watts, sol.Status.Reason, *sol.Status.Nonlinear.Leakage)
			return solves.Field(t, s, sol.Field), *sol.Status.Nonlinear.Leakage
		}
		one, first := run(1)
		four, fourth := run(4)
		if !slices.Equal(one, four) || first != fourth {
			t.Errorf("%g W: the bits differ, by up to %g K; %+v and %+v", watts, solves.LargestDifference(one, four),
				first,
				fourth)
		}
	}
}

// TestLeakyStepsAgainstNewton compares steps of backward Euler on random stacks with the independent code.
func TestLeakyStepsAgainstNewton(t *testing.T) {
	for seed := range uint64(16) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 4))
			s := leakyNonlinear(t, rng, seed%2 == 0)
			m := solves.Build(t, s)
			dt := 3e-4 * math.Pow(100, rng.Float64())
			d := solves.NewDense(m, dt)
			want := make([]float64, m.Cells())
			for c := range want {
				want[c] = 300
			}
			const steps = 12
			worst, power := 0.0, 0.0
			sol, err := gpusolve.Transient(context.Background(), m, gpusolve.Options{Device: "cpu", Tol: 1e-8 * steps},
				gpusolve.TransientOptions{Steps: steps, Dt: dt,
					OnStep: func(step gpusolve.Step, f gpusolve.Field) error {
						d.Old = slices.Clone(want)
						d.Solve(want)
						worst = math.Max(worst, solves.LargestDifference(solves.Field(t, s, f), want))
						leaking := 0.0
						for c, kelvin := range want {
							leaking += d.Leaking(c, kelvin)
						}
						power = math.Max(power, math.Abs(step.LeakageW/leaking-1))
						return nil
					}})
			if err != nil {
				t.Fatal(err)
			}
			defer sol.Close()
			rise := slices.Max(want) - 300
			n := sol.Status.Nonlinear.Leakage
			t.Logf("off by %.3g K of %.4g K; gain %.4f", worst, rise, n.Gain)
			if !sol.Status.Converged || !(worst <= 1e-7+6e-8*rise) || power > 1e-7 || sol.Energy.ImbalanceRel > 1e-7 {
				t.Errorf("off by %.3g K of a rise of %.3g K, leakage by %.3g; %+v, %+v; imbalance %.3g", worst, rise,
					power, sol.Status, n, sol.Energy.ImbalanceRel)
			}
		})
	}
}

// TestLeakyStepsOnGPU takes steps with a GPU's kernels and on the processor, and asks both for the limit of a lump that
// runs away.
func TestLeakyStepsOnGPU(t *testing.T) {
	gpu := func() ops.Device { return devices.Interpreter(t, interpreter.Options{NoRaces: true}) }
	s := leakyNonlinear(t, rand.New(rand.NewPCG(0, 4)), true)
	m := solves.Build(t, s)
	run := func(device ops.Device) ([]float64, solution.Leakage) {
		sol, err := gpusolve.Transient(context.Background(), m,
			gpusolve.Options{Device: "cpu", Executor: device, Tol: 1e-6}, gpusolve.TransientOptions{Steps: 3, Dt: 1e-3})
		if err != nil || !sol.Status.Converged || sol.Energy.ImbalanceRel > 1e-6 {
			t.Fatalf("%v, %+v, %+v", err, sol.Status, sol.Energy)
		}
		defer sol.Close()
		return solves.Field(t, s, sol.Field), *sol.Status.Nonlinear.Leakage
	}
	a, first := run(nil)
	b, second := run(gpu())
	if d := solves.LargestDifference(a, b); d > 1e-6 || math.Abs(first.Gain/second.Gain-1) > 1e-3 {
		t.Errorf("the fields differ by %.3g K; %+v, %+v", d, first, second)
	}
	hot, r := solves.LeakyLump(20, solves.Exponential(60, 0.015))
	sol := solves.Steady(t, hot, gpusolve.Options{Device: "cpu", Executor: gpu()})
	want := solves.LumpedLimit(r, 20, 60, 0.015)
	if n := sol.Status.Nonlinear.Leakage; sol.Status.Reason != solution.ReasonRunaway ||
		math.Abs(n.Factor/want-1) > 1e-3 {
		t.Errorf("%+v, %+v; want factor %g", sol.Status, n, want)
	}
}

// leakyRate is that of a lump in K/s at a temperature.
func leakyRate(s *stack.Stack, r, kelvin float64) float64 {
	p := &s.Layers[0].Powers[0]
	return (p.Uniform + p.Leakage.Watts*p.Leakage.Factor.Of(kelvin) - (kelvin-300)/r) / (1.6e6 * 1e-7)
}

// TestLeakyLumpInTime integrates a lump by the classical Runge-Kutta method in small steps. Backward Euler in steps of
// dt, dt/2 and dt/4 comes to it by Richardson's extrapolation, below the limit; beyond it the time at which the law
// ends is found, to the step.
func TestLeakyLumpInTime(t *testing.T) {
	integrate := func(s *stack.Stack, r, until, limit float64) (kelvin, at float64) {
		const h = 1e-5
		kelvin = 300
		for at < until-h/2 && kelvin < limit {
			a := leakyRate(s, r, kelvin)
			b := leakyRate(s, r, kelvin+h/2*a)
			c := leakyRate(s, r, kelvin+h/2*b)
			d := leakyRate(s, r, kelvin+h*c)
			kelvin += h / 6 * (a + 2*b + 2*c + d)
			at += h
		}
		return kelvin, at
	}
	run := func(s *stack.Stack, dt, until float64) *gpusolve.Solution {
		sol, err := gpusolve.Transient(context.Background(), solves.Build(t, s),
			gpusolve.Options{Device: "cpu", Tol: 1e-7},
			gpusolve.TransientOptions{Steps: int(until/dt + 0.5), Dt: dt})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(sol.Close)
		return sol
	}
	s, r := solves.LeakyLump(20, solves.Exponential(10, 0.015))
	const until = 0.4
	want, _ := integrate(s, r, until, 1e9)
	var at [3]float64
	for n := range at {
		sol := run(s, 2e-3/math.Pow(2, float64(n)), until)
		if at[n] = sol.PeakK; !sol.Status.Converged || sol.Energy.ImbalanceRel > 1e-6 {
			t.Errorf("%+v, %+v", sol.Status, sol.Energy)
		}
	}
	first, second := 2*at[1]-at[0], 2*at[2]-at[1]
	if got := second + (second-first)/3; math.Abs(got-want) > 1e-6*(want-300) {
		t.Errorf("%.7f K after %g s, want %.7f K; %v", got, until, want, at)
	}
	s, r = solves.LeakyLump(20, solves.Exponential(25, 0.015))
	s.Layers[0].Powers[0].Leakage.Factor.Range[1] = 450
	_, ends := integrate(s, r, 10, 450)
	for _, dt := range []float64{4e-3, 1e-3} {
		sol := run(s, dt, 3*ends)
		n := sol.Status.Nonlinear.Leakage
		t.Logf("steps of %g s: the law ends at %g s after %d steps, want %.5g s; gain %.3g, %g K", dt, n.Time,
			len(sol.Steps), ends, n.Gain, sol.PeakK)
		if sol.Status.Converged || sol.Status.Reason != solution.ReasonRunaway || !n.Runaway ||
			math.Abs(n.Time-ends) > 2*dt || n.Time != sol.Steps[len(sol.Steps)-1].Time || !(n.Gain >= 1) {
			t.Errorf("%+v, %+v", sol.Status, n)
		}
		if !(sol.PeakK > 450 && sol.PeakK < 1000) || sol.Energy.ImbalanceRel > 1e-6 {
			t.Errorf("%g K, %+v", sol.PeakK, sol.Energy)
		}
	}
}

// TestStepsTooLongForRunaway takes steps longer than the growth of the leakage takes: their matrix is not positive
// definite, which is told.
func TestStepsTooLongForRunaway(t *testing.T) {
	s, _ := solves.LeakyLump(20, solves.Exponential(60, 0.015))
	for _, dt := range []float64{0.05, 1} {
		sol, err := gpusolve.Transient(context.Background(), solves.Build(t, s), gpusolve.Options{Device: "cpu"},
			gpusolve.TransientOptions{Steps: 100, Dt: dt})
		if err != nil {
			t.Fatal(err)
		}
		defer sol.Close()
		n := sol.Status.Nonlinear.Leakage
		t.Logf("steps of %g s: %d steps, %+v, %g K", dt, len(sol.Steps), n, sol.PeakK)
		if sol.Status.Reason != solution.ReasonRunaway || sol.Status.Converged || !n.Runaway ||
			math.Abs(n.Time-dt*float64(len(sol.Steps))) > 1e-12 || !(n.Gain >= 1) || !(sol.PeakK < 1000) {
			t.Errorf("%+v, %+v", sol.Status, n)
		}
	}
}

// The gain at the end of a transient is that of the state there: b R L exp(b (T - Tr)) of one cell behind a resistance,
// warm or still cold, whatever the steps. A run that is interrupted has none.
func TestGainAtTheEndOfATransient(t *testing.T) {
	const beta, leaking = 0.015, 3
	s, r := solves.LeakyLump(10, solves.Exponential(leaking, beta))
	end := func(kelvin float64) float64 { return beta * r * leaking * math.Exp(beta*(kelvin-358.15)) }
	last := 0.0
	for _, seconds := range []float64{0.02, 0.2, 2} {
		fixed, err := gpusolve.Transient(t.Context(), solves.Build(t, s), gpusolve.Options{Device: "cpu", Tol: 1e-9},
			gpusolve.TransientOptions{Steps: 8, Dt: seconds / 8})
		if err != nil {
			t.Fatal(err)
		}
		defer fixed.Close()
		chosen, err := gpusolve.Adaptive(t.Context(), solves.Build(t, s), gpusolve.Options{Device: "cpu", Tol: 1e-9},
			gpusolve.AdaptiveOptions{Tol: 1e-3, Until: seconds})
		if err != nil {
			t.Fatal(err)
		}
		defer chosen.Close()
		for _, sol := range []*gpusolve.Solution{fixed, chosen} {
			kelvin := solves.Field(t, s, sol.Field)[0]
			if got := sol.Status.Nonlinear.Leakage.Gain; !(math.Abs(got-end(kelvin)) <= 1e-6) {
				t.Errorf("after %g s, at %g K: gain %g, want %g", seconds, kelvin, got, end(kelvin))
			}
		}
		if g := fixed.Status.Nonlinear.Leakage.Gain; g <= last {
			t.Errorf("after %g s the gain is %g, and was %g in a colder state", seconds, g, last)
		} else {
			last = g
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	sol, err := gpusolve.Transient(ctx, solves.Build(t, s), gpusolve.Options{Device: "cpu"},
		gpusolve.TransientOptions{Steps: 8, Dt: 0.01,
			OnStep: func(gpusolve.Step, gpusolve.Field) error { cancel(); return nil }})
	if !errors.Is(err, context.Canceled) || sol == nil {
		t.Fatalf("%v", err)
	}
	defer sol.Close()
	if g := sol.Status.Nonlinear.Leakage.Gain; g != 0 {
		t.Errorf("interrupted, with a gain of %g", g)
	}
}

// TestLeakageBeyondItsRange has a stack whose temperatures leave the range without a runaway: that is told and nothing
// more.
func TestLeakageBeyondItsRange(t *testing.T) {
	s, r := solves.LeakyLump(20, solves.Exponential(1, 0.015))
	s.Layers[0].Powers[0].Leakage.Factor.Range[1] = 330
	sol := solves.Steady(t, s, gpusolve.Options{Device: "cpu", Tol: 1e-9})
	held := math.Exp(0.015 * (330 - 358.15))
	if n := sol.Status.Nonlinear.Leakage; !sol.Status.Converged || n.Outside != 1 || n.Runaway ||
		math.Abs(sol.PeakK-300-r*(20+held)) > 1e-7 || math.Abs(n.Gain-0.015*r*held) > 1e-6 {
		t.Errorf("%+v, %+v, %g K", sol.Status, n, sol.PeakK)
	}
}

// Power of a tile between two planes is linear, so that the temperature and the gain of a lump have closed forms. Above
// the second plane it grows faster than the heat removed: the largest factor reaches the temperature of that plane.
func TestTilePowersOfLump(t *testing.T) {
	s, r := solves.LeakyLump(0, stack.Leakage{})
	p := &s.Layers[0].Powers[0]
	for _, device := range []ops.Device{nil, devices.Interpreter(t, interpreter.Options{NoRaces: true})} {
		p.Map = &stack.PowerMap{NX: 1, NY: 1, Values: []float64{5}, Temperatures: []float64{300, 340, 500},
			Hotter: [][]float64{{5 + 40*0.5/r}, {5 + 40*0.5/r + 160*2/r}}}
		sol := solves.Steady(t, s, gpusolve.Options{Device: "cpu", Executor: device, Tol: 1e-9})
		want := 300 + r*5/(1-0.5)
		if n := sol.Status.Nonlinear.Leakage; !sol.Status.Converged || math.Abs(sol.PeakK-want) > 1e-6 ||
			math.Abs(n.Gain-0.5) > 1e-6 || math.Abs(n.Watts-0.5/r*(want-300)) > 1e-6 {
			t.Errorf("%+v, %+v, %g K; want %g K", sol.Status, n, sol.PeakK, want)
		}
		p.Map = p.Map.Times(2)
		sol = solves.Steady(t, s, gpusolve.Options{Device: "cpu", Executor: device})
		limit := 40 / r / p.Map.Hotter[0][0]
		if n := sol.Status.Nonlinear.Leakage; sol.Status.Reason != solution.ReasonRunaway ||
			math.Abs(n.Factor/limit-1) > 1e-3 {
			t.Errorf("%+v, %+v; want a factor of %g", sol.Status, n, limit)
		}
	}
}

// TestClampHidesNoRunaway has a law that ends close above the start: with the power held at its end there is a
// solution, at which the gain says what it is worth.
func TestClampHidesNoRunaway(t *testing.T) {
	s, r := solves.LeakyLump(0, solves.Exponential(40, 0.03))
	s.Layers[0].Powers[0].Leakage.Factor.Range[1] = 360
	limit := solves.LumpedLimit(r, 0, 40, 0.03)
	sol := solves.Steady(t, s, gpusolve.Options{Device: "cpu"})
	n := sol.Status.Nonlinear.Leakage
	t.Logf("%s, %+v, factor wanted %g", sol.Status.Reason, n, limit)
	if sol.Status.Reason != solution.ReasonRunaway || !n.Runaway || math.Abs(n.Factor/limit-1) > 1e-3 {
		t.Errorf("%+v, %+v; want factor %g", sol.Status, n, limit)
	}
}

// TestLeakageNeedsPlainCG refuses solvers that leakage is not made for.
func TestLeakageNeedsPlainCG(t *testing.T) {
	s, _ := solves.LeakyLump(20, solves.Exponential(1, 0.015))
	for _, precond := range []string{"fourier", "jacobi:solver=bicgstab", "jacobi:precision=adaptive", "chebyshev"} {
		if sol, err := gpusolve.Steady(context.Background(), solves.Build(t, s),
			gpusolve.Options{Device: "cpu", Preconditioner: precond, RTol: 1e-6}); err == nil {
			t.Errorf("%s: %+v", precond, sol.Status)
		}
	}
	for _, precond := range []string{"multigrid", "ic", "cmg", "jacobi", "parac", "ddilu"} {
		sol, err := gpusolve.Steady(context.Background(), solves.Build(t, s),
			gpusolve.Options{Device: "cpu", Preconditioner: precond})
		if err != nil {
			t.Errorf("%s: %v", precond, err)
			continue
		}
		if !sol.Status.Converged {
			t.Errorf("%s: %+v", precond, sol.Status)
		}
		sol.Close()
	}
}

// Where rounding ends a system before the slow modes have shown, the error of a run is not known, rather than what was
// raised to end no solve: all errors of solves are below a twentieth of that of a step.
func TestErrorOfLeakingTiersInTime(t *testing.T) {
	s, err := stackfile.Load("../examples/leaky-tiers/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	s.Grid.X, s.Grid.Y = stack.Axis{Cells: 12}, stack.Axis{Cells: 12}
	plan := gpusolve.AdaptiveOptions{Tol: 0.05, Until: 1}
	sol, err := gpusolve.Adaptive(t.Context(), solves.Build(t, s), gpusolve.Options{Device: "cpu"}, plan)
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	if n := float64(sol.Stepping.Solves); !sol.Status.Converged || sol.Status.EstimatedErrorK > n*plan.Tol/20 {
		t.Errorf("%g solves: %+v", n, sol.Status)
	}
}
