package multigrid

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

func build(t *testing.T, s *stack.Stack) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// shapes lists the levels' sizes that a plan leads to.
func shapes(m *mesh.Mesh) [][2]int {
	nx, ny := m.NX(), m.NY()
	list := [][2]int{{nx, ny}}
	for _, c := range coarsenings(m, edgesOf(m)) {
		nx, ny = c.X.Coarse(nx), c.Y.Coarse(ny)
		list = append(list, [2]int{nx, ny})
	}
	return list
}

func TestCoarseningFollowsTheCouplings(t *testing.T) {
	for _, c := range []struct {
		name string
		o    cases.Options
		want [][2]int
	}{
		{"square cells", cases.Options{NX: 16, NY: 16}, [][2]int{{16, 16}, {8, 8}, {4, 4}, {2, 2}, {1, 1}}},
		{"dx = 4 dy", cases.Options{NX: 8, NY: 32}, [][2]int{{8, 32}, {8, 16}, {8, 8}, {4, 4}, {2, 2}, {1, 1}}},
		{"dy = 4 dx", cases.Options{NX: 32, NY: 8}, [][2]int{{32, 8}, {16, 8}, {8, 8}, {4, 4}, {2, 2}, {1, 1}}},
		{"one column", cases.Options{NX: 1, NY: 1}, [][2]int{{1, 1}}},
		{"one row", cases.Options{NX: 5, NY: 1}, [][2]int{{5, 1}, {3, 1}, {2, 1}, {1, 1}}},
	} {
		if got := shapes(build(t, cases.Stack10(c.o))); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A grid whose kx is 16 times ky couples as one with dx a quarter of dy.
func TestCoarseningFollowsAnisotropy(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 16})
	for i := range s.Materials {
		s.Materials[i].K[0] *= 16
	}
	want := [][2]int{{16, 16}, {8, 16}, {4, 16}, {2, 8}, {1, 4}, {1, 2}, {1, 1}}
	if got := shapes(build(t, s)); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// On a graded grid only the narrow cells are merged at first, and far weights interpolate linearly between the nodes.
func TestMergeOfGradedAxis(t *testing.T) {
	a := newAxis([]float64{0, 1, 2, 3, 6, 10}, 1)
	c, p := a.merge(1.5, false)
	if want := []int32{0, 0, 1, 2, 3}; !slices.Equal(p.Parent, want) {
		t.Fatalf("parents %v, want %v", p.Parent, want)
	}
	if want := []float64{1, 2.5, 4.5, 8}; !slices.Equal(c.node, want) {
		t.Fatalf("nodes %v, want %v", c.node, want)
	}
	// Node 1.5 lies a third of the way from 1 to 2.5; single cells and the outermost have one parent.
	if want := []float32{0, 1. / 3, 0, 0, 0}; !slices.Equal(p.Far, want) {
		t.Errorf("weights %v, want %v", p.Far, want)
	}
	if _, p = a.merge(1.5, true); !slices.Equal(p.Parent, []int32{0, 1, 1, 2, 3}) {
		t.Errorf("from the high end: %v", p.Parent)
	}
}

// Edges of regions in some planes weigh in all of them: planes that interpolate differently tear columns apart.
func TestInterpolationIsChosenFromTheMaterials(t *testing.T) {
	p := Choose(build(t, cases.Interposer(cases.Stack10(cases.Options{NX: 64}))))
	if slices.Contains(p.Weighted, false) || p.Smoother != LineChebyshev2 {
		t.Errorf("2.5D: %v, %v", p.Weighted, p.Smoother)
	}
	inAir := cases.Interposer(cases.Stack10(cases.Options{NX: 64}))
	inAir.Materials[inAir.Layers[0].Material].K = [3]float64{0.03, 0.03, 0.03}
	if p = Choose(build(t, inAir)); p.Smoother != LineChebyshevGas {
		t.Errorf("2.5D in air: %v", p.Smoother)
	}
	p = Choose(build(t, cases.Random(cases.Stack10(cases.Options{NX: 16}), 3)))
	if slices.Contains(p.Weighted, true) || p.Smoother != LineChebyshev2 {
		t.Errorf("random: %v, %v", p.Weighted, p.Smoother)
	}
	p = Choose(build(t, cases.Stack10(cases.Options{NX: 16})))
	if slices.Contains(p.Weighted, true) || p.Smoother != LineJacobi {
		t.Errorf("homogeneous: %v, %v", p.Weighted, p.Smoother)
	}
}

// Conjugate gradients need a symmetric, positive definite preconditioner.
func TestCycleIsSymmetricAndPositive(t *testing.T) {
	for name, s := range map[string]*stack.Stack{
		"homogeneous": cases.Stack10(cases.Options{NX: 21, NY: 18}),
		"2.5D":        cases.Interposer(cases.Stack10(cases.Options{NX: 27, NY: 32})),
		"graded":      cases.Graded(cases.Stack10(cases.Options{NX: 24}), 5),
		"narrow":      cases.Stack10(cases.Options{NX: 40, NY: 9}),
	} {
		d := host.Open()
		sys, err := d.Assemble(build(t, s), 0)
		if err != nil {
			t.Fatal(err)
		}
		cycle, err := New(sys)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		apply := func() (r, z []float64) {
			rv, _ := sys.New32()
			zv, _ := sys.New32()
			r, z = make([]float64, rv.Len()), make([]float64, rv.Len())
			for i := range r {
				r[i] = rng.NormFloat64()
			}
			sys.Write(rv, r)
			sys.Read(rv, r)
			cycle.Apply(zv, rv)
			sys.Read(zv, z)
			return r, z
		}
		a, za := apply()
		b, zb := apply()
		dot := func(x, y []float64) (s float64) {
			for i := range x {
				s += x[i] * y[i]
			}
			return s
		}
		aa, bb := dot(a, za), dot(b, zb)
		if aa <= 0 || bb <= 0 {
			t.Errorf("%s: <r, M^-1 r> is %g and %g", name, aa, bb)
		}
		if ab, ba := dot(a, zb), dot(b, za); math.Abs(ab-ba) > 1e-4*math.Sqrt(aa*bb) {
			t.Errorf("%s: <a, M^-1 b> is %g but <b, M^-1 a> %g", name, ab, ba)
		}
		d.Close()
	}
}
