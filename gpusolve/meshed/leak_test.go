package meshed_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// leaky adds leakage by all laws to a stack: of blocks that share cells, of a uniform power, in planes with faces and
// without.
func leaky(s *stack.Stack) *stack.Stack {
	ends := [2]float64{280, 420}
	laws := []*stack.Curve{
		{Law: stack.ExponentialLaw, Value: 1, Exponent: 0.015, At: 358.15, Range: ends},
		{Law: stack.PolynomialLaw, Coefficients: []float64{1, 0.02, 1e-4}, At: 330, Range: ends},
		{Law: stack.TableLaw, Temperatures: []float64{280, 333, 420}, Values: []float64{0.3, 1, 4}, Range: ends},
	}
	block := func(name string, x, y float64, law int) stack.Block {
		return stack.Block{Name: name, Rects: []stack.Rect{{X: x, Y: y, Width: 1.3e-3, Height: 0.9e-3}}, Watts: 0.5,
			Leakage: stack.Leakage{Watts: 0.3, Factor: laws[law]}}
	}
	s.Layers[0].Powers =
		[]stack.Power{
			{Area: s.Domain(), Blocks: []stack.Block{block("a", 0.1e-3, 0.2e-3, 0), block("b", 1.4e-3, 0.2e-3, 1),
				block("c", 0.7e-3, 1.1e-3, 2)}}}
	s.Layers[3].Powers =
		[]stack.Power{{Uniform: 0.2, Area: s.Domain(), Leakage: stack.Leakage{Watts: 0.4, Factor: laws[0]}}}
	return s
}

// TestLeak puts leakage into systems at random states, inside and outside the ranges: processor and GPU hold the same
// bits, the residual of the state itself has all of the leakage, and taken out nothing is left of it.
func TestLeak(t *testing.T) {
	held := map[string][2]assembled{}
	for name, open := range solves.Executors(t) {
		dev := open()
		defer dev.Close()
		defer dev.Bind()()
		m, err := mesh.Build(leaky(followed(0)))
		if err != nil {
			t.Fatal(err)
		}
		sys, err := dev.Assemble(m, 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		defer sys.Free()
		on := sys
		x, _ := sys.New64()
		old, _ := sys.New64()
		rng := rand.New(rand.NewPCG(5, 5))
		rises := make([]float64, x.Len())
		for c := range rises {
			rises[c] = -40 + 200*rng.Float64()
		}
		sys.Write(x, rises)
		if err := sys.RefreshAt(x, nil); err != nil {
			t.Fatal(err)
		}
		without := assembledOf(t, sys, x, old)
		var pair [2]assembled
		for n, ends := range []bool{false, true} {
			if err := on.Leak(x, 0.75, ends); err != nil {
				t.Fatal(err)
			}
			pair[n] = assembledOf(t, sys, x, old)
			checkLeak(t, m, &without, &pair[n], rises)
		}
		held[name] = pair
		if err := on.Unleak(); err != nil {
			t.Fatal(err)
		}
		again := assembledOf(t, sys, x, old)
		again.same(t, name+" taken out", &without, 0)
		if err := on.Leak(x, 1, false); err != nil {
			t.Fatal(err)
		}
		if err := sys.RefreshAt(x, nil); err != nil { // takes it out by itself
			t.Fatal(err)
		}
		again = assembledOf(t, sys, x, old)
		again.same(t, name+" refreshed", &without, 0)
	}
	host, device := held["host"], held["interpreter"]
	for n := range host {
		host[n].same(t, "host and GPU", &device[n], 1e-13)
	}
}

// checkLeak compares what leakage changed in the right side and the diagonal with the laws themselves.
func checkLeak(t *testing.T, m *mesh.Mesh, without, with *assembled, rises []float64) {
	t.Helper()
	sheet := m.NX() * m.NY()
	want := make([]float64, len(rises))
	for _, layer := range m.Power.Leakage() {
		r := m.PowerPlanes(layer.Layer)
		for k := r[0]; k < r[1]; k++ {
			for _, term := range layer.Terms {
				for c, q := range term.Watts {
					want[k*sheet+c] += 0.75 * q / float64(r[1]-r[0]) * term.Law.Of(300+rises[k*sheet+c])
				}
			}
		}
	}
	for c, w := range want {
		// b - A x differs by the leakage: the diagonals alone of A do.
		got := with.b[c] - without.b[c] - (with.matrix[0][c]-without.matrix[0][c])*rises[c]
		if math.Abs(got-w) > 1e-12*(math.Abs(w)+math.Abs(with.matrix[0][c]*rises[c])) {
			t.Errorf("cell %d: %.15g W, want %.15g W", c, got, w)
			return
		}
	}
	if slices.Equal(with.matrix[0], without.matrix[0]) {
		t.Error("the diagonal has no slopes")
	}
}

// TestLeakageMemory holds the memory that is stated before a solve against what it holds, with leakage.
func TestLeakageMemory(t *testing.T) {
	t.Parallel()
	s := cases.Stack10(cases.Options{NX: 20})
	ends := [2]float64{250, 700}
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			for b := range s.Layers[l].Powers[p].Blocks {
				s.Layers[l].Powers[p].Blocks[b].Leakage = stack.Leakage{Watts: 0.01,
					Factor: &stack.Curve{Law: stack.ExponentialLaw, Value: 1, Exponent: 0.01, At: 358, Range: ends}}
			}
		}
	}
	m, err := mesh.Build(s)
	if err != nil || m.Leakage == nil {
		t.Fatal(err)
	}
	for name, open := range solves.Executors(t) {
		for _, inTime := range []bool{false, true} {
			o := gpusolve.Options{Executor: open(), Preconditioner: "multigrid"}
			var sol *gpusolve.Solution
			if inTime {
				sol, err = gpusolve.Transient(t.Context(), m, o, gpusolve.TransientOptions{Steps: 1, Dt: 1e-3})
			} else {
				sol, err = gpusolve.Steady(t.Context(), m, o)
			}
			if err != nil || !sol.Status.Converged {
				t.Fatal(err, sol)
			}
			held, need := sol.Memory.DeviceBytes, memory.OfSystem(m, "multigrid", inTime, name != "host")
			sol.Close()
			if name == "host" {
				held += 256 << 10 // the workers' scratch, which is not part of a device
			}
			ratio := float64(solves.Held(need)) / float64(held)
			t.Logf("%s, in time %v: %.1f bytes a cell, %.3f of them stated", name, inTime,
				float64(held)/float64(m.Cells()), ratio)
			if ratio < 1 || ratio > 1.25 {
				t.Errorf("%s, in time %v: %d bytes stated for %d held", name, inTime, solves.Held(need), held)
			}
		}
	}
}
