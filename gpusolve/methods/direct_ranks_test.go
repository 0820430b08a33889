package methods_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/mesh"
)

// sharedLayers is a random stack of layers on a grid of which so many ranks have few rows each.
func sharedLayers(t testing.TB, number uint64, n int) *mesh.Mesh {
	t.Helper()
	rng := rand.New(rand.NewPCG(number, 29))
	s := layered(rng)
	s.Grid.X.Cells, s.Grid.Y.Cells = 2*n-1+rng.IntN(20), 2*n-1+rng.IntN(2*n)
	return solves.Build(t, s)
}

// toldRun is all that rank 0 is told of a run: the fields of its steps and the last one.
type toldRun struct {
	fields [][]float64
	*gpusolve.Solution
}

// directRun solves a steady state or, of odd numbers, seven steps in time, of some of them from a field.
func directRun(t *testing.T, m *mesh.Mesh, number uint64, o gpusolve.Options) (r toldRun, err error) {
	if number%2 == 0 {
		r.Solution, err = gpusolve.Steady(context.Background(), m, o)
	} else {
		plan := gpusolve.TransientOptions{Steps: 7, Dt: 1e-3}
		if o.Ranks == nil || o.Ranks.Rank() == 0 {
			if number%4 == 1 {
				plan.Initial = solves.Slope{M: m}
			}
			plan.OnStep = func(_ gpusolve.Step, f gpusolve.Field) error {
				r.fields = append(r.fields, solves.Planes(t, m, f))
				return nil
			}
		}
		r.Solution, err = gpusolve.Transient(context.Background(), m, o, plan)
	}
	if err == nil && (o.Ranks == nil || o.Ranks.Rank() == 0) {
		r.fields = append(r.fields, solves.Planes(t, m, r.Field))
	}
	return r, err
}

// Any number of ranks has the fields, peaks and residuals of a direct solve alone, to the bit, in steady states and in
// every step in time.
func TestDirectOnRanks(t *testing.T) {
	for number := range uint64(40) {
		n := []int{2, 3, 4, 5, 8}[number%5]
		m := sharedLayers(t, number, n)
		o := gpusolve.Options{Device: "cpu"}
		want, err := directRun(t, m, number, o)
		if err != nil {
			t.Fatal(err)
		}
		err = solves.Together(t, n, func(rank int, g ranks.Group) error {
			o := o
			o.Ranks = g
			got, err := directRun(t, m, number, o)
			if err != nil || rank > 0 {
				return err
			}
			defer got.Close()
			if got.Status.Method != solution.MethodDirect || !got.Status.Converged {
				t.Errorf("stack %d: %+v", number, got.Status)
			}
			if !slices.EqualFunc(got.fields, want.fields, slices.Equal[[]float64]) || got.PeakK != want.PeakK ||
				got.Status != want.Status {
				t.Errorf("stack %d on %d ranks: another field or %+v, want %+v", number, n, got.Status, want.Status)
			}
			if d := math.Abs(got.Energy.Out - want.Energy.Out); d > 1e-12*want.Energy.Scale ||
				got.Energy.ImbalanceRel > solution.ImbalanceLimit(m, got.Solution) {
				t.Errorf("stack %d: %+v, alone %+v", number, got.Energy, want.Energy)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want.Close()
	}
}

// What ranks find directly is what they find by multigrid, to 1e-9 K.
func TestDirectAgreesWithMultigridOnRanks(t *testing.T) {
	m := solves.Build(t, cases.Stack10(cases.Options{NX: 21, NY: 37}))
	var fields [2][]float64
	for i, o := range []gpusolve.Options{{Device: "cpu", Preconditioner: "fourier"}, solves.Exact} {
		err := solves.Together(t, 3, func(rank int, g ranks.Group) error {
			o := o
			o.Ranks = g
			s, err := gpusolve.Steady(context.Background(), m, o)
			if err != nil || rank > 0 {
				return err
			}
			defer s.Close()
			fields[i] = solves.Planes(t, m, s.Field)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if d := solves.Apart(fields[0], fields[1]); d > 1e-9 {
		t.Errorf("%g K apart", d)
	}
}

// Statistics and quanta of rows are those of the whole, with samples and blocks across borders.
func TestStatisticsOfDirectRanks(t *testing.T) {
	for number := range uint64(5) {
		n := []int{2, 3, 4, 5, 8}[number]
		m := sharedLayers(t, number, max(n, 3)) // more rows than bins
		r := solves.SomeRegions(t, m)
		alone := solves.Solve(t, m, gpusolve.Options{Device: "cpu"})
		want, err := solution.Reduce(alone.Field, r)
		if err != nil {
			t.Fatal(err)
		}
		err = solves.Together(t, n, func(rank int, g ranks.Group) error {
			s, err := gpusolve.Steady(context.Background(), m, gpusolve.Options{Device: "cpu", Ranks: g})
			if err != nil || rank > 0 {
				return err
			}
			defer s.Close()
			got, err := solution.Reduce(s.Field, r)
			if err == nil {
				solves.CompareStatistics(t, got, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		alone.Close()
	}
}

// Steps that follow the temperatures, and periodic states, are those of one.
func TestDirectStepsOnRanks(t *testing.T) {
	m := solves.Build(t, cases.Stack10(cases.Options{NX: 14, NY: 19}))
	fields := map[int][]float64{}
	for _, n := range []int{1, 3} {
		err := solves.Together(t, n, func(rank int, g ranks.Group) error {
			o := gpusolve.Options{Device: "cpu", Ranks: g}
			if n == 1 {
				o.Ranks = nil
			}
			s, err := gpusolve.Adaptive(context.Background(), m, o, gpusolve.AdaptiveOptions{Until: 0.05, Tol: 0.1})
			if err != nil || rank > 0 {
				return err
			}
			defer s.Close()
			fields[n] = solves.Planes(t, m, s.Field)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(fields[1]) == 0 || !slices.Equal(fields[1], fields[3]) {
		t.Error("another field")
	}
}

// A grid with too few rows is solved by multigrid or refused, and what the direct solver does not take is refused with
// its reason.
func TestDirectRanksRefuse(t *testing.T) {
	regions := solves.Build(t, cases.Interposer(cases.Stack10(cases.Options{NX: 20, NY: 40})))
	thin := solves.Build(t, cases.Stack10(cases.Options{NX: 3, NY: 60}))
	for _, c := range []struct {
		m       *mesh.Mesh
		precond string
		says    string
	}{
		{regions, "fourier", "only what it solves directly, and layer"},
		{regions, "fourier:solver=bicgstab", "do not solve with --precond fourier:solver=bicgstab"},
		{thin, "fourier", "3 x 60 cells is too small for 4 ranks"},
	} {
		o := gpusolve.Options{Device: "cpu", Preconditioner: c.precond}
		err := solves.Together(t, 4, func(_ int, g ranks.Group) error {
			o := o
			o.Ranks = g
			_, err := gpusolve.Steady(context.Background(), c.m, o)
			if !errors.Is(err, gpusolve.ErrOption) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", c.precond, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if fourier.CheckRanks(3, 60, 4) == nil {
		t.Error("a grid of 3 columns has none for the fourth rank")
	}
	err := solves.Together(t, 4, func(rank int, g ranks.Group) error {
		s, err := gpusolve.Steady(context.Background(), thin, gpusolve.Options{Device: "cpu", Ranks: g})
		if err == nil && rank == 0 {
			if s.Status.Preconditioner != "multigrid" {
				t.Errorf("%+v", s.Status)
			}
			s.Close()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// GPUs that share a grid solve it directly with the bits of one, in steady states and in time, and one processor's
// field within 1e-9 K.
func TestDirectTeamOnInterpreters(t *testing.T) {
	t.Parallel()
	m := solves.Build(t, cases.Stack10(cases.Options{NX: 9, NY: 14}))
	for steps := range 3 {
		solve := func(o gpusolve.Options) (*gpusolve.Solution, error) {
			if steps > 0 {
				return gpusolve.Transient(context.Background(), m, o, gpusolve.TransientOptions{Steps: steps, Dt: 1e-3})
			}
			return gpusolve.Steady(context.Background(), m, o)
		}
		alone, err :=
			solve(
				gpusolve.Options{
					Executor: solves.OnInterpreter(t, devices.Machine(interpreter.Options{NoRaces: true}))})
		if err != nil {
			t.Fatal(err)
		}
		want := solves.Planes(t, m, alone.Field)
		alone.Close()
		host, err := solve(gpusolve.Options{Device: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		if far := solves.Apart(want, solves.Planes(t, m, host.Field)); far > 1e-9 {
			t.Errorf("%d steps: one GPU is %g K from a processor", steps, far)
		}
		host.Close()
		got, transport := solves.GpuTeam(t, m, 2+steps%2, gpusolve.Options{Preconditioner: "fourier"}, steps == 1,
			solve)
		if !slices.Equal(got, want) || transport == "" {
			t.Errorf("%d steps, joined by %q: %g K from one GPU", steps, transport, solves.Apart(got, want))
		}
	}
}
