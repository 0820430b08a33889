package ddilu

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

type brickTask[T float32 | float64] struct {
	f       *hostBricks[T]
	z       []T
	r       []float32
	rounded []float32 // where z goes in FP32, if it is not that
}

// Solve sets z = M^-1 r, several bricks at a time.
func (f *hostBricks[T]) Solve(z, r ops.Vector) {
	f.solve = brickTask[T]{f: f, r: host.Singles(r)}
	switch to := any(&f.solve.z).(type) {
	case *[]float32:
		*to = host.Singles(z)
	default:
		f.solve.z, f.solve.rounded = f.middle, host.Singles(z)
	}
	f.s.Run(&f.solve, f.bricks(), f.s.Cells())
	f.solve = brickTask[T]{}
}

func (t *brickTask[T]) Run(lo, hi, _ int) {
	for b := lo; b < hi; b++ {
		s := t.f.span(b)
		t.forward(s)
		t.backward(s)
	}
}

// forward solves with I + L, then with D.
func (t *brickTask[T]) forward(b span) {
	f, z, r := t.f, t.z, t.r
	nx, sheet := f.shape[0], f.shape[0]*f.shape[1]
	for k := b.lo[2]; k < b.hi[2]; k++ {
		for j := b.lo[1]; j < b.hi[1]; j++ {
			row := (k*f.shape[1] + j) * nx
			for c := row + b.lo[0]; c < row+b.hi[0]; c++ {
				v := T(r[c])
				if c > row+b.lo[0] {
					v -= f.lower[0][c] * z[c-1]
				}
				if j > b.lo[1] {
					v -= f.lower[1][c] * z[c-nx]
				}
				if k > b.lo[2] {
					v -= f.lower[2][c] * z[c-sheet]
				}
				z[c] = v
			}
		}
	}
}

// backward divides by D and solves with I + U. Of a symmetric factor U[c][n] is L[n][c].
func (t *brickTask[T]) backward(b span) {
	f, z := t.f, t.z
	nx, sheet := f.shape[0], f.shape[0]*f.shape[1]
	dx, dy, dz := 0, 0, 0
	if f.symmetric {
		dx, dy, dz = 1, nx, sheet
	}
	for k := b.hi[2] - 1; k >= b.lo[2]; k-- {
		for j := b.hi[1] - 1; j >= b.lo[1]; j-- {
			row := (k*f.shape[1] + j) * nx
			for c := row + b.hi[0] - 1; c >= row+b.lo[0]; c-- {
				v := z[c] * f.inverse[c]
				if c < row+b.hi[0]-1 {
					v -= f.upper[0][c+dx] * z[c+1]
				}
				if j < b.hi[1]-1 {
					v -= f.upper[1][c+dy] * z[c+nx]
				}
				if k < b.hi[2]-1 {
					v -= f.upper[2][c+dz] * z[c+sheet]
				}
				z[c] = v
			}
			if t.rounded != nil {
				for c := row + b.lo[0]; c < row+b.hi[0]; c++ {
					t.rounded[c] = float32(z[c])
				}
			}
		}
	}
}
