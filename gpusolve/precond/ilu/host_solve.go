package ilu

import (
	"unsafe"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

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

// Bytes the triangles take.
func (t *hostTriangles[T]) Bytes() int64 { return t.bytes }

// Release forgets the triangles.
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
