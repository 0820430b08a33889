package stepping

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

func meshOf(t *testing.T, s *stack.Stack) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// marching opens a march over a mesh whose steps are all a length times a power of two.
func marching(t *testing.T, m *mesh.Mesh, o driver.Options, a AdaptiveOptions, more int64) *march {
	t.Helper()
	if err := a.Check(m); err != nil {
		t.Fatal(err)
	}
	r := newMarch(m, driver.Job{Options: o}, &a, more)
	e, err := Open(m, &r.opts, mostMoments, stageShare*r.ladder.step())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	if err := r.open(e, a.Initial); err != nil {
		t.Fatal(err)
	}
	return r
}

// blinking is a small stack whose powers repeat themselves.
func blinking(nx int) *stack.Stack {
	s := cases.Stack10(cases.Options{NX: nx})
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			power := &s.Layers[l].Powers[p]
			n := max(1, len(power.Blocks))
			row := func(w float64) []float64 {
				v := make([]float64, n)
				for i := range v {
					v[i] = w * float64(1+(i+l)%3)
				}
				return v
			}
			if len(power.Blocks) > 0 {
				power.Trace = &stack.Trace{Times: []float64{0, 2e-3, 3e-3}, End: 5e-3, Repeat: true,
					Watts: [][]float64{row(1), row(4), row(0.5)}}
			}
		}
	}
	return s
}

// The periodic state is that which ten thousand periods from the ambient lead to, step by step with the same steps.
func TestPeriodicAgainstPeriodsStepped(t *testing.T) {
	t.Parallel()
	blinks := blinking(4)
	blinks.Boundary[stack.Top].H *= 8 // five thousand periods are many times what it takes to warm up
	m := meshOf(t, blinks)
	if tau, err := SlowestTimeConstant(t.Context(), m); err != nil || tau > 1.25 {
		t.Fatalf("%g s, %v", tau, err)
	}
	r := marching(t, m, driver.Options{Device: "cpu"}, AdaptiveOptions{Tol: 0.5, Until: m.Power.Period()}, 4)
	const found = 9
	c := &cycle{march: r, period: 5e-3, begin: 6, mean: 7, change: 8}
	if err := c.find(t.Context(), 1e-7); err != nil {
		t.Fatal(err)
	}
	if c.Periods > 12 {
		t.Errorf("found in %d periods", c.Periods)
	}
	s := c.System
	s.Combine(found, 1, c.begin, 0, c.begin)
	s.Combine(c.begin, 0, c.begin, 0, c.begin)
	const periods = 5_000
	before := c.Solves
	for range periods {
		if err := c.lap(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Combine(c.begin, 1, c.now, 0, c.now)
	}
	if n := c.Solves - before; n != 2*periods*len(c.rungs) {
		t.Errorf("%d solves in %d periods of %d steps; want one for each of the two stages", n, periods, len(c.rungs))
	}
	s.Combine(c.spare, 1, c.begin, -1, found)
	if d := s.Largest(c.spare); !(d < 1e-6) {
		t.Errorf("the periodic state is %g K from that after 5000 periods", d)
	}
	if top := s.Largest(c.begin); top < 1 {
		t.Errorf("nothing is warm: %g K", top)
	}
}

// One cell at a step of length h is multiplied by R(z) = (1 + (1 - 2 d) z)/(1 - d z)^2, z = -h/tau; and the error after
// a time falls as the square of the steps.
func TestOrderOfTRBDF2(t *testing.T) {
	const n = 24
	for _, method := range []string{"", "multigrid"} {
		last := 0.0
		for _, halves := range []int{2, 3, 4, 5, 6} {
			m, start, rate := bar(t, n)
			until := 2 / rate
			r := marching(t, m, driver.Options{Device: "cpu", Preconditioner: method, RTol: 1e-12},
				AdaptiveOptions{Tol: 1, Until: until, Initial: start}, 0)
			for range 1 << halves {
				r.rungs = append(r.rungs, -halves)
			}
			r.ladder.first = -halves
			if err := r.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if r.Stepping.Steps != 1<<halves {
				t.Fatalf("%d steps, want %d", r.Stepping.Steps, 1<<halves)
			}
			plane := make([]float64, n)
			if err := r.Field().Plane(0, plane); err != nil {
				t.Fatal(err)
			}
			worst := 0.0
			for i, v := range plane {
				want := m.Stack.Ambient + 10*math.Cos(math.Pi*(float64(i)+0.5)/n)*math.Exp(-2)
				worst = math.Max(worst, math.Abs(v-want))
			}
			if order := math.Log2(last / worst); last > 0 {
				t.Logf("%q, %d steps: error %.3g K, order %.3f", method, 1<<halves, worst, order)
				if order < 1.9 || order > 2.1 {
					t.Errorf("order %.3f, expected 2", order)
				}
			}
			last = worst
		}
	}
}

// bar of n cells that lead nothing away, with the slowest wave of heat along it, which decays at a rate in 1/s.
func bar(t *testing.T, n int) (m *mesh.Mesh, start solution.Field, rate float64) {
	t.Helper()
	const k, c, length = 130.0, 1.6e6, 10e-3
	s := &stack.Stack{
		Ambient: 300, Size: [2]float64{length, 1e-3},
		Grid:      stack.Grid{X: stack.Axis{Cells: n}, Y: stack.Axis{Cells: 1}},
		Materials: []stack.Material{{Name: "m", K: [3]float64{k, k, k}, C: c}},
	}
	s.Layers = []stack.Layer{{Name: "l", Thickness: 1e-3, Cells: 1}}
	wave := make(waves, n)
	for i := range wave {
		wave[i] = s.Ambient + 10*math.Cos(math.Pi*(float64(i)+0.5)/float64(n))
	}
	dx := length / float64(n)
	sin := math.Sin(math.Pi / float64(2*n))
	return meshOf(t, s), wave, 4 * k / (c * dx * dx) * sin * sin
}

type waves []float64

func (w waves) Plane(_ int, dst []float64) error {
	copy(dst, w)
	return nil
}

// A cell whose conductivity, heat capacity and power follow the temperature: the order is two there too. What is
// expected is Runge and Kutta's.
func TestOrderOfTRBDF2WithProperties(t *testing.T) {
	const h, thickness, watts, leaks = 3e4, 1e-3, 20.0, 3.0
	k := &stack.Curve{Law: stack.PowerLaw, Value: 5, Exponent: 1.3, At: 300, Range: [2]float64{200, 900}}
	c := &stack.Curve{Law: stack.PowerLaw, Value: 2e6, Exponent: -0.7, At: 300, Range: [2]float64{200, 900}}
	law := &stack.Curve{Law: stack.ExponentialLaw, Value: 1, Exponent: 0.004, At: 300, Range: [2]float64{200, 900}}
	s := &stack.Stack{
		Ambient: 300, Size: [2]float64{2e-3, 3e-3},
		Grid: stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}},
		Materials: []stack.Material{{Name: "m", K: [3]float64{5, 5, 5}, C: 2e6, KCurve: [3]*stack.Curve{k, k, k},
			CCurve: c}},
	}
	s.Layers =
		[]stack.Layer{{Name: "l", Thickness: thickness, Cells: 1,
			Powers: []stack.Power{
				{Uniform: watts, Area: s.Domain(), Leakage: stack.Leakage{Watts: leaks, Factor: law}}}}}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: h, Temperature: 300}
	area := s.Size[0] * s.Size[1]
	rate := func(x float64) float64 {
		kelvin := 300 + x
		return (watts + leaks*law.Of(kelvin) - area/(1/h+thickness/(2*k.Of(kelvin)))*x) /
			(c.Of(kelvin) * area * thickness)
	}
	const until, fine = 0.1, 4000
	x := 0.0
	for range fine {
		const dt = until / fine
		k1 := rate(x)
		k2 := rate(x + dt/2*k1)
		k3 := rate(x + dt/2*k2)
		x += dt / 6 * (k1 + 2*k2 + 2*k3 + rate(x+dt*k3))
	}
	last := 0.0
	for _, halves := range []int{2, 3, 4, 5} {
		r := marching(t, meshOf(t, s), driver.Options{Device: "cpu", Tol: 1e-7}, AdaptiveOptions{Tol: 1, Until: until},
			0)
		for range 1 << halves {
			r.rungs = append(r.rungs, -halves)
		}
		r.ladder.first = -halves
		if err := r.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		worst := math.Abs(r.Hottest() - x)
		if order := math.Log2(last / worst); last > 0 {
			t.Logf("%d steps: %g K, expected %g K; order %.3f", 1<<halves, r.Hottest(), x, order)
			if order < 1.9 || order > 2.1 {
				t.Errorf("order %.3f, expected 2", order)
			}
		}
		last = worst
	}
}

// The estimate is exact where the error is that of the third order.
func TestEstimateOfTRBDF2(t *testing.T) {
	for _, z := range []float64{-1e-2, -2e-2, 3e-2} {
		g := 1 / (1 - stageShare*z)
		step := g * (drivenMid*g + drivenStart)
		estimate := estimateMid*g + estimateNext*step*g - estimateScale*(1+step)
		if e := math.Exp(z) - step; math.Abs(estimate/e-1) > 4*math.Abs(z) {
			t.Errorf("z = %g: the estimate is %g, the error %g", z, estimate, e)
		}
		for _, share := range []float64{0.1, 0.5, 0.9} {
			start, mid, end := within(share)
			if e := math.Abs(start + mid*g + end*step - math.Exp(share*z)); e > 0.2*math.Abs(z*z*z) {
				t.Errorf("z = %g: between the ends, at %g, off by %g", z, share, e)
			}
		}
	}
}

// Steps of a ladder end with their interval, begin at multiples of their length, and have few lengths where intervals
// have a common unit.
func TestLadder(t *testing.T) {
	moments := []float64{0, 0.02, 0.06, 0.07, 0.1}
	l := newLadder(moments, 1)
	if math.Abs(l.unit-0.01) > 1e-12 {
		t.Fatalf("unit %g", l.unit)
	}
	lengths := map[int]bool{}
	for i, end := range moments[1:] {
		l.first = -4
		l.enter(moments[i], end)
		now := moments[i]
		for n := 0; !l.done(); n++ {
			if now != l.time() && math.Abs(now-l.time()) > 1e-15 || n > 1000 {
				t.Fatalf("at %g, want %g", l.time(), now)
			}
			lengths[l.rung] = true
			now = l.next()
			l.at++
			l.double()
			l.fit()
		}
		if now != end {
			t.Errorf("the interval ends at %g, want %g", now, end)
		}
	}
	if len(lengths) > 7 {
		t.Errorf("%d lengths", len(lengths))
	}
	if l := newLadder([]float64{0, 1, 1 + math.Pi}, 1); l.unit != 0 {
		t.Errorf("a unit of %g for intervals without any", l.unit)
	}
	want := []float64{0, 2e-3, 3e-3, 5e-3, 7e-3, 7.5e-3}
	if got := changes(meshOf(t, blinking(1)), 7.5e-3); !slices.EqualFunc(got, want, func(a, b float64) bool {
		return math.Abs(a-b) < 1e-15
	}) {
		t.Errorf("power changes at %v; want %v", got, want)
	}
}

// inPeriod finds a periodic state on the processor.
func inPeriod(t *testing.T, m *mesh.Mesh, p PeriodicOptions) (*solution.Solution, error) {
	plan, err := p.Plan(m)
	if err != nil {
		t.Fatal(err)
	}
	return Periodic(t.Context(), m, driver.Job{Options: driver.Options{Device: "cpu"}}, plan, p.Tol)
}

// A periodic state where the temperatures are followed closes too.
func TestPeriodicWithProperties(t *testing.T) {
	s := blinking(3)
	for i := range s.Materials {
		k := &stack.Curve{Law: stack.PowerLaw, Value: s.Materials[i].K[2], Exponent: 1.2, At: 300,
			Range: [2]float64{250, 900}}
		s.Materials[i].KCurve = [3]*stack.Curve{k, k, k}
	}
	last := 0.0
	sol, err := inPeriod(t, meshOf(t, s),
		PeriodicOptions{StepTol: 2, OnStep: func(step solution.Step, _ solution.Field) error {
			if step.Time <= last {
				t.Errorf("%g s follows %g s", step.Time, last)
			}
			last = step.Time
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	if last != 5e-3 {
		t.Errorf("the period ends at %g s", last)
	}
	if v := sol.Stepping; v.ClosureK > 1e-6 || v.Periods > 20 || sol.Energy.ImbalanceRel > 1e-8 {
		t.Errorf("%+v %+v", v, sol.Energy)
	}
}

// The end of the period is told behind the times that are asked for, and once where it is one of them.
func TestPeriodicTimes(t *testing.T) {
	for _, at := range [][]float64{{2e-3}, {2e-3, 5e-3}, {2e-3, 5e-3 * (1 - 1e-14)}} {
		sol, err := inPeriod(t, meshOf(t, blinking(3)),
			PeriodicOptions{StepTol: 2, Tol: 1e-3, At: at})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(sol.Steps); n != 2 || math.Abs(sol.Steps[1].Time/5e-3-1) > 1e-12 {
			t.Errorf("at %g: %+v", at, sol.Steps)
		}
		sol.Close()
	}
}

// The steps of a periodic state are chosen by their errors, as those of any run: with a smaller tolerance there are
// more of them, and the largest estimate is told.
func TestErrorsOfPeriodicSteps(t *testing.T) {
	steps := 0
	for _, tol := range []float64{0.5, 0.5 / 64} {
		sol, err := inPeriod(t, meshOf(t, blinking(3)),
			PeriodicOptions{StepTol: tol, Tol: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		s := sol.Stepping
		if !(s.LargestErrorK > tol/100 && s.LargestErrorK < 1.1*tol) {
			t.Errorf("steps that may err by %g K err by %g K", tol, s.LargestErrorK)
		}
		if steps > 0 && s.Steps < 2*steps { // the error of a step is of third order: about four times as many
			t.Errorf("%d steps, and %d with a tolerance of a 64th", steps, s.Steps)
		}
		steps = s.Steps
		sol.Close()
	}
}

// counted counts the stages that are solved.
type counted struct {
	stepped
	stages int
}

func (c *counted) Stage(ctx context.Context, o *driver.Options, dst, from int, watch driver.Watch) (krylov.Outcome,
	error) {
	c.stages++
	return c.stepped.Stage(ctx, o, dst, from, watch)
}

// A first stage that has no solution ends the attempt: nothing goes on from a state that is none.
func TestFirstStageWithoutSolution(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 1})
	s.Layers = s.Layers[:1]
	s.Layers[0].Cells = 1
	// Leakage grows by a factor e in 67 K: with 1e6 W of it at 358 K no step of a second has an end.
	law := &stack.Curve{Law: stack.ExponentialLaw, Value: 1, Exponent: 0.015, At: 358.15, Range: [2]float64{250, 7000}}
	s.Layers[0].Powers = []stack.Power{{Uniform: 20, Area: s.Domain(), Leakage: stack.Leakage{Watts: 1e6, Factor: law}}}
	r := marching(t, meshOf(t, s), driver.Options{Device: "cpu"}, AdaptiveOptions{Tol: 1, Until: 1}, 0)
	if err := r.enter(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for r.ladder.double() { // as long as they get
	}
	c := &counted{stepped: r.System}
	r.System = c
	errorK, err := r.attempt(t.Context())
	if err != nil || !math.IsInf(errorK, 1) || c.stages != 1 {
		t.Errorf("a step of %g s: %g K, %v, after %d stages", r.ladder.step(), errorK, err, c.stages)
	}
}

// interrupted is a system whose stages are interrupted.
type interrupted struct {
	stepped
	cancel func()
}

func (i *interrupted) Stage(context.Context, *driver.Options, int, int, driver.Watch) (krylov.Outcome, error) {
	i.cancel()
	return krylov.Outcome{Reason: krylov.Interrupted}, nil
}

// An interruption ends the stage in which it occurs, and every run with it.
func TestInterruptedStage(t *testing.T) {
	m := meshOf(t, cases.Stack10(cases.Options{NX: 1}))
	r := marching(t, m, driver.Options{Device: "cpu"}, AdaptiveOptions{Tol: 1, Until: 1, ToSteady: 1e-3}, 0)
	ctx, cancel := context.WithCancel(t.Context())
	r.System = &interrupted{r.System, cancel}
	if _, err := r.solve(ctx, r.mid, r.now); !errors.Is(err, context.Canceled) {
		t.Errorf("stage: %v", err)
	}
	if err := r.run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("run: %v", err)
	}
	if err := (&cycle{march: r}).lap(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("period: %v", err)
	}
}

// The memory that is stated for the states covers what they take.
func TestAdaptiveNeed(t *testing.T) {
	s := blinking(48)
	for _, method := range []string{"", "multigrid"} {
		m := meshOf(t, s)
		o := driver.Job{Options: driver.Options{Device: "cpu", Preconditioner: method, RTol: 1e-2}}
		steps, err := Adaptive(t.Context(), m, o, &AdaptiveOptions{Tol: 1e3, Until: 1e-5, ToSteady: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		steps.Close()
		stated, taken := AdaptiveNeed(m, method, false, false), steps.Memory.DeviceBytes
		held := stated.System + stated.Method + stated.Krylov
		if stated.Peak() < taken || float64(held) > 1.25*float64(taken) {
			t.Errorf("%q: %d bytes are stated, %d held, %d taken", method, stated.Peak(), held, taken)
		}
	}
}
