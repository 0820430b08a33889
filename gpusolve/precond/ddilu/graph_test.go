package ddilu

import (
	"errors"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/opstest"
)

// Parts have equal sizes, all rows, and in a grid few couplings between them: parts of 64 cells of a plane drop less
// than strips of a row each would.
func TestPartsGrow(t *testing.T) {
	for name, a := range map[string]*sparse.CSR{
		"graph":   opstest.RandomGraph(rand.New(rand.NewPCG(1, 1)), 501),
		"plane":   opstest.Layered([3]int{40, 40, 1}, func(int) float64 { return 1 }).CSR(),
		"islands": {RowPtr: []int64{0, 1, 2, 3, 4, 5}, Col: []int32{0, 1, 2, 3, 4}, Val: []float64{1, 1, 1, 1, 1}},
	} {
		for _, size := range []int{1, 3, 64, 10000} {
			part, parts := grow(a, size)
			count := make([]int, parts)
			for _, p := range part {
				count[p]++
			}
			for p, n := range count {
				if n != size && p != parts-1 || n == 0 || n > size {
					t.Errorf("%s: part %d of %d has %d rows, want %d", name, p, parts, n, size)
				}
			}
			// Squares of 8 x 8 would drop 4/32 = 0.125.
			if lost := droppedBetween(a, part); name == "plane" && size == 64 && lost > 0.22 {
				t.Errorf("parts of 64 cells of a plane drop %.3f of the couplings", lost)
			}
			if lost := droppedBetween(a, part); size >= a.N() && lost != 0 || size == 1 && a.Entries() > a.N() &&
				lost != 1 {
				t.Errorf("%s in parts of %d drops %g", name, size, lost)
			}
		}
	}
}

func TestRowsWithoutDiagonalsAreRefused(t *testing.T) {
	b := &sparse.CSR{RowPtr: []int64{0, 1, 2}, Col: []int32{0, 0}, Val: []float64{1, 1}}
	var bad *BadPivot
	if _, err := cutOut(b, []int32{0, 0}, 1); !errors.As(err, &bad) || bad.Row != 1 {
		t.Errorf("a row without a diagonal gives %v", err)
	}
}
