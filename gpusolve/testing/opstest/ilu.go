package opstest

import "thermsim/gpusolve/sparse"

// ILU0 is an incomplete factorisation without fill by the textbook (Saad, Iterative Methods, algorithm 10.4), row by
// row on a copy of the matrix: L below the diagonal, U on and above it.
func ILU0(a *sparse.CSR) *sparse.CSR {
	f := &sparse.CSR{RowPtr: a.RowPtr, Col: a.Col, Val: append([]float64(nil), a.Val...)}
	for i := range f.N() {
		cols, vals := f.Row(i)
		for n, k := range cols {
			if int(k) >= i {
				break
			}
			vals[n] /= f.At(int(k), int(k))
			for m := n + 1; m < len(cols); m++ {
				vals[m] -= vals[n] * f.At(int(k), int(cols[m]))
			}
		}
	}
	return f
}

// SolveILU returns U^-1 L^-1 r for a factor of ILU0.
func SolveILU(f *sparse.CSR, r []float64) []float64 {
	z := append([]float64(nil), r...)
	for i := range z {
		cols, vals := f.Row(i)
		for n, k := range cols {
			if int(k) < i {
				z[i] -= vals[n] * z[k]
			}
		}
	}
	for i := len(z) - 1; i >= 0; i-- {
		cols, vals := f.Row(i)
		for n, k := range cols {
			if int(k) > i {
				z[i] -= vals[n] * z[k]
			}
		}
		z[i] /= f.At(i, i)
	}
	return z
}

// Within keeps the entries whose row and column are of the same block.
func Within(a *sparse.CSR, block func(row int) int) *sparse.CSR {
	w := &sparse.CSR{RowPtr: make([]int64, 1, a.N()+1)}
	for r := range a.N() {
		cols, vals := a.Row(r)
		for n, c := range cols {
			if block(r) == block(int(c)) {
				w.Col, w.Val = append(w.Col, c), append(w.Val, vals[n])
			}
		}
		w.RowPtr = append(w.RowPtr, int64(len(w.Col)))
	}
	return w
}
