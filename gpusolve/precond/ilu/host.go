package ilu

import (
	"math"
	"unsafe"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

// levelTask goes through a grid's rows (j,k) in the order of their dependencies: rows of one level, j + k for the star
// and j + 2k for the diamond, are independent of each other and shared among the workers. Within a row, cells come one
// after the other.
type levelTask struct {
	order, nx, ny, nz int
	body              func(k, j int)
	level, first      int // of the rows being run, and the first k
}

func (t *levelTask) Run(lo, hi, _ int) {
	for n := lo; n < hi; n++ {
		k := t.first + n
		t.body(k, t.level-(1+t.order)*k)
	}
}

// sweep calls body for all rows, upwards or downwards.
func (t *levelTask) sweep(s *host.Space, down bool) {
	step := 1 + t.order
	last := t.ny - 1 + step*(t.nz-1)
	for n := range last + 1 {
		t.level = n
		if down {
			t.level = last - n
		}
		t.first = max(0, (t.level-t.ny+step)/step) // so that j < ny
		if rows := min(t.nz-1, t.level/step) - t.first + 1; rows > 0 {
			s.Run(t, rows, rows*t.nx)
		}
	}
}

// hostFactor is L, U and 1/D in FP64.
type hostFactor struct {
	s *host.Space
	*Entries
	how   Options
	bytes int64
}

// hostOperations are those of an operator on the processor.
type hostOperations struct{ *host.Space }

func onHost(s ops.Operator) (operations, bool, error) {
	on, ok := host.SpaceOf(s)
	return hostOperations{on}, ok, nil
}

func (o hostOperations) factorise(a ops.Diagonals, how Options) (Factor, error) {
	s := o.Space
	d := a.Download()
	misfit := func(c int, reason MisfitReason) error {
		return &Misfit{I: c % d.NX, J: c / d.NX % d.NY, K: c / (d.NX * d.NY), Reason: reason}
	}
	n := d.N()
	lowerX, lowerY, lowerZ := d.Lower()
	crosses := func(band []float64, c int) bool { return c < len(band) && band[c] != 0 }
	for c := range n {
		if c%d.NX == d.NX-1 && (crosses(d.X, c) || crosses(lowerX, c)) || c/d.NX%d.NY == d.NY-1 &&
			(crosses(d.Y, c) || crosses(lowerY, c)) {
			return nil, misfit(c, WrapsAround)
		}
	}
	f := &hostFactor{s: s, how: how,
		Entries: &Entries{NX: d.NX, NY: d.NY, NZ: d.NZ, Inverse: reuse.Make[float64](s.Arrays(), n)}}
	e := &elimination{Entries: f.Entries, main: d.Main, scale: 1 + how.Shift, symmetric: d.Symmetric()}
	f.Lower = e.side(s, how.Order, lowerX, lowerY, lowerZ)
	f.Upper = f.Lower
	f.bytes = 8 * int64(n) * int64(len(f.Lower)+1)
	if !e.symmetric {
		f.Upper = e.side(s, how.Order, d.X, d.Y, d.Z)
		f.bytes += 8 * int64(n) * int64(len(f.Upper))
	}
	s.Account(f.bytes)
	w := &levelTask{order: how.Order, nx: d.NX, ny: d.NY, nz: d.NZ, body: e.star}
	if how.Order == 1 {
		w.body = e.diamond
	}
	w.sweep(s, false)
	for c, v := range f.Inverse {
		if v == 0 {
			f.Release()
			return nil, misfit(c, badPivot(e.symmetric))
		}
	}
	return f, nil
}

func (f *hostFactor) Download() *Entries { return f.Entries }

func (f *hostFactor) Release() {
	f.s.Account(-f.bytes)
	f.bytes, f.Entries = 0, nil
}

// elimination computes the rows of L and U^T and 1/D. With V = L D and W = (D U)^T, whose entries are v and w, the
// elimination of row and column c is as follows.
//
//	v_cj = a_cj - sum over k < j of v_ck u_kj,   l_cj = v_cj / d_j,   d_c = a_cc - sum over j < c of v_cj u_jc
//	w_cj = a_jc - sum over k < j of w_ck l_jk,   u_jc = w_cj / d_j.
//
// Here j and k run over the neighbours of the pattern. So either side is the recurrence of a symmetric matrix with the
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

// hostTriangles is the factor in the precision of its solves, and a vector between the two.
type hostTriangles[T float32 | float64] struct {
	s            *host.Space
	below, above [][]T // the rows of L and of U^T
	inverse      []T
	middle       []T
	bytes        int64
	levelTask
	r       []float32
	z       []T       // where the second solve leaves its result
	rounded []float32 // and once more, where that is FP64
}

// Triangles rounds the factor, or takes it over as it is.
func (f *hostFactor) Triangles() (Triangles, error) {
	if f.how.Double {
		f.s.Account(-f.bytes)
		f.bytes = 0
		return trianglesOf(f, func(v []float64) []float64 { return v }), nil
	}
	return trianglesOf(f, func(v []float64) []float32 {
		r := reuse.Make[float32](f.s.Arrays(), len(v))
		for c, x := range v {
			r[c] = float32(x)
		}
		return r
	}), nil
}

func trianglesOf[T float32 | float64](f *hostFactor, kept func([]float64) []T) *hostTriangles[T] {
	t := &hostTriangles[T]{s: f.s, levelTask: levelTask{order: f.how.Order, nx: f.NX, ny: f.NY, nz: f.NZ}}
	for _, v := range f.Lower {
		t.below = append(t.below, kept(v))
	}
	t.above = t.below
	diagonals := len(t.below)
	if &f.Upper[0] != &f.Lower[0] {
		t.above = nil
		for _, v := range f.Upper {
			t.above = append(t.above, kept(v))
		}
		diagonals *= 2
	}
	t.inverse, t.middle = kept(f.Inverse), reuse.Make[T](f.s.Arrays(), len(f.Inverse))
	t.bytes = int64(unsafe.Sizeof(t.middle[0])) * int64(len(t.middle)) * int64(diagonals+2)
	f.s.Account(t.bytes)
	return t
}

func (t *hostTriangles[T]) Release() {
	t.s.Account(-t.bytes)
	*t = hostTriangles[T]{s: t.s}
}

// Solve goes up the levels with L, and down with D and U.
func (t *hostTriangles[T]) Solve(z, r ops.Vector) {
	t.r = host.Singles(r)
	switch to := any(&t.z).(type) {
	case *[]float32:
		*to = host.Singles(z)
	default:
		t.z, t.rounded = t.middle, host.Singles(z)
	}
	t.body = t.lower
	t.sweep(t.s, false)
	t.body = t.upper
	t.sweep(t.s, true)
}

// lower solves L y = r along a row.
func (t *hostTriangles[T]) lower(k, j int) {
	nx, sheet := t.nx, t.nx*t.ny
	first := (k*t.ny + j) * nx
	y, x := t.middle, t.below[0]
	last := T(0)
	for c := first; c < first+nx; c++ {
		v := T(t.r[c])
		if k > 0 {
			v -= t.below[2][c] * y[c-sheet]
		}
		if j > 0 {
			v -= t.below[1][c] * y[c-nx]
		}
		if t.order == 1 {
			if j > 0 {
				v -= t.below[3][c] * y[c-nx+1]
			}
			if k > 0 {
				v -= t.below[4][c]*y[c-sheet+1] + t.below[5][c]*y[c-sheet+nx]
			}
		}
		last = v - x[c]*last
		y[c] = last
	}
}

// upper solves D U z = y along a row. z may be y.
func (t *hostTriangles[T]) upper(k, j int) {
	nx, sheet := t.nx, t.nx*t.ny
	first := (k*t.ny + j) * nx
	z, n := t.z, len(t.middle)
	for c := first + nx - 1; c >= first; c-- {
		v := t.middle[c] * t.inverse[c]
		add := func(diagonal, above int) {
			if above < n {
				v -= t.above[diagonal][above] * z[above]
			}
		}
		if c+1 < first+nx {
			v -= t.above[0][c+1] * z[c+1]
		}
		if j+1 < t.ny {
			v -= t.above[1][c+nx] * z[c+nx]
		}
		if k+1 < t.nz {
			v -= t.above[2][c+sheet] * z[c+sheet]
		}
		if t.order == 1 {
			// Entries that would lie outside the grid are zero.
			if j+1 < t.ny {
				add(3, c+nx-1)
			}
			if k+1 < t.nz {
				add(4, c+sheet-1)
				if j > 0 {
					add(5, c+sheet-nx)
				}
			}
		}
		z[c] = v
	}
	if t.rounded != nil {
		for c := first; c < first+nx; c++ {
			t.rounded[c] = float32(z[c])
		}
	}
}
