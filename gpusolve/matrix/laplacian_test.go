package matrix_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/sparse/graphs"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/solves"
	"thermsim/internal/testtier"
)

// edge joins two vertices.
type edge struct {
	u, v   int
	weight float64
}

// graph is a list of edges on n vertices, and the part to which each vertex belongs.
type graph struct {
	n     int
	edges []edge
	part  []int
}

// parts puts graphs beside one another, and adds a vertex without edges.
func parts(list ...*sparse.CSR) *graph {
	g := &graph{}
	for k, a := range list {
		for r := range a.N() {
			g.part = append(g.part, k)
			cols, vals := a.Row(r)
			for i, c := range cols {
				if int(c) > r && vals[i] < 0 {
					g.edges = append(g.edges, edge{g.n + r, g.n + int(c), -vals[i]})
				}
			}
		}
		g.n += a.N()
	}
	g.part = append(g.part, len(list))
	g.n++
	return g
}

// adjacency is the symmetric matrix of the weights.
func (g *graph) adjacency(t *testing.T) *sparse.CSR {
	var entries sparse.Triplets
	for _, e := range g.edges {
		entries.Add(int32(e.u), int32(e.v), e.weight)
		entries.Add(int32(e.v), int32(e.u), e.weight)
	}
	a, _, err := sparse.FromTriplets(g.n, &entries)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// center removes the mean of each part.
func (g *graph) center(x []float64) []float64 {
	sum, count := make([]float64, g.n), make([]float64, g.n)
	for v, p := range g.part {
		sum[p], count[p] = sum[p]+x[v], count[p]+1
	}
	y := make([]float64, g.n)
	for v, p := range g.part {
		y[v] = x[v] - sum[p]/count[p]
	}
	return y
}

// residual is ||b - L x|| / ||b||, summed over edges.
func (g *graph) residual(x, b []float64) float64 {
	r := append([]float64(nil), b...)
	for _, e := range g.edges {
		flow := e.weight * (x[e.u] - x[e.v])
		r[e.u], r[e.v] = r[e.u]-flow, r[e.v]+flow
	}
	rr, bb := 0.0, 0.0
	for v := range r {
		rr, bb = rr+r[v]*r[v], bb+b[v]*b[v]
	}
	return math.Sqrt(rr / bb)
}

// lattice is a square grid of n vertices with weights of 1.
func lattice(n int) *sparse.CSR {
	side := int32(math.Sqrt(float64(n)))
	var t sparse.Triplets
	for v := range side * side {
		t.Add(v, v, 0)
		if v%side+1 < side {
			t.Add(v, v+1, -1)
			t.Add(v+1, v, -1)
		}
		if v+side < side*side {
			t.Add(v, v+side, -1)
			t.Add(v+side, v, -1)
		}
	}
	a, _, err := sparse.FromTriplets(int(side*side), &t)
	if err != nil {
		panic(err) // vertices are numbered from 0
	}
	return a
}

// kinds are the graphs of table 3 of ParAC's paper: grid, road, random regular, power law.
func kinds(n int) map[string]*sparse.CSR {
	kinds := map[string]*sparse.CSR{"grid": lattice(n)}
	for _, f := range graphs.All() {
		switch f.Name {
		case "road", "expander", "powerlaw":
			kinds[f.Name] = f.Build(n, 3)
		}
	}
	return kinds
}

// Laplacians of graphs are solved to the tolerance, with the mean zero in each component, by all methods for them.
func TestLaplaciansOfGraphs(t *testing.T) {
	n := testtier.Pick(1000, 100000)
	for name, a := range kinds(n) {
		g := parts(a, lattice(64))
		laplacian, err := sparse.Laplacian(g.adjacency(t))
		if err != nil {
			t.Fatal(err)
		}
		m := solves.NewMatrix(t, laplacian)
		if m.Free == nil || len(m.Free.Size) != 3 {
			t.Fatalf("%s: components %+v, want 3", name, m.Free)
		}
		b := g.center(graphs.Source(g.n, 5))
		for _, method := range []string{"parac", "parac:precision=fp64", "cmg", "jacobi"} {
			s, err := matrix.Solve(context.Background(), m, b,
				gpusolve.Options{Device: "cpu", Preconditioner: method, RTol: 1e-10})
			if err != nil || !s.Status.Converged {
				t.Fatalf("%s, %s: %v, %+v", name, method, err, s)
			}
			t.Logf("%s, %s: %d vertices, %d iterations", name, method, g.n, s.Status.IterationsTotal)
			r := g.residual(s.X, b)
			if !(r < 1.01e-10) || math.Abs(r-s.Status.RelativeResidual) > 1e-12 {
				t.Errorf("%s, %s: residual %.3g, reported as %.3g", name, method, r, s.Status.RelativeResidual)
			}
			for v, x := range g.center(s.X) {
				if math.Abs(x-s.X[v]) > 1e-9 {
					t.Fatalf("%s, %s: the mean is not zero at vertex %d", name, method, v)
				}
			}
		}
	}
}

// The solution is that of L + J x = b by elimination, with J the projection onto constants on each component.
func TestLaplacianByElimination(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for name, a := range kinds(64) {
		g := parts(a, lattice(9))
		laplacian, err := sparse.Laplacian(g.adjacency(t))
		if err != nil {
			t.Fatal(err)
		}
		count := make([]float64, g.n)
		for _, p := range g.part {
			count[p]++
		}
		var entries sparse.Triplets
		for r := range g.n {
			for c := range g.n {
				v := laplacian.At(r, c)
				if g.part[r] == g.part[c] {
					v += 1 / count[g.part[r]]
				}
				entries.Add(int32(r), int32(c), v)
			}
		}
		full, _, err := sparse.FromTriplets(g.n, &entries)
		if err != nil {
			t.Fatal(err)
		}
		b := g.center(graphs.Source(g.n, rng.Uint64()))
		want := opstest.Eliminate(full, b)
		for _, scale := range []int{0, -600, 500} { // units are free
			scaled := &sparse.CSR{RowPtr: laplacian.RowPtr, Col: laplacian.Col}
			for _, v := range laplacian.Val {
				scaled.Val = append(scaled.Val, math.Ldexp(v, scale))
			}
			s, err := matrix.Solve(context.Background(), solves.NewMatrix(t, scaled), b,
				gpusolve.Options{Device: "cpu", RTol: 1e-12})
			if err != nil || !s.Status.Converged {
				t.Fatalf("%s, 2^%d: %v, %+v", name, scale, err, s)
			}
			for v, x := range s.X {
				if math.Abs(math.Ldexp(x, scale)-want[v]) > 1e-9 {
					t.Fatalf("%s, 2^%d: vertex %d has %g, want %g", name, scale, v, math.Ldexp(x, scale), want[v])
				}
			}
		}
	}
}

// A right-hand side that no x solves for is refused with its component and sum.
func TestInconsistentRightHandSides(t *testing.T) {
	g := parts(lattice(16), lattice(9))
	laplacian, err := sparse.Laplacian(g.adjacency(t))
	if err != nil {
		t.Fatal(err)
	}
	m := solves.NewMatrix(t, laplacian)
	for _, c := range []struct {
		vertex int
		want   string
	}{
		{5, "the sum 0.5 over component 1 of 3 (16 unknowns"},
		{20, "the sum 0.5 over component 2 of 3 (9 unknowns"},
		{25, "the sum 0.5 over component 3 of 3 (1 unknowns, one of them 26)"},
	} {
		b := g.center(graphs.Source(g.n, 5))
		b[c.vertex] += 0.5
		s, err := matrix.SolveColumns(context.Background(), m, [][]float64{make([]float64, g.n), b},
			gpusolve.Options{Device: "cpu"})
		if s != nil || !errors.Is(err, matrix.ErrMatrix) || !strings.Contains(err.Error(), "column 2: ") ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("vertex %d: %v, %v", c.vertex, s, err)
		}
	}
}

// Where a singular matrix is not seen to be one, no result is worse than x = 0. The matrix is the Laplacian of a grid
// with the signs of a checkerboard; its null space is the checkerboard.
func TestNoResultIsWorseThanZero(t *testing.T) {
	a := lattice(100)
	var entries sparse.Triplets
	for r := range a.N() {
		cols, vals := a.Row(r)
		for i, c := range cols {
			entries.Add(int32(r), c, -vals[i])
			entries.Add(int32(r), int32(r), -vals[i])
		}
	}
	signed, _, err := sparse.FromTriplets(a.N(), &entries)
	if err != nil {
		t.Fatal(err)
	}
	m := solves.NewMatrix(t, signed)
	b := make([]float64, a.N())
	for v := range b {
		b[v] = 0.1 * float64(v%7)
		if (v/10+v)%2 > 0 {
			b[v]--
		}
	}
	ax := make([]float64, len(b))
	for _, method := range []string{"jacobi", "none", "parac", "cmg", "chebyshev", "ddilu"} {
		s, err := matrix.Solve(context.Background(), m, b,
			gpusolve.Options{Device: "cpu", Preconditioner: method, MaxIter: 2000})
		if err != nil {
			t.Errorf("%s: %v", method, err)
			continue
		}
		m.Multiply(ax, s.X)
		rr, bb := 0.0, 0.0
		for i := range b {
			rr, bb = rr+(b[i]-ax[i])*(b[i]-ax[i]), bb+b[i]*b[i]
			if math.Abs(s.X[i]) > 1e8 {
				t.Fatalf("%s: value %d is %g", method, i, s.X[i])
			}
		}
		if s.Status.Converged || rr > bb*(1+1e-12) {
			t.Errorf("%s: residual %g of %g, %+v", method, math.Sqrt(rr), math.Sqrt(bb), s.Status)
		}
	}
}

// Several right-hand sides give the solutions of one at a time.
func TestColumns(t *testing.T) {
	m := solves.NewMatrix(t, solves.Laplacian(6, 5, 4).CSR())
	b := [][]float64{graphs.Source(m.N(), 1), make([]float64, m.N()), graphs.Source(m.N(), 2)}
	for _, method := range []string{"jacobi", "cmg", "parac", "ddilu", "chebyshev"} {
		o := gpusolve.Options{Device: "cpu", Preconditioner: method, RTol: 1e-11}
		all, err := matrix.SolveColumns(context.Background(), m, b, o)
		if err != nil || len(all) != len(b) {
			t.Fatalf("%s: %d solutions, %v", method, len(all), err)
		}
		for c := range b {
			one, err := matrix.Solve(context.Background(), m, b[c], o)
			if err != nil || !all[c].Status.Converged {
				t.Fatalf("%s, column %d: %+v, %v", method, c+1, all[c].Status, err)
			}
			for i, x := range one.X {
				if math.Abs(x-all[c].X[i]) > 1e-9 {
					t.Fatalf("%s, column %d: value %d is %g, alone %g", method, c+1, i, all[c].X[i], x)
				}
			}
		}
	}
}
