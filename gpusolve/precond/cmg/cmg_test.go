package cmg_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/cmg"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/sparse/graphs"
	"thermsim/gpusolve/testing/opstest"
)

// load takes a matrix to the processor and builds the preconditioner.
func load(t *testing.T, a *sparse.CSR, o cmg.Options) (ops.Operator, *cmg.Cycle) {
	t.Helper()
	d := host.Open()
	t.Cleanup(func() { d.Close() })
	s, err := d.LoadCSR(a)
	if err != nil {
		t.Fatal(err)
	}
	c, err := cmg.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// signedRing is diagonally dominant with positive off-diagonals.
func signedRing(n int) *network {
	w := newNetwork(n)
	for v := range n {
		w.tie(v, (v+1)%n, 1+float64(v%3))
		w.tie(v, (v+n/3)%n, -0.5-float64(v%2))
	}
	w.ground[1] = 0.1
	return w
}

// As a matrix, the cycle is symmetric and positive definite, and A never exceeds what it stands for: the eigenvalues of
// M^-1 A are in (0, 1].
func TestCycleAsMatrix(t *testing.T) {
	systems := map[string]*network{"signed ring": signedRing(60)}
	// Vectors are FP32, so what they show of heavier weights is mostly rounding.
	for name, w := range adversaries(30) {
		w.ground[2] = 0.5
		systems[name] = w
	}
	for name, w := range systems {
		for _, repeats := range []int{1, 2, 3} {
			o := cmg.Defaults()
			o.Direct, o.Repeats = 5, repeats
			a := w.matrix()
			s, c := load(t, a, o)
			n := a.N()
			m := asMatrix(t, s, c, n)
			top := 0.0
			for i := range n {
				for j := range n {
					top = math.Max(top, math.Abs(m[i][j]))
				}
			}
			for i := range n {
				for j := range i {
					if math.Abs(m[i][j]-m[j][i]) > 3e-6*math.Sqrt(math.Abs(m[i][i]*m[j][j])) {
						t.Fatalf("%s: entries %d,%d are %g and %g at a scale of %g", name, i, j, m[i][j], m[j][i], top)
					}
					m[i][j] = (m[i][j] + m[j][i]) / 2
					m[j][i] = m[i][j]
				}
			}
			low, high := spectrum(m, a)
			if !(low > 0) || high > 1+1e-4 {
				t.Errorf("%s, %d repeats: the eigenvalues of M^-1 A reach from %g to %g", name, repeats, low, high)
			}
		}
	}
}

func asMatrix(t *testing.T, s ops.Operator, c *cmg.Cycle, n int) [][]float64 {
	t.Helper()
	z, err := s.New32()
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.New32()
	if err != nil {
		t.Fatal(err)
	}
	m := make([][]float64, n)
	for i := range n {
		unit := make([]float64, n)
		unit[i] = 1
		s.Write(r, unit)
		c.Apply(z, r)
		m[i] = make([]float64, n)
		s.Read(z, m[i])
	}
	return m
}

// spectrum bounds the eigenvalues of M^-1 A = L^T A L, L the Cholesky factor of M^-1: the largest by power iteration,
// the smallest by that of its complement to the largest. low is -1 where M^-1 is not positive definite.
func spectrum(m [][]float64, a *sparse.CSR) (low, high float64) {
	n := len(m)
	l := make([][]float64, n)
	for i := range n {
		l[i] = make([]float64, n)
		for j := range i + 1 {
			sum := m[i][j]
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			if i == j {
				if !(sum > 0) {
					return -1, 0
				}
				l[i][i] = math.Sqrt(sum)
				continue
			}
			l[i][j] = sum / l[j][j]
		}
	}
	apply := func(x []float64) []float64 {
		u, v, y := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			for j := range i + 1 {
				u[i] += l[i][j] * x[j]
			}
		}
		a.Multiply(v, u)
		for j := range n {
			for i := j; i < n; i++ {
				y[j] += l[i][j] * v[i]
			}
		}
		return y
	}
	power := func(f func(x []float64) []float64) float64 {
		x := graphs.Source(n, 9)
		size := 0.0
		for range 60 {
			y := f(x)
			size = 0
			for _, v := range y {
				size += v * v
			}
			size = math.Sqrt(size)
			for i := range y {
				x[i] = y[i] / size
			}
		}
		return size
	}
	high = power(apply)
	low = high - power(func(x []float64) []float64 {
		y := apply(x)
		for i := range y {
			y[i] = high*x[i] - y[i]
		}
		return y
	})
	return low, high
}

// solve returns the iterations to a relative residual of 1e-6.
func solve(t *testing.T, name string, a *sparse.CSR, o cmg.Options) int {
	t.Helper()
	s, c := load(t, a, o)
	source, err := opstest.Dense(s, graphs.Source(a.N(), 1))
	if err != nil {
		t.Fatal(err)
	}
	p, err := krylov.NewPCG(s, c)
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.New64()
	if err != nil {
		t.Fatal(err)
	}
	out := p.Solve(context.Background(), krylov.Rule{RTol: 1e-6, MaxIter: 200}, source, x)
	if !out.Converged || out.Reason != krylov.Tolerance {
		t.Errorf("%s: %+v", name, out)
	}
	return out.Iterations
}

// Iterations are bounded on every family, and all but independent of the size on grids.
func TestIterations(t *testing.T) {
	o := cmg.Defaults()
	o.Direct = 40 // more levels than so small graphs would have
	for _, f := range graphs.All() {
		if n := solve(t, f.Name, f.Build(6000, 3), o); n > 30 {
			t.Errorf("%s takes %d iterations", f.Name, n)
		}
	}
	var grid [3]int
	for i := range grid {
		side := 24 << i
		w := grid2(side, side, func(_, _, _ int) float64 { return 1 })
		for v := range side {
			w.ground[v] = 1
		}
		grid[i] = solve(t, "grid", w.matrix(), o)
	}
	if grid[0] > 20 || grid[2] > grid[0]+6 {
		t.Errorf("iterations %v on grids of 24 x 24, 48 x 48 and 96 x 96", grid)
	}
}

// Parts without edges, and vertices without anything but ground.
func TestDisconnected(t *testing.T) {
	w := newNetwork(900)
	for v := range 900 {
		w.ground[v] = 0.01
		if v%3 == 0 {
			w.tie(v, v+1, 5)
		}
	}
	o := cmg.Defaults()
	o.Direct = 10
	if n := solve(t, "pairs", w.matrix(), o); n > 12 {
		t.Errorf("disconnected pairs take %d iterations", n)
	}
}

func TestRefusals(t *testing.T) {
	good := func() *sparse.CSR { w := path(6, ones); w.ground[0] = 1; return w.matrix() }
	for _, c := range []struct {
		what string
		edit func(a *sparse.CSR)
		want string
	}{
		{"not dominant", func(a *sparse.CSR) {
			a.Val[3] = 1.5
		}, "row 2 (counted from 1) has 1.5 on the diagonal and 2 off it"},
		{"not symmetric", func(a *sparse.CSR) {
			a.Val[4] = -0.5
		}, "row 2, column 3 (counted from 1) is -0.5 and its mirror image -1"},
		{"one-sided", func(a *sparse.CSR) { a.Val[1], a.Val[2] = 0, -1 }, "is 0 and its mirror image -1"},
		{"not a number", func(a *sparse.CSR) { a.Val[0] = math.NaN() }, "is NaN"},
		{"negative diagonal", func(a *sparse.CSR) { a.Val[0] = -2 }, "row 1 "},
		{"huge", func(a *sparse.CSR) { a.Val[0] = 1e31 }, "FP32"},
	} {
		a := good()
		c.edit(a)
		_, _, err := cmg.FromMatrix(a)
		var fault *cmg.NotDominantError
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.what, err, c.want)
		}
	}
	a := good()
	a.Val[3] = 1.5
	d := host.Open()
	defer d.Close()
	s, err := d.LoadCSR(a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmg.New(s, cmg.Defaults()); !errors.Is(err, precond.ErrRefused) {
		t.Errorf("New: %v", err)
	}
	set, err := precond.Parse("segment=12", cmg.Keys())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmg.FromSettings(set); !errors.Is(err, precond.ErrRefused) {
		t.Errorf("segments of 12: %v", err)
	}
}

// The settings' defaults are the options' own.
func TestDefaultSettings(t *testing.T) {
	set, err := precond.Parse("", cmg.Keys())
	if err != nil {
		t.Fatal(err)
	}
	if o, err := cmg.FromSettings(set); err != nil || o != cmg.Defaults() {
		t.Errorf("%+v, want %+v (%v)", o, cmg.Defaults(), err)
	}
}

// Halves that differ by rounding are one matrix; the forest must not run in circles.
func TestSkewByRounding(t *testing.T) {
	w := grid2(20, 20, func(i, j, d int) float64 { return 1 + 1e-12*float64(i*j%7) })
	w.ground[0] = 1
	a := w.matrix()
	for r := range a.N() {
		for i := a.RowPtr[r]; i < a.RowPtr[r+1]; i++ {
			if int(a.Col[i]) < r {
				a.Val[i] *= 1 + 1e-13*float64(r%5)
			}
		}
	}
	if n := solve(t, "skew", a, cmg.Defaults()); n > 25 {
		t.Errorf("%d iterations", n)
	}
}

// A network without ground is singular; right sides that add up to nothing still have solutions, all but for a
// constant.
func TestUngrounded(t *testing.T) {
	a := grid2(40, 30, func(i, j, d int) float64 { return float64(1 + (i+2*j+d)%3) }).matrix()
	o := cmg.Defaults()
	o.Direct = 30
	s, c := load(t, a, o)
	b, mean := graphs.Source(a.N(), 8), 0.0
	for _, v := range b {
		mean += v / float64(len(b))
	}
	for i := range b {
		b[i] -= mean
	}
	source, err := opstest.Dense(s, b)
	if err != nil {
		t.Fatal(err)
	}
	p, err := krylov.NewPCG(s, c)
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.New64()
	if err != nil {
		t.Fatal(err)
	}
	if out := p.Solve(context.Background(), krylov.Rule{RTol: 1e-6, MaxIter: 100}, source, x); !out.Converged ||
		out.Iterations > 25 {
		t.Errorf("%+v", out)
	}
}
