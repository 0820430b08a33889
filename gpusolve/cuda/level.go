package cuda

import (
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// level is one grid of the hierarchy on the device.
type level struct {
	nx, ny, nz          int
	sheet, cells        int64
	gx, gy, gz, inverse *vector[float32]
	ground              cudriver.Ptr[float32] // planes in the system's slots
	capacity            *vector[float32]
	lines               *kernels.Lines
	next                transfer
	from                *level // the finer one, nil of the finest
	weighted            int64  // planes with conductance-weighted interpolation from the finer level
}

// transfer to the next coarser level.
type transfer struct {
	x, y       direction
	weightSlot cudriver.Ptr[int32]
	wx, wy     cudriver.Ptr[float32] // planes with conductance-weighted interpolation
}

// direction along x or y. A direction that is kept has every cell as its own parent.
type direction struct {
	parent, first cudriver.Ptr[int32]
	far           cudriver.Ptr[float32] // weight of the farther coarse cell
	beyond        cudriver.Ptr[int32]   // its number; the own one where there is none
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
	return NewVector[float32](&s.Space, lv.cells, int64(lv.nx)), s.err
}

// Finest is the level of the system.
func (s *system) Finest() (ops.Level, error) {
	l := newLevel(s.nx, s.ny, s.nz)
	l.gx, l.gy, l.gz, l.ground, l.capacity = s.gx, s.gy, s.gz, s.ground.data, s.capacity
	s.reserveFactor(l)
	s.compute(l)
	if kernels.LineClass(s.nz) == 0 && s.longColumn == nil {
		s.longColumn = NewVector[float32](&s.Space, s.cells, int64(s.nx))
	}
	return l, s.err
}

// reserveFactor takes what the pivots of a level's columns need.
func (s *system) reserveFactor(l *level) {
	lines, err := s.columns(l.nz)
	s.Note(err)
	l.lines = lines
	l.inverse = NewVector[float32](&s.Space, l.cells, int64(l.nx))
}

// RefreshLevel computes a level again.
func (s *system) RefreshLevel(l ops.Level) error {
	s.stepped.dst = nil
	s.compute(l.(*level))
	return s.err
}

// compute fills a level from the finer one, factors its columns, and weighs the interpolation from it.
func (s *system) compute(l *level) {
	f := l.from
	if f != nil && s.err == nil {
		s.Note(s.level.Coarsen(s.Stream, s.Grid(l.nx, kernels.LevelThreads, l.ny, l.nz), kernels.LevelCoarsenArgs{
			Nx: int32(f.nx), Ny: int32(f.ny), Gx: f.gx.at, Gy: f.gy.at, Gz: f.gz.at, Ground: f.ground, GroundSlot: s.ground.onDev,
			Capacity: f.capacity.address(), Cx: int32(l.nx), Cy: int32(l.ny), FirstX: f.next.x.first, FirstY: f.next.y.first,
			Cgx: l.gx.at, Cgy: l.gy.at, Cgz: l.gz.at, Cground: l.ground, Ccapacity: l.capacity.address(),
		}))
	}
	s.factor(l)
	if f != nil {
		s.weigh(f, l)
	}
}

// factor computes the pivots of a level's columns.
func (s *system) factor(l *level) {
	if s.err == nil {
		s.Note(s.level.Factor(s.Stream, s.Grid(l.nx, kernels.LevelThreads, l.ny, 1), kernels.LevelFactorArgs{
			Nx: int32(l.nx), Ny: int32(l.ny), Nz: int32(l.nz), Gx: l.gx.at, Gy: l.gy.at, Gz: l.gz.at, Ground: l.ground,
			GroundSlot: s.ground.onDev, Capacity: l.capacity.address(), Inverse: l.inverse.at,
		}))
	}
}

// Coarsen builds the next level and the transfer between.
func (s *system) Coarsen(fine ops.Level, c ops.Coarsening) (ops.Level, error) {
	f := fine.(*level)
	l := newLevel(c.X.Coarse(f.nx), c.Y.Coarse(f.ny), f.nz)
	l.gx, l.gy, l.gz = NewVector[float32](&s.Space, l.cells, int64(l.nx)), NewVector[float32](&s.Space, l.cells, int64(l.nx)), NewVector[float32](&s.Space, l.cells, int64(l.nx))
	l.ground = Alloc[float32](&s.Space, int64(s.ground.count)*l.sheet)
	if f.capacity != nil {
		l.capacity = NewVector[float32](&s.Space, l.cells, int64(l.nx))
	}
	f.next.x, f.next.y = s.directions(c, f.nx, f.ny)
	l.from = f
	s.reserveFactor(l)
	s.reserveWeights(l, c)
	s.compute(l)
	return l, s.err
}

// pair holds the tables of a pairing of cells, as they go to the device.
type pair struct {
	parent, first, beyond []int32
	far                   []float32
}

func pairOf(p ops.Pairing, n int) pair {
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
	return pair{parent, first, beyond, far}
}

func (p *pair) bytes() int64 {
	return bytesOf(p.parent) + bytesOf(p.first) + bytesOf(p.far) + bytesOf(p.beyond)
}

// directions uploads the pairings of a level's rows and columns in one piece.
func (s *system) directions(c ops.Coarsening, nx, ny int) (x, y direction) {
	px, py := pairOf(c.X, nx), pairOf(c.Y, ny)
	total := px.bytes() + py.bytes()
	p := packer{base: Alloc[byte](&s.Space, total), bytes: make([]byte, 0, total)}
	x, y = packPair(&p, px), packPair(&p, py)
	Send(&s.Space, p.base, p.bytes)
	return x, y
}

func packPair(p *packer, t pair) direction {
	return direction{parent: pack(p, t.parent), first: pack(p, t.first), far: pack(p, t.far), beyond: pack(p, t.beyond)}
}

func (s *system) columnGrid(l *level) [3]uint32 {
	return s.Grid(l.nx, kernels.LinesThreads, l.ny, 1)
}

// Start sets x = c T^-1 b.
func (s *system) Start(l ops.Level, x, b ops.Vector, c float32) {
	if !s.Ready() {
		return
	}
	lv := l.(*level)
	s.Note(lv.lines.Start(s.Stream, s.columnGrid(lv), kernels.LinesStartArgs{
		Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), Gz: lv.gz.at, Inverse: lv.inverse.at, B: F32(b), X: F32(x), Scale: c,
	}))
}

// Step sets dst = x + a (x - prev) + c T^-1 (b - A x).
func (s *system) Step(l ops.Level, dst, x, prev, b ops.Vector, a, c float32) {
	if !s.Ready() {
		return
	}
	lv := l.(*level)
	if lv.from == nil && lv.ny <= s.mostRows {
		g := s.columnGrid(lv)
		s.Note(lv.lines.StepDot(s.Stream, g, kernels.LinesStepDotArgs{
			Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), Gx: lv.gx.at, Gy: lv.gy.at, Gz: lv.gz.at, Inverse: lv.inverse.at,
			B: F32(b), X: F32(x), Prev: F32(prev), Dst: F32(dst), A: a, Scale: c, Scratch: s.longColumn.address(),
			Partial: s.partial,
		}))
		s.stepped.dst, s.stepped.b, s.stepped.blocks = dst, b, int32(g[0]*g[1])
		return
	}
	s.Note(lv.lines.Step(s.Stream, s.columnGrid(lv), kernels.LinesStepArgs{
		Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), Gx: lv.gx.at, Gy: lv.gy.at, Gz: lv.gz.at, Inverse: lv.inverse.at,
		B: F32(b), X: F32(x), Prev: F32(prev), Dst: F32(dst), A: a, Scale: c, Scratch: s.longColumn.address(),
	}))
}

// restrictGrid is a block per tile of coarse cells and plane.
func (s *system) restrictGrid(l *level) [3]uint32 {
	return s.Grid(l.nx, kernels.TransferTX, int(Blocks(l.ny, kernels.TransferTY)), l.nz)
}

// RestrictStart sets bc = P^T (b - A x) for x = omega T^-1 b.
func (s *system) RestrictStart(fine, coarse ops.Level, bc, b, x ops.Vector, omega float32) {
	if !s.Ready() {
		return
	}
	f, c := fine.(*level), coarse.(*level)
	t := &f.next
	s.Note(s.transfer.RestrictStart(s.Stream, s.restrictGrid(c), kernels.TransferRestrictStartArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Gx: f.gx.at, Gy: f.gy.at, B: F32(b), X: F32(x), Keep: 1 - omega, Cx: int32(c.nx),
		Cy: int32(c.ny), FirstX: t.x.first, FarX: t.x.far, FirstY: t.y.first, FarY: t.y.far, WeightSlot: t.weightSlot, Wx: t.wx,
		Wy: t.wy, Bc: F32(bc),
	}))
}

// Restrict sets bc = P^T (b - A x).
func (s *system) Restrict(fine, coarse ops.Level, bc, b, x ops.Vector) {
	if !s.Ready() {
		return
	}
	f, c := fine.(*level), coarse.(*level)
	t := &f.next
	s.Note(s.transfer.RestrictResidual(s.Stream, s.restrictGrid(c), kernels.TransferRestrictResidualArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Gx: f.gx.at, Gy: f.gy.at, Gz: f.gz.at, Ground: f.ground,
		GroundSlot: s.ground.onDev, Capacity: f.capacity.address(), B: F32(b), X: F32(x), Cx: int32(c.nx), Cy: int32(c.ny),
		FirstX: t.x.first, FarX: t.x.far, FirstY: t.y.first, FarY: t.y.far, WeightSlot: t.weightSlot, Wx: t.wx, Wy: t.wy,
		Bc: F32(bc),
	}))
}

// Prolong sets x += P xc.
func (s *system) Prolong(fine, coarse ops.Level, x, xc ops.Vector) {
	if !s.Ready() {
		return
	}
	f, c := fine.(*level), coarse.(*level)
	t := &f.next
	if t.wx.IsNil() && t.wy.IsNil() {
		grid := s.Grid(f.nx, kernels.TransferProlongThreads, f.ny, (f.nz+1)/2)
		s.Note(s.transfer.Prolong(s.Stream, grid, kernels.TransferProlongArgs{
			Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Cx: int32(c.nx), Cy: int32(c.ny), NearX: t.x.parent,
			BeyondX: t.x.beyond, FarX: t.x.far, NearY: t.y.parent, BeyondY: t.y.beyond, FarY: t.y.far, Xc: F32(xc), X: F32(x),
		}))
		return
	}
	s.Note(s.transfer.ProlongWeighted(s.Stream, s.Grid(f.nx, kernels.TransferProlongThreads, f.ny, 1), kernels.TransferProlongWeightedArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Cx: int32(c.nx), Cy: int32(c.ny), NearX: t.x.parent, BeyondX: t.x.beyond,
		FarX: t.x.far, NearY: t.y.parent, BeyondY: t.y.beyond, FarY: t.y.far, WeightSlot: t.weightSlot, Wx: t.wx, Wy: t.wy,
		Xc: F32(xc), X: F32(x),
	}))
}
