package gpusolve_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// gpuTeam solves on ranks whose GPUs are interpreters: one of their own, or one of all.
func gpuTeam(t *testing.T, m *mesh.Mesh, n int, o gpusolve.Options, shared bool,
	solve func(o gpusolve.Options) (*gpusolve.Solution, error)) (field []float64, transport string) {
	t.Helper()
	fresh := func() cudriver.Driver { return devices.Machine(interpreter.Options{NoRaces: true}) }
	one := fresh()
	err := together(t, n, func(_ int, g ranks.Group) error {
		o := o
		o.Device, o.Driver, o.Ranks = "gpu", one, g
		if !shared {
			o.Driver = fresh()
		}
		s, err := solve(o)
		if err != nil {
			return err
		}
		defer s.Close()
		if g.Rank() == 0 {
			field, transport = planes(t, m, s.Field), s.Device.Transport
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return field, transport
}

// apart is the largest difference of two fields.
func apart(a, b []float64) float64 {
	far := math.Abs(float64(len(a) - len(b)))
	for i := range min(len(a), len(b)) {
		far = math.Max(far, math.Abs(a[i]-b[i]))
	}
	return far
}

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
		m := build(t, c.stack)
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
		want := planes(t, m, s.Field)
		s.Close()
		for _, shared := range c.shared {
			got, transport := gpuTeam(t, m, 2, o, shared, solve)
			if far := apart(got, want); far > 1e-9 {
				t.Errorf("%s through %s: %g K from one processor", c.name, transport, far)
			}
			if want := map[bool]string{false: "the host's memory",
				true: "copies of the driver"}[shared]; !strings.HasPrefix(transport, want) {
				t.Errorf("transport %q, want %q", transport, want)
			}
		}
	}
}
