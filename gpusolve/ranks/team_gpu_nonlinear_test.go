package ranks_test

import (
	"context"
	"fmt"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/testtier"
	"thermsim/stack"
)

// warmStrip has silicon and a face that follow the temperature.
func warmStrip() *stack.Stack {
	s := cases.Stack10(cases.Options{NX: testtier.Pick(3, 8), NY: 28})
	for i := range s.Materials {
		if m := &s.Materials[i]; m.Name == "silicon" {
			k := &stack.Curve{Law: stack.PowerLaw, Value: 153, Exponent: 1.5, At: 300, Range: [2]float64{250, 600}}
			m.KCurve, m.K = [3]*stack.Curve{k, k, k}, [3]float64{153, 153, 153}
		}
	}
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.Convective, H: 20, Temperature: 305,
		Film: stack.Film{Emissivity: 0.9}}
	return s
}

// TestGPUsFollowTheTemperature: GPUs that share a grid iterate over properties, faces and leakage to the field of one
// processor. What mixes states and finds the loop gain decides by products of vectors, which must be those of all
// ranks: where one rank takes its own, it asks for other exchanges than its neighbour, and both wait.
func TestGPUsFollowTheTemperature(t *testing.T) {
	leaky := func(watts float64) *stack.Stack {
		s := cases.Stack10(cases.Options{NX: testtier.Pick(3, 8), NY: 28})
		addLeakage(s, watts)
		return s
	}
	steady := func(o gpusolve.Options, s *stack.Stack) (*gpusolve.Solution, error) {
		return gpusolve.Steady(context.Background(), solves.Build(t, s), o)
	}
	steps := func(o gpusolve.Options, s *stack.Stack) (*gpusolve.Solution, error) {
		return gpusolve.Transient(context.Background(), solves.Build(t, s), o,
			gpusolve.TransientOptions{Steps: 2, Dt: 1e-3})
	}
	adaptive := func(o gpusolve.Options, s *stack.Stack) (*gpusolve.Solution, error) {
		return gpusolve.Adaptive(context.Background(), solves.Build(t, s), o,
			gpusolve.AdaptiveOptions{Until: 1e-4, Tol: 2})
	}
	type turn struct {
		name  string
		stack *stack.Stack
		solve func(o gpusolve.Options, s *stack.Stack) (*gpusolve.Solution, error)
		own   bool // each rank has a machine of its own
		runs  bool // away
	}
	turns := []turn{
		{"conductivities and films", warmStrip(), steady, true, false},
		{"conductivities and films in time", warmStrip(), steps, false, false},
		{"leakage", leaky(0.2), steady, true, false},
		{"leakage in time", leaky(0.2), steps, false, false},
		{"steps that follow the temperatures", warmStrip(), adaptive, false, false},
	}
	for _, c := range testtier.Pick([]turn{turns[0], turns[3]},
		append(turns, turn{"leakage without a stable state", leaky(3), steady, false, true})) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := solves.Build(t, c.stack)
			o := gpusolve.Options{Preconditioner: "multigrid", RTol: 1e-11}
			alone := o
			alone.Device = "cpu"
			one, err := c.solve(alone, c.stack)
			if err != nil {
				t.Fatal(err)
			}
			defer one.Close()
			want := solves.Planes(t, m, one.Field)
			if l := one.Status.Nonlinear.Leakage; l != nil && l.Runaway != c.runs {
				t.Fatalf("%+v", l)
			}
			got, transport := solves.GpuTeam(t, m, 2, o, !c.own, func(o gpusolve.Options) (*gpusolve.Solution, error) {
				s, err := c.solve(o, c.stack)
				if err != nil {
					return nil, err
				}
				if a, b := s.Status.Nonlinear.Leakage, one.Status.Nonlinear.Leakage; b != nil &&
					(a.Runaway != b.Runaway || a.Factor != b.Factor) {
					t.Errorf("%+v, the processor %+v", a, b)
				}
				return s, nil
			})
			if far := solves.Apart(got, want); far > 1e-9 {
				t.Errorf("through %s: %g K from one processor", transport, far)
			}
		})
	}
}

// TestTwoGPUsFollowTheTemperature does the same on two real GPUs, on a larger grid.
func TestTwoGPUsFollowTheTemperature(t *testing.T) {
	found, err := device.List()
	if err != nil || len(found) < 2 {
		t.Skipf("needs two GPUs: there are %d (%v)", len(found), err)
	}
	warm := warmStrip()
	warm.Grid.X.Cells, warm.Grid.Y.Cells = 120, 200
	leaky := cases.Stack10(cases.Options{NX: 120, NY: 200})
	addLeakage(leaky, 0.2)
	runaway := cases.Stack10(cases.Options{NX: 60, NY: 100})
	addLeakage(runaway, 3)
	for _, c := range []struct {
		name  string
		stack *stack.Stack
		until float64
	}{{"conductivities and films", warm, 0}, {"conductivities and films in time", warm, 1e-3}, {"leakage", leaky, 0},
		{"leakage in time", leaky, 1e-3}, {"runaway", runaway, 0}} {
		m := solves.Build(t, c.stack)
		solve := func(o gpusolve.Options) (*gpusolve.Solution, error) {
			if c.until > 0 {
				return gpusolve.Adaptive(context.Background(), m, o, gpusolve.AdaptiveOptions{Until: c.until, Tol: 1})
			}
			return gpusolve.Steady(context.Background(), m, o)
		}
		o := gpusolve.Options{Preconditioner: "multigrid", RTol: 1e-10}
		fieldOf := func(o gpusolve.Options, g ranks.Group) (field []float64, transport string, err error) {
			o.Ranks = g
			s, err := solve(o)
			if err != nil {
				return nil, "", err
			}
			defer s.Close()
			if g == nil || g.Rank() == 0 {
				field = solves.Planes(t, m, s.Field)
			}
			return field, s.Device.Transport, nil
		}
		alone := o
		alone.Device = "cpu"
		want, _, err := fieldOf(alone, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		var transport string
		if err := solves.Together(t, 2, func(rank int, g ranks.Group) error {
			o := o
			o.Device = fmt.Sprintf("gpu:%d", rank)
			field, text, err := fieldOf(o, g)
			if rank == 0 {
				got, transport = field, text
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		far := solves.Apart(got, want)
		t.Logf("%s through %s: %.2g K from one processor", c.name, transport, far)
		if far > 1e-7 {
			t.Errorf("%s: %g K", c.name, far)
		}
	}
}
