package multigrid

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// gpuLevel is one grid of the hierarchy on the device.
type gpuLevel struct {
	gpuGrid
	next     gpuTransfer
	from     *gpuLevel // the finer one, nil of the finest
	weighted int64     // planes with conductance-weighted interpolation from the finer level
	finest   bool      // the system's own, whose last step forms the sums of a dot product too
}

// gpuGrid is what levels have with or without coolant.
type gpuGrid struct {
	nx, ny, nz          int
	sheet, cells        int64
	gx, gy, gz, inverse cudriver.Ptr[float32]
	ground              cudriver.Ptr[float32] // planes in slots
	capacity            cudriver.Ptr[float32] // nowhere in a steady system
}

func newGrid(nx, ny, nz int) gpuGrid {
	sheet := int64(nx) * int64(ny)
	return gpuGrid{nx: nx, ny: ny, nz: nz, sheet: sheet, cells: sheet * int64(nz)}
}

func (l *gpuGrid) Shape() (nx, ny, nz int) { return l.nx, l.ny, l.nz }

// vector makes one on the level.
func (l *gpuGrid) vector(s *cuda.Space) ops.Vector {
	return cuda.NewVector[float32](s, l.cells, int64(l.nx))
}

// field makes a vector of what belongs to the level itself.
func (l *gpuGrid) field(s *cuda.Space) cudriver.Ptr[float32] { return cuda.F32(l.vector(s)) }

func (s *gpuOperations) NewVector(l Level) (ops.Vector, error) {
	return l.(*gpuLevel).vector(s.Space), s.Err()
}

func (s *gpuOperations) Finest() (Level, error) {
	l := &gpuLevel{gpuGrid: newGrid(s.NX, s.NY, s.NZ)}
	l.finest = true
	l.gx, l.gy, l.gz, l.ground, l.capacity = s.GX, s.GY, s.GZ, s.Ground, s.Capacity
	l.inverse = l.field(s.Space)
	s.compute(l)
	if lineClass(s.NZ) == anyLength && s.longColumn.IsNil() {
		s.longColumn = l.field(s.Space)
	}
	return l, s.Err()
}

func (s *gpuOperations) RefreshLevel(l Level) error {
	if s.Ready() {
		s.compute(l.(*gpuLevel))
	}
	return s.Err()
}

// compute fills a level from the finer one, factors its columns, and weighs the interpolation from it.
func (s *gpuOperations) compute(l *gpuLevel) {
	f := l.from
	if f != nil && s.Err() == nil {
		cuda.Launch(s.Space, &s.hierarchy.Coarsen, s.Grid(l.nx, HierarchyThreads, l.ny, l.nz), HierarchyCoarsenArgs{
			Nx: int32(f.nx), Ny: int32(f.ny), Gx: f.gx, Gy: f.gy, Gz: f.gz, Ground: f.ground, GroundSlot: s.GroundSlot,
			Capacity: f.capacity, Cx: int32(l.nx), Cy: int32(l.ny), FirstX: f.next.x.first, FirstY: f.next.y.first,
			Cgx: l.gx, Cgy: l.gy, Cgz: l.gz, Cground: l.ground, Ccapacity: l.capacity,
		})
	}
	s.factor(l)
	if f != nil {
		s.weigh(f, l)
	}
}

// factor computes the pivots of a level's columns.
func (s *gpuOperations) factor(l *gpuLevel) {
	if s.Err() == nil {
		cuda.Launch(s.Space, &s.hierarchy.Factor, s.Grid(l.nx, HierarchyThreads, l.ny, 1), HierarchyFactorArgs{
			Nx: int32(l.nx), Ny: int32(l.ny), Nz: int32(l.nz), Gx: l.gx, Gy: l.gy, Gz: l.gz, Ground: l.ground,
			GroundSlot: s.GroundSlot, Capacity: l.capacity, Inverse: l.inverse,
		})
	}
}

func (s *gpuOperations) Coarsen(fine Level, c Coarsening) (Level, error) {
	f := fine.(*gpuLevel)
	l := &gpuLevel{gpuGrid: newGrid(c.X.Coarse(f.nx), c.Y.Coarse(f.ny), f.nz)}
	l.gx, l.gy, l.gz = l.field(s.Space), l.field(s.Space), l.field(s.Space)
	l.ground = cuda.Alloc[float32](s.Space, int64(s.GroundPlanes)*l.sheet)
	if !f.capacity.IsNil() {
		l.capacity = l.field(s.Space)
	}
	f.next.x, f.next.y = directions(s.Space, c, f.nx, f.ny)
	l.from = f
	l.inverse = l.field(s.Space)
	s.reserveWeights(l, c)
	s.compute(l)
	return l, s.Err()
}

// storeAlign is what each piece of a store is rounded up to.
const storeAlign = cuda.StoreAlign

// Reserve takes the memory of a whole hierarchy in one piece. What it does not foresee is asked for apart.
func (s *gpuOperations) Reserve(plan Plan) {
	f := &gpuLevel{gpuGrid: newGrid(s.NX, s.NY, s.NZ)}
	total := 2 * f.fieldBytes() // pivots and x
	if lineClass(s.NZ) == anyLength {
		total += f.fieldBytes()
	}
	fields := int64(4 + 3) // couplings and pivots; b, z and x
	if !s.Capacity.IsNil() {
		fields++
	}
	for _, c := range plan.Coarsenings {
		l := &gpuLevel{gpuGrid: newGrid(c.X.Coarse(f.nx), c.Y.Coarse(f.ny), f.nz)}
		tables := 4 * (3*int64(f.nx+f.ny) + int64(l.nx+l.ny+2))
		total += fields*l.fieldBytes() + cuda.Pieces(4*int64(s.GroundPlanes)*l.sheet, tables, 4*int64(f.nz))
		total += c.directions() * cuda.Pieces(2*plan.weighted()*f.sheet)
		f = l
	}
	s.Space.Reserve(total)
}

// fieldBytes is what a vector of the level takes of a store.
func (l *gpuLevel) fieldBytes() int64 {
	return cuda.Pieces(cuda.VectorBytes[float32](l.cells, int64(l.nx)))
}

var _ SlabOperations = (*gpuOperations)(nil)

func (s *gpuOperations) Whole(part Level, rows int) (Level, error) {
	p := part.(*gpuLevel)
	l := &gpuLevel{gpuGrid: newGrid(p.nx, rows, p.nz)}
	l.gx, l.gy, l.gz, l.inverse = l.field(s.Space), l.field(s.Space), l.field(s.Space), l.field(s.Space)
	l.ground = cuda.Alloc[float32](s.Space, int64(s.GroundPlanes)*l.sheet)
	if !p.capacity.IsNil() {
		l.capacity = l.field(s.Space)
	}
	return l, s.Err()
}

func (s *gpuOperations) Coefficients(level Level) []Coefficient {
	l := level.(*gpuLevel)
	list := []Coefficient{{Vector: cuda.Field32(l.gy, l.cells), Between: true}}
	add := func(at cudriver.Ptr[float32], n int64) {
		if !at.IsNil() && n > 0 {
			list = append(list, Coefficient{Vector: cuda.Field32(at, n)})
		}
	}
	for _, at := range []cudriver.Ptr[float32]{l.gx, l.gz, l.inverse, l.capacity} {
		add(at, l.cells)
	}
	add(l.ground, int64(s.GroundPlanes)*l.sheet)
	return list
}

// reserveWeights takes memory for the planes that ask for conductance-weighted interpolation.
func (s *gpuOperations) reserveWeights(l *gpuLevel, c Coarsening) {
	f := l.from
	slot := make([]int32, f.nz)
	for k := range slot {
		slot[k] = -1
		if k < len(c.Weighted) && c.Weighted[k] {
			slot[k] = int32(l.weighted)
			l.weighted++
		}
	}
	t := &f.next
	t.weightSlot = cuda.AllocRaw[int32](s.Space, int64(f.nz))
	cuda.SendLater(s.Space, t.weightSlot, slot)
	if c.X.Parent != nil {
		t.wx = cuda.Alloc[uint16](s.Space, l.weighted*f.sheet)
	}
	if c.Y.Parent != nil {
		t.wy = cuda.Alloc[uint16](s.Space, l.weighted*f.sheet)
	}
}

// weigh computes the weights of those planes. The finer level's pivots lend their memory meanwhile and are computed
// again, which takes less time than another allocation of their size; those of a slab have ghost rows that only their
// owners can compute, and stay.
func (s *gpuOperations) weigh(f, l *gpuLevel) {
	if l.weighted == 0 {
		return
	}
	t := &f.next
	pivots := f.inverse
	if s.Slab {
		scratch := cuda.NewTemporary(s.Space)
		defer scratch.Discard()
		pivots = cuda.Take[float32](scratch, l.weighted*f.sheet)
	}
	along := func(w cudriver.Ptr[uint16], d *gpuDirection, g cudriver.Ptr[float32], alongY, coarse int) {
		if w.IsNil() || s.Err() != nil {
			return
		}
		cuda.Launch(s.Space, &s.weights.Weigh, [3]uint32{uint32((f.sheet + WeighThreads - 1) / WeighThreads), 1, 1},
			WeighWeighArgs{
				Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), G: g, AlongY: int32(alongY), Gz: f.gz,
				Slots: t.weightSlot, Parent: d.parent, First: d.first, Coarse: int32(coarse), Pivots: pivots, W: w,
			})
	}
	along(t.wx, &t.x, f.gx, 0, l.nx)
	along(t.wy, &t.y, f.gy, 1, l.ny)
	if !s.Slab {
		s.factor(f)
	}
}

// gpuTransfer to the next coarser level.
type gpuTransfer struct {
	x, y       gpuDirection
	weightSlot cudriver.Ptr[int32]
	wx, wy     cudriver.Ptr[uint16] // planes with conductance-weighted interpolation
}

// weighted says that some planes have separate weights.
func (t *gpuTransfer) weighted() bool { return !t.wx.IsNil() || !t.wy.IsNil() }

// gpuDirection along x or y. A direction that is kept has every cell as its own parent.
type gpuDirection struct {
	parent, first cudriver.Ptr[int32]
	far           cudriver.Ptr[float32] // weight of the farther coarse cell
	beyond        cudriver.Ptr[int32]   // its number; the own one where there is none
}

// pairingTables are a pairing of cells as it goes to the device.
type pairingTables struct {
	parent, first, beyond []int32
	far                   []float32
}

func tablesOf(p Pairing, n int) pairingTables {
	if p.Parent == nil {
		p = Pairing{Parent: make([]int32, n), Far: make([]float32, n)}
		for i := range p.Parent {
			p.Parent[i] = int32(i)
		}
	}
	parent, far, first := p.Parent, p.Far, p.firsts(n)
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
	return pairingTables{parent, first, beyond, far}
}

func (t *pairingTables) bytes() int64 {
	return cuda.BytesOf(t.parent) + cuda.BytesOf(t.first) + cuda.BytesOf(t.far) + cuda.BytesOf(t.beyond)
}

func (t *pairingTables) pack(p *cuda.Packer) gpuDirection {
	return gpuDirection{parent: cuda.Pack(p, t.parent), first: cuda.Pack(p, t.first), far: cuda.Pack(p, t.far),
		beyond: cuda.Pack(p, t.beyond)}
}

// directions uploads the pairings of a level's rows and columns in one piece.
func directions(s *cuda.Space, c Coarsening, nx, ny int) (x, y gpuDirection) {
	tx, ty := tablesOf(c.X, nx), tablesOf(c.Y, ny)
	total := tx.bytes() + ty.bytes()
	at := cuda.AllocRaw[byte](s, total)
	p := cuda.NewPacker(at, total)
	x, y = tx.pack(&p), ty.pack(&p)
	cuda.SendLater(s, at, p.Bytes())
	return x, y
}

// restrictGrid is a block for each tile of coarse cells in this many planes.
func (s *gpuOperations) restrictGrid(l *gpuLevel, planes int) [3]uint32 {
	return s.Grid(l.nx, TransferTX, int(cuda.Blocks(l.ny, TransferTY)), int(cuda.Blocks(l.nz, planes)))
}

func (s *gpuOperations) RestrictStart(fine, coarse Level, bc, b, x ops.Vector, omega float32) {
	s.restrict(fine, coarse, bc, b, lateralRest{X: x, keep: 1 - omega})
}

// Restrict does without the columns' matrices. Start leaves T x = First b and Step of it
// T z = (1 + Momentum - Second) T x + Second (b + lateral x), so b - A z is keep b + lateral (z - Second x).
func (s *gpuOperations) Restrict(fine, coarse Level, bc, b ops.Vector, v Smoothed) {
	keep := 1 - v.By.Second - (1+v.By.Momentum-v.By.Second)*v.By.First
	if s.pairRows(fine.(*gpuLevel)) > 0 { // two steps in one leave the difference
		s.restrict(fine, coarse, bc, b, lateralRest{X: v.Beside, keep: keep})
		return
	}
	s.restrict(fine, coarse, bc, b, lateralRest{v.At, v.Beside, keep, v.By.Second})
}

// lateralRest says that a residual is keep b + lateral (X - less Before). Before may be nil.
type lateralRest struct {
	X, Before  ops.Vector
	keep, less float32
}

func (s *gpuOperations) restrict(fine, coarse Level, bc, b ops.Vector, of lateralRest) {
	if !s.Ready() {
		return
	}
	f, c := fine.(*gpuLevel), coarse.(*gpuLevel)
	t := &f.next
	if of.Before == nil && !t.weighted() {
		cuda.Launch(s.Space, &s.transfer.RestrictStart, s.restrictGrid(c, TransferPlanes), TransferRestrictStartArgs{
			Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Gx: f.gx, Gy: f.gy, B: cuda.F32(b), X: cuda.F32(of.X),
			Keep: of.keep, Cx: int32(c.nx), Cy: int32(c.ny), FirstX: t.x.first, FarX: t.x.far, FirstY: t.y.first,
			FarY: t.y.far, Bc: cuda.F32(bc),
		})
		return
	}
	cuda.Launch(s.Space, &s.transfer.RestrictWeighted, s.restrictGrid(c, 1), TransferRestrictWeightedArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Gx: f.gx, Gy: f.gy, B: cuda.F32(b), X: cuda.F32(of.X),
		Before: cuda.F32(of.Before), Keep: of.keep, Less: of.less, Cx: int32(c.nx), Cy: int32(c.ny),
		FirstX: t.x.first, FarX: t.x.far, FirstY: t.y.first, FarY: t.y.far, WeightSlot: t.weightSlot, Wx: t.wx,
		Wy: t.wy, Bc: cuda.F32(bc),
	})
}

func (s *gpuOperations) Prolong(fine, coarse Level, x, xc ops.Vector) {
	if !s.Ready() {
		return
	}
	f, c := fine.(*gpuLevel), coarse.(*gpuLevel)
	t := &f.next
	grid := s.Grid(f.nx, s.transfer.Prolong.Threads(), f.ny, int(cuda.Blocks(f.nz, TransferLayers)))
	if !t.weighted() {
		cuda.Launch(s.Space, &s.transfer.Prolong, grid, TransferProlongArgs{
			Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Cx: int32(c.nx), Cy: int32(c.ny), NearX: t.x.parent,
			BeyondX: t.x.beyond, FarX: t.x.far, NearY: t.y.parent, BeyondY: t.y.beyond, FarY: t.y.far, Xc: cuda.F32(xc),
			X: cuda.F32(x),
		})
		return
	}
	cuda.Launch(s.Space, &s.transfer.ProlongWeighted, grid, TransferProlongWeightedArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Cx: int32(c.nx), Cy: int32(c.ny), NearX: t.x.parent,
		BeyondX: t.x.beyond, FarX: t.x.far, NearY: t.y.parent, BeyondY: t.y.beyond, FarY: t.y.far,
		WeightSlot: t.weightSlot, Wx: t.wx, Wy: t.wy, Xc: cuda.F32(xc), X: cuda.F32(x),
	})
}
