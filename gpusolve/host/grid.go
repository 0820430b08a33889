package host

import (
	"math"

	"thermsim/gpusolve/host/simd"
	"thermsim/gpusolve/ops"
)

// grid is what the system of a mesh has whatever its operator is: vectors over the cells, and sums over its rows.
type grid struct {
	Space
	PlaneReducer
	nx, ny, nz int
	sheet      int       // cells per plane
	partial    []float64 // perRow sums for each row
	share      *share    // nil where no ranks share the grid
}

func (g *grid) init(d *Device, nx, ny, nz int) {
	g.nx, g.ny, g.nz, g.sheet = nx, ny, nz, nx*ny
	g.Space = newSpace(d, g.sheet*nz, nx)
	g.PlaneReducer = NewPlaneReducer(&g.Space, nx, ny, nz, func(x ops.Vector) []float64 {
		return x.(*vec64).values()
	})
	g.partial = make([]float64, perRow*ny)
}

// rows runs a task over the rows of the finest grid.
func (g *grid) rows(t Task) { g.Run(t, g.ny, g.cells) }

// owns says whether a row that the grid holds is its own.
func (g *grid) owns(j int) bool { return g.share == nil || j >= g.share.first && j < g.share.last }

// sums are the first n numbers of each row that a task has left in partial.
func (g *grid) sums(n int) rowSums {
	if g.share == nil {
		return g.partial
	}
	return g.share.joinRows(g, n)
}

// loop is a loop body over rows.
type loop func(lo, hi, worker int)

func (f loop) Run(lo, hi, worker int) { f(lo, hi, worker) }

// forRows measures fields row by row; there may be no y.
func (g *grid) forRows(x, y ops.Vector, body func(x, y []float64, j int)) {
	v := Doubles(x)
	var w []float64
	if y != nil {
		w = Doubles(y)
	}
	g.rows(loop(func(lo, hi, _ int) {
		for j := lo; j < hi; j++ {
			body(v, w, j)
		}
	}))
}

// perRow is how many sums a row has room for.
const perRow = 5

// rowSums are perRow numbers for each row, of all rows of the grid where ranks share it: added in the order of the rows
// they have the same bits for any number of ranks and of workers.
type rowSums []float64

// of adds up the n-th number of all rows.
func (r rowSums) of(n int) float64 {
	t := 0.0
	for ; n < len(r); n += perRow {
		t += r[n]
	}
	return t
}

// largest is the largest n-th number of a row, or least; NaN where any is NaN.
func (r rowSums) largest(n int, least float64) float64 {
	top := least
	for ; n < len(r); n += perRow {
		top = max(top, r[n])
	}
	return top
}

// fail keeps the first failure of the ranks, after which sums are no numbers.
func (s *Space) fail(err error) {
	if s.fault == nil {
		s.fault = err
	}
}

// lost marks values that no rank can report any more.
func lost(v []float64) {
	for i := range v {
		v[i] = math.NaN()
	}
}

func (s *grid) Max(x ops.Vector) float64 {
	s.forRows(x, nil, s.maxRow)
	return s.sums(1).largest(0, math.Inf(-1))
}

func (s *grid) maxRow(x, _ []float64, j int) {
	top := math.Inf(-1)
	for k := range s.nz {
		c := k*s.sheet + j*s.nx
		for _, v := range x[c : c+s.nx] {
			top = max(top, v)
		}
	}
	s.partial[perRow*j] = top
}

func (s *grid) Combine(dst ops.Vector, a float64, x ops.Vector, b float64, y ops.Vector) {
	s.Sum(dst, []float64{a, b}, []ops.Vector{x, y})
}

// Sum sets dst to the weighted sum of two vectors or more, with the bits of Combine of the first two and then of dst
// and one more at a time. Only the first may be dst.
func (s *grid) Sum(dst ops.Vector, weights []float64, of []ops.Vector) {
	to := Doubles(dst)
	x, y := Doubles(of[0]), Doubles(of[1])
	s.rows(loop(func(lo, hi, _ int) {
		for k := range s.nz {
			end := k*s.sheet + hi*s.nx
			for at := k*s.sheet + lo*s.nx; at < end; at += cached {
				next := min(at+cached, end)
				v := to[at:next]
				simd.CombineDoubles(v, x[at:next], y[at:next], weights[0], weights[1])
				for n, z := range of[2:] {
					simd.CombineDoubles(v, v, Doubles(z)[at:next], 1, weights[2+n])
				}
			}
		}
	}))
}

// cached is the number of values that stay in the first cache between passes.
const cached = 512

func (s *grid) Inner(x, y ops.Vector) (product, largest float64) {
	s.forRows(x, y, s.innerRow)
	sums := s.sums(2)
	return sums.of(0), sums.largest(1, 0)
}

// innerRow adds in four sums, which the processor can do side by side.
func (s *grid) innerRow(x, y []float64, j int) {
	var sum, top [4]float64
	for k := range s.nz {
		c := k*s.sheet + j*s.nx
		a, b := x[c:c+s.nx], y[c:c+s.nx]
		i := 0
		for ; i+4 <= len(a); i += 4 {
			for n := range sum {
				sum[n] += a[i+n] * b[i+n]
				top[n] = max(top[n], math.Abs(a[i+n]))
			}
		}
		for ; i < len(a); i++ {
			sum[0] += a[i] * b[i]
			top[0] = max(top[0], math.Abs(a[i]))
		}
	}
	s.partial[perRow*j], s.partial[perRow*j+1] = (sum[0]+sum[1])+(sum[2]+sum[3]),
		max(max(top[0], top[1]), max(top[2], top[3]))
}

func (s *grid) Differences(x, old ops.Vector, past [4]ops.Vector) (products [5]float64) {
	s.goOver(x, old, past, func(j int, x, old []float64, d *[4][]float32) {
		measure((*[5]float64)(s.partial[perRow*j:]), x, old, d)
	})
	sums := s.sums(len(products))
	for n := range products {
		products[n] = sums.of(n)
	}
	return products
}

func (s *grid) Extrapolate(x, old ops.Vector, past [4]ops.Vector, weights [4]float64) {
	s.goOver(x, old, past, func(_ int, x, old []float64, d *[4][]float32) { continued(x, old, d, weights) })
}

// goOver visits states and the differences before them row by row; nil are those that are not kept. Of each row the
// partial sums are zero before its first plane.
func (s *grid) goOver(x, old ops.Vector, past [4]ops.Vector, visit func(j int, x, old []float64, d *[4][]float32)) {
	v, before, n := Doubles(x), Doubles(old), s.nx
	s.rows(loop(func(lo, hi, _ int) {
		for j := lo; j < hi; j++ {
			clear(s.partial[perRow*j : perRow*(j+1)])
			for k := range s.nz {
				c := k*s.sheet + j*n
				var d [4][]float32
				for m := range d {
					if past[m] != nil {
						d[m] = Singles(past[m])[c : c+n]
					}
				}
				visit(j, v[c:c+n], before[c:c+n], &d)
			}
		}
	}))
}

// measure adds a row to the products.
func measure(sums *[5]float64, x, old []float64, d *[4][]float32) {
	var s [5]float64
	old, d1, d2, d3, d4 := old[:len(x)], d[0][:len(x)], d[1][:len(x)], d[2][:len(x)], d[3][:len(x)]
	for i, v := range x {
		d0 := float64(float32(v - old[i]))
		s[0] += d0 * d0
		s[1] += d0 * float64(d1[i])
		s[2] += d0 * float64(d2[i])
		s[3] += d0 * float64(d3[i])
		s[4] += d0 * float64(d4[i])
	}
	for m := range s {
		sums[m] += s[m]
	}
}

// continued moves a row on. The last of the former differences gives its place to the newest.
func continued(x, old []float64, d *[4][]float32, w [4]float64) {
	old = old[:len(x)]
	for i, v := range x {
		d0 := v - old[i]
		next := v
		if w[0] != 0 {
			next += w[0] * d0
		}
		for m := 1; m < len(w); m++ {
			if w[m] != 0 {
				next += w[m] * float64(d[m-1][i])
			}
		}
		x[i], old[i] = next, v
		if d[3] != nil {
			d[3][i] = float32(d0)
		}
	}
}
