package netsolve

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/interop/network"
	"thermsim/mesh"
	"thermsim/stack"
)

// nodes is a field that knows those too that no cell belongs to.
type nodes interface {
	Node(n int) (kelvin float64, ok bool)
}

// stiff is the network of a mesh with conductances over six orders and a heavy node beside it, as a sink is beside a
// thin die: in the norm of all residuals those of the die count for nothing.
func stiff(m *mesh.Mesh, seed uint64) *network.Network {
	r := rand.New(rand.NewPCG(seed, 1))
	n := asNetwork(m)
	for i := range n.Links {
		n.Links[i].Conductance *= math.Pow(10, 6*r.Float64()-3)
	}
	heavy := int32(len(n.Capacity))
	n.Capacity = append(n.Capacity, 500)
	for i := range n.Grounds {
		n.Links = append(n.Links, network.Link{A: n.Grounds[i].Node, B: heavy, Conductance: 1e-2 * r.Float64()})
	}
	n.Grounds = append(n.Grounds, network.Ground{Node: heavy, Conductance: 2, Temperature: 300, Face: stack.Top})
	return n
}

// dense solves A x = b by elimination with pivots.
func dense(a [][]float64, b []float64) []float64 {
	n := len(b)
	x := append([]float64(nil), b...)
	for k := range n {
		p := k
		for i := k; i < n; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[p][k]) {
				p = i
			}
		}
		a[k], a[p], x[k], x[p] = a[p], a[k], x[p], x[k]
		for i := k + 1; i < n; i++ {
			f := a[i][k] / a[k][k]
			for j := k; j < n; j++ {
				a[i][j] -= f * a[k][j]
			}
			x[i] -= f * x[k]
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := k + 1; j < n; j++ {
			x[k] -= a[k][j] * x[j]
		}
		x[k] /= a[k][k]
	}
	return x
}

// reference steps the network in kelvin by elimination; no steps stand for the steady state.
func reference(n *network.Network, watts, initial float64, steps int, dt float64) []float64 {
	t := make([]float64, len(n.Capacity))
	for i := range t {
		t[i] = initial
	}
	for range max(1, steps) {
		a := make([][]float64, len(t))
		b := make([]float64, len(t))
		for i := range a {
			a[i] = make([]float64, len(t))
			if steps > 0 {
				a[i][i], b[i] = n.Capacity[i]/dt, n.Capacity[i]/dt*t[i]
			}
		}
		for _, l := range n.Links {
			a[l.A][l.A] += l.Conductance
			a[l.B][l.B] += l.Conductance
			a[l.A][l.B] -= l.Conductance
			a[l.B][l.A] -= l.Conductance
		}
		for _, g := range n.Grounds {
			a[g.Node][g.Node] += g.Conductance
			b[g.Node] += g.Conductance * g.Temperature
		}
		b[n.Sources[0].Node] += watts
		t = dense(a, b)
	}
	return t
}

// Every method holds the tolerance in K, and the error it tells is a bound.
func TestToleranceInKelvin(t *testing.T) {
	s := chip()
	s.Transient.Initial = 420
	m := build(t, s)
	for seed := range uint64(4) {
		n := stiff(m, seed)
		const steps, dt = 5, 1e-4
		steady, moving := reference(n, 2, 0, 0, 0), reference(n, 2, 420, steps, dt)
		for _, precond := range []string{"", "cmg", "jacobi", "none", "parac", "ddilu"} {
			for _, tol := range []float64{1e-2, 1e-5, 1e-8} {
				o := gpusolve.Options{Device: "cpu", Tol: tol, Preconditioner: precond}
				sol, err := Steady(t.Context(), n, m, o)
				within(t, fmt.Sprintf("steady %d, %q, %g K", seed, precond, tol), sol, err, steady, tol)
				sol, err = Transient(t.Context(), n, m, o, gpusolve.TransientOptions{Steps: steps, Dt: dt})
				within(t, fmt.Sprintf("transient %d, %q, %g K", seed, precond, tol), sol, err, moving, tol)
			}
		}
	}
}

func within(t *testing.T, what string, sol *solution.Solution, err error, want []float64, tol float64) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	worst := 0.0
	for i := range want {
		got, _ := sol.Field.(nodes).Node(i)
		worst = math.Max(worst, math.Abs(got-want[i]))
	}
	// Elimination in FP64 has an error of its own.
	if st := sol.Status; !st.Converged || !(worst <= st.EstimatedErrorK+1e-10) || !(st.EstimatedErrorK <= tol) {
		t.Errorf("%s: error %.2g K, told %.2g K, %s", what, worst, st.EstimatedErrorK, st.Reason)
	}
}

// Methods that need the cells of a stack are refused with the reason, and other rules than kelvins hold.
func TestOtherRules(t *testing.T) {
	m := build(t, chip())
	n := stiff(m, 9)
	if _, err := Steady(t.Context(), n, m, gpusolve.Options{Preconditioner: "multigrid"}); !errors.Is(err,
		gpusolve.ErrOption) {
		t.Errorf("multigrid: %v", err)
	}
	for _, o := range []gpusolve.Options{{RTol: 1e-6}, {ATol: 1e-7}} {
		sol, err := Steady(t.Context(), n, m, o)
		if err != nil {
			t.Fatal(err)
		}
		if st := sol.Status; !st.Converged || o.RTol > 0 && st.RelativeResidual > o.RTol || o.ATol > 0 &&
			st.ResidualW > o.ATol {
			t.Errorf("%+v: residual %g W, relative %g", o, st.ResidualW, st.RelativeResidual)
		}
	}
}

// A network starts from a field on the mesh; nodes beside the mesh keep their own start.
func TestNetworkFromField(t *testing.T) {
	m := build(t, chip())
	n := stiff(m, 3)
	n.Sources = nil
	n.Initial = make([]float64, len(n.Capacity))
	for i := range n.Initial {
		n.Initial[i] = 333
	}
	start, err := m.Initial([]stack.InitialLayer{{Kelvin: 350}, {Kelvin: 350}})
	if err != nil {
		t.Fatal(err)
	}
	sol, err := Transient(t.Context(), n, m, gpusolve.Options{Device: "cpu", Tol: 1e-6},
		gpusolve.TransientOptions{Steps: 1, Dt: 1e-12, Initial: start})
	if err != nil {
		t.Fatal(err)
	}
	first, _ := sol.Field.(nodes).Node(0)
	heavy, _ := sol.Field.(nodes).Node(len(n.Capacity) - 1)
	if math.Abs(first-350) > 1e-3 || math.Abs(heavy-333) > 1e-3 {
		t.Errorf("after no time a cell has %g K and the heavy node %g K; they start with 350 and 333 K", first, heavy)
	}
}
