package gpusolve_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// keptStates are the checkpoints of a run, after every step.
type keptStates struct {
	told   []int // steps told before each
	after  []int // steps taken before each
	states [][]byte
}

// checkedOutcome is what a run comes to.
type checkedOutcome struct {
	Steps    []solution.Step
	Field    []float64
	Energy   solution.Energy
	Stepping solution.Stepping
	PeakK    float64
	Status   solution.Status
	seen     []float64 // the hottest of a region, step by step
}

// runOf is a transient of some kind with checkpoints.
type runOf func(o gpusolve.Options, c *gpusolve.Checkpoints, onStep func(solution.Step, solution.Field) error) (
	*solution.Solution, error)

func checkpointRuns(m *mesh.Mesh, r *reduction.Regions, steps int) map[string]runOf {
	return map[string]runOf{
		"fixed": func(o gpusolve.Options, c *gpusolve.Checkpoints, f func(solution.Step, solution.Field) error) (
			*solution.Solution, error) {
			return gpusolve.Transient(context.Background(), m, o,
				gpusolve.TransientOptions{Steps: steps, Dt: 1e-3, OnStep: f, Regions: r, Reads: func(n int) bool {
					return n%4 == 0
				}, Checkpoints: c})
		},
		"every step": func(o gpusolve.Options, c *gpusolve.Checkpoints, f func(solution.Step, solution.Field) error) (
			*solution.Solution, error) {
			return gpusolve.Adaptive(context.Background(), m, o,
				gpusolve.AdaptiveOptions{Tol: 0.05, Until: 1e-3 * float64(steps), OnStep: f, Regions: r,
					Checkpoints: c})
		},
		"moments": func(o gpusolve.Options, c *gpusolve.Checkpoints, f func(solution.Step, solution.Field) error) (
			*solution.Solution, error) {
			return gpusolve.Adaptive(context.Background(), m, o,
				gpusolve.AdaptiveOptions{Tol: 0.05, Until: 1e-3 * float64(steps), At: []float64{1.1e-3, 2e-3, 3.7e-3},
					ToSteady: 1e-3, OnStep: f, Regions: r, Checkpoints: c})
		},
	}
}

// outcomeOf runs from a state, nil for the start.
func outcomeOf(t *testing.T, m *mesh.Mesh, r *reduction.Regions, run runOf, o gpusolve.Options, from []byte,
	told []solution.Step) (checkedOutcome, keptStates) {
	t.Helper()
	var out checkedOutcome
	var kept keptStates
	c := &gpusolve.Checkpoints{
		Due: func(int) bool { return true },
		Save: func(steps int, write func(io.Writer) error) error {
			var b bytes.Buffer
			kept.told = append(kept.told, len(told)+len(out.seen))
			kept.after = append(kept.after, steps)
			err := write(&b)
			kept.states = append(kept.states, b.Bytes())
			return err
		},
		Reported: told,
	}
	if from != nil {
		c.From = bytes.NewReader(from)
	}
	sol, err := run(o, c, func(_ solution.Step, f solution.Field) error {
		v, err := solution.Reduce(f, r)
		if err == nil {
			out.seen = append(out.seen, v.Extents[0].Max)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	out.Steps, out.Field, out.Energy, out.Stepping, out.PeakK, out.Status = sol.Steps,
		solves.WholeField(t, m, sol.Field),
		sol.Energy, solution.Stepping{}, sol.PeakK, sol.Status
	if sol.Stepping != nil {
		out.Stepping = *sol.Stepping
	}
	out.Status.Timings = ""
	return out, kept
}

func checkpointMeshes(t *testing.T) map[string]*mesh.Mesh {
	t.Helper()
	flash := func(s *stack.Stack) *mesh.Mesh {
		for l := range s.Layers {
			for p := range s.Layers[l].Powers {
				s.Layers[l].Powers[p].Schedule = []stack.ScalePoint{{Time: 0, Factor: 1}, {Time: 2.5e-3, Factor: 0.1},
					{Time: 4e-3, Factor: 3}}
			}
		}
		return solves.Build(t, s)
	}
	n := testtier.Pick(5, 9)
	return map[string]*mesh.Mesh{
		"direct":    flash(cases.Stack10(cases.Options{NX: n, NY: n - 2})),
		"multigrid": flash(cases.Interposer(cases.Stack10(cases.Options{NX: n, NY: n - 1}))),
	}
}

// goesOn resumes from states of a run, and wants its bits.
func goesOn(t *testing.T, m *mesh.Mesh, r *reduction.Regions, run runOf, o func() gpusolve.Options, stride int) {
	t.Helper()
	want, kept := outcomeOf(t, m, r, run, o(), nil, nil)
	if len(kept.states) < 3 {
		t.Fatalf("%d checkpoints", len(kept.states))
	}
	for n := 0; n < len(kept.states); n += stride {
		told := kept.told[n]
		got, later := outcomeOf(t, m, r, run, o(), kept.states[n], want.Steps[:told])
		if !slices.Equal(got.seen, want.seen[told:]) {
			t.Errorf("from checkpoint %d: steps show other temperatures", n)
		}
		got.seen = want.seen
		// NaN is NaN as text
		if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); a != b ||
			!reflect.DeepEqual(got.Field, want.Field) {
			got.Field, want.Field = nil, nil
			t.Errorf("from checkpoint %d after %d steps: other bits:\n%+v\n%+v", n, told, got, want)
			return
		}
		compared := 0
		for k, state := range later.states {
			// How many steps a device takes ahead goes by the clock, so a run may have checkpoints after other steps.
			at := slices.Index(kept.after, later.after[k])
			if at < 0 {
				continue
			}
			if compared++; !bytes.Equal(state, kept.states[at]) {
				t.Fatalf("from checkpoint %d: checkpoint %d differs, after %d steps", n, at, later.after[k])
			}
		}
		if compared == 0 && len(later.states) > 0 {
			t.Fatalf("from checkpoint %d: %d checkpoints, none of which the whole run has", n, len(later.states))
		}
	}
}

// A run that goes on from any of its checkpoints has the bits of the run that was not interrupted: steps, statistics,
// fields, balance, what is told of the solver, and the checkpoints that follow.
func TestCheckpointsKeepTheBits(t *testing.T) {
	for name, m := range checkpointMeshes(t) {
		r := regionsOf(t, m)
		for kind, run := range checkpointRuns(m, r, 9) {
			t.Run(name+", "+kind, func(t *testing.T) {
				goesOn(t, m, r, run, func() gpusolve.Options {
					return gpusolve.Options{Device: "cpu"}
				}, testtier.Pick(4, 1))
			})
		}
	}
}

// The same by the kernels that ship.
func TestCheckpointsOnInterpreter(t *testing.T) {
	t.Parallel()
	for name, m := range checkpointMeshes(t) {
		r := regionsOf(t, m)
		o := func() gpusolve.Options {
			return gpusolve.Options{
				Executor: solves.OnInterpreter(t, devices.Machine(interpreter.Options{GridRows: 2, NoRaces: true}))}
		}
		t.Run(name+", fixed", func(t *testing.T) {
			goesOn(t, m, r, checkpointRuns(m, r, 4)["fixed"], o, testtier.Pick(3, 1))
		})
		t.Run(name+", adaptive", func(t *testing.T) {
			goesOn(t, m, r,
				func(o gpusolve.Options, c *gpusolve.Checkpoints, f func(solution.Step, solution.Field) error) (
					*solution.Solution, error) {
					return gpusolve.Adaptive(context.Background(), m, o,
						gpusolve.AdaptiveOptions{Tol: testtier.Pick(0.1, 0.3), Until: 1e-4, OnStep: f, Regions: r,
							Checkpoints: c})
				}, o, 3)
		})
	}
}

func TestCheckpointRefusals(t *testing.T) {
	all := solves.SessionCases(t)
	for _, name := range []string{"k(T)", "leakage", "coolant"} {
		for kind, run := range checkpointRuns(all[name], nil, 4) {
			if name == "coolant" && kind == "moments" {
				continue
			}
			sol, err := run(gpusolve.Options{Device: "cpu"}, &gpusolve.Checkpoints{}, nil)
			sol.Close()
			if !errors.Is(err, gpusolve.ErrNoCheckpoint) {
				t.Errorf("%s, %s: %v", name, kind, err)
			}
		}
	}
	m := checkpointMeshes(t)["multigrid"]
	r := regionsOf(t, m)
	runs := checkpointRuns(m, r, 4)
	want, kept := outcomeOf(t, m, r, runs["fixed"], gpusolve.Options{Device: "cpu"}, nil, nil)
	state := kept.states[1]
	for what, c := range map[string]struct {
		run  string
		o    gpusolve.Options
		told int
		from []byte
	}{
		"it was pcg with multigrid, and is pcg " +
			"with jacobi": {"fixed", gpusolve.Options{Device: "cpu", Preconditioner: "jacobi"}, 2, state},
		"it was backward Euler, and is TR-BDF2": {"moments", gpusolve.Options{Device: "cpu"}, 2, state},
		"after 2 steps, of which 1":             {"fixed", gpusolve.Options{Device: "cpu"}, 1, state},
		"unexpected EOF": {"fixed", gpusolve.Options{Device: "cpu"}, 2,
			state[:len(state)-3]},
	} {
		from := &gpusolve.Checkpoints{From: bytes.NewReader(c.from), Reported: want.Steps[:c.told]}
		sol, err := runs[c.run](c.o, from,
			nil)
		sol.Close()
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: got %v", what, err)
		}
	}
}
