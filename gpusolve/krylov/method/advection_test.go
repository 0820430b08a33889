package method_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/mesh"
)

// advected is the operator of a mesh with a coolant that flows along +x through some of its planes, discretised upwind:
// a cell receives flow (theta - theta of the cell before) in W, flow being rho c_p times the volume flow through a cell
// in W/K. The inlet is at the ambient.
type advected struct {
	ops.System
	flow []float64 // of each plane
}

func (a *advected) Symmetric() bool { return false }

// carry adds what the coolant carries off to y.
func (a *advected) carry(y, x []float64) {
	m := a.Mesh()
	nx, sheet := m.NX(), m.NX()*m.NY()
	for k, flow := range a.flow {
		for c := k * sheet; c < (k+1)*sheet; c++ {
			before := 0.0
			if c%nx > 0 {
				before = x[c-1]
			}
			y[c] += flow * (x[c] - before)
		}
	}
}

func (a *advected) Apply(y, x ops.Vector) {
	a.System.Apply(y, x)
	u, v := make([]float64, y.Len()), make([]float64, y.Len())
	a.Read(y, u)
	a.Read(x, v)
	a.carry(u, v)
	a.Write(y, u)
}

func (a *advected) Residual(r, r32 ops.Vector, b ops.Source, x ops.Vector) ops.Norms {
	n := a.System.Residual(r, r32, b, x)
	if x == nil {
		return n
	}
	u, v, w := make([]float64, x.Len()), make([]float64, x.Len()), make([]float64, x.Len())
	a.Read(r, u)
	a.Read(x, v)
	a.carry(w, v)
	sum := 0.0
	for c := range u {
		u[c] -= w[c]
		sum += u[c] * u[c]
	}
	a.Write(r, u)
	a.Write(r32, u)
	n.Residual = math.Sqrt(sum)
	return n
}

// TestAdvectionDiffusion solves an upwind advection-diffusion problem on a mesh by BiCGSTAB with the multigrid of its
// symmetric part, for cell Péclet numbers from far below to far above one, and compares with Gaussian elimination.
func TestAdvectionDiffusion(t *testing.T) {
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: 8}))
	if err != nil {
		t.Fatal(err)
	}
	d := host.Open()
	defer d.Close()
	for _, flow := range []float64{1e-6, 1e-3, 0.1} {
		s, err := d.Assemble(m, 0)
		if err != nil {
			t.Fatal(err)
		}
		a := &advected{s, make([]float64, m.NZ())}
		a.flow[4], a.flow[7] = flow, flow/2
		source, err := s.NewSource(true)
		if err != nil {
			t.Fatal(err)
		}
		source.SetPower(m.Power.Steady())
		cycle, err := multigrid.New(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := krylov.NewPCG(a, cycle); !errors.Is(err, krylov.ErrNotSymmetric) {
			t.Errorf("conjugate gradients took an operator that is not symmetric: %v", err)
		}
		solver, err := krylov.NewBiCGSTAB(a, cycle)
		if err != nil {
			t.Fatal(err)
		}
		x, err := s.New64()
		if err != nil {
			t.Fatal(err)
		}
		out := solver.Solve(context.Background(), krylov.Rule{RTol: 1e-13, MaxIter: 200}, source, x)
		got := make([]float64, x.Len())
		s.Read(x, got)
		want := denseSolution(t, a, source)
		largest, worst := 0.0, 0.0
		for c := range want {
			largest = math.Max(largest, math.Abs(want[c]))
			worst = math.Max(worst, math.Abs(got[c]-want[c]))
		}
		if !out.Converged || worst > 1e-10*largest {
			t.Errorf("flow of %g W/K: %+v, off by %g of %g K", flow, out, worst, largest)
		}
		t.Logf("flow of %g W/K a cell: %d iterations, off by %.1e of %.3g K", flow, out.Iterations, worst, largest)
		s.Free()
	}
}

// denseSolution forms the matrix column by column and eliminates.
func denseSolution(t *testing.T, a *advected, source ops.Source) []float64 {
	t.Helper()
	n := a.Mesh().Cells()
	form, err := a.System.(ops.Forms).Diagonals()
	if err != nil {
		t.Fatal(err)
	}
	defer form.Release()
	var entries sparse.Triplets
	unit, column := make([]float64, n), make([]float64, n)
	diagonals := form.Download()
	for c := range n {
		unit[c] = 1
		diagonals.Multiply(column, unit)
		a.carry(column, unit)
		for r, v := range column {
			if v != 0 {
				entries.Add(int32(r), int32(c), v)
			}
		}
		unit[c] = 0
	}
	rows, _, err := sparse.FromTriplets(n, &entries)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]float64, n)
	source.Read(b)
	return opstest.Eliminate(rows, b)
}
