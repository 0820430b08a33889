package multigrid

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// hostLevel is one grid of the multigrid hierarchy. The couplings of the finest are the system's own; coarser ones hold theirs.
type hostLevel struct {
	s            *hostOperations
	nx, ny, nz   int
	sheet, cells int
	pad          int
	gx, gy, gz   []float32    // padded
	ground       [][]float32  // per plane, boundary and capacity together, nil where zero
	from         *hostLevel   // the finer one, nil of the finest
	inverse      []float32    // padded: 1/pivot of the columns' elimination from the bottom
	next         hostTransfer // to the next coarser level
}

// hostTransfer describes the interpolation between a level and the next.
type hostTransfer struct {
	x, y hostDirection
	// wx[k] and wy[k] are, cell by cell, the weights of the farther coarse neighbour along x and y; nil for planes that interpolate
	// geometrically.
	wx, wy [][]float32
}

// hostDirection is the interpolation along x or y.
type hostDirection struct {
	Pairing
	first []int32 // first fine cell of each coarse one, and the number of fine cells as the last entry
	// regular says that all cells are paired and weigh 3/4 and 1/4, 1 at the ends.
	regular bool
}

func newHostDirection(p Pairing, n int) hostDirection {
	d := hostDirection{Pairing: p}
	if p.Parent == nil {
		return d
	}
	d.first = make([]int32, p.Coarse(n)+1)
	for i := n - 1; i >= 0; i-- {
		d.first[p.Parent[i]] = int32(i)
	}
	d.first[len(d.first)-1] = int32(n)
	d.regular = n%2 == 0 && len(d.first)-1 == n/2
	for i := 1; i < n-1 && d.regular; i++ {
		d.regular = p.Far[i] == 0.25
	}
	return d
}

// kept says that the direction is not coarsened.
func (d *hostDirection) kept() bool { return d.Parent == nil }

// span is the half-open range of fine cells of a coarse one.
func (d *hostDirection) span(c int) (lo, hi int) {
	if d.kept() {
		return c, c + 1
	}
	return int(d.first[c]), int(d.first[c+1])
}

// parents are the coarse cells that fine cell i is interpolated from; far is -1 where there is only one.
func (d *hostDirection) parents(i int) (near, far int) {
	if d.kept() {
		return i, -1
	}
	near = int(d.Parent[i])
	lo, hi := d.span(near)
	switch {
	case hi-lo == 1:
		return near, -1
	case i == lo:
		return near, near - 1
	case near+2 < len(d.first):
		return near, near + 1
	}
	return near, -1
}

// rowsOf returns the coarse rows that fine row j takes part in, and the geometric weight of the farther; far is -1 where there is none.
func (d *hostDirection) rowsOf(j int) (near, far int, weight float32) {
	near, far = d.parents(j)
	if far >= 0 {
		weight = d.Far[j]
	}
	return near, far, weight
}

// Shape of the level in cells.
func (l *hostLevel) Shape() (nx, ny, nz int) { return l.nx, l.ny, l.nz }

func newHostLevel(s *hostOperations, nx, ny, nz int) *hostLevel {
	return &hostLevel{s: s, nx: nx, ny: ny, nz: nz, sheet: nx * ny, cells: nx * ny * nz, pad: nx}
}

func (l *hostLevel) new32() []float32 {
	v := make([]float32, l.cells+2*l.pad)
	l.s.Account(int64(len(v)) * 4)
	return v
}

// rows runs a task over n rows of this level.
func (l *hostLevel) rows(t host.Task, n int) { l.s.Run(t, n, l.cells) }

// Finest is the level of the system.
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
			l.ground[k] = make([]float32, l.sheet)
			s.Account(int64(l.sheet) * 4)
		}
	}
	l.inverse = l.new32()
	l.compute()
	return l, nil
}

// RefreshLevel computes a level again.
func (s *hostOperations) RefreshLevel(l Level) error {
	l.(*hostLevel).compute()
	return nil
}

// mergeGround sets ground + capacity of the planes that have both; the sum is the preconditioner's only, the operator keeps them apart.
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
	if l.from == nil {
		l.mergeGround()
	} else {
		l.rows(&coarsenTask{l.from, l}, l.ny)
	}
	l.rows(&factorTask{l}, l.ny)
	if l.from != nil {
		l.from.rows(&weighTask{l.from}, l.from.ny)
	}
}

// NewVector makes a vector on a level.
func (s *hostOperations) NewVector(l Level) (ops.Vector, error) {
	lv := l.(*hostLevel)
	return s.NewSingles(lv.cells, lv.pad), nil
}

// factorTask eliminates the columns from the bottom up. With m the conductances of a cell to everything outside its column,
//
//	t_k = m_k + g_{k-1/2} t_{k-1} / (g_{k-1/2} + t_{k-1}),   pivot_k = g_{k+1/2} + t_k
//
// All terms are positive, so FP32 loses nothing to cancellation.
type factorTask struct{ l *hostLevel }

func (t *factorTask) Run(lo, hi, worker int) {
	l := t.l
	n := l.nx
	tk := l.s.Scratch(worker).Floats(n)
	for j := lo; j < hi; j++ {
		for k := range l.nz {
			c := l.pad + k*l.sheet + j*n
			for i := range n {
				m := l.gx[c+i] + l.gx[c+i-1] + l.gy[c+i] + l.gy[c+i-n]
				if g := l.ground[k]; g != nil {
					m += g[j*n+i]
				}
				if k > 0 {
					g := l.gz[c+i-l.sheet]
					m += g * (tk[i] / (g + tk[i]))
				}
				tk[i] = m
				l.inverse[c+i] = 1 / (l.gz[c+i] + m)
			}
		}
	}
}
