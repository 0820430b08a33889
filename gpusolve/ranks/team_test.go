package ranks_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// Steady gives rank 0 the solution that one processor has, to the bit.
func TestSteadyOnRanks(t *testing.T) {
	for number := range uint64(12) {
		m := solves.TeamStack(t, number, 4)
		alone, err := gpusolve.Steady(context.Background(), m, solves.Exact)
		if err != nil {
			t.Fatal(err)
		}
		want := solves.Planes(t, m, alone.Field)
		err = solves.Together(t, 2+int(number%3), func(rank int, g ranks.Group) error {
			o := solves.Exact
			o.Ranks = g
			s, err := gpusolve.Steady(context.Background(), m, o)
			if err != nil || rank > 0 {
				return err
			}
			defer s.Close()
			if got := solves.Planes(t, m, s.Field); !slices.Equal(got, want) {
				t.Errorf("stack %d: another field", number)
			}
			if s.PeakK != alone.PeakK || s.Status.Iterations != alone.Status.Iterations || !s.Status.Converged {
				t.Errorf("stack %d: %g K, %+v; alone %g K, %+v", number, s.PeakK, s.Status, alone.PeakK, alone.Status)
			}
			if limit := solution.ImbalanceLimit(m, s); s.Energy.ImbalanceRel > limit ||
				math.Abs(s.Energy.Out-alone.Energy.Out) > 1e-9*alone.Energy.Scale {
				t.Errorf("stack %d: %+v; alone %+v", number, s.Energy, alone.Energy)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		alone.Close()
	}
}

// Ten steps in time, of which rank 0 is told with their fields.
func TestTransientOnRanks(t *testing.T) {
	for number := range uint64(6) {
		m := solves.TeamStack(t, number, 4)
		var want [][]float64
		var initial gpusolve.Field
		if number%2 == 1 {
			initial = solves.Slope{M: m}
		}
		plan := gpusolve.TransientOptions{Steps: 10, Dt: 1e-3, Initial: initial}
		plan.OnStep = func(_ gpusolve.Step, f gpusolve.Field) error {
			want = append(want, solves.Planes(t, m, f))
			return nil
		}
		alone, err := gpusolve.Transient(context.Background(), m, solves.Exact, plan)
		if err != nil {
			t.Fatal(err)
		}
		err = solves.Together(t, 2+int(number%3), func(rank int, g ranks.Group) error {
			o, plan := solves.Exact, gpusolve.TransientOptions{Steps: 10, Dt: 1e-3}
			o.Ranks = g
			seen := 0
			if rank == 0 {
				plan.Initial = initial
				plan.OnStep = func(_ gpusolve.Step, f gpusolve.Field) error {
					if got := solves.Planes(t, m, f); !slices.Equal(got, want[seen]) {
						t.Errorf("stack %d: another field at the end of step %d", number, seen+1)
					}
					seen++
					return nil
				}
			}
			s, err := gpusolve.Transient(context.Background(), m, o, plan)
			if err != nil || rank > 0 {
				return err
			}
			defer s.Close()
			if seen != 10 || !slices.EqualFunc(s.Steps, alone.Steps, func(a, b gpusolve.Step) bool {
				return a.MaxK == b.MaxK && a.Iterations == b.Iterations
			}) {
				t.Errorf("stack %d: %d steps: %+v, alone %+v", number, seen, s.Steps, alone.Steps)
			}
			if math.Abs(s.Energy.Stored-alone.Energy.Stored) > 1e-9*alone.Energy.Scale ||
				s.Energy.ImbalanceRel > solution.ImbalanceLimit(m, s) {
				t.Errorf("stack %d: %+v; alone %+v", number, s.Energy, alone.Energy)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		alone.Close()
	}
}

// Where rank 0 stops a transient, or any rank is interrupted, all end with the same steps.
func TestRanksEndTogether(t *testing.T) {
	m := solves.TeamStack(t, 3, 3)
	enough := errors.New("enough")
	for interrupted := -1; interrupted < 3; interrupted++ {
		ctxs, stops := make([]context.Context, 3), make([]context.CancelFunc, 3)
		for r := range ctxs {
			ctxs[r], stops[r] = context.WithCancel(context.Background())
			defer stops[r]()
		}
		steps := make([]int, 3)
		errs := make([]error, 3)
		_ = solves.Together(t, 3, func(rank int, g ranks.Group) error {
			o, plan := solves.Exact, gpusolve.TransientOptions{Steps: 1000, Dt: 1e-4}
			o.Ranks = g
			if rank == 0 {
				plan.OnStep = func(s gpusolve.Step, _ gpusolve.Field) error {
					if s.Time < 4.5e-4 {
						return nil
					}
					if interrupted < 0 {
						return enough
					}
					stops[interrupted]()
					return nil
				}
			}
			s, err := gpusolve.Transient(ctxs[rank], m, o, plan)
			if errs[rank] = err; s == nil {
				t.Errorf("rank %d has no solution: %v", rank, err)
				return err
			}
			steps[rank] = len(s.Steps)
			if rank == 0 {
				solves.Planes(t, m, s.Field)
				s.Close()
			}
			return err
		})
		if steps[0] != 5 || steps[1] != 5 || steps[2] != 5 {
			t.Errorf("interrupted %d: steps %v", interrupted, steps)
		}
		if interrupted < 0 &&
			(errs[0] != enough && !errors.Is(errs[0], enough) || !errors.Is(errs[1], gpusolve.ErrStopped) ||
				!errors.Is(errs[2], gpusolve.ErrStopped)) {
			t.Errorf("stopped: %v", errs)
		}
		if interrupted >= 0 {
			for _, err := range errs {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("interrupted: %v", errs)
				}
			}
		}
	}
}

// What several ranks do not solve is refused on each of them.
func TestRanksRefuse(t *testing.T) {
	m := solves.TeamStack(t, 1, 2)
	narrow := cases.AnyStack(72, 1)
	narrow.Grid.Y = stack.Axis{Cells: 5}
	thin, err := mesh.Build(narrow)
	if err != nil {
		t.Fatal(err)
	}
	other := solves.Exact
	other.Preconditioner = "jacobi"
	many := func(m *mesh.Mesh, o gpusolve.Options) (*gpusolve.Solution, error) {
		_, err := gpusolve.SolveMany(context.Background(), m, o,
			gpusolve.Many{Watts: [][]float64{make([]float64, len(ports.InputsOf(m.Stack)))}})
		return nil, err
	}
	steady := func(m *mesh.Mesh, o gpusolve.Options) (*gpusolve.Solution, error) {
		return gpusolve.Steady(context.Background(), m, o)
	}
	for what, c := range map[string]struct {
		m     *mesh.Mesh
		o     gpusolve.Options
		solve func(*mesh.Mesh, gpusolve.Options) (*gpusolve.Solution, error)
	}{"method": {m, other, steady}, "narrow grid": {thin, solves.Exact, steady},
		"many powers": {m, solves.Exact, many}} {
		if err := solves.Together(t, 2, func(_ int, g ranks.Group) error {
			o := c.o
			o.Ranks = g
			_, err := c.solve(c.m, o)
			if !errors.Is(err, gpusolve.ErrOption) {
				t.Errorf("%s: %v", what, err)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}
