package cuda

import (
	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// level is one grid of the hierarchy on the device.
type level struct {
	nx, ny, nz          int
	sheet, cells        int64
	gx, gy, gz, inverse *vector
	ground              cu.DevicePtr // planes in the system's slots
	capacity            *vector
	lines               *kernels.Lines
	next                transfer
}

// transfer to the next coarser level.
type transfer struct {
	x, y       direction
	weightSlot cu.DevicePtr
	wx, wy     cu.DevicePtr // planes with conductance-weighted interpolation
}

// direction along x or y. A direction that is kept has every cell as its own parent.
type direction struct {
	parent, first cu.DevicePtr
	far, beyond   cu.DevicePtr // weight and number of the farther coarse cell; the own one where there is none
}

// Shape of the level in cells.
func (l *level) Shape() (nx, ny, nz int) { return l.nx, l.ny, l.nz }

func newLevel(nx, ny, nz int) *level {
	sheet := int64(nx) * int64(ny)
	return &level{nx: nx, ny: ny, nz: nz, sheet: sheet, cells: sheet * int64(nz)}
}

// NewVector makes a vector on a level.
func (s *system) NewVector(l ops.Level) (ops.Vector, error) {
	lv := l.(*level)
	return s.newVector(lv.cells, int64(lv.nx), 4), s.err
}

// Finest is the level of the system.
func (s *system) Finest() (ops.Level, error) {
	l := newLevel(s.nx, s.ny, s.nz)
	l.gx, l.gy, l.gz, l.ground, l.capacity = s.gx, s.gy, s.gz, s.ground.data, s.capacity
	s.finest = l
	s.factor(l)
	if kernels.LineClass(s.nz) == 0 && s.longColumn == nil {
		s.longColumn = s.newVector(s.cells, int64(s.nx), 4)
	}
	return l, s.err
}

// factor computes the pivots of a level's columns.
func (s *system) factor(l *level) {
	lines, err := s.columns(l.nz)
	s.note(err)
	l.lines = lines
	l.inverse = s.newVector(l.cells, int64(l.nx), 4)
	if s.err == nil {
		s.note(s.level.Factor(s.stream, [3]uint32{blocks(l.nx, kernels.LevelThreads), uint32(l.ny), 1}, int32(l.nx), int32(l.ny), int32(l.nz),
			l.gx.at, l.gy.at, l.gz.at, l.ground, s.ground.onDev, l.capacity.address(), l.inverse.at))
	}
}

// Coarsen builds the next level and the transfer between.
func (s *system) Coarsen(fine ops.Level, c ops.Coarsening) (ops.Level, error) {
	f := fine.(*level)
	l := newLevel(c.X.Coarse(f.nx), c.Y.Coarse(f.ny), f.nz)
	l.gx, l.gy, l.gz = s.newVector(l.cells, int64(l.nx), 4), s.newVector(l.cells, int64(l.nx), 4), s.newVector(l.cells, int64(l.nx), 4)
	l.ground = s.alloc(int64(s.ground.count) * l.sheet * 4)
	if f.capacity != nil {
		l.capacity = s.newVector(l.cells, int64(l.nx), 4)
	}
	f.next.x, f.next.y = s.direction(c.X, f.nx), s.direction(c.Y, f.ny)
	if s.err == nil {
		s.note(s.level.Coarsen(s.stream, [3]uint32{blocks(l.nx, kernels.LevelThreads), uint32(l.ny), uint32(l.nz)}, int32(f.nx), int32(f.ny),
			f.gx.at, f.gy.at, f.gz.at, f.ground, s.ground.onDev, f.capacity.address(), int32(l.nx), int32(l.ny), f.next.x.first, f.next.y.first,
			l.gx.at, l.gy.at, l.gz.at, l.ground, l.capacity.address()))
	}
	s.factor(l)
	s.weigh(f, l, c)
	s.wait()
	return l, s.err
}

// direction uploads a pairing of n cells.
func (s *system) direction(p ops.Pairing, n int) direction {
	parent, far := p.Parent, p.Far
	if parent == nil {
		parent, far = make([]int32, n), make([]float32, n)
		for i := range parent {
			parent[i] = int32(i)
		}
	}
	first := make([]int32, int(parent[n-1])+2)
	for i := n - 1; i >= 0; i-- {
		first[parent[i]] = int32(i)
	}
	first[len(first)-1] = int32(n)
	coarse := int32(len(first) - 1)
	beyond := make([]int32, n)
	for i, p := range parent {
		b := p + 1
		if int(first[p]) == i {
			b = p - 1
		}
		if first[p+1]-first[p] == 1 || b < 0 || b >= coarse {
			b = p
		}
		beyond[i] = b
	}
	return direction{upload(&s.space, parent), upload(&s.space, first), upload(&s.space, far), upload(&s.space, beyond)}
}

func (l *level) columnGrid() [3]uint32 {
	return [3]uint32{blocks(l.nx, kernels.LinesThreads), uint32(l.ny), 1}
}

// Start sets x = c T^-1 b.
func (s *system) Start(l ops.Level, x, b ops.Vector, c float32) {
	if !s.ready() {
		return
	}
	lv := l.(*level)
	s.note(lv.lines.Start(s.stream, lv.columnGrid(), int32(lv.nx), int32(lv.ny), int32(lv.nz), lv.gz.at, lv.inverse.at, ptr(b), ptr(x), c))
}

// Step sets dst = x + a (x - prev) + c T^-1 (b - A x).
func (s *system) Step(l ops.Level, dst, x, prev, b ops.Vector, a, c float32) {
	if !s.ready() {
		return
	}
	lv := l.(*level)
	if lv == s.finest {
		g := lv.columnGrid()
		s.note(lv.lines.StepDot(s.stream, g, int32(lv.nx), int32(lv.ny), int32(lv.nz), lv.gx.at, lv.gy.at, lv.gz.at, lv.inverse.at,
			ptr(b), ptr(x), ptr(prev), ptr(dst), a, c, s.longColumn.address(), s.partial))
		s.stepped.dst, s.stepped.b, s.stepped.blocks = dst, b, int32(g[0]*g[1])
		return
	}
	s.note(lv.lines.Step(s.stream, lv.columnGrid(), int32(lv.nx), int32(lv.ny), int32(lv.nz), lv.gx.at, lv.gy.at, lv.gz.at, lv.inverse.at,
		ptr(b), ptr(x), ptr(prev), ptr(dst), a, c, s.longColumn.address()))
}

// restrictGrid is a block per tile of coarse cells and plane.
func (l *level) restrictGrid() [3]uint32 {
	return [3]uint32{blocks(l.nx, kernels.TransferTX), blocks(l.ny, kernels.TransferTY), uint32(l.nz)}
}

// RestrictStart sets bc = P^T (b - A x) for x = omega T^-1 b.
func (s *system) RestrictStart(fine, coarse ops.Level, bc, b, x ops.Vector, omega float32) {
	if !s.ready() {
		return
	}
	f, c := fine.(*level), coarse.(*level)
	t := &f.next
	s.note(s.transfer.RestrictStart(s.stream, c.restrictGrid(), int32(f.nx), int32(f.ny), f.gx.at, f.gy.at, ptr(b), ptr(x), 1-omega,
		int32(c.nx), int32(c.ny), t.x.first, t.x.far, t.y.first, t.y.far, t.weightSlot, t.wx, t.wy, ptr(bc)))
}

// Restrict sets bc = P^T (b - A x).
func (s *system) Restrict(fine, coarse ops.Level, bc, b, x ops.Vector) {
	if !s.ready() {
		return
	}
	f, c := fine.(*level), coarse.(*level)
	t := &f.next
	s.note(s.transfer.RestrictResidual(s.stream, c.restrictGrid(), int32(f.nx), int32(f.ny), int32(f.nz), f.gx.at, f.gy.at, f.gz.at,
		f.ground, s.ground.onDev, f.capacity.address(), ptr(b), ptr(x), int32(c.nx), int32(c.ny),
		t.x.first, t.x.far, t.y.first, t.y.far, t.weightSlot, t.wx, t.wy, ptr(bc)))
}

// Prolong sets x += P xc.
func (s *system) Prolong(fine, coarse ops.Level, x, xc ops.Vector) {
	if !s.ready() {
		return
	}
	f, c := fine.(*level), coarse.(*level)
	t := &f.next
	grid := [3]uint32{blocks(f.nx, kernels.TransferProlongThreads), uint32(f.ny), 1}
	if t.wx == 0 && t.wy == 0 {
		grid[2] = uint32(f.nz+1) / 2
		s.note(s.transfer.Prolong(s.stream, grid, int32(f.nx), int32(f.ny), int32(f.nz), int32(c.nx), int32(c.ny),
			t.x.parent, t.x.beyond, t.x.far, t.y.parent, t.y.beyond, t.y.far, ptr(xc), ptr(x)))
		return
	}
	s.note(s.transfer.ProlongWeighted(s.stream, grid, int32(f.nx), int32(f.ny), int32(f.nz), int32(c.nx), int32(c.ny),
		t.x.parent, t.x.beyond, t.x.far, t.y.parent, t.y.beyond, t.y.far, t.weightSlot, t.wx, t.wy, ptr(xc), ptr(x)))
}
