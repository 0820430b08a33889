package sparse

import "fmt"

// Shape finds the grid whose matrix this could be: one with entries beside the diagonal at offsets of 1, nx and nx*ny
// only, and none that tie the end of one grid line to the start of the next. With fewer offsets the grid has fewer
// dimensions. ok is false where there is none.
func (a *CSR) Shape() (nx, ny, nz int, ok bool) {
	var offsets []int // ascending
	for r := range a.N() {
		cols, _ := a.Row(r)
		for _, c := range cols {
			d := int(c) - r
			if d < 0 {
				d = -d
			}
			if d == 0 || !insert(&offsets, d) {
				continue
			}
			if len(offsets) > 3 {
				return 0, 0, 0, false
			}
		}
	}
	for _, s := range shapes(a.N(), offsets) {
		if a.fits(s[0], s[1]) == nil {
			return s[0], s[1], s[2], true
		}
	}
	return 0, 0, 0, false
}

// shapes lists the grids of n cells with these offsets, the flattest first.
func shapes(n int, offsets []int) [][3]int {
	var out [][3]int
	add := func(nx, sheet int) {
		if nx > 0 && sheet%nx == 0 && n%sheet == 0 {
			out = append(out, [3]int{nx, sheet / nx, n / sheet})
		}
	}
	if len(offsets) > 0 && offsets[0] == 1 {
		offsets = offsets[1:]
	}
	switch len(offsets) {
	case 0:
		out = append(out, [3]int{max(1, n), 1, 1})
	case 1:
		if n%offsets[0] == 0 {
			out = append(out, [3]int{offsets[0], n / offsets[0], 1})
		}
	case 2:
		add(offsets[0], offsets[1])
	}
	return out
}

// insert adds a value to an ascending list unless it is there.
func insert(list *[]int, v int) bool {
	at := len(*list)
	for i, have := range *list {
		if have == v {
			return false
		}
		if have > v {
			at = i
			break
		}
	}
	*list = append(*list, 0)
	copy((*list)[at+1:], (*list)[at:])
	(*list)[at] = v
	return true
}

// neighbours reports along which direction (0 x, 1 y, 2 z) cells r and c of a grid lie side by side, -1 if they do not.
func neighbours(r, c, nx, ny int) int {
	if c < r {
		r, c = c, r
	}
	switch {
	case c == r+nx*ny:
		return 2
	case c == r+nx && c%(nx*ny) >= nx:
		return 1
	case c == r+1 && c%nx != 0:
		return 0
	}
	return -1
}

// fits reports the first entry that does not tie neighbours of a grid.
func (a *CSR) fits(nx, ny int) error {
	for r := range a.N() {
		cols, vals := a.Row(r)
		for i, c := range cols {
			if int(c) != r && vals[i] != 0 && neighbours(r, int(c), nx, ny) < 0 {
				return fmt.Errorf("entry (%d, %d) does not tie neighbours of a grid of %d x %d x %d cells", r+1, c+1,
					nx, ny, a.N()/(nx*ny))
			}
		}
	}
	return nil
}

// Diagonals returns the matrix of a grid by its diagonals. It is stored as symmetric where it is so to rounding; the
// mean of the two entries counts then.
func (a *CSR) Diagonals(nx, ny, nz int) (*Diagonals, error) {
	if nx < 1 || ny < 1 || nz < 1 || nx > a.N() || ny > a.N()/nx || nz > a.N()/(nx*ny) || nx*ny*nz != a.N() {
		return nil, fmt.Errorf("a grid of %d x %d x %d cells for a matrix of %d rows; the product must be the "+
			"number of rows", nx, ny, nz, a.N())
	}
	if err := a.fits(nx, ny); err != nil {
		return nil, err
	}
	d := NewDiagonals(nx, ny, nz)
	d.LowerX, d.LowerY, d.LowerZ = make([]float64, len(d.X)), make([]float64, len(d.Y)), make([]float64, len(d.Z))
	upper, lower := [3][]float64{d.X, d.Y, d.Z}, [3][]float64{d.LowerX, d.LowerY, d.LowerZ}
	for r := range a.N() {
		cols, vals := a.Row(r)
		for i, col := range cols {
			switch c := int(col); {
			case c == r:
				d.Main[r] = vals[i]
			case vals[i] == 0:
			case c > r:
				upper[neighbours(r, c, nx, ny)][r] = vals[i]
			default:
				lower[neighbours(r, c, nx, ny)][c] = vals[i]
			}
		}
	}
	if _, asymmetric := a.Asymmetric(); !asymmetric {
		for direction := range upper {
			for i, v := range lower[direction] {
				upper[direction][i] = (upper[direction][i] + v) / 2
			}
		}
		d.LowerX, d.LowerY, d.LowerZ = nil, nil, nil
	}
	return d, nil
}
