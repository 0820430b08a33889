package solves

import (
	"sync"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// TeamStack is a random stack that n ranks can share.
func TeamStack(t testing.TB, number uint64, n int) *mesh.Mesh {
	t.Helper()
	for ; ; number += 1000 {
		s := cases.AnyStack(72, number)
		s.Grid.Y = stack.Axis{Cells: 32 + int(number%7)}
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := multigrid.Choose(m).Share(m.NX(), m.NY(), n, 20); err == nil && m.Grounded() {
			return m
		}
	}
}

// Together runs on all ranks, and gives what rank 0 returns. The others must end without an error.
func Together(t testing.TB, n int, run func(rank int, g ranks.Group) error) error {
	t.Helper()
	groups := ranks.Local(n)
	failed := make([]error, n)
	var wait sync.WaitGroup
	for r := range n {
		wait.Go(func() { failed[r] = run(r, groups[r]) })
	}
	wait.Wait()
	for r, err := range failed[1:] {
		if err != nil && failed[0] == nil {
			t.Fatalf("rank %d: %v", r+1, err)
		}
	}
	return failed[0]
}

func Planes(t testing.TB, m *mesh.Mesh, f gpusolve.Field) []float64 {
	sheet := m.NX() * m.NY()
	all := make([]float64, m.Cells())
	for k := range m.NZ() {
		if err := f.Plane(k, all[k*sheet:(k+1)*sheet]); err != nil {
			t.Error(err)
		}
	}
	return all
}

var Exact = gpusolve.Options{Device: "cpu", Preconditioner: "multigrid", RTol: 1e-11}

// Slope is a field that differs from cell to cell.
type Slope struct{ M *mesh.Mesh }

func (s Slope) Plane(k int, dst []float64) error {
	for c := range dst {
		dst[c] = 310 + 3*float64(k) + 0.1*float64(c)
	}
	return nil
}
