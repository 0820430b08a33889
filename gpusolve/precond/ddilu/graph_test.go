package ddilu

import (
	"errors"
	"testing"

	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/testing/opstest"
)

// The share of dropped couplings is that of the entries beside the diagonal between parts.
func TestDroppedCouplings(t *testing.T) {
	a := opstest.Layered([3]int{4, 2, 1}, func(int) float64 { return 1 }).CSR()
	for _, c := range []struct {
		part []int32
		want float64
	}{
		{[]int32{0, 0, 0, 0, 0, 0, 0, 0}, 0},
		{[]int32{0, 0, 1, 1, 0, 0, 1, 1}, 2.0 / 10},
		{[]int32{0, 0, 0, 0, 1, 1, 1, 1}, 4.0 / 10},
	} {
		m, err := cutOut(a, c.part, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.dropped(a); got != c.want {
			t.Errorf("parts %v drop %g, want %g", c.part, got, c.want)
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
