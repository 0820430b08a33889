package netsolve

import (
	"context"
	"errors"
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/interop/network"
	"thermsim/mesh"
	"thermsim/stack"
)

// chip is 3 x 2 mm of two layers, heated unevenly below and cooled above.
func chip() *stack.Stack {
	s := &stack.Stack{
		Ambient: 310, Size: [2]float64{3e-3, 2e-3}, Grid: stack.Grid{X: stack.Axis{Cells: 6}, Y: stack.Axis{Cells: 5}},
		Materials: []stack.Material{{Name: "a", K: [3]float64{100, 80, 60}, C: 1.6e6},
			{Name: "b", K: [3]float64{5, 5, 4}, C: 2e6}},
		Layers: []stack.Layer{{Name: "die", Thickness: 1e-4, Cells: 1},
			{Name: "lid", Material: 1, Thickness: 3e-4, Cells: 2}},
	}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 5000, Temperature: 300}
	s.Layers[0].Powers =
		[]stack.Power{
			{Area: s.Domain(),
				Blocks: []stack.Block{
					{Name: "hot", Rects: []stack.Rect{{X: 1e-3, Y: 0.4e-3, Width: 0.5e-3, Height: 0.4e-3}}, Watts: 2}}}}
	return s
}

func build(t *testing.T, s *stack.Stack) *mesh.Mesh {
	t.Helper()
	if err := stack.Validate(s); err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// asNetwork makes a network of a mesh: the block of chip covers exactly one cell, column 2 of row 1.
func asNetwork(m *mesh.Mesh) *network.Network {
	n := &network.Network{}
	nx, ny := m.NX(), m.NY()
	id := func(i, j, k int) int32 { return int32((k*ny+j)*nx + i) }
	row := make([]float64, nx)
	for k := range m.NZ() {
		at := make([]int32, nx*ny)
		for j := range ny {
			m.Capacity(k, j, row)
			n.Capacity = append(n.Capacity, row...)
			for axis, coupling := range []func(k, j int, dst []float64){m.CouplingX, m.CouplingY, m.CouplingZ} {
				coupling(k, j, row)
				for i, g := range row {
					at[j*nx+i] = id(i, j, k)
					if g > 0 {
						other := [3]int32{id(i+1, j, k), id(i, j+1, k), id(i, j, k+1)}[axis]
						n.Links = append(n.Links, network.Link{A: id(i, j, k), B: other, Conductance: g})
					}
				}
			}
		}
		n.At = append(n.At, at)
	}
	for j := range ny {
		for i := range nx {
			n.Grounds = append(n.Grounds,
				network.Ground{Node: id(i, j, m.NZ()-1), Conductance: m.FaceConductance(stack.Top, i, j, m.NZ()-1),
					Temperature: 300, Face: stack.Top})
		}
	}
	n.Sources = []network.Source{{Node: id(2, 1, 0), Share: 1}}
	return n
}

// The network of a mesh has the mesh's field, steady and in time.
func TestNetworkOfAMesh(t *testing.T) {
	s := chip()
	s.Transient.Initial = 305
	m := build(t, s)
	options := gpusolve.Options{Device: "cpu"}
	fine := gpusolve.Options{Device: "cpu", Tol: 1e-7}
	want, err := gpusolve.Steady(t.Context(), m, fine)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	got, err := Steady(t.Context(), asNetwork(m), m, options)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, m, got, want)
	if math.Abs(got.Energy.Out-2) > 1e-8 || got.Energy.ImbalanceRel > 1e-8 {
		t.Errorf("energy %+v", got.Energy)
	}
	plan := gpusolve.TransientOptions{Steps: 4, Dt: 2e-3}
	if want, err = gpusolve.Transient(t.Context(), m, fine, plan); err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	seen := 0
	plan.OnStep = func(step solution.Step, f solution.Field) error { seen++; return nil }
	if got, err = Transient(t.Context(), asNetwork(m), m, options, plan); err != nil {
		t.Fatal(err)
	}
	compare(t, m, got, want)
	if seen != 4 || len(got.Steps) != 4 || math.Abs(got.Steps[3].MaxK-want.Steps[3].MaxK) > 1e-5 ||
		math.Abs(got.Energy.Stored-want.Energy.Stored) > 1e-4 {
		t.Errorf("%d steps seen, last %+v, stored %g W; want %+v, %g W", seen, got.Steps[3], got.Energy.Stored,
			want.Steps[3], want.Energy.Stored)
	}
}

func compare(t *testing.T, m *mesh.Mesh, got, want *solution.Solution) {
	t.Helper()
	if !got.Status.Converged {
		t.Errorf("not converged: %+v", got.Status)
	}
	a, b := make([]float64, m.NX()*m.NY()), make([]float64, m.NX()*m.NY())
	for k := range m.NZ() {
		if err := errors.Join(got.Field.Plane(k, a), want.Field.Plane(k, b)); err != nil {
			t.Fatal(err)
		}
		for c := range a {
			if !(math.Abs(a[c]-b[c]) <= 1e-5) {
				t.Fatalf("plane %d, cell %d: %.8f K, the mesh has %.8f K", k, c, a[c], b[c])
			}
		}
	}
}

// What makes no network is refused, and a cancelled run keeps what it finished.
func TestFaults(t *testing.T) {
	m := build(t, chip())
	for name, spoil := range map[string]func(*network.Network){
		"link to itself":    func(n *network.Network) { n.Links[0].B = n.Links[0].A },
		"no conductance":    func(n *network.Network) { n.Links[0].Conductance = 0 },
		"node out of range": func(n *network.Network) { n.Sources[0].Node = 1 << 20 },
		"cell without node": func(n *network.Network) { n.At[1][3] = -1 },
		"ground at 0 K":     func(n *network.Network) { n.Grounds[0].Temperature = 0 },
		"capacity":          func(n *network.Network) { n.Capacity[2] = math.NaN() },
		"planes":            func(n *network.Network) { n.At = n.At[1:] },
		"short plane":       func(n *network.Network) { n.At[1] = n.At[1][1:] },
	} {
		n := asNetwork(m)
		spoil(n)
		if _, err := Steady(t.Context(), n, m, gpusolve.Options{Device: "cpu"}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	n := asNetwork(m)
	n.Grounds = nil
	if _, err := Steady(t.Context(), n, m, gpusolve.Options{}); !errors.Is(err, gpusolve.ErrSingular) {
		t.Errorf("without a ground: %v", err)
	}
	if _, err := Steady(t.Context(), asNetwork(m), m, gpusolve.Options{Device: "cpu", Tol: -1}); !errors.Is(err,
		gpusolve.ErrOption) {
		t.Errorf("a negative tolerance: %v", err)
	}
	if _, err := Transient(t.Context(), asNetwork(m), m, gpusolve.Options{Device: "cpu"},
		gpusolve.TransientOptions{Steps: 1, Dt: math.Inf(1)}); !errors.Is(err, gpusolve.ErrOption) {
		t.Errorf("an infinite step: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	plan := gpusolve.TransientOptions{Steps: 5, Dt: 1e-3,
		OnStep: func(solution.Step, solution.Field) error { cancel(); return nil }}
	got, err := Transient(ctx, asNetwork(m), m, gpusolve.Options{Device: "cpu"}, plan)
	if !errors.Is(err, context.Canceled) || len(got.Steps) != 1 || got.Status.Converged {
		t.Errorf("cancelled after a step: %v, %d steps", err, len(got.Steps))
	}
}

// Leakage at one temperature for each block settles at its fixed point, or runs away and says so.
func TestLeakage(t *testing.T) {
	s := chip()
	m := build(t, s)
	n := asNetwork(m)
	of := func(src *network.Source, node func(n int32) float64) float64 { return node(src.Node) }
	b := &s.Layers[0].Powers[0].Blocks[0]
	b.Leakage.Factor = &stack.Curve{Law: stack.ExponentialLaw, Value: 1, At: 350, Exponent: 0.02,
		Range: [2]float64{200, 1000}}
	run := gpusolve.Options{Device: "cpu", Tol: 1e-9}
	hottest := func(watts float64) float64 {
		b.Watts = watts
		sol, err := Steady(t.Context(), n, m, run)
		if err != nil {
			t.Fatal(err)
		}
		return sol.PeakK
	}
	// The network is linear: T = T0 + R (P + leakage).
	cold := hottest(0)
	resistance := (hottest(2) - cold) / 2
	n.Leakage = &network.Leakage{Kelvin: of, Within: 1e-9, Most: 500, MostSystems: 100}
	b.Leakage.Watts = 0.01
	want := cold
	for range 200 {
		want = cold + resistance*(2+0.01*math.Exp(0.02*(want-350)))
	}
	if got := hottest(2); math.Abs(got-want) > 1e-7 || want < cold+2*resistance+1 {
		t.Errorf("with leakage %.9f K; want %.9f", got, want)
	}
	b.Leakage.Watts = 30
	if _, err := Steady(t.Context(), n, m, run); !errors.Is(err, gpusolve.ErrRunaway) {
		t.Errorf("leakage that runs away: %v", err)
	}
}
