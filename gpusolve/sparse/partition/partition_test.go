package partition

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"thermsim/gpusolve/sparse"
)

// grid is the pattern of the 5-point or 7-point operator.
func grid(nx, ny, nz int) *sparse.CSR {
	d := sparse.NewDiagonals(nx, ny, nz)
	for c := range d.Main {
		d.Main[c] = 1
		for _, b := range []struct {
			band   []float64
			inside bool
		}{{d.X, c%nx != nx-1}, {d.Y, c/nx%ny != ny-1}, {d.Z, c/(nx*ny) != nz-1}} {
			if b.inside {
				b.band[c] = 1
			}
		}
	}
	return d.CSR()
}

// matrix has the given edges, in both directions, and a diagonal.
func matrix(t *testing.T, n int, edges [][2]int) *sparse.CSR {
	t.Helper()
	var all sparse.Triplets
	for r := range int32(n) {
		all.Add(r, r, 1)
	}
	for _, e := range edges {
		all.Add(int32(e[0]), int32(e[1]), 1)
		all.Add(int32(e[1]), int32(e[0]), 1)
	}
	a, _, err := sparse.FromTriplets(n, &all)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// cut counts the entries between parts, and checks that parts have at most limit rows, and none no rows.
func cut(t *testing.T, a *sparse.CSR, part []int32, parts, limit int) (entries int) {
	t.Helper()
	load := make([]int, parts)
	for r, p := range part {
		load[p]++
		cols, _ := a.Row(r)
		for _, c := range cols {
			if part[c] != p {
				entries++
			}
		}
	}
	for p, rows := range load {
		if rows == 0 || rows > limit {
			t.Errorf("part %d of %d has %d rows, want 1 to %d", p, parts, rows, limit)
		}
	}
	most := int(math.Ceil(float64(a.N()) / math.Ceil(float64(limit)*(1-margin))))
	if parts > max(1, most) {
		t.Errorf("%d parts for %d rows of at most %d each, want at most %d", parts, a.N(), limit, most)
	}
	return entries
}

// shuffled renumbers the rows.
func shuffled(t *testing.T, a *sparse.CSR) *sparse.CSR {
	t.Helper()
	to := rand.New(rand.NewPCG(3, 4)).Perm(a.N())
	var all sparse.Triplets
	for r := range a.N() {
		cols, _ := a.Row(r)
		for _, c := range cols {
			all.Add(int32(to[r]), int32(to[c]), 1)
		}
	}
	b, _, err := sparse.FromTriplets(a.N(), &all)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A set of V cells of an infinite grid of d dimensions has at least 2 d V^((d-1)/d) couplings to the others (Bollobas
// and Leader, Combinatorica 11, 1991): squares and cubes are best. Parts of a finite grid have fewer, by those that the
// grid's faces lack. METIS 5.1 leaves 1.2 to 1.4 times the bound.
func TestGridsAreCutNearTheIsoperimetricBound(t *testing.T) {
	for _, c := range []struct {
		name   string
		shape  [3]int
		limit  int
		random bool
		factor float64
	}{
		{"plane", [3]int{100, 100, 1}, 400, false, 1.25},
		{"plane, shuffled", [3]int{100, 100, 1}, 400, true, 1.35},
		{"cube", [3]int{30, 30, 30}, 1000, false, 1.35},
		{"cube, shuffled", [3]int{30, 30, 30}, 1000, true, 1.5},
		{"small parts", [3]int{60, 60, 1}, 16, false, 1.35},
	} {
		a := grid(c.shape[0], c.shape[1], c.shape[2])
		n, d, faces := float64(a.N()), 0.0, 0.0
		for _, cells := range c.shape {
			if cells > 1 {
				d++
				faces += 2 * n / float64(cells)
			}
		}
		if c.random {
			a = shuffled(t, a)
		}
		part, parts := Divide(a, c.limit)
		got := float64(cut(t, a, part, parts, c.limit))
		least, rows := 0.0, make([]float64, parts)
		for _, p := range part {
			rows[p]++
		}
		for _, n := range rows {
			least += 2 * d * math.Pow(n, (d-1)/d)
		}
		if least -= faces; got < least || got > c.factor*least {
			t.Errorf("%s: %d parts drop %g entries, want %g to %g times as many", c.name, parts, got, least,
				c.factor)
		}
	}
}

// Graphs with an obvious division: two cliques joined by an edge, paths, and parts without any coupling.
func TestObviousDivisionsAreFound(t *testing.T) {
	var cliques [][2]int
	for r := range 60 {
		for c := range r {
			if r/30 == c/30 {
				cliques = append(cliques, [2]int{r, c})
			}
		}
	}
	var path, islands [][2]int
	for r := range 999 {
		path = append(path, [2]int{r, r + 1})
		if r%10 != 9 {
			islands = append(islands, [2]int{r, r + 1})
		}
	}
	for _, c := range []struct {
		name        string
		n, limit    int
		edges       [][2]int
		least, most int
	}{
		{"cliques", 60, 31, append(cliques, [2]int{29, 30}), 2, 2},
		{"path", 1000, 110, path, 2 * 9, 2 * 15}, // 10 pieces at least
		{"islands", 1000, 110, islands, 0, 0},
		{"no couplings", 500, 64, nil, 0, 0},
		{"one part", 1000, 1000, path, 0, 0},
		{"single rows", 30, 1, path[:29], 58, 58},
	} {
		a := matrix(t, c.n, c.edges)
		part, parts := Divide(a, c.limit)
		if got := cut(t, a, part, parts, c.limit); got < c.least || got > c.most {
			t.Errorf("%s: %d parts drop %d entries, want %d to %d", c.name, parts, got, c.least, c.most)
		}
	}
	if part, parts := Divide(&sparse.CSR{RowPtr: []int64{0}}, 5); parts != 0 || len(part) != 0 {
		t.Errorf("a matrix without rows has %d parts", parts)
	}
}

// Every division of a star into parts of L rows keeps at most L - 1 of its edges. Hubs must not keep the parts of a
// power-law graph from being full.
func TestStarsAndHubs(t *testing.T) {
	const n, limit = 5000, 100
	var star, hubs [][2]int
	rng := rand.New(rand.NewPCG(1, 2))
	for r := 1; r < n; r++ {
		star = append(star, [2]int{0, r})
		hubs = append(hubs, [2]int{r, int(float64(r) * math.Pow(rng.Float64(), 3))})
	}
	a := matrix(t, n, star)
	part, parts := Divide(a, limit)
	least := 2 * (n - limit)
	if got := cut(t, a, part, parts, limit); got < least || got > least+2*limit/2 {
		t.Errorf("a star in %d parts drops %d entries, want %d to %d", parts, got, least, least+limit)
	}
	// A tree of n rows cut into connected parts drops parts - 1 edges; the hubs do not allow this.
	a = matrix(t, n, hubs)
	part, parts = Divide(a, limit)
	cut(t, a, part, parts, limit)
}

// Entries without a counterpart count from both of their ends.
func TestOneSidedPatterns(t *testing.T) {
	a := grid(40, 40, 1)
	upper := &sparse.CSR{RowPtr: []int64{0}}
	for r := range a.N() {
		cols, vals := a.Row(r)
		for i, c := range cols {
			if int(c) >= r {
				upper.Col, upper.Val = append(upper.Col, c), append(upper.Val, vals[i])
			}
		}
		upper.RowPtr = append(upper.RowPtr, int64(len(upper.Col)))
	}
	part, parts := Divide(upper, 100)
	of, whole := Divide(a, 100)
	one, both := cut(t, upper, part, parts, 100), cut(t, a, of, whole, 100)
	if float64(2*one) > 1.1*float64(both) {
		t.Errorf("the upper half drops %d entries, the whole matrix %d", one, both)
	}
}

// The division depends on the matrix only, not on the number of processors. 110,000 rows are coarsened by chunks.
func TestDivisionsAreReproducible(t *testing.T) {
	a := grid(1100, 100, 1)
	want, _ := Divide(a, 1000)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if got, _ := Divide(a, 1000); !slices.Equal(got, want) {
		t.Error("one processor gives another division")
	}
}
