package ordering

import (
	"math"
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

// The rank correlation of a random permutation with the identity is normal with deviation 1/sqrt(n-1), also when either is looked at in pieces; 5
// deviations are allowed.
func TestPermutationsAreRandom(t *testing.T) {
	const n = 4096
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
