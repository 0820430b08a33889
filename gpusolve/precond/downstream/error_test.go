package downstream

import (
	"context"
	"fmt"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// The reported error is at least the difference to a solution at rounding errors, for the first right-hand side of an
// operator and for another, after which a weight for the first one is there.
func TestErrorIsBounded(t *testing.T) {
	stacks := map[string]*stack.Stack{"both models": awkward()["both models"]}
	for _, flow := range []float64{2e-9, 2e-6, 2e-3} {
		stacks[fmt.Sprintf("porous, %g m3/s", flow)] = cases.Tiers(16, 2, flow, stack.PorousCavity)
		stacks[fmt.Sprintf("channels, %g m3/s", flow)] = cases.Tiers(17, 2, flow, stack.ResolvedChannels)
	}
	for name, s := range stacks {
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		d := host.Open()
		defer d.Close()
		sys, err := d.Assemble(m, 0)
		if err != nil {
			t.Fatal(err)
		}
		definition := Definition()
		k, _, err := definition.SetUp(sys, precond.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		b, x, want := must(t, sys.New64), must(t, sys.New64), must(t, sys.New64)
		power := make([]float64, m.Cells())
		for round := range 2 {
			clear(power)
			for c := round * m.NX() * m.NY(); c < (2*round+1)*m.NX()*m.NY(); c++ {
				power[c] = float64(1+c%7) * 30 / float64(m.NX()*m.NY())
			}
			sys.Write(b, power)
			source := sys.SourceOf(b)
			k.StartFromZero()
			out := k.Solve(context.Background(), krylov.Rule{Tol: 1e-4, MaxIter: 30}, source, x)
			k.StartFromZero()
			k.Solve(context.Background(), krylov.Rule{RTol: 1e-13, MaxIter: 60}, source, want)
			source.Close()
			sys.Combine(x, 1, x, -1, want)
			_, largest := sys.Inner(x, x)
			if !out.Converged || !(out.ErrorK <= 1e-4) || largest > out.ErrorK {
				t.Errorf("%s, source %d: an error of %g K, and %+v", name, round, largest, out)
			}
		}
	}
}

func must(t *testing.T, make func() (ops.Vector, error)) ops.Vector {
	t.Helper()
	v, err := make()
	if err != nil {
		t.Fatal(err)
	}
	return v
}
