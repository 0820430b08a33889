package host

import "thermsim/gpusolve/ops"

var (
	_ ops.Incomplete = (*matrix)(nil)
	_ ops.Incomplete = (*system)(nil)
)

// wavefront goes through a grid's rows (j,k) in the order of their dependencies: rows of one level, j + k for the star and j + 2k for the diamond, are
// independent of each other and shared among the workers. Within a row, cells come one after the other.
type wavefront struct {
	order, nx, ny, nz int
	body              func(k, j int)
	level, first      int // of the rows being run, and the first k
}

func (w *wavefront) Run(lo, hi, _ int) {
	for n := lo; n < hi; n++ {
		k := w.first + n
		w.body(k, w.level-(1+w.order)*k)
	}
}

// sweep calls body for all rows, upwards or downwards.
func (w *wavefront) sweep(p *pool, down bool) {
	step := 1 + w.order
	last := w.ny - 1 + step*(w.nz-1)
	for n := range last + 1 {
		w.level = n
		if down {
			w.level = last - n
		}
		w.first = max(0, (w.level-w.ny+step)/step) // so that j < ny
		if rows := min(w.nz-1, w.level/step) - w.first + 1; rows > 0 {
			p.run(w, rows, rows*w.nx)
		}
	}
}

// icFactor is L and 1/D in FP64.
type icFactor struct {
	s *Space
	*ops.FactorEntries
	order int
	bytes int64
}

// Factorise computes an incomplete factor.
func (s *Space) Factorise(a ops.Diagonals, how ops.Incompleteness) (ops.IncompleteFactor, error) {
	d := a.Download()
	if !d.Symmetric() {
		return nil, &ops.Misfit{Reason: ops.NotSymmetric}
	}
	misfit := func(c int, reason ops.MisfitReason) error {
		return &ops.Misfit{I: c % d.NX, J: c / d.NX % d.NY, K: c / (d.NX * d.NY), Reason: reason}
	}
	n := d.N()
	for c := range n {
		if c%d.NX == d.NX-1 && c < len(d.X) && d.X[c] != 0 || c/d.NX%d.NY == d.NY-1 && c < len(d.Y) && d.Y[c] != 0 {
			return nil, misfit(c, ops.WrapsAround)
		}
	}
	f := &icFactor{s: s, order: how.Order, FactorEntries: &ops.FactorEntries{NX: d.NX, NY: d.NY, NZ: d.NZ, Inverse: make([]float64, n)}}
	for range ops.IncompleteNeighbours(how.Order) {
		f.Off = append(f.Off, make([]float64, n))
	}
	f.bytes = 8 * int64(n) * int64(len(f.Off)+1)
	s.Account(f.bytes)
	e := &incompleteElimination{Diagonals: d, FactorEntries: f.FactorEntries, scale: 1 + how.Shift}
	w := &wavefront{order: how.Order, nx: d.NX, ny: d.NY, nz: d.NZ, body: e.star}
	if how.Order == 1 {
		w.body = e.diamond
	}
	w.sweep(s.dev.pool, false)
	for c, v := range f.Inverse {
		if v == 0 {
			f.Release()
			return nil, misfit(c, ops.NotPositive)
		}
	}
	return f, nil
}

// Download is the factor itself.
func (f *icFactor) Download() *ops.FactorEntries { return f.FactorEntries }

// Release forgets the factor.
func (f *icFactor) Release() {
	f.s.Account(-f.bytes)
	f.bytes, f.FactorEntries = 0, nil
}

// triangles is the factor in FP32, and a vector between the two solves.
type triangles struct {
	s       *Space
	off     [][]float32
	inverse []float32
	middle  []float32
	bytes   int64
	wavefront
	r, z []float32
}

// Triangles rounds a factor.
func (s *Space) Triangles(factorised ops.IncompleteFactor) (ops.Triangles, error) {
	f := factorised.(*icFactor)
	t := &triangles{s: s, wavefront: wavefront{order: f.order, nx: f.NX, ny: f.NY, nz: f.NZ}}
	single := func(v []float64) []float32 {
		r := make([]float32, len(v))
		round(r, v)
		return r
	}
	for _, v := range f.Off {
		t.off = append(t.off, single(v))
	}
	t.inverse, t.middle = single(f.Inverse), make([]float32, len(f.Inverse))
	t.bytes = 4 * int64(len(t.middle)) * int64(len(t.off)+2)
	s.Account(t.bytes)
	return t, nil
}

// Bytes the triangles take.
func (t *triangles) Bytes() int64 { return t.bytes }

// Release forgets the triangles.
func (t *triangles) Release() {
	t.s.Account(-t.bytes)
	*t = triangles{s: t.s}
}

// SolveTriangles sets z = (L D L^T)^-1 r.
func (s *Space) SolveTriangles(solved ops.Triangles, z, r ops.Vector) {
	t := solved.(*triangles)
	t.r, t.z = r.(*vec32).values(), z.(*vec32).values()
	t.body = t.lower
	t.sweep(s.dev.pool, false)
	t.body = t.upper
	t.sweep(s.dev.pool, true)
}

// lower solves L y = r along a row.
func (t *triangles) lower(k, j int) {
	nx, sheet := t.nx, t.nx*t.ny
	first := (k*t.ny + j) * nx
	y, x := t.middle, t.off[0]
	last := float32(0)
	for c := first; c < first+nx; c++ {
		v := t.r[c]
		if k > 0 {
			v -= t.off[2][c] * y[c-sheet]
		}
		if j > 0 {
			v -= t.off[1][c] * y[c-nx]
		}
		if t.order == 1 {
			if j > 0 {
				v -= t.off[3][c] * y[c-nx+1]
			}
			if k > 0 {
				v -= t.off[4][c]*y[c-sheet+1] + t.off[5][c]*y[c-sheet+nx]
			}
		}
		last = v - x[c]*last
		y[c] = last
	}
}

// upper solves D L^T z = y along a row.
func (t *triangles) upper(k, j int) {
	nx, sheet := t.nx, t.nx*t.ny
	first := (k*t.ny + j) * nx
	z, n := t.z, len(t.middle)
	for c := first + nx - 1; c >= first; c-- {
		v := t.middle[c] * t.inverse[c]
		add := func(diagonal, above int) {
			if above < n {
				v -= t.off[diagonal][above] * z[above]
			}
		}
		if c+1 < first+nx {
			v -= t.off[0][c+1] * z[c+1]
		}
		if j+1 < t.ny {
			v -= t.off[1][c+nx] * z[c+nx]
		}
		if k+1 < t.nz {
			v -= t.off[2][c+sheet] * z[c+sheet]
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
}
