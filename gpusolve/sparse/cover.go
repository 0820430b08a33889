package sparse

// DoubleCover is the matrix of twice the size that has no positive off-diagonals and acts on (x, -x) as A does on x:
// with A = D + N + P, its diagonal, its negative and its positive off-diagonals,
//
//	| D + N   -P   |
//	|  -P    D + N |
//
// It is symmetric and diagonally dominant where A is (Gremban 1996).
func (a *CSR) DoubleCover() *CSR {
	n := a.N()
	c := &CSR{RowPtr: make([]int64, 1, 2*n+1), Col: make([]int32, 0, 2*len(a.Col)),
		Val: make([]float64, 0, 2*len(a.Val))}
	for r := range 2 * n {
		cols, vals := a.Row(r % n)
		for half := range 2 {
			for i, col := range cols {
				positive := vals[i] > 0 && int(col) != r%n
				switch own := half == r/n; {
				case own && !positive:
					c.Col, c.Val = append(c.Col, col+int32(half*n)), append(c.Val, vals[i])
				case !own && positive:
					c.Col, c.Val = append(c.Col, col+int32(half*n)), append(c.Val, -vals[i])
				}
			}
		}
		c.RowPtr = append(c.RowPtr, int64(len(c.Col)))
	}
	return c
}
