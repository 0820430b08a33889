package gpusolve

import (
	"math"
	"testing"

	"thermsim/gpusolve/cases"
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
func marching(t *testing.T, m *mesh.Mesh, o Options, a AdaptiveOptions, more int) *march {
	t.Helper()
	if err := a.check(m); err != nil {
		t.Fatal(err)
	}
	r := newMarch(m, o, &a)
	e, err := newEngine(m, r.opts, mostMoments, stageShare*r.ladder.step())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.close)
	if err := r.open(e, a.Initial, more); err != nil {
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
				power.Trace = &stack.Trace{Times: []float64{0, 2e-3, 3e-3}, End: 5e-3, Repeat: true, Watts: [][]float64{row(1), row(4), row(0.5)}}
			}
		}
	}
	return s
}

// The periodic state is that which ten thousand periods from the ambient lead to, step by step with the same steps.
func TestPeriodicAgainstPeriodsStepped(t *testing.T) {
	blinks := blinking(4)
	blinks.Boundary[stack.Top].H *= 4 // ten thousand periods are many times what it takes to warm up
	m := meshOf(t, blinks)
	if tau, err := SlowestTimeConstant(t.Context(), m); err != nil || tau > 2.5 {
		t.Fatalf("%g s, %v", tau, err)
	}
	r := marching(t, m, Options{Device: "cpu"}, AdaptiveOptions{Tol: 0.5, Until: m.Power.Period()}, 4)
	const found = 9
	c := &cycle{march: r, period: 5e-3, begin: 6, mean: 7, change: 8}
	c.telling = false
	if err := c.find(t.Context(), 1e-7); err != nil {
		t.Fatal(err)
	}
	if c.Periods > 12 {
		t.Errorf("found in %d periods", c.Periods)
	}
	s := c.system
	s.combine(found, 1, c.begin, 0, c.begin)
	s.combine(c.begin, 0, c.begin, 0, c.begin)
	for range 10_000 {
		if err := c.lap(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.combine(c.begin, 1, c.now, 0, c.now)
	}
	s.combine(c.spare, 1, c.begin, -1, found)
	if d := s.largest(c.spare); !(d < 1e-6) {
		t.Errorf("the periodic state is %g K from that after 10000 periods", d)
	}
	if top := s.largest(c.begin); top < 1 {
		t.Errorf("nothing is warm: %g K", top)
	}
}

// One cell at a step of length h is multiplied by R(z) = (1 + (1 - 2 d) z)/(1 - d z)^2, z = -h/tau; and the error after a time falls as the square of the steps.
func TestOrderOfTRBDF2(t *testing.T) {
	const n = 24
	for _, method := range []string{"", "multigrid"} {
		last := 0.0
		for _, halves := range []int{2, 3, 4, 5, 6} {
			m, start, rate := bar(t, n)
			until := 2 / rate
			r := marching(t, m, Options{Device: "cpu", Preconditioner: method, RTol: 1e-12}, AdaptiveOptions{Tol: 1, Until: until, Initial: start}, 0)
			for range 1 << halves {
				r.script = append(r.script, -halves)
			}
			r.ladder.first = -halves
			if err := r.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if r.Stepping.Steps != 1<<halves {
				t.Fatalf("%d steps, want %d", r.Stepping.Steps, 1<<halves)
			}
			plane := make([]float64, n)
			if err := r.field().Plane(0, plane); err != nil {
				t.Fatal(err)
			}
			worst := 0.0
			for i, v := range plane {
				want := m.Stack.Ambient + 10*math.Cos(math.Pi*(float64(i)+0.5)/n)*math.Exp(-2)
				worst = math.Max(worst, math.Abs(v-want))
			}
			if order := math.Log2(last / worst); last > 0 && (order < 1.9 || order > 2.1) {
				t.Errorf("%q, %d steps: error %g K after %g, order %.3f", method, 1<<halves, worst, last, order)
			}
			last = worst
		}
	}
}

// bar of n cells that lead nothing away, with the slowest wave of heat along it, which decays at a rate in 1/s.
func bar(t *testing.T, n int) (m *mesh.Mesh, start Field, rate float64) {
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
