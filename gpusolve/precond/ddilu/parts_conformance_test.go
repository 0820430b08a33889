package ddilu

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/sparse/partition"
	"thermsim/gpusolve/testing/opstest"
)

// conformParts tests block factors of matrices by rows on an executor: levels against the longest chains, solves
// against the textbook's factor of the matrix without what couples the parts.
func conformParts(t *testing.T, open func(testing.TB) ops.Device) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, a := range map[string]*sparse.CSR{
		"graph":        opstest.RandomGraph(rng, 300),
		"upwind":       opstest.Upwind([3]int{9, 7, 5}, [3]float64{6, -2, 30}).CSR(),
		"nonsymmetric": opstest.RandomDiagonals(rng, [3]int{7, 11, 3}, false).CSR(),
		"one-sided":    oneSided(rng, 290),
	} {
		for _, size := range []int{1, 50, 100000} {
			t.Run(fmt.Sprintf("%s in parts of %d", name, size), func(t *testing.T) {
				f := opstest.NewAlgebra(t, open(t), nil, a)
				checkParts(f, a, size)
				if err := f.Sys.Err(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
	t.Run("refused pivots", func(t *testing.T) {
		a := opstest.RandomGraph(rand.New(rand.NewPCG(2, 3)), 60)
		for _, row := range []int{41, 17} {
			cols, vals := a.Row(row)
			vals[slices.Index(cols, int32(row))] = -5
			f := opstest.NewAlgebra(t, open(t), nil, a)
			part, parts := partition.Divide(a, 20)
			var bad *BadPivot
			_, err := factorParts(executorOf(f), mustCut(f, a, part, parts), PartOptions{Symmetric: true})
			if !errors.As(err, &bad) || bad.Row != row {
				t.Errorf("a negative diagonal in row %d gives %v", row, err)
			}
		}
	})
}

// oneSided is a diagonally dominant matrix of which many entries have no mirror image.
func oneSided(rng *rand.Rand, n int) *sparse.CSR {
	a := &sparse.CSR{RowPtr: []int64{0}}
	for r := range n {
		cols := []int32{int32(r)}
		for range rng.IntN(6) {
			cols = append(cols, int32(rng.IntN(n)))
		}
		slices.Sort(cols)
		for _, c := range slices.Compact(cols) {
			v := rng.Float64() - 0.5
			if int(c) == r {
				v = 4
			}
			a.Col, a.Val = append(a.Col, c), append(a.Val, v)
		}
		a.RowPtr = append(a.RowPtr, int64(len(a.Col)))
	}
	return a
}

// checkParts factors and solves in every way and precision.
func checkParts(f *opstest.Algebra, a *sparse.CSR, size int) {
	part, parts := partition.Divide(a, size)
	block := func(r int) int { return int(part[r]) }
	checkLevels(f, a, block, part, parts)
	z, r := f.Must(f.Sys.New32()), f.Must(f.Sys.New32())
	rv := f.Random(r)
	want := opstest.SolveILU(opstest.ILU0(opstest.Within(a, block)), rv)
	for _, how := range []PartOptions{{}, {Way: ByEdges}, {Double: true}} {
		factor, err := factorParts(executorOf(f), mustCut(f, a, part, parts), how)
		if err != nil {
			f.Fatal(err)
		}
		f.Random(z)
		factor.Solve(z, r)
		what := fmt.Sprintf("M^-1 r by %v", how.Way)
		if how.Double {
			sameRounded(f, what+" in FP64", f.Read(z), want)
		} else {
			f.Near(what, f.Read(z), want, largest(want), 1e-5)
		}
		factor.Release()
	}
}

func mustCut(f *opstest.Algebra, a *sparse.CSR, part []int32, parts int) *PartMatrix {
	f.Helper()
	m, err := cutOut(a, part, parts)
	if err != nil {
		f.Fatal(err)
	}
	return m
}

// sameRounded asks for 1e-13 of the largest value before the result is rounded once to FP32.
func sameRounded(f *opstest.Algebra, what string, got, want []float64) {
	f.Helper()
	top := largest(want)
	for i, v := range got {
		step := math.Ldexp(1, math.Ilogb(want[i])-24)
		if d := math.Abs(v - want[i]); !(d <= step*(1+1e-9)+1e-13*top) {
			f.Fatalf("%s: row %d is %.9g, want %.17g of up to %g", what, i, v, want[i], top)
		}
	}
}

// checkLevels compares levels with the longest chains of rows that wait for each other, found one row at a time from
// the matrix itself.
func checkLevels(f *opstest.Algebra, a *sparse.CSR, block func(r int) int, part []int32, parts int) {
	f.Helper()
	m := mustCut(f, a, part, parts)
	lower, upper, err := executorOf(f).levels(m)
	if err != nil {
		f.Fatal(err)
	}
	known := [2]map[int]int32{{}, {}}
	var chain func(side, r int) int32
	chain = func(side, r int) int32 {
		if l, ok := known[side][r]; ok {
			return l
		}
		longest := int32(0)
		cols, _ := a.Row(r)
		for _, c := range cols {
			if block(int(c)) == block(r) && (side == 0 && int(c) < r || side == 1 && int(c) > r) {
				longest = max(longest, chain(side, int(c))+1)
			}
		}
		known[side][r] = longest
		return longest
	}
	for i, row := range m.Row {
		if l, u := chain(0, int(row)), chain(1, int(row)); lower[i] != l || upper[i] != u {
			f.Fatalf("row %d has levels %d in L and %d in U, want %d and %d", row, lower[i], upper[i], l, u)
		}
	}
}
