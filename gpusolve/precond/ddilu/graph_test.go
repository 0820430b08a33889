package ddilu

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"thermsim/gpusolve/opstest"
	"thermsim/gpusolve/sparse"
)

// Parts have equal sizes, all rows, and in a grid few couplings between them: parts of 64 cells of a plane drop less than strips of a row each would.
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
			if name != "plane" || size != 64 {
				continue
			}
			f, err := factorise(a, part, parts, 0)
			if err != nil {
				t.Fatal(err)
			}
			// Squares of 8 x 8 would drop 4/32 = 0.125.
			if f.dropped > 0.22 {
				t.Errorf("parts of 64 cells of a plane drop %.3f of the couplings", f.dropped)
			}
		}
	}
}

// The factor is the textbook's of the matrix without what couples the parts.
func TestPartsAreFactored(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, a := range map[string]*sparse.CSR{
		"graph":        opstest.RandomGraph(rng, 300),
		"upwind":       opstest.Upwind([3]int{9, 7, 5}, [3]float64{6, -2, 30}).CSR(),
		"nonsymmetric": opstest.RandomDiagonals(rng, [3]int{7, 11, 3}, false).CSR(),
	} {
		for _, size := range []int{1, 50, 100000} {
			part, parts := grow(a, size)
			f, err := factorise(a, part, parts, 0)
			if err != nil {
				t.Fatal(err)
			}
			reference := opstest.ILU0(opstest.Within(a, func(r int) int { return int(part[r]) }))
			r := make([]float64, a.N())
			for i := range r {
				r[i] = rng.NormFloat64()
			}
			want := opstest.SolveILU(reference, r)
			got, top := solveParts(f.PartFactors, r), 0.0
			for _, v := range want {
				top = math.Max(top, math.Abs(v))
			}
			for i := range want {
				if math.Abs(got[i]-want[i]) > 1e-5*top {
					t.Errorf("%s in parts of %d: M^-1 r at %d is %g, want %g", name, size, i, got[i], want[i])
					break
				}
			}
			if size >= a.N() && f.dropped != 0 || size == 1 && f.dropped != 1 {
				t.Errorf("%s in parts of %d drops %g", name, size, f.dropped)
			}
		}
	}
}

func TestBadPivotsOfPartsAreRefused(t *testing.T) {
	a := opstest.RandomGraph(rand.New(rand.NewPCG(2, 3)), 60)
	cols, vals := a.Row(41)
	for i, c := range cols {
		if c == 41 {
			vals[i] = -5
		}
	}
	part, parts := grow(a, 20)
	var bad *BadPivot
	if _, err := factorise(a, part, parts, 0); !errors.As(err, &bad) || bad.Row != 41 {
		t.Errorf("a negative diagonal in row 41 gives %v", err)
	}
	// A row without a diagonal.
	b := &sparse.CSR{RowPtr: []int64{0, 1, 2}, Col: []int32{0, 0}, Val: []float64{1, 1}}
	if _, err := factorise(b, []int32{0, 0}, 1, 0); !errors.As(err, &bad) || bad.Row != 1 {
		t.Errorf("a row without a diagonal gives %v", err)
	}
}
