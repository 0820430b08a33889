package multigrid

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// gpuTransfer to the next coarser level.
type gpuTransfer struct {
	x, y       gpuDirection
	weightSlot cudriver.Ptr[int32]
	wx, wy     cudriver.Ptr[float32] // planes with conductance-weighted interpolation
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
	if !s.Ready() {
		return
	}
	f, c := fine.(*gpuLevel), coarse.(*gpuLevel)
	t := &f.next
	s.Note(s.transfer.RestrictStart(s.Stream, s.restrictGrid(c, TransferPlanes), TransferRestrictStartArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Gx: f.gx, Gy: f.gy, B: cuda.F32(b), X: cuda.F32(x),
		Keep: 1 - omega, Cx: int32(c.nx), Cy: int32(c.ny), FirstX: t.x.first, FarX: t.x.far, FirstY: t.y.first,
		FarY: t.y.far, WeightSlot: t.weightSlot, Wx: t.wx, Wy: t.wy, Bc: cuda.F32(bc),
	}))
}

func (s *gpuOperations) Restrict(fine, coarse Level, bc, b, x ops.Vector) {
	if !s.Ready() {
		return
	}
	f, c := fine.(*gpuLevel), coarse.(*gpuLevel)
	t := &f.next
	if !t.weighted() {
		s.Note(s.transfer.RestrictResidual(s.Stream, s.restrictGrid(c, 1), TransferRestrictResidualArgs{
			Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Gx: f.gx, Gy: f.gy, Gz: f.gz, Ground: f.ground,
			GroundSlot: s.GroundSlot, Capacity: f.capacity, B: cuda.F32(b), X: cuda.F32(x), Cx: int32(c.nx),
			Cy: int32(c.ny), FirstX: t.x.first, FarX: t.x.far, FirstY: t.y.first, FarY: t.y.far, Bc: cuda.F32(bc),
		}))
		return
	}
	s.Note(s.transfer.RestrictWeighted(s.Stream, s.restrictGrid(c, 1), TransferRestrictWeightedArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Gx: f.gx, Gy: f.gy, Gz: f.gz, Ground: f.ground,
		GroundSlot: s.GroundSlot, Capacity: f.capacity, B: cuda.F32(b), X: cuda.F32(x), Cx: int32(c.nx),
		Cy: int32(c.ny), FirstX: t.x.first, FarX: t.x.far, FirstY: t.y.first, FarY: t.y.far, WeightSlot: t.weightSlot,
		Wx: t.wx, Wy: t.wy, Bc: cuda.F32(bc),
	}))
}

func (s *gpuOperations) Prolong(fine, coarse Level, x, xc ops.Vector) {
	if !s.Ready() {
		return
	}
	f, c := fine.(*gpuLevel), coarse.(*gpuLevel)
	t := &f.next
	grid := s.Grid(f.nx, TransferProlongThreads, f.ny, int(cuda.Blocks(f.nz, TransferLayers)))
	if !t.weighted() {
		s.Note(s.transfer.Prolong(s.Stream, grid, TransferProlongArgs{
			Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Cx: int32(c.nx), Cy: int32(c.ny), NearX: t.x.parent,
			BeyondX: t.x.beyond, FarX: t.x.far, NearY: t.y.parent, BeyondY: t.y.beyond, FarY: t.y.far, Xc: cuda.F32(xc),
			X: cuda.F32(x),
		}))
		return
	}
	s.Note(s.transfer.ProlongWeighted(s.Stream, grid, TransferProlongWeightedArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Cx: int32(c.nx), Cy: int32(c.ny), NearX: t.x.parent,
		BeyondX: t.x.beyond, FarX: t.x.far, NearY: t.y.parent, BeyondY: t.y.beyond, FarY: t.y.far,
		WeightSlot: t.weightSlot, Wx: t.wx, Wy: t.wy, Xc: cuda.F32(xc), X: cuda.F32(x),
	}))
}
