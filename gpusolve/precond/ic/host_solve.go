package ic

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

// hostTriangles is the factor in FP32, and a vector between the two solves.
type hostTriangles struct {
	s       *host.Space
	off     [][]float32
	inverse []float32
	middle  []float32
	bytes   int64
	levelTask
	r, z []float32
}

// Triangles rounds the factor.
func (f *hostFactor) Triangles() (Triangles, error) {
	t := &hostTriangles{s: f.s, levelTask: levelTask{order: f.order, nx: f.NX, ny: f.NY, nz: f.NZ}}
	single := func(v []float64) []float32 {
		r := reuse.Make[float32](f.s.Arrays(), len(v))
		for c, x := range v {
			r[c] = float32(x)
		}
		return r
	}
	for _, v := range f.Off {
		t.off = append(t.off, single(v))
	}
	t.inverse, t.middle = single(f.Inverse), reuse.Make[float32](f.s.Arrays(), len(f.Inverse))
	t.bytes = 4 * int64(len(t.middle)) * int64(len(t.off)+2)
	f.s.Account(t.bytes)
	return t, nil
}

// Bytes the triangles take.
func (t *hostTriangles) Bytes() int64 { return t.bytes }

// Release forgets the triangles.
func (t *hostTriangles) Release() {
	t.s.Account(-t.bytes)
	*t = hostTriangles{s: t.s}
}

// Solve goes up the levels with L, and down with D and L^T.
func (t *hostTriangles) Solve(z, r ops.Vector) {
	t.r, t.z = host.Singles(r), host.Singles(z)
	t.body = t.lower
	t.sweep(t.s, false)
	t.body = t.upper
	t.sweep(t.s, true)
}

// lower solves L y = r along a row.
func (t *hostTriangles) lower(k, j int) {
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
func (t *hostTriangles) upper(k, j int) {
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
