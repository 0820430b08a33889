package sparse

import "thermsim/gpusolve/reuse"

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

// N is the number of rows.
func (d *Diagonals) N() int { return d.NX * d.NY * d.NZ }

// Symmetric says whether the upper diagonals stand for the lower ones too.
func (d *Diagonals) Symmetric() bool { return d.LowerX == nil && d.LowerY == nil && d.LowerZ == nil }

// Lower returns the diagonals below the main one, along x, y and z.
func (d *Diagonals) Lower() (x, y, z []float64) {
	if d.Symmetric() {
		return d.X, d.Y, d.Z
	}
	return d.LowerX, d.LowerY, d.LowerZ
}

// Multiply sets y = A x.
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
