package cuda

import (
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/stack"
)

// compact is the mesh on the device: sizes of cells, and materials per plane.
type compact struct {
	dx, dy, dz, contact cudriver.Ptr[float64]
	uniform             cudriver.Ptr[uint32]
	slot                cudriver.Ptr[int32]
	index               cudriver.Ptr[uint32]
	palette             cudriver.Ptr[float64]
	resistances         cudriver.Ptr[float64] // of the faces, see resistances
	// sides that heat does not pass, see kernels/mesh.h; nowhere without coolant
	closed, closedLine cudriver.Ptr[int32]
}

// assemble uploads the compact mesh and computes couplings, capacities and boundary terms on the device.
func (s *system) assemble() {
	s.maxBlocks = max(ReductionBlocks, int(Blocks(s.nx, threads)))
	// Three sums of a residual, or what LeaveDot speaks of.
	partials := max(3*int64(s.maxBlocks), 2*int64(Blocks(s.nx, DotThreads))*int64(s.ny))
	s.stock(s.assembledBytes(partials))
	s.gx, s.gy, s.gz = NewVector[float32](&s.Space, s.cells, int64(s.nx)),
		NewVector[float32](&s.Space, s.cells, int64(s.nx)), NewVector[float32](&s.Space, s.cells, int64(s.nx))
	if s.dt > 0 {
		s.capacity = NewVector[float32](&s.Space, s.cells, int64(s.nx))
	}
	s.reductions(partials)
	s.stock(s.tableBytes())
	s.uploadMesh()
	s.reserved = store{} // what follows may be given back
	s.planes()
	s.uploadLaws()
	s.uploadLeakage()
	s.uploadCavities()
	s.discretise()
}

// assembledBytes is what couplings, capacities and reductions take of a store.
func (s *system) assembledBytes(partials int64) int64 {
	fields := int64(3)
	if s.dt > 0 {
		fields++
	}
	return fields*Pieces(VectorBytes[float32](s.cells, int64(s.nx))) + Pieces(8*partials, 8*scalarCount, 16)
}

// tableBytes is what sizes and materials take of a store, where nothing follows the temperature and no face has
// patches.
func (s *system) tableBytes() int64 {
	nx, ny, nz := int64(s.nx), int64(s.ny), int64(s.nz)
	return Pieces(8*nx, 8*ny, 8*nz, 8*nz, 4*nz, 4*nz, 8*6*int64(len(s.mesh.Palette)), 8*int64(stack.NumFaces))
}

// Refresh discretises the mesh again. What was of another size would need another system.
func (s *system) Refresh(dt float64) error {
	if (dt > 0) != (s.dt > 0) {
		return ops.ErrRefresh
	}
	s.dt = dt
	s.stepped.dst = nil
	Send(&s.Space, s.compact.palette, s.properties())
	Send(&s.Space, s.compact.resistances, s.resistances())
	s.clearFaces()
	s.sendCavities()
	s.discretise()
	return s.err
}

// discretise computes couplings, capacities and boundary terms from the compact mesh.
func (s *system) discretise() {
	if s.err != nil {
		return
	}
	c := &s.compact
	s.Note(s.assembly.Couplings(s.Stream, s.Grid(s.nx, kernels.AssembleThreads, s.ny, s.nz),
		kernels.AssembleCouplingsArgs{
			Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Dx: c.dx, Dy: c.dy, Dz: c.dz, Contact: c.contact,
			Uniform: c.uniform,
			Slot:    c.slot, Index: c.index, Palette: c.palette, Dt: s.dt, Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at,
			Capacity: s.capacity.address(),
		}))
	s.onFaces(func(on facing) {
		s.Note(s.assembly.GroundFace(s.Stream, s.Grid(on.na, kernels.AssembleThreads, on.nb, 1),
			kernels.AssembleGroundFaceArgs{
				Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Dx: c.dx, Dy: c.dy, Dz: c.dz, Contact: c.contact,
				Uniform: c.uniform,
				Slot:    c.slot, Index: c.index, Palette: c.palette, Closed: c.closed, ClosedLine: c.closedLine,
				Face: int32(on.face), Na: int32(on.na),
				Resistances: c.resistances, Rise: on.rise, Flux: on.flux, Ground: s.ground.data,
				GroundSlot: s.ground.onDev,
				Inflow:     s.inflow.data, InflowSlot: s.inflow.onDev,
			}))
	})
	s.cool()
	s.Wait()
}

// uploadMesh sends the mesh as it is: planes of one layer share their index.
func (s *system) uploadMesh() {
	m := s.mesh
	sizes := func(n int, size func(int) float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = size(i)
		}
		return v
	}
	c := &s.compact
	c.dx, c.dy, c.dz = Upload(&s.Space, sizes(s.nx, m.DX)), Upload(&s.Space, sizes(s.ny, m.DY)),
		Upload(&s.Space, sizes(s.nz, m.DZ))
	c.contact = Upload(&s.Space, sizes(s.nz, func(k int) float64 { return m.Planes[k].ContactAbove }))
	uniform, slot := make([]uint32, s.nz), make([]int32, s.nz)
	var sheets [][]uint32
	for k, p := range m.Planes {
		uniform[k], slot[k] = p.Uniform, -1
		if p.Index == nil {
			continue
		}
		if n := len(sheets); n == 0 || &sheets[n-1][0] != &p.Index[0] {
			sheets = append(sheets, p.Index)
		}
		slot[k] = int32(len(sheets) - 1)
	}
	c.uniform, c.slot = Upload(&s.Space, uniform), Upload(&s.Space, slot)
	c.index = Alloc[uint32](&s.Space, int64(len(sheets))*s.sheet)
	for n, sheet := range sheets {
		Send(&s.Space, c.index.Add(int64(n)*s.sheet), sheet)
	}
	c.palette, c.resistances = Upload(&s.Space, s.properties()), Upload(&s.Space, s.resistances())
}

// resistances are those of the faces, and behind them what faces with patches do to their cells, as drivenCell in
// kernels/mesh.h reads them.
func (s *system) resistances() []float64 {
	v := make([]float64, stack.NumFaces)
	for f := range v {
		face := stack.Face(f)
		p := s.mesh.Patched[f]
		if p == nil {
			v[f] = -1
			if r, driven := s.mesh.FaceResistance(face); driven {
				v[f] = r
			}
			continue
		}
		v[f] = -float64(len(v))
		for n, r := range p.Resistance {
			v = append(v, r, p.Temperature[n]-s.mesh.Stack.Ambient, p.Flux[n])
		}
	}
	return v
}

// properties are the numbers of each material.
func (s *system) properties() []float64 {
	palette := make([]float64, 0, 6*len(s.mesh.Palette))
	for _, p := range s.mesh.Palette {
		palette = append(palette, p.Half[0], p.Half[1], p.Half[2], p.Half[3], p.K[2], p.C)
	}
	return palette
}

// planes reserves the planes that boundaries and powers need: of a slab those of the whole grid, so that all slabs have
// the same.
func (s *system) planes() {
	grounded, heated := make([]bool, s.nz), make([]bool, s.nz)
	whole := s.mesh.Whole()
	for face := range stack.Face(stack.NumFaces) {
		if !whole.Exchanges(face) {
			continue
		}
		_, driven := whole.FaceResistance(face)
		heats := whole.Heats(face)
		first, last := 0, s.nz-1
		switch face {
		case stack.Bottom:
			last = 0
		case stack.Top:
			first = last
		}
		for k := first; k <= last; k++ {
			grounded[k] = grounded[k] || driven
			heated[k] = heated[k] || heats
		}
	}
	if l := s.mesh.Leakage; l != nil {
		for n := range l.Planes {
			grounded[l.Planes[n].Plane], heated[l.Planes[n].Plane] = true, true
		}
	}
	for _, v := range s.mesh.Cavities {
		heated[v.Fluid] = true
	}
	s.ground = reserve[float32](s, grounded)
	s.inflow = reserve[float64](s, heated)
}

// reserve numbers the wanted planes and takes memory for them.
func reserve[T number](s *system, want []bool) slots[T] {
	sl := slots[T]{of: make([]int32, s.nz)}
	for k, w := range want {
		sl.of[k] = -1
		if w {
			sl.of[k] = int32(sl.count)
			sl.count++
		}
	}
	sl.onDev = Upload(&s.Space, sl.of)
	sl.data = Alloc[T](&s.Space, int64(sl.count)*s.sheet)
	return sl
}
