package host

import (
	"errors"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
	"thermsim/gpusolve/sparse"
)

// diagonals and rows are matrices that methods build on, counted in their space's memory until released.
type diagonals struct {
	*sparse.Diagonals
	s     *Space
	bytes int64
}

type rows struct {
	*sparse.CSR
	s     *Space
	bytes int64
}

var (
	_ ops.Diagonals = (*diagonals)(nil)
	_ ops.Rows      = (*rows)(nil)
)

// Shape of the grid.
func (d *diagonals) Shape() (nx, ny, nz int) { return d.NX, d.NY, d.NZ }

// Download is the form itself.
func (d *diagonals) Download() *sparse.Diagonals { return d.Diagonals }

// Release forgets the form.
func (d *diagonals) Release() {
	d.s.Account(-d.bytes)
	d.bytes, d.Diagonals = 0, nil
}

// Len is the number of rows.
func (r *rows) Len() int { return r.N() }

// Entries is the number of stored entries.
func (r *rows) Entries() int64 { return int64(r.CSR.Entries()) }

// Download is the form itself.
func (r *rows) Download() *sparse.CSR { return r.CSR }

// Release forgets the form.
func (r *rows) Release() {
	r.s.Account(-r.bytes)
	r.bytes, r.CSR = 0, nil
}

// newDiagonals counts what the space made for the form; a form of what the space holds anyway costs nothing.
func (s *Space) newDiagonals(d *sparse.Diagonals, own bool) *diagonals {
	f := &diagonals{Diagonals: d, s: s}
	if own {
		f.bytes = 8 * int64(len(d.Main)+len(d.X)+len(d.Y)+len(d.Z)+len(d.LowerX)+len(d.LowerY)+len(d.LowerZ))
	}
	s.Account(f.bytes)
	return f
}

func (s *Space) newRows(a *sparse.CSR, own bool) *rows {
	f := &rows{CSR: a, s: s}
	if own {
		f.bytes = 8*int64(len(a.RowPtr)) + 12*int64(len(a.Col))
	}
	s.Account(f.bytes)
	return f
}

// Diagonals of the mesh's operator, from its couplings.
func (s *system) Diagonals() (ops.Diagonals, error) {
	d, beside, err := s.NearDiagonals()
	if err == nil && beside > 0 {
		d.Release()
		return nil, errCoolant
	}
	return d, err
}

// NearDiagonals are those of the mesh's operator, without the couplings two planes apart that porous cavities have.
func (s *system) NearDiagonals() (d ops.Diagonals, beside int64, err error) {
	a := s.expand()
	if s.cooling != nil {
		beside = s.cooling.addDiagonals(s, a)
	}
	return s.newDiagonals(a, true), beside, nil
}

// errCoolant is why the operator of a stack with a porous cavity has no diagonals.
var errCoolant = errors.New("a porous cavity couples cells beyond the seven diagonals of a grid")

// Rows of the mesh's operator.
func (s *system) Rows() (ops.Rows, error) {
	if s.cooling != nil {
		a, err := s.cooledRows()
		if err != nil {
			return nil, err
		}
		return s.newRows(a, true), nil
	}
	return s.newRows(s.expand().CSRIn(s.Arrays()), true), nil
}

// expand sums the diagonal in FP64.
func (s *system) expand() *sparse.Diagonals {
	d := sparse.DiagonalsIn(s.Arrays(), s.nx, s.ny, s.nz)
	zero := reuse.Make[float32](s.Arrays(), s.nx)
	for k := range s.nz {
		for j := range s.ny {
			st, c := s.row(k, j, zero)
			c -= s.pad
			for i := range s.nx {
				d.Main[c+i] = st.diagonal(i)
			}
			negate(d.X, c, st.east)
			negate(d.Y, c, st.north)
			negate(d.Z, c, st.above)
		}
	}
	return d
}

// negate writes a row of couplings into a diagonal, as far as that reaches.
func negate(band []float64, c int, g []float32) {
	for i, v := range g {
		if c+i < len(band) {
			band[c+i] = -float64(v)
		}
	}
}

// diagonal of cell i of the row, in FP64.
func (st *stencil) diagonal(i int) float64 {
	v := float64(st.west[i]) + float64(st.east[i]) + float64(st.south[i]) + float64(st.north[i]) +
		float64(st.below[i]) + float64(st.above[i])
	if st.ground != nil {
		v += float64(st.ground[i])
	}
	if st.capacity != nil {
		v += float64(st.capacity[i])
	}
	return v
}
