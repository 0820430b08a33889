package cmg_test

import (
	"math"
	"slices"
	"testing"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/cmg"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/sparse/graphs"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
)

// onDevices calls f with the interpreter, and with a GPU where there is one.
func onDevices(t *testing.T, f func(t *testing.T, d *cuda.Device)) {
	on := func(open func(testing.TB) *cuda.Device) func(t *testing.T) {
		return func(t *testing.T) {
			d := open(t)
			defer d.Close()
			defer d.Bind()()
			f(t, d)
			if n := d.Allocated(); n != 0 {
				t.Errorf("%d bytes are left on the device", n)
			}
		}
	}
	t.Run("interpreter", on(func(t testing.TB) *cuda.Device { return devices.Interpreter(t, interpreter.Options{}) }))
	t.Run("GPU", on(devices.GPU))
}

// The device finds the clusters and forms the quotients that the host does, level after level.
func TestDecomposeOnInterpreterAndGPU(t *testing.T) {
	matrices := map[string]*sparse.CSR{"poisson": graphs.Poisson(11, graphs.RandomCubes).CSR()}
	for name, w := range adversaries(100) {
		w.ground[1] = 0.5
		matrices[name] = w.matrix()
	}
	for _, f := range graphs.All() {
		if !f.Signed {
			matrices[f.Name] = f.Build(600, 4)
		}
	}
	onDevices(t, func(t *testing.T, d *cuda.Device) {
		levels := 0
		for name, a := range matrices {
			s, err := d.LoadCSR(a)
			if err != nil {
				t.Fatal(err)
			}
			levels += sameLevels(t, name, s, a)
			s.Free()
		}
		if levels < 2*len(matrices) {
			t.Errorf("%d levels of %d matrices were done on the device", levels, len(matrices))
		}
	})
}

func sameLevels(t *testing.T, name string, s ops.Operator, a *sparse.CSR) (levels int) {
	t.Helper()
	device := gpuOperations(t, s)
	rows, err := s.(ops.Forms).Rows()
	if err != nil {
		t.Fatal(err)
	}
	n, ok, err := device.ReadMatrix(rows)
	if err != nil || !ok {
		t.Fatalf("%s was not read: %v", name, err)
	}
	g, _, err := cmg.FromMatrix(a)
	if err != nil {
		t.Fatal(err)
	}
	for g.Entries() > 0 && g.N() > 4 {
		sameGraph(t, name, n.Download(), g)
		want := cmg.Decompose(g, cmg.DefaultKappa)
		p, ok, err := device.Decompose(n, cmg.DefaultKappa)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break // very deep or large trees, or too few merged: the host's affair
		}
		quality, average, split := p.Figures()
		if math.Abs(quality-want.Quality) > 1e-9 || math.Abs(average-want.Average) > 1e-9*average ||
			split != want.Split {
			t.Errorf("%s, level %d: quality %g, average %g, %d split, want %g, %g, %d", name, levels, quality, average,
				split, want.Quality, want.Average, want.Split)
		}
		c := n.Clusters(p)
		if !slices.Equal(c.Of, want.Of) || !slices.Equal(c.Ptr, want.Ptr) || !slices.Equal(c.Members, want.Members) {
			t.Fatalf("%s, level %d: other clusters than on the host", name, levels)
		}
		q, ok, err := device.Quotient(n, p)
		if err != nil || !ok {
			t.Fatalf("%s: no quotient: %v", name, err)
		}
		n.Release()
		n, g = q, cmg.Quotient(g, &want.Clusters)
		levels++
	}
	n.Release()
	return levels
}

func sameGraph(t *testing.T, name string, got, want *cmg.Graph) {
	t.Helper()
	if !slices.Equal(got.Ptr, want.Ptr) || !slices.Equal(got.Col, want.Col) || !slices.Equal(got.Weight, want.Weight) {
		t.Fatalf("%s: other edges than on the host", name)
	}
	for v := range want.Ground {
		if math.Abs(got.Ground[v]-want.Ground[v]) > 1e-14*want.Diagonal[v] ||
			math.Abs(got.Diagonal[v]-want.Diagonal[v]) > 1e-14*want.Diagonal[v] {
			t.Fatalf("%s: vertex %d has ground %g and diagonal %g, want %g and %g", name, v, got.Ground[v],
				got.Diagonal[v], want.Ground[v], want.Diagonal[v])
		}
	}
}

// What the device cannot read it leaves to the host, which solves it or says what is wrong.
func TestLeaveToHostOnInterpreterAndGPU(t *testing.T) {
	ring := signedRing(30).matrix()
	skew := path(12, ones)
	skew.ground[0] = 1
	uneven := skew.matrix()
	uneven.Val[1] *= 1 + 1e-13
	undominated := skew.matrix()
	undominated.Val[3] = 1.5
	onDevices(t, func(t *testing.T, d *cuda.Device) {
		for name, a := range map[string]*sparse.CSR{"signed": ring, "uneven": uneven, "not dominant": undominated} {
			s, err := d.LoadCSR(a)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := s.(ops.Forms).Rows()
			if err != nil {
				t.Fatal(err)
			}
			if _, ok, err := gpuOperations(t, s).ReadMatrix(rows); ok || err != nil {
				t.Errorf("%s: read %t, %v", name, ok, err)
			}
			s.Free()
		}
	})
}

// A cycle whose hierarchy was built on the device is that of the host's.
func TestHierarchyOnInterpreterAndGPU(t *testing.T) {
	a := graphs.Poisson(8, graphs.WeakZ).CSR()
	onDevices(t, func(t *testing.T, d *cuda.Device) {
		s, err := d.LoadCSR(a)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Free()
		o := cmg.Defaults()
		o.Direct = 20
		results := map[bool][]float64{}
		for _, forced := range []bool{false, true} {
			e, _ := cmg.On(s)
			if forced {
				e = cmg.Eager(e, 30)
			}
			c, err := cmg.NewOn(e, s.(ops.Forms), o)
			if err != nil {
				t.Fatal(err)
			}
			z, _ := s.New32()
			r, _ := s.New32()
			v := graphs.Source(a.N(), 5)
			s.Write(r, v)
			c.Apply(z, r)
			s.Read(z, v)
			results[forced] = v
		}
		for i, want := range results[false] {
			if got := results[true][i]; math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Fatalf("value %d of a cycle is %g, %g with the host's hierarchy", i, got, want)
			}
		}
	})
}

// gpuOperations are those that GPUs alone have.
func gpuOperations(t *testing.T, s ops.Operator) cmg.Coarsener {
	t.Helper()
	e, err := cmg.On(s)
	if err != nil {
		t.Fatal(err)
	}
	return e.(cmg.Coarsener)
}
