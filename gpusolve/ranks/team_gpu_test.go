package ranks_test

import (
	"context"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/testtier"
	"thermsim/stack"
)

// TestTeamOnInterpreters: GPUs that share a grid give the field of one processor within 1e-9 K, in steady states and
// transients, with layers and with regions.
func TestTeamOnInterpreters(t *testing.T) {
	t.Parallel()
	n := testtier.Pick(4, 10)
	layered := cases.Stack10(cases.Options{NX: n, NY: 36})
	for _, c := range []struct {
		name   string
		stack  *stack.Stack
		steps  int
		shared []bool // one machine has all GPUs
	}{{"layers", layered, 0, testtier.Pick(nil, []bool{false, true})},
		{"regions", cases.Interposer(cases.Stack10(cases.Options{NX: n, NY: 36})), 0,
			testtier.Pick([]bool{false}, []bool{false, true})},
		{"a transient", layered, testtier.Pick(2, 3), testtier.Pick([]bool{true}, []bool{false, true})}} {
		m := solves.Build(t, c.stack)
		solve := func(o gpusolve.Options) (*gpusolve.Solution, error) {
			if c.steps > 0 {
				return gpusolve.Transient(context.Background(), m, o,
					gpusolve.TransientOptions{Steps: c.steps, Dt: 1e-3})
			}
			return gpusolve.Steady(context.Background(), m, o)
		}
		o := gpusolve.Options{Preconditioner: "multigrid", RTol: 1e-11}
		alone := o
		alone.Device = "cpu"
		s, err := solve(alone)
		if err != nil {
			t.Fatal(err)
		}
		want := solves.Planes(t, m, s.Field)
		s.Close()
		for _, shared := range c.shared {
			got, transport := solves.GpuTeam(t, m, 2, o, shared, solve)
			if far := solves.Apart(got, want); far > 1e-9 {
				t.Errorf("%s through %s: %g K from one processor", c.name, transport, far)
			}
			if want := map[bool]string{false: "the host's memory",
				true: "copies of the driver"}[shared]; !strings.HasPrefix(transport, want) {
				t.Errorf("transport %q, want %q", transport, want)
			}
		}
	}
}
