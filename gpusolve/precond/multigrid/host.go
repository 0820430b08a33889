package multigrid

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/host/simd"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

// hostOperations are those of a system on the processor.
type hostOperations struct {
	noBottom
	*host.Conductances

	// The operations' arguments, kept here so that dispatching them allocates nothing.
	smoothOp   smoothTask
	restrictOp restrictTask
	prolongOp  prolongTask
}

func onHost(a ops.System) (Operations, bool, error) {
	c, ok := host.ConductancesOf(a)
	return &hostOperations{Conductances: c}, ok, nil
}

// values are those of a vector with the pads on either side, nil for no vector.
func values(v ops.Vector) []float32 {
	if v == nil {
		return nil
	}
	return host.PaddedSingles(v)
}

// hostLevel is one grid of the multigrid hierarchy. The couplings of the finest are the system's own; coarser ones hold
// theirs.
type hostLevel struct {
	s            *hostOperations
	nx, ny, nz   int
	sheet, cells int
	pad          int
	gx, gy, gz   []float32    // padded
	generation   int          // of the system's couplings when these were computed
	ground       [][]float32  // per plane, boundary and capacity together, nil where zero
	from         *hostLevel   // the finer one, nil of the finest
	inverse      []float32    // padded: 1/pivot of the columns' elimination from the bottom
	next         hostTransfer // to the next coarser level
	cool         *hostCooling // nil where no coolant flows
}

func (l *hostLevel) Shape() (nx, ny, nz int) { return l.nx, l.ny, l.nz }

func newHostLevel(s *hostOperations, nx, ny, nz int) *hostLevel {
	return &hostLevel{s: s, nx: nx, ny: ny, nz: nz, sheet: nx * ny, cells: nx * ny * nz, pad: nx}
}

func (l *hostLevel) new32() []float32 {
	v := reuse.Make[float32](l.s.Arrays(), l.cells+2*l.pad)
	l.s.Account(int64(len(v)) * 4)
	return v
}

// rows runs a task over n rows of this level.
func (l *hostLevel) rows(t host.Task, n int) { l.s.Run(t, n, l.cells) }

func (s *hostOperations) Finest() (Level, error) {
	l := newHostLevel(s, s.NX, s.NY, s.NZ)
	l.gx, l.gy, l.gz = s.GX, s.GY, s.GZ
	l.ground = make([][]float32, l.nz)
	for k := range l.ground {
		switch g, c := s.Ground[k], s.Capacity[k]; {
		case g == nil:
			l.ground[k] = c
		case c == nil:
			l.ground[k] = g
		default:
			l.ground[k] = l.newSheet()
		}
	}
	l.inverse = l.new32()
	l.cooled()
	l.compute()
	return l, nil
}

func (s *hostOperations) RefreshLevel(l Level) error {
	lv := l.(*hostLevel)
	if lv.generation != s.Generation() || lv.cool != nil {
		lv.compute()
		return nil
	}
	if lv.from == nil {
		lv.mergeGround()
	} else {
		lv.rows(&groundTask{lv.from, lv}, lv.ny)
	}
	lv.rows(&factorTask{lv}, lv.ny)
	return nil
}

// mergeGround sets ground + capacity of the planes that have both; the sum is the preconditioner's only, the operator
// keeps them apart.
func (l *hostLevel) mergeGround() {
	for k, sum := range l.ground {
		if g, c := l.s.Ground[k], l.s.Capacity[k]; g != nil && c != nil {
			for i := range sum {
				sum[i] = g[i] + c[i]
			}
		}
	}
}

// compute fills the level from the finer one, or from the system, and the interpolation from the finer one.
func (l *hostLevel) compute() {
	l.generation = l.s.Generation()
	if l.from == nil {
		l.mergeGround()
	} else {
		l.rows(&coarsenTask{l.from, l}, l.ny)
		l.rows(&groundTask{l.from, l}, l.ny)
	}
	if l.cool == nil {
		l.rows(&factorTask{l}, l.ny)
	} else {
		l.computeCooled()
	}
	if l.from != nil {
		l.from.rows(&weighTask{l.from}, l.from.ny)
	}
}

func (s *hostOperations) NewVector(l Level) (ops.Vector, error) {
	lv := l.(*hostLevel)
	return s.NewSingles(lv.cells, lv.pad), nil
}

// factorTask eliminates the columns from the bottom up. With m the conductances of a cell to everything outside its
// column,
//
//	t_k = m_k + g_{k-1/2} t_{k-1} / (g_{k-1/2} + t_{k-1}),   pivot_k = g_{k+1/2} + t_k
//
// All terms are positive, so FP32 loses nothing to cancellation.
type factorTask struct{ l *hostLevel }

func (t *factorTask) Run(lo, hi, worker int) {
	l := t.l
	w := l.s.Scratch(worker).Floats(2 * tile)
	for first := lo * l.nx; first < hi*l.nx; first += tile {
		n := min(tile, hi*l.nx-first)
		rest, none := w[:n], w[tile:tile+n]
		for i := range rest {
			rest[i] = 1 // beside no coupling to a plane below
		}
		clear(none)
		for k := range l.nz {
			c := l.pad + k*l.sheet + first
			ground, below := none, none
			if g := l.ground[k]; g != nil {
				ground = g[first : first+n]
			}
			if k > 0 {
				below = l.gz[c-l.sheet:][:n]
			}
			around := l.around(l.gx, c, n) // no value is needed
			simd.Factor(l.inverse[c:c+n], rest, ground, below, l.gz[c:c+n], &around)
		}
	}
}

var _ SlabOperations = (*hostOperations)(nil)

func (s *hostOperations) Whole(l Level, rows int) (Level, error) {
	part := l.(*hostLevel)
	w := newHostLevel(s, part.nx, rows, part.nz)
	w.gx, w.gy, w.gz, w.inverse = w.new32(), w.new32(), w.new32(), w.new32()
	w.ground = make([][]float32, w.nz)
	for k, g := range part.ground {
		if g != nil {
			w.ground[k] = w.newSheet()
		}
	}
	return w, nil
}

// Coefficients are the couplings, the pivots and the ground of every plane that has some.
func (s *hostOperations) Coefficients(l Level) []Coefficient {
	v := l.(*hostLevel)
	all := []Coefficient{
		{Vector: host.SinglesOf(v.gx, v.pad)}, {Vector: host.SinglesOf(v.gy, v.pad), Between: true},
		{Vector: host.SinglesOf(v.gz, v.pad)}, {Vector: host.SinglesOf(v.inverse, v.pad)},
	}
	for _, g := range v.ground {
		if g != nil {
			all = append(all, Coefficient{Vector: host.SinglesOf(g, 0)})
		}
	}
	return all
}

// tile is the number of columns solved together: their elimination stays in the first caches for any number of planes
// that matters.
const tile = 512

// smoothTask is Start where x is nil, and else Step.
type smoothTask struct {
	l               *hostLevel
	dst, x, prev, b []float32
	w               Relaxation
}

// Start sets x = c T^-1 b. It reads b, gz, inverse (twice gz) and writes x: 16 bytes per cell from memory.
func (s *hostOperations) Start(l Level, x, b ops.Vector, c float32) {
	s.smooth(smoothTask{l.(*hostLevel), values(x), nil, nil, values(b), Relaxation{C: c}})
}

// Step sets dst = x + a (x - prev) + c T^-1 (b - A x). Since T is A without its lateral couplings, T^-1 (b - A x) is
// T^-1 (b + lateral x) - x, which needs neither the diagonal nor the vertical part of A x. It reads x, b, gx, gy, gz,
// inverse and writes dst: 28 bytes per cell, 32 with prev.
func (s *hostOperations) Step(l Level, dst, x, prev, b ops.Vector, w Relaxation) {
	s.smooth(smoothTask{l.(*hostLevel), values(dst), values(x), values(prev), values(b), w})
}

func (s *hostOperations) Before(l Level, z, x, b ops.Vector, c Smoothing) Smoothed {
	return before(s, l, z, x, b, c)
}

func (s *hostOperations) After(l Level, z, x, b ops.Vector, c Smoothing) { after(s, l, z, x, b, c) }

func (s *hostOperations) smooth(t smoothTask) {
	s.smoothOp = t
	t.l.rows(&s.smoothOp, t.l.ny)
	s.smoothOp = smoothTask{}
}

func (t *smoothTask) Run(lo, hi, worker int) {
	l := t.l
	span := l.nx // cells that tiles are cut from
	if l.cool == nil {
		span *= hi - lo // rows have no couplings across their ends
	}
	y := l.s.Scratch(worker).Floats((l.nz + 1) * min(tile, span)) // the planes, and a right-hand side
	for first := lo * l.nx; first < hi*l.nx; first += span {
		for i := 0; i < span; i += tile {
			t.columns(first+i, min(tile, span-i), y)
		}
	}
}

// columns solves n columns of which the first has this number in its plane.
func (t *smoothTask) columns(first, n int, y []float32) {
	l := t.l
	c := l.pad + first
	var below []float32
	for k := range l.nz {
		yk := y[k*n : k*n+n]
		b := l.right(y[l.nz*n:(l.nz+1)*n], t.b[c:c+n], y, t.x, k, c)
		if t.x == nil {
			simd.Start(yk, b, l.inverse[c:c+n], l.below(k, c, n), below)
		} else {
			x := l.around(t.x, c, n)
			simd.Eliminate(yk, b, l.inverse[c:c+n], l.below(k, c, n), below, &x)
		}
		below = yk
		c += l.sheet
	}
	for k := l.nz - 1; k >= 0; k-- {
		c -= l.sheet
		yk := y[k*n : k*n+n]
		if k < l.nz-1 {
			l.substitute(yk, y[(k+1)*n:], k, c)
		}
		dst := t.dst[c : c+n]
		switch {
		case t.x == nil:
			simd.Scale(dst, yk, t.w.C)
		case t.prev != nil:
			simd.Momentum(dst, t.x[c:c+n], t.prev[c:c+n], yk, t.w.A, t.w.C)
		default:
			simd.Combine(dst, t.x[c:c+n], yk, 1+t.w.A-t.w.C, t.w.C)
		}
	}
}

// below are the couplings of n cells of plane k to the plane below, nil at the bottom, as the elimination leaves them;
// c is the offset of the first cell.
func (l *hostLevel) below(k, c, n int) []float32 {
	if k == 0 {
		return nil
	}
	return l.above(k-1, c-l.sheet, n)
}

// above are those to the plane above.
func (l *hostLevel) above(k, c, n int) []float32 {
	if l.cool != nil && l.cool.eliminated[k] != nil {
		cell := c - l.pad - k*l.sheet
		return l.cool.eliminated[k][cell : cell+n]
	}
	return l.gz[c : c+n]
}

// substitute adds to yk what the solved planes above contribute, one after the other in solved.
func (l *hostLevel) substitute(yk, solved []float32, k, c int) {
	n := len(yk)
	simd.Substitute(yk, l.above(k, c, n), l.inverse[c:c+n], solved[:n])
	if l.cool != nil && l.cool.far[k] != nil {
		cell := c - l.pad - k*l.sheet
		simd.Substitute(yk, l.cool.far[k][cell:cell+n], l.inverse[c:c+n], solved[n:2*n])
	}
}

// around are n values of x from offset c on, with their neighbours in the plane.
func (l *hostLevel) around(x []float32, c, n int) simd.Lateral[float32] {
	return simd.Around(l.gx, l.gy, x, c, n, l.nx)
}
