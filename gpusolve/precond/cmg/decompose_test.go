package cmg_test

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"thermsim/gpusolve/precond/cmg"
	"thermsim/gpusolve/sparse/graphs"
)

// conductance of a cluster with the edges that leave it, by trying all parts of its vertices: the definition itself. A
// leaving edge ends in a leaf of its own, which is best kept on its vertex's side.
func conductance(g *cmg.Graph, members []int32) float64 {
	k := len(members)
	place := map[int32]int{}
	for i, v := range members {
		place[v] = i
	}
	inside := make([][]float64, k)
	volume, total := make([]float64, k), 0.0
	for i, v := range members {
		inside[i] = make([]float64, k)
		volume[i] = 2 * g.Ground[v]
		cols, weights := g.Row(int(v))
		for e, u := range cols {
			w := float64(weights[e])
			if j, in := place[u]; in {
				inside[i][j] = w
				volume[i] += w
				continue
			}
			volume[i] += 2 * w
		}
		total += volume[i]
	}
	least := 1.0
	for part := 1; part < 1<<(k-1); part++ {
		cut, side := 0.0, 0.0
		for i := range k {
			if part>>i&1 == 0 {
				continue
			}
			side += volume[i]
			for j := range k {
				if part>>j&1 == 0 {
					cut += inside[i][j]
				}
			}
		}
		least = math.Min(least, cut/math.Min(side, total-side))
	}
	return least
}

func TestClustersOfAdversaries(t *testing.T) {
	for name, w := range adversaries(1e6) {
		g := w.graph(t)
		d := cmg.Decompose(g, cmg.DefaultKappa)
		checkPartition(t, name, g, d)
		worst := 1.0
		for k := range d.N() {
			if members := d.Cluster(k); len(members) <= 16 {
				worst = math.Min(worst, conductance(g, members))
			} else if len(members) < w.n/2 {
				t.Errorf("%s: a cluster of %d", name, len(members))
			}
		}
		if worst < d.Quality*(1-1e-9) {
			t.Errorf("%s: conductance %g, below the bound %g", name, worst, d.Quality)
		}
		// What Decompose-Graph promises depends on the average weighted degree and kappa only.
		if promised := 1 / (2 * cmg.DefaultKappa * d.Average); d.Quality < promised*(1-1e-9) {
			t.Errorf("%s: quality %g, %g is promised at a mean weighted degree of %g", name, d.Quality, promised,
				d.Average)
		}
	}
}

// Heavy edges must lie inside clusters: cut through one, and no coarse graph can carry what flows there.
func TestHeavyEdgesStayTogether(t *testing.T) {
	for name, w := range adversaries(1e6) {
		g := w.graph(t)
		d := cmg.Decompose(g, cmg.DefaultKappa)
		for e, heavy := range w.edges {
			if heavy < 1e6 {
				continue
			}
			// Only where it dominates both of its ends.
			if heavy > 0.9*g.Diagonal[e[0]] && heavy > 0.9*g.Diagonal[e[1]] && d.Of[e[0]] != d.Of[e[1]] {
				t.Errorf("%s: the edge %v of weight %g is cut", name, e, heavy)
			}
		}
	}
}

func checkPartition(t *testing.T, name string, g *cmg.Graph, d *cmg.Decomposition) {
	t.Helper()
	n := g.N()
	if d.N() > n/2 {
		t.Errorf("%s: %d clusters of %d vertices, more than half", name, d.N(), n)
	}
	seen := make([]bool, n)
	for k := range d.N() {
		members := d.Cluster(k)
		if !slices.IsSorted(members) || len(members) == 0 {
			t.Fatalf("%s: cluster %d is %v", name, k, members)
		}
		reached := map[int32]bool{members[0]: true}
		for queue := []int32{members[0]}; len(queue) > 0; queue = queue[1:] {
			cols, _ := g.Row(int(queue[0]))
			for _, u := range cols {
				if int(d.Of[u]) == k && !reached[u] {
					reached[u] = true
					queue = append(queue, u)
				}
			}
		}
		for _, v := range members {
			if seen[v] || int(d.Of[v]) != k || !reached[v] {
				t.Fatalf("%s: vertex %d of cluster %d: twice %t, numbered %d, connected %t", name, v, k, seen[v],
					d.Of[v], reached[v])
			}
			seen[v] = true
		}
	}
	if slices.Contains(seen, false) {
		t.Fatalf("%s: a vertex belongs to no cluster", name)
	}
}

func TestClustersOfFamilies(t *testing.T) {
	for _, f := range graphs.All() {
		g, _, err := cmg.FromMatrix(f.Build(3000, 2))
		if err != nil {
			t.Fatal(err)
		}
		for len(g.Ground) > 50 {
			d := cmg.Decompose(g, cmg.DefaultKappa)
			checkPartition(t, f.Name, g, d)
			for k := range d.N() {
				if members := d.Cluster(k); len(members) <= 10 && conductance(g, members) < d.Quality*(1-1e-9) {
					t.Fatalf("%s: cluster %v has conductance %g, below %g", f.Name, members, conductance(g, members),
						d.Quality)
				}
			}
			g = cmg.Quotient(g, &d.Clusters)
		}
	}
}

// The quotient is R A R^T to the last bit where sums are exact, and symmetric to the last bit always.
func TestQuotient(t *testing.T) {
	whole := grid2(9, 8, func(i, j, d int) float64 { return float64(1 + (3*i+5*j+d)%7) })
	whole.ground[3], whole.ground[40] = 2, 5
	g := whole.graph(t)
	d := cmg.Decompose(g, cmg.DefaultKappa)
	q := cmg.Quotient(g, &d.Clusters)
	a := whole.matrix()
	want := make([][]float64, d.N())
	for k := range want {
		want[k] = make([]float64, d.N())
	}
	for v := range a.N() {
		cols, vals := a.Row(v)
		for i, u := range cols {
			want[d.Of[v]][d.Of[u]] += vals[i]
		}
	}
	for k := range want {
		got := make([]float64, d.N())
		got[k] = q.Diagonal[k]
		cols, weights := q.Row(k)
		for i, u := range cols {
			got[u] = -float64(weights[i])
		}
		if !slices.Equal(got, want[k]) {
			t.Errorf("row %d is %v, want %v", k, got, want[k])
		}
	}
	for name, w := range adversaries(1e6) {
		g := w.graph(t)
		d := cmg.Decompose(g, cmg.DefaultKappa)
		q := cmg.Quotient(g, &d.Clusters)
		weight := map[[2]int32]float32{}
		for k := range q.N() {
			cols, weights := q.Row(k)
			if !slices.IsSorted(cols) {
				t.Fatalf("%s: columns %v", name, cols)
			}
			for i, u := range cols {
				weight[[2]int32{int32(k), u}] = weights[i]
			}
		}
		for e, v := range weight {
			if weight[[2]int32{e[1], e[0]}] != v {
				t.Errorf("%s: edge %v has two weights", name, e)
			}
		}
	}
}

// The hierarchy does not depend on the number of workers.
func TestDecomposeIsDeterministic(t *testing.T) {
	g := grid2(300, 200, func(i, j, d int) float64 { return float64(1 + (i*j+d)%5) }).graph(t)
	var want *cmg.Decomposition
	for _, procs := range []int{1, 2, 5} {
		before := runtime.GOMAXPROCS(procs)
		d := cmg.Decompose(g, cmg.DefaultKappa)
		runtime.GOMAXPROCS(before)
		if want == nil {
			want = d
		}
		if !slices.Equal(d.Of, want.Of) || d.Quality != want.Quality || d.Average != want.Average {
			t.Errorf("%d workers find other clusters", procs)
		}
	}
}

// A path of rising weights is one tree as deep as it is long: depths take doubling steps.
func TestLongChains(t *testing.T) {
	g := path(30000, func(v int) float64 { return 1 + float64(v)*1.3 }).graph(t)
	d := cmg.Decompose(g, cmg.DefaultKappa)
	checkPartition(t, "chain", g, d)
	deep := path(760, func(v int) float64 { return math.Pow(1.19, float64(v)-380) }).graph(t)
	d = cmg.Decompose(deep, cmg.DefaultKappa)
	checkPartition(t, "deep chain", deep, d)
	if ratio := float64(deep.N()) / float64(d.N()); ratio < 2.9 {
		t.Errorf("a deep chain shrinks by %.2f only", ratio)
	}
}
