package ordering

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func isPermutation(order []int32) bool {
	seen := slices.Clone(order)
	slices.Sort(seen)
	for i, v := range seen {
		if int(v) != i {
			return false
		}
	}
	return true
}

func TestPermutations(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 5, 31, 32, 33, 1000, 65536, 65537} {
		if a := Random(n, 7); !isPermutation(a) {
			t.Errorf("%d numbers: not a permutation", n)
		} else if n > 30 && slices.Equal(a, Random(n, 8)) {
			t.Errorf("%d numbers: two seeds give the same permutation", n)
		}
	}
}

// The rank correlation of a random permutation with the identity is normal with deviation 1/sqrt(n-1), also when either
// is looked at in pieces; 5 deviations are allowed.
func TestPermutationsAreRandom(t *testing.T) {
	const n = 2896
	for seed := range uint64(20) {
		order := Random(n, seed)
		for _, stride := range []int{1, 2, 8, 64} {
			m := n / stride
			sum, mean := 0.0, float64(n-1)/2
			for i := range m {
				sum += (float64(i*stride) - mean) * (float64(order[i*stride]) - mean)
			}
			variance := float64(n) * float64(n) / 12
			if r := sum / (float64(m) * variance); math.Abs(r) > 5/math.Sqrt(float64(m-1)) {
				t.Errorf("seed %d, every %d: correlation %g", seed, stride, r)
			}
		}
	}
}

func TestByEntries(t *testing.T) {
	rowPtr := []int64{0, 3, 4, 4, 9, 10, 13}
	order := ByEntries(rowPtr, 3)
	if !isPermutation(order) {
		t.Fatal("not a permutation")
	}
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		if rowPtr[a+1]-rowPtr[a] > rowPtr[b+1]-rowPtr[b] {
			t.Errorf("order %v: row %d has more entries than row %d", order, a, b)
		}
	}
}

// fill eliminates exactly and counts the entries of the factor.
func fill(rowPtr []int64, col []int32, order []int32) int {
	n := len(order)
	near := make([]map[int32]bool, n)
	for v := range n {
		near[v] = map[int32]bool{}
		for _, c := range col[rowPtr[v]:rowPtr[v+1]] {
			if int(c) != v {
				near[v][c] = true
			}
		}
	}
	entries := 0
	for _, v := range order {
		entries += len(near[v])
		for a := range near[v] {
			delete(near[a], v)
			for b := range near[v] {
				if a != b {
					near[a][b] = true
				}
			}
		}
	}
	return entries
}

// lattice is the graph of an nx x ny grid.
func lattice(nx, ny int) (rowPtr []int64, col []int32) {
	rowPtr = []int64{0}
	for c := range nx * ny {
		i, j := c%nx, c/nx
		for _, near := range []struct {
			there bool
			at    int
		}{{j > 0, c - nx}, {i > 0, c - 1}, {true, c}, {i < nx-1, c + 1}, {j < ny-1, c + nx}} {
			if near.there {
				col = append(col, int32(near.at))
			}
		}
		rowPtr = append(rowPtr, int64(len(col)))
	}
	return rowPtr, col
}

// Trees fill nothing when leaves go first. On an n x n grid minimum degree is known to come near the fill of nested
// dissection, 31 n^2 log2(n) / 4 of George (1973) for its leading term; the bound here is that, and a random order is
// far above.
func TestMinimumDegree(t *testing.T) {
	const n = 28
	rowPtr, col := lattice(n, n)
	order := MinimumDegree(rowPtr, col)
	if !isPermutation(order) || len(order) != n*n {
		t.Fatal("not a permutation")
	}
	got, random := fill(rowPtr, col, order), fill(rowPtr, col, Random(n*n, 1))
	if limit := int(31.0 / 4 * n * n * math.Log2(n)); got > limit || 2*got > random {
		t.Errorf("%d entries, nested dissection has about %d, a random order %d", got, limit, random)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		size := 1 + rng.IntN(60)
		parent := make([]int, size)
		for v := 1; v < size; v++ {
			parent[v] = rng.IntN(v)
		}
		ptr, cols := []int64{0}, []int32{}
		for v := range size {
			for u := range size {
				if u == v || u > 0 && parent[u] == v || v > 0 && parent[v] == u {
					cols = append(cols, int32(u))
				}
			}
			ptr = append(ptr, int64(len(cols)))
		}
		order := MinimumDegree(ptr, cols)
		if !isPermutation(order) || len(order) != size {
			t.Fatal("not a permutation")
		}
		if f := fill(ptr, cols, order); f != size-1 {
			t.Fatalf("a tree of %d fills to %d entries", size, f)
		}
	}
	star := []int64{0, 400}
	var cols []int32
	for v := range 400 {
		cols = append(cols, int32(v))
	}
	for v := 1; v < 400; v++ {
		cols = append(cols, 0, int32(v))
		star = append(star, int64(len(cols)))
	}
	if order := MinimumDegree(star, cols); !isPermutation(order) || order[399] != 0 {
		t.Error("the hub of a star does not go last")
	}
}
