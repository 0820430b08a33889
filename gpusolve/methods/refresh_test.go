package methods_test

import (
	"context"
	"math"
	"runtime"
	"slices"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/testtier"
	"thermsim/mesh"
)

// warm changes the properties of a mesh's materials and the time step as temperature might.
func warm(m *mesh.Mesh, factor float64) {
	for i := range m.Palette {
		p := &m.Palette[i]
		for a := range p.K {
			p.K[a] *= factor
		}
		for a := range p.Half {
			p.Half[a] *= factor
		}
		p.C *= 2 - factor
	}
}

// held is a system with a method and a solver on it.
type held struct {
	sys    ops.System
	source ops.HeatSource
	solver krylov.Solver
	method interface {
		Refresh() error
		Close()
	}
	x ops.Vector
}

func hold(t *testing.T, d ops.Device, m *mesh.Mesh, dt float64, method string) *held {
	t.Helper()
	h := &held{}
	var err error
	check := func() {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	h.sys, err = d.Assemble(m, dt)
	check()
	h.source, err = h.sys.NewSource(true)
	check()
	h.source.SetPower(m.Power.Steady())
	solver, pre, err := methods.SetUp(h.sys, method)
	check()
	h.solver, h.method = solver, pre
	h.x, err = h.sys.New64()
	check()
	return h
}

// solve from zero, and return the field.
func (h *held) solve(t *testing.T) ([]float64, krylov.Outcome) {
	t.Helper()
	h.sys.Fill(h.x, 0)
	out := h.solver.Solve(context.Background(), krylov.Rule{RTol: 1e-8, MaxIter: 3000}, h.source, h.x)
	if !out.Converged {
		t.Fatalf("%+v", out)
	}
	v := make([]float64, h.x.Len())
	h.sys.Read(h.x, v)
	return v, out
}

// TestRefresh changes the coefficients under every method: a refresh gives the bits and iterations of a new set-up,
// again and again without more memory.
func TestRefresh(t *testing.T) {
	st := testtier.Pick(cases.Slab(cases.Options{NX: 5, NY: 4}, 3), cases.Stack10(cases.Options{NX: 9}))
	for name, open := range solves.Executors(t) {
		for _, method := range refreshed() {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
				m, err := mesh.Build(st)
				if err != nil {
					t.Fatal(err)
				}
				d := open()
				defer d.Close()
				defer d.Bind()()
				h := hold(t, d, m, 1e-3, method)
				h.solve(t)
				warm(m, 0.8)
				const dt = 0.7e-3
				if err := h.refresh(dt); err != nil {
					t.Fatal(err)
				}
				got, after := h.solve(t)
				taken := d.Allocated()
				for range 3 {
					if err := h.refresh(dt); err != nil {
						t.Fatal(err)
					}
				}
				again, _ := h.solve(t)
				if n := d.Allocated(); n != taken {
					t.Errorf("%d bytes are held after more refreshes, %d before", n, taken)
				}
				fresh := hold(t, d, m, dt, method)
				want, outcome := fresh.solve(t)
				if !slices.Equal(got, want) || !slices.Equal(again, want) || after.Iterations != outcome.Iterations {
					t.Errorf("%d iterations after a refresh, %d of a new set-up; the fields are the same: %v, %v",
						after.Iterations, outcome.Iterations, slices.Equal(got, want), slices.Equal(again, want))
				}
				fresh.sys.Free()
				h.solver.Close()
				h.method.Close()
				h.sys.Free()
				if n := d.Allocated(); n != 0 {
					t.Errorf("%d bytes are still allocated", n)
				}
			})
		}
	}
}

func (h *held) refresh(dt float64) error {
	if err := h.sys.Refresh(dt); err != nil {
		return err
	}
	return h.method.Refresh()
}

// TestRefreshTakesNoMemory refreshes a thousand times with multigrid: nothing is allocated, but for what handing out
// work takes.
func TestRefreshTakesNoMemory(t *testing.T) {
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: 33}))
	if err != nil {
		t.Fatal(err)
	}
	d := host.Open()
	defer d.Close()
	h := hold(t, d, m, 0, "multigrid")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for n := range 1000 {
		if err := h.refresh(0); err != nil {
			t.Fatal(n, err)
		}
	}
	runtime.ReadMemStats(&after)
	perRefresh := float64(after.TotalAlloc-before.TotalAlloc) / 1000
	if perRefresh > 20000 || math.IsNaN(perRefresh) { // the system has 10,890 cells of 56 bytes
		t.Errorf("%.0f bytes a refresh", perRefresh)
	}
}

// TestTwoSolvesShareAnOperator runs two conjugate gradients in turns, each stopped and gone on with, on one operator
// and one preconditioner.
func TestTwoSolvesShareAnOperator(t *testing.T) {
	for name, open := range solves.Executors(t) {
		t.Run(name, func(t *testing.T) {
			m, err := mesh.Build(cases.Stack10(cases.Options{NX: 9}))
			if err != nil {
				t.Fatal(err)
			}
			d := open()
			defer d.Close()
			defer d.Bind()()
			alone := hold(t, d, m, 0, "multigrid")
			want, _ := alone.solve(t)
			h := hold(t, d, m, 0, "multigrid")
			_, pre, err := methods.SetUp(h.sys, "multigrid")
			if err != nil {
				t.Fatal(err)
			}
			other, err := krylov.NewPCG(h.sys, pre)
			if err != nil {
				t.Fatal(err)
			}
			y, err := h.sys.New64()
			if err != nil {
				t.Fatal(err)
			}
			// The second solve runs in the middle of the first: whenever that tells of an iteration.
			rule := krylov.Rule{RTol: 1e-8, MaxIter: 3000}
			done := 0
			h.solver.Watch(func(int, float64) {
				if done++; done == 3 {
					if out := other.Solve(context.Background(), rule, h.source, y); !out.Converged {
						t.Errorf("%+v", out)
					}
				}
			})
			got, _ := h.solve(t)
			v := make([]float64, y.Len())
			h.sys.Read(y, v)
			if !slices.Equal(got, want) || !slices.Equal(v, want) || done < 3 {
				t.Errorf("the fields are those of solves alone: %v, %v", slices.Equal(got, want), slices.Equal(v, want))
			}
			alone.sys.Free()
			h.sys.Free()
		})
	}
}
