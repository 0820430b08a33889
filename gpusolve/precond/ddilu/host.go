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
	inverse, bad := reuse.Make[float64](s.Arrays(), n), reuse.Make[int](s.Arrays(), f.bricks())
	s.Loop(f.bricks(), n, func(lo, hi, _ int) {
		for b := lo; b < hi; b++ {
			bad[b] = f.eliminate(d, f.span(b), 1+cut.Shift, inverse)
		}
	})
	if err := worst(bad); err != nil {
		return nil, err
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

// eliminate factors a brick, whose diagonal it multiplies by scale; inverse are those of the pivots. It returns the
// first row whose pivot is refused, or -1.
func (f *hostBricks[T]) eliminate(d *sparse.Diagonals, b span, scale float64, inverse []float64) (bad int) {
	lowX, lowY, lowZ := d.Lower()
	strides := [3]int{1, d.NX, d.NX * d.NY}
	below, above := [3][]float64{lowX, lowY, lowZ}, [3][]float64{d.X, d.Y, d.Z}
	bad = -1
	var at [3]int
	for at[2] = b.lo[2]; at[2] < b.hi[2]; at[2]++ {
		for at[1] = b.lo[1]; at[1] < b.hi[1]; at[1]++ {
			for at[0] = b.lo[0]; at[0] < b.hi[0]; at[0]++ {
				c := at[0] + at[1]*strides[1] + at[2]*strides[2]
				pivot := d.Main[c] * scale
				for a, stride := range strides {
					if at[a] > b.lo[a] {
						l := below[a][c-stride] * inverse[c-stride]
						pivot -= l * above[a][c-stride]
						f.lower[a][c] = T(l)
					}
				}
				if refused(pivot, f.symmetric) && bad < 0 {
					bad = c
				}
				inverse[c] = 1 / pivot
				f.inverse[c] = T(inverse[c])
				if f.symmetric {
					continue
				}
				for a := range strides {
					if at[a] < b.hi[a]-1 {
						f.upper[a][c] = T(above[a][c] * inverse[c])
					}
				}
			}
		}
	}
	return bad
}

// worst refuses the first of the rows that are not -1.
func worst(rows []int) error {
	bad := -1
	for _, row := range rows {
		if row >= 0 && (bad < 0 || row < bad) {
			bad = row
		}
	}
	if bad >= 0 {
		return &BadPivot{Row: bad}
	}
	return nil
}

// refused says whether a pivot cannot be used.
func refused(pivot float64, symmetric bool) bool {
	return !(pivot > 0) && (symmetric || !(pivot < 0)) || math.IsInf(pivot, 0)
}

// Solve sets z = M^-1 r, several bricks at a time.
func (f *hostBricks[T]) Solve(z, r ops.Vector) {
	from, to, rounded := host.Singles(r), f.middle, host.Singles(z)
	if single, ok := any(&to).(*[]float32); ok {
		*single, rounded = rounded, nil
	}
	f.s.Loop(f.bricks(), f.s.Cells(), func(lo, hi, _ int) {
		for b := lo; b < hi; b++ {
			s := f.span(b)
			f.forward(s, to, from)
			f.backward(s, to, rounded)
		}
	})
}

// forward solves with I + L, then with D.
func (f *hostBricks[T]) forward(b span, z []T, r []float32) {
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

// backward divides by D and solves with I + U. Of a symmetric factor U[c][n] is L[n][c]. z goes to rounded in FP32, if
// it is not that.
func (f *hostBricks[T]) backward(b span, z []T, rounded []float32) {
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
			if rounded != nil {
				for c := row + b.lo[0]; c < row+b.hi[0]; c++ {
					rounded[c] = float32(z[c])
				}
			}
		}
	}
}
