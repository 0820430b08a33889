package cuda

import (
	"slices"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
	"thermsim/stack"
)

// system is A on the finest grid of the GPU.
type system struct {
	Space
	PlaneReducer
	mesh       *mesh.Mesh
	dt         float64
	nx, ny, nz int
	sheet      int64 // cells per plane
	first, end int   // rows over which sums are taken: all, or those that a slab owns

	compact    compact
	gx, gy, gz *vector[float32]
	capacity   *vector[float32] // C/dt; nil in a steady system
	ground     slots[float32]
	inflow     slots[float64]
	following  *following // nil without temperature-dependent materials
	leaking    *leaking   // nil without leakage
	cooling    *cooling   // nil where no coolant flows
}

var _ ops.Forms = (*system)(nil)

// slots are planes that only some z have: of[k] is the number of plane k's slot, -1 where it has none.
type slots[T Number] struct {
	of    []int32
	onDev cudriver.Ptr[int32] // of, on the device
	data  cudriver.Ptr[T]
	count int
}

func newSystem(d *Device, m *mesh.Mesh, dt float64) *system {
	s := &system{mesh: m, dt: dt, nx: m.NX(), ny: m.NY(), nz: m.NZ()}
	s.end = s.ny
	s.sheet = int64(s.nx) * int64(s.ny)
	s.Space = newSpace(d, s.sheet*int64(s.nz), int64(s.nx))
	s.PlaneReducer = NewPlaneReducer(&s.Space, s.nx, s.ny, s.nz)
	return s
}

func (s *system) Mesh() *mesh.Mesh { return s.mesh }

func (s *system) TimeStep() float64 { return s.dt }

// Symmetric is true where heat flows by differences of temperature alone, and no coolant carries it.
func (s *system) Symmetric() bool { return s.cooling == nil }

func (s *system) Plane(k int, x ops.Vector, dst []float64) {
	Receive(&s.Space, dst[:s.sheet], F64(x).Add(int64(k)*s.sheet))
}

// facing are the arguments of the kernels for faces; rise and flux count where it has no patches.
type facing struct {
	face       stack.Face
	na, nb     int
	rise, flux float64
}

// onFaces calls f for every face that exchanges heat.
func (s *system) onFaces(f func(facing)) {
	for face := range stack.Face(stack.NumFaces) {
		if !s.mesh.Exchanges(face) {
			continue
		}
		b := &s.mesh.Stack.Boundary[face]
		cells, along := [3]int{s.nx, s.ny, s.nz}, face.Along()
		f(facing{face, cells[along[0]], cells[along[1]], b.Temperature - s.mesh.Stack.Ambient, b.Flux})
	}
}

func (d *Device) Assemble(m *mesh.Mesh, dt float64) (ops.System, error) {
	if err := d.LoadSystems(); err != nil {
		return nil, err
	}
	s := newSystem(d, m, dt)
	s.assemble()
	if s.err != nil {
		err := s.err
		s.Free()
		return nil, err
	}
	return s, nil
}

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

// tableBytes is the memory that sizes and materials take of a store, without temperature-dependent properties and
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
	Launch(&s.Space, &s.assembly.Couplings, s.Grid(s.nx, kernels.AssembleThreads, s.ny, s.nz),
		kernels.AssembleCouplingsArgs{
			Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Dx: c.dx, Dy: c.dy, Dz: c.dz, Contact: c.contact,
			Uniform: c.uniform,
			Slot:    c.slot, Index: c.index, Palette: c.palette, Dt: s.dt, Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at,
			Capacity: s.capacity.address(),
		})
	s.onFaces(func(on facing) {
		Launch(&s.Space, &s.assembly.GroundFace, s.Grid(on.na, kernels.AssembleThreads, on.nb, 1),
			kernels.AssembleGroundFaceArgs{
				Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Dx: c.dx, Dy: c.dy, Dz: c.dz, Contact: c.contact,
				Uniform: c.uniform,
				Slot:    c.slot, Index: c.index, Palette: c.palette, Closed: c.closed, ClosedLine: c.closedLine,
				Face: int32(on.face), Na: int32(on.na),
				Resistances: c.resistances, Rise: on.rise, Flux: on.flux, Ground: s.ground.data,
				GroundSlot: s.ground.onDev,
				Inflow:     s.inflow.data, InflowSlot: s.inflow.onDev,
			})
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
	var sheets [][][]uint32
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
	c.index = AllocRaw[uint32](&s.Space, int64(len(sheets))*s.sheet)
	for n, sheet := range sheets {
		s.sendIndex(c.index.Add(int64(n)*s.sheet), sheet)
	}
	c.palette, c.resistances = Upload(&s.Space, s.properties()), Upload(&s.Space, s.resistances())
}

// sendIndex sends the palette indices of a plane. If few rows differ from the row below, the others are copied on the
// device.
func (s *system) sendIndex(to cudriver.Ptr[uint32], index [][]uint32) {
	runs := 0
	for range mesh.Runs(index) {
		runs++
	}
	nx := int64(s.nx)
	if runs > len(index)/16 {
		const some = 1 << 20 // cells
		for rows := range slices.Chunk(index, max(1, some/s.nx)) {
			Send(&s.Space, to, slices.Concat(rows...))
			to = to.Add(int64(len(rows)) * nx)
		}
		return
	}
	for from, end := range mesh.Runs(index) {
		first, rows := to.Add(int64(from)*nx), int64(end-from)
		Send(&s.Space, first, index[from])
		for n := int64(1); n < rows && s.err == nil; n *= 2 {
			bytes := 4 * nx * min(n, rows-n)
			s.Note(s.Driver.MemcpyDtoDAsync(first.Add(n*nx).Address(), first.Address(), bytes, s.Stream))
		}
	}
	s.Wait()
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
		for _, d := range p.Cells {
			v = append(v, d.Resistance, d.Temperature-s.mesh.Stack.Ambient, d.Flux)
		}
	}
	return v
}

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
func reserve[T Number](s *system, want []bool) slots[T] {
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

// source is the right side of a mesh's system: power, what the faces drive in, and C/dt times the state at the start of
// a step.
type source struct {
	*system
	power  slots[float64]
	canvas canvas                // what is on them
	share  cudriver.Ptr[float64] // of its layer's power that falls into a plane of cells, by z
	inflow cudriver.Ptr[int32]   // slots of the planes that faces heat; those of none where the source is not driven
	none   cudriver.Ptr[int32]
	old    ops.Vector // nil where no step is taken
	lent   bool       // the planes of power are a vector's
}

func (s *system) NewSource(driven bool) (ops.HeatSource, error) {
	b := s.newSource(driven)
	return b, s.err
}

func (s *system) newSource(driven bool) *source {
	b := &source{system: s, power: reserve[float64](s, make([]bool, s.nz)), inflow: s.inflow.onDev}
	if !driven {
		empty := reserve[float64](s, make([]bool, s.nz))
		b.none, b.inflow = empty.onDev, empty.onDev
	}
	return b
}

// SourceOf is b = v, plane by plane.
func (s *system) SourceOf(v ops.Vector) ops.Source {
	b := s.newSource(false)
	ones := make([]float64, s.nz)
	for k := range ones {
		b.power.of[k], ones[k] = int32(k), 1
	}
	b.lent, b.power.data = true, F64(v)
	Send(&s.Space, b.power.onDev, b.power.of)
	b.share = Upload(&s.Space, ones)
	return b
}

func (s *source) SetOld(old ops.Vector) { s.old = old }

// Read writes b to the host: the residual of x = 0, in FP64.
func (s *source) Read(dst []float64) {
	double, single := NewVector[float64](&s.Space, s.cells, s.pad), NewVector[float32](&s.Space, s.cells, s.pad)
	defer s.Release(double, single)
	s.Residual(double, single, s, nil)
	s.system.Read(double, dst)
}

func (s *source) Close() {
	s.Discard(s.none, s.power.onDev, s.share)
	if !s.lent {
		s.Discard(s.power.data)
	}
}

// Conductances are what a mesh's operator is made of, in W/K, for methods with kernels that work on couplings;
// kernels/device.h has their layout. Plane k of Ground is in slot GroundSlot[k] of GroundPlanes, -1 where it is zero.
// Capacity is nowhere in a steady system. They belong to the operator: a refresh changes their values and nothing else
// may.
type Conductances struct {
	*Space
	NX, NY, NZ       int
	GX, GY, GZ       cudriver.Ptr[float32]
	Ground, Capacity cudriver.Ptr[float32]
	GroundSlot       cudriver.Ptr[int32]
	GroundPlanes     int
	GroundSlots      []int32 // those of GroundSlot
	Slab             bool    // the grid has more rows, which other ranks hold
}

// ConductancesOf are those of a mesh's system on a GPU. ok is false for what lives elsewhere or came as a matrix.
func ConductancesOf(a ops.Space) (c *Conductances, ok bool) {
	on, ok := a.(interface{ gpuSystem() *system })
	if !ok {
		return nil, false
	}
	s := on.gpuSystem()
	return &Conductances{
		&s.Space, s.nx, s.ny, s.nz, s.gx.at, s.gy.at, s.gz.at, s.ground.data, s.capacity.address(), s.ground.onDev,
		s.ground.count, s.ground.of, s.mesh.Whole() != s.mesh,
	}, true
}

func (s *system) gpuSystem() *system { return s }
