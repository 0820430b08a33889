package ilu

import (
	"math"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/reuse"
)

// elimination computes the rows of L and U^T and 1/D. With V = L D and W = (D U)^T, whose entries are named v and w,
// elimination of row and column c reads
//
//	v_cj = a_cj - sum over k < j of v_ck u_kj,   l_cj = v_cj / d_j,   d_c = a_cc - sum over j < c of v_cj u_jc
//	w_cj = a_jc - sum over k < j of w_ck l_jk,   u_jc = w_cj / d_j
//
// where j and k run over the neighbours of the pattern. So either side is the recurrence of a symmetric matrix with the
// other side's entries in its products. What is left of the sums is written out below; see docs/explanation/ilu.md.
type elimination struct {
	*Entries
	main      []float64
	sides     []side
	scale     float64
	symmetric bool
}

// side is the diagonals of A below or above the main one, and what is made of them.
type side struct {
	x, y, z []float64
	off     [6][]float64 // as Neighbours has them
}

// side adds a side and returns its entries, which are zero.
func (e *elimination) side(s *host.Space, order int, x, y, z []float64) (off [][]float64) {
	n := side{x: x, y: y, z: z}
	for m := range Neighbours(order) {
		n.off[m] = reuse.Make[float64](s.Arrays(), len(e.main))
		off = append(off, n.off[m])
	}
	e.sides = append(e.sides, n)
	return off
}

// settle keeps the inverse of a pivot, or 0 where that cannot be used. Later rows of the grid then mean nothing, but
// earlier ones are right, so that the first 0 is where elimination in natural order would have failed.
func (e *elimination) settle(c int, pivot float64) {
	if (pivot > 0 || pivot < 0 && !e.symmetric) && !math.IsInf(pivot, 0) {
		e.Inverse[c] = 1 / pivot
	}
}

// star eliminates a row of cells with the pattern of the matrix.
func (e *elimination) star(k, j int) {
	first := (k*e.NY + j) * e.NX
	low, up := &e.sides[0], &e.sides[len(e.sides)-1]
	for c := first; c < first+e.NX; c++ {
		if up != low {
			e.quotients(up, k, j, c, c > first)
		}
		vx, vy, vz := e.quotients(low, k, j, c, c > first)
		u := &up.off
		e.settle(c, e.scale*e.main[c]-vz*u[2][c]-vy*u[1][c]-vx*u[0][c])
	}
}

// quotients are the entries of a cell on one side of the star, which it returns times the pivots: those of the matrix.
func (e *elimination) quotients(own *side, k, j, c int, left bool) (vx, vy, vz float64) {
	nx, sheet, inverse := e.NX, e.NX*e.NY, e.Inverse
	if k > 0 {
		vz = own.z[c-sheet]
		own.off[2][c] = vz * inverse[c-sheet]
	}
	if j > 0 {
		vy = own.y[c-nx]
		own.off[1][c] = vy * inverse[c-nx]
	}
	if left {
		vx = own.x[c-1]
		own.off[0][c] = vx * inverse[c-1]
	}
	return vx, vy, vz
}

// diamond eliminates a row of cells with one level of fill.
func (e *elimination) diamond(k, j int) {
	first := (k*e.NY + j) * e.NX
	low, up := &e.sides[0], &e.sides[len(e.sides)-1]
	for c := first; c < first+e.NX; c++ {
		if up != low {
			e.entries(up, low, k, j, c, c > first)
		}
		vx, vy, vz, vxy, vxz, vyz := e.entries(low, up, k, j, c, c > first)
		u := &up.off
		e.settle(c, e.scale*e.main[c]-vz*u[2][c]-vxz*u[4][c]-vyz*u[5][c]-vy*u[1][c]-vxy*u[3][c]-vx*u[0][c])
	}
}

// entries computes those of a cell on one side, and returns them times the pivots.
func (e *elimination) entries(own, other *side, k, j, c int, left bool) (vx, vy, vz, vxy, vxz, vyz float64) {
	nx, sheet, inverse := e.NX, e.NX*e.NY, e.Inverse
	l, u := &own.off, &other.off
	more := (c+1)%nx != 0 // there is a next cell in the row
	if k > 0 {
		vz = own.z[c-sheet]
		l[2][c] = vz * inverse[c-sheet]
		if more {
			vxz = -vz * u[0][c-sheet+1]
			l[4][c] = vxz * inverse[c-sheet+1]
		}
		if n := c - sheet + nx; j+1 < e.NY {
			vyz = -vz*u[1][n] - vxz*u[3][n]
			l[5][c] = vyz * inverse[n]
		}
	}
	if j > 0 {
		vy = own.y[c-nx] - vz*u[5][c-nx]
		l[1][c] = vy * inverse[c-nx]
		if n := c - nx + 1; more {
			vxy = -vxz*u[5][n] - vy*u[0][n]
			l[3][c] = vxy * inverse[n]
		}
	}
	if left {
		vx = own.x[c-1] - vz*u[4][c-1] - vy*u[3][c-1]
		l[0][c] = vx * inverse[c-1]
	}
	return vx, vy, vz, vxy, vxz, vyz
}
