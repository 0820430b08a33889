package matrix

import (
	"math"

	"thermsim/gpusolve/sparse"
)

// comfortable is the largest exponent of two, of either sign, that the largest entry of a matrix or of a right side may
// have. Beyond it a power of two is taken out, which changes no digit: preconditioners work in FP32 and norms add
// squares, so that without it a system with entries of 1e-300 would count as solved.
const comfortable = 40

// excess is the power of two to take out of values, 0 where they lie in the comfortable range.
func excess(values ...[]float64) int {
	largest := 0.0
	for _, list := range values {
		for _, v := range list {
			largest = math.Max(largest, math.Abs(v))
		}
	}
	if _, e := math.Frexp(largest); e < -comfortable || e > comfortable {
		return e
	}
	return 0
}

// scaleBy is 2^e v; v itself where e is 0.
func scaleBy(v []float64, e int) []float64 {
	if e == 0 || v == nil {
		return v
	}
	scaled := make([]float64, len(v))
	for i, x := range v {
		scaled[i] = math.Ldexp(x, e)
	}
	return scaled
}

// moderate is the matrix without a power of two, which it returns too.
func (m *Matrix) moderate() (*Matrix, int) {
	a := *m
	if d := m.Diagonals; d != nil {
		e := excess(d.Main, d.X, d.Y, d.Z, d.LowerX, d.LowerY, d.LowerZ)
		a.Diagonals = &sparse.Diagonals{
			NX: d.NX, NY: d.NY, NZ: d.NZ, Main: scaleBy(d.Main, -e), X: scaleBy(d.X, -e), Y: scaleBy(d.Y, -e),
			Z:      scaleBy(d.Z, -e),
			LowerX: scaleBy(d.LowerX, -e), LowerY: scaleBy(d.LowerY, -e), LowerZ: scaleBy(d.LowerZ, -e),
		}
		return &a, e
	}
	e := excess(m.Rows.Val)
	a.Rows = &sparse.CSR{RowPtr: m.Rows.RowPtr, Col: m.Rows.Col, Val: scaleBy(m.Rows.Val, -e)}
	return &a, e
}
