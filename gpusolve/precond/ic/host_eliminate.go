package ic

import (
	"math"

	"thermsim/gpusolve/sparse"
)

// elimination computes the rows of L and 1/D. With V = L D, whose entries are named v, elimination of row c reads
//
//	v_cj = a_cj - sum over k < j of v_ck l_jk,   l_cj = v_cj / d_j,   d_c = a_cc - sum over j < c of v_cj l_cj
//
// where j runs over the neighbours of the pattern. What is left of the sums is written out below; see docs/ic.md.
type elimination struct {
	*sparse.Diagonals
	*Entries
	scale float64
}

// settle keeps the inverse of a pivot, or 0 where that is not positive. Later rows of the grid then mean nothing, but earlier ones are right, so that
// the first 0 is where elimination in natural order would have failed.
func (e *elimination) settle(c int, pivot float64) {
	if pivot > 0 && !math.IsInf(pivot, 1) {
		e.Inverse[c] = 1 / pivot
	}
}

// star eliminates a row of cells with the pattern of the matrix.
func (e *elimination) star(k, j int) {
	nx, sheet := e.Diagonals.NX, e.Diagonals.NX*e.Diagonals.NY
	lx, ly, lz, inverse := e.Off[0], e.Off[1], e.Off[2], e.Inverse
	first := (k*e.Diagonals.NY + j) * nx
	for c := first; c < first+nx; c++ {
		d := e.scale * e.Main[c]
		if k > 0 {
			v := e.Z[c-sheet]
			lz[c] = v * inverse[c-sheet]
			d -= v * lz[c]
		}
		if j > 0 {
			v := e.Y[c-nx]
			ly[c] = v * inverse[c-nx]
			d -= v * ly[c]
		}
		if c > first {
			v := e.X[c-1]
			lx[c] = v * inverse[c-1]
			d -= v * lx[c]
		}
		e.settle(c, d)
	}
}

// diamond eliminates a row of cells with one level of fill.
func (e *elimination) diamond(k, j int) {
	nx, ny, sheet := e.Diagonals.NX, e.Diagonals.NY, e.Diagonals.NX*e.Diagonals.NY
	lx, ly, lz, lxy, lxz, lyz, inverse := e.Off[0], e.Off[1], e.Off[2], e.Off[3], e.Off[4], e.Off[5], e.Inverse
	first := (k*ny + j) * nx
	for c := first; c < first+nx; c++ {
		var vx, vy, vz, vxy, vxz, vyz float64
		more := c+1 < first+nx // there is a next cell in the row
		if k > 0 {
			vz = e.Z[c-sheet]
			lz[c] = vz * inverse[c-sheet]
			if more {
				vxz = -vz * lx[c-sheet+1]
				lxz[c] = vxz * inverse[c-sheet+1]
			}
			if n := c - sheet + nx; j+1 < ny {
				vyz = -vz*ly[n] - vxz*lxy[n]
				lyz[c] = vyz * inverse[n]
			}
		}
		if j > 0 {
			vy = e.Y[c-nx] - vz*lyz[c-nx]
			ly[c] = vy * inverse[c-nx]
			if n := c - nx + 1; more {
				vxy = -vxz*lyz[n] - vy*lx[n]
				lxy[c] = vxy * inverse[n]
			}
		}
		if c > first {
			vx = e.X[c-1] - vz*lxz[c-1] - vy*lxy[c-1]
			lx[c] = vx * inverse[c-1]
		}
		e.settle(c, e.scale*e.Main[c]-vz*lz[c]-vxz*lxz[c]-vyz*lyz[c]-vy*ly[c]-vxy*lxy[c]-vx*lx[c])
	}
}
