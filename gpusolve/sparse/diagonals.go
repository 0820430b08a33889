package sparse

import (
	"fmt"
	"slices"

	"thermsim/gpusolve/reuse"
)

// Diagonals is a matrix of up to seven diagonals: the unknowns are those of a grid of NX x NY x NZ, x fastest, each
// tied to its neighbours in the three directions. Off-diagonals are unpadded and indexed by the lower of the two rows:
// X[c] is A[c][c+1], Y[c] is A[c][c+NX], Z[c] is A[c][c+NX*NY].
type Diagonals struct {
	NX, NY, NZ int
	Main       []float64 // N
	X, Y, Z    []float64 // N-1, N-NX and N-NX*NY values; none where that is negative
	// LowerX[c] is A[c+1][c], LowerY[c] A[c+NX][c], LowerZ[c] A[c+NX*NY][c]. All nil for a symmetric matrix.
	LowerX, LowerY, LowerZ []float64
}

// NewDiagonals returns a symmetric zero matrix.
func NewDiagonals(nx, ny, nz int) *Diagonals { return DiagonalsIn(nil, nx, ny, nz) }

// DiagonalsIn is NewDiagonals in memory of l, which may be nil.
func DiagonalsIn(l *reuse.List, nx, ny, nz int) *Diagonals {
	d := &Diagonals{NX: nx, NY: ny, NZ: nz}
	n := d.N()
	d.Main = reuse.Make[float64](l, n)
	d.X, d.Y, d.Z = reuse.Make[float64](l, max(0, n-1)), reuse.Make[float64](l, max(0, n-nx)),
		reuse.Make[float64](l, max(0, n-nx*ny))
	return d
}

func (d *Diagonals) N() int { return d.NX * d.NY * d.NZ }

// Symmetric reports whether the lower diagonals are those above.
func (d *Diagonals) Symmetric() bool { return d.LowerX == nil && d.LowerY == nil && d.LowerZ == nil }

// Lower returns the diagonals below the main one, along x, y and z.
func (d *Diagonals) Lower() (x, y, z []float64) {
	if d.Symmetric() {
		return d.X, d.Y, d.Z
	}
	return d.LowerX, d.LowerY, d.LowerZ
}

func (d *Diagonals) Multiply(y, x []float64) {
	for c, v := range d.Main {
		y[c] = v * x[c]
	}
	lx, ly, lz := d.Lower()
	addBand(y, x, d.X, lx, 1)
	addBand(y, x, d.Y, ly, d.NX)
	addBand(y, x, d.Z, lz, d.NX*d.NY)
}

func addBand(y, x, upper, lower []float64, offset int) {
	for c, v := range upper {
		y[c] += v * x[c+offset]
	}
	for c, v := range lower {
		y[c+offset] += v * x[c]
	}
}

// CSR returns the matrix by rows. Zeros beside the diagonal are left out.
func (d *Diagonals) CSR() *CSR { return d.CSRIn(nil) }

// CSRIn is CSR in memory of l, which may be nil.
func (d *Diagonals) CSRIn(l *reuse.List) *CSR {
	n := d.N()
	lx, ly, lz := d.Lower()
	sheet := d.NX * d.NY
	// Where two offsets coincide (one cell along x or y), their entries share a place and are added.
	bands := []struct {
		offset int
		at     func(row int) float64
	}{
		{-sheet, func(r int) float64 { return before(lz, r, sheet) }},
		{-d.NX, func(r int) float64 { return before(ly, r, d.NX) }},
		{-1, func(r int) float64 { return before(lx, r, 1) }},
		{0, func(r int) float64 { return d.Main[r] }},
		{1, func(r int) float64 { return from(d.X, r) }},
		{d.NX, func(r int) float64 { return from(d.Y, r) }},
		{sheet, func(r int) float64 { return from(d.Z, r) }},
	}
	entries := n + others(d.X) + others(d.Y) + others(d.Z) + others(lx) + others(ly) + others(lz)
	a := &CSR{RowPtr: reuse.Make[int64](l, n+1), Col: reuse.Make[int32](l, entries)[:0],
		Val: reuse.Make[float64](l, entries)[:0]}
	for r := range n {
		for _, b := range bands {
			v := b.at(r)
			if v == 0 && b.offset != 0 {
				continue
			}
			c := int32(r + b.offset)
			if last := len(a.Col) - 1; int64(last) >= a.RowPtr[r] && a.Col[last] == c {
				a.Val[last] += v
				continue
			}
			a.Col, a.Val = append(a.Col, c), append(a.Val, v)
		}
		a.RowPtr[r+1] = int64(len(a.Col))
	}
	return a
}

// others counts the values that are not zero.
func others(band []float64) (count int) {
	for _, v := range band {
		if v != 0 {
			count++
		}
	}
	return count
}

func before(band []float64, row, offset int) float64 {
	if row < offset || row-offset >= len(band) {
		return 0
	}
	return band[row-offset]
}

func from(band []float64, row int) float64 {
	if row >= len(band) {
		return 0
	}
	return band[row]
}

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
			at, known := slices.BinarySearch(offsets, d)
			if d == 0 || known {
				continue
			}
			if offsets = slices.Insert(offsets, at, d); len(offsets) > 3 {
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
