package ddilu

import (
	"math"
	"unsafe"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
	"thermsim/gpusolve/sparse"
)

// hostOperations are those on the processor.
type hostOperations struct{ *host.Space }

func onHost(s ops.Operator) (operations, bool, error) {
	on, ok := host.SpaceOf(s)
	return hostOperations{on}, ok, nil
}

// hostBricks is a factor in the grid's own order. Entries that would couple two bricks are zero.
type hostBricks[T float32 | float64] struct {
	s            *host.Space
	shape, cells [3]int
	count        [3]int // bricks in each direction
	lower, upper [3][]T
	inverse      []T
	middle       []T // between the two solves, where that is not z
	bytes        int64
	solve        brickTask[T]
	symmetric    bool
}

// brickRows keeps a brick's factor in a processor's second cache.
func (s hostOperations) brickRows(double bool) int {
	if double {
		return 2048
	}
	return 4096
}

// factorBricks factors every brick in the natural order of its rows.
func (s hostOperations) factorBricks(form ops.Diagonals, cut Cut) (Factor, error) {
	if cut.Double {
		return hostBricksOf[float64](s, form, cut)
	}
	return hostBricksOf[float32](s, form, cut)
}

func hostBricksOf[T float32 | float64](s hostOperations, form ops.Diagonals, cut Cut) (Factor, error) {
	d := form.Download()
	f := &hostBricks[T]{s: s.Space, shape: [3]int{d.NX, d.NY, d.NZ}, cells: cut.Cells, symmetric: d.Symmetric()}
	for a := range 3 {
		f.count[a] = (f.shape[a] + f.cells[a] - 1) / f.cells[a]
	}
	n := d.N()
	for a := range f.lower {
		f.lower[a] = reuse.Make[T](s.Arrays(), n)
		f.upper[a] = f.lower[a]
		if !f.symmetric {
			f.upper[a] = reuse.Make[T](s.Arrays(), n)
		}
	}
	f.inverse = reuse.Make[T](s.Arrays(), n)
	planes := 4
	if !f.symmetric {
		planes = 7
	}
	if cut.Double {
		f.middle = reuse.Make[T](s.Arrays(), n)
		planes++
	}
	f.bytes = int64(unsafe.Sizeof(T(0))) * int64(planes) * int64(n)
	t := brickFactorTask[T]{f: f, d: d, inverse: reuse.Make[float64](s.Arrays(), n), shift: 1 + cut.Shift,
		bad: reuse.Make[int](s.Arrays(), f.bricks())}
	s.Run(&t, f.bricks(), n)
	bad := -1
	for _, row := range t.bad {
		if row >= 0 && (bad < 0 || row < bad) {
			bad = row
		}
	}
	if bad >= 0 {
		return nil, &BadPivot{Row: bad}
	}
	s.Account(f.bytes)
	return f, nil
}

func (f *hostBricks[T]) bricks() int { return f.count[0] * f.count[1] * f.count[2] }

func (f *hostBricks[T]) Release() {
	f.s.Account(-f.bytes)
	f.bytes = 0
}

// span is a brick: its cells from lo to hi in each direction.
type span struct{ lo, hi [3]int }

func (f *hostBricks[T]) span(brick int) (b span) {
	for a := range 3 {
		b.lo[a] = brick % f.count[a] * f.cells[a]
		b.hi[a] = min(b.lo[a]+f.cells[a], f.shape[a])
		brick /= f.count[a]
	}
	return b
}

type brickFactorTask[T float32 | float64] struct {
	f       *hostBricks[T]
	d       *sparse.Diagonals
	inverse []float64 // 1 / D
	shift   float64   // factor of the diagonal
	bad     []int     // by brick: the first row whose pivot is refused, or -1
}

func (t *brickFactorTask[T]) Run(lo, hi, _ int) {
	for b := lo; b < hi; b++ {
		t.bad[b] = t.brick(t.f.span(b))
	}
}

func (t *brickFactorTask[T]) brick(b span) (bad int) {
	f, d := t.f, t.d
	lowX, lowY, lowZ := d.Lower()
	strides := [3]int{1, d.NX, d.NX * d.NY}
	below, above := [3][]float64{lowX, lowY, lowZ}, [3][]float64{d.X, d.Y, d.Z}
	bad = -1
	var at [3]int
	for at[2] = b.lo[2]; at[2] < b.hi[2]; at[2]++ {
		for at[1] = b.lo[1]; at[1] < b.hi[1]; at[1]++ {
			for at[0] = b.lo[0]; at[0] < b.hi[0]; at[0]++ {
				c := at[0] + at[1]*strides[1] + at[2]*strides[2]
				pivot := d.Main[c] * t.shift
				for a, stride := range strides {
					if at[a] > b.lo[a] {
						l := below[a][c-stride] * t.inverse[c-stride]
						pivot -= l * above[a][c-stride]
						f.lower[a][c] = T(l)
					}
				}
				if refused(pivot, f.symmetric) && bad < 0 {
					bad = c
				}
				t.inverse[c] = 1 / pivot
				f.inverse[c] = T(t.inverse[c])
				if f.symmetric {
					continue
				}
				for a := range strides {
					if at[a] < b.hi[a]-1 {
						f.upper[a][c] = T(above[a][c] * t.inverse[c])
					}
				}
			}
		}
	}
	return bad
}

// refused says whether a pivot cannot be used.
func refused(pivot float64, symmetric bool) bool {
	return !(pivot > 0) && (symmetric || !(pivot < 0)) || math.IsInf(pivot, 0)
}

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
