package cuda

import (
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
	"thermsim/stack"
)

// following is the data on the device of a system with temperature-dependent materials.
type following struct {
	laws    cudriver.Ptr[kernels.FollowLaws]
	planes  cudriver.Ptr[int32] // 1 where any cell of the plane follows
	outside cudriver.Ptr[uint64]
	counts  []uint64 // zeros, and then what is read back
}

// uploadLaws sends the temperature dependence of the palette.
func (s *system) uploadLaws() {
	l := s.mesh.Laws
	if l == nil {
		return
	}
	f := &following{counts: make([]uint64, len(s.mesh.Stack.Materials))}
	laws := s.uploadCurves(l)
	laws.Entries = Upload(&s.Space, converted(l.Entries, func(e mesh.LawEntry) kernels.FollowLawEntry {
		return kernels.FollowLawEntry(e)
	}))
	laws.Parts = Upload(&s.Space, converted(l.Parts, func(p mesh.Part) kernels.FollowLawPart {
		return kernels.FollowLawPart(p)
	}))
	laws.Materials = Upload(&s.Space, converted(l.Materials, func(m mesh.MaterialLaw) kernels.FollowLawMaterial {
		return kernels.FollowLawMaterial{CurveX: m.Curve[mesh.LawKX], CurveY: m.Curve[mesh.LawKY],
			CurveZ: m.Curve[mesh.LawKZ], CurveC: m.Curve[mesh.LawC],
			Kx: m.Constant[mesh.LawKX], Ky: m.Constant[mesh.LawKY], Kz: m.Constant[mesh.LawKZ],
			C: m.Constant[mesh.LawC]}
	}))
	laws.Faces = Upload(&s.Space, converted(l.Faces[:], func(f mesh.FaceLaw) kernels.FollowLawFace {
		return kernels.FollowLawFace{Follows: Flag(f.TemperatureDependent), Convection: f.Convection,
			Radiation: f.Radiation,
			Constant:  f.Constant, Ambient: f.Ambient, Above: f.Above}
	}))
	f.laws = Upload(&s.Space, []kernels.FollowLaws{laws})
	planes := make([]int32, s.nz)
	for k, follows := range s.mesh.TemperatureDependentPlanes() {
		planes[k] = Flag(follows)
	}
	f.planes, f.outside = Upload(&s.Space, planes), Upload(&s.Space, f.counts)
	s.following = f
}

func (s *system) uploadCurves(l *mesh.Laws) kernels.FollowLaws {
	return kernels.FollowLaws{
		Curves: Upload(&s.Space, converted(l.Curves, func(c mesh.CurveLaw) kernels.FollowLawCurve {
			return kernels.FollowLawCurve(c)
		})),
		Pieces: Upload(&s.Space, converted(l.Pieces, func(p stack.Piece) kernels.FollowLawPiece {
			return kernels.FollowLawPiece(p)
		})),
		Buckets: Upload(&s.Space, l.Buckets),
	}
}

func converted[A, B any](from []A, convert func(A) B) []B {
	to := make([]B, len(from))
	for i, v := range from {
		to[i] = convert(v)
	}
	return to
}

func (s *system) kernelsToFollow() (*kernels.Follow, bool) {
	return loaded(&s.Space, "follow", kernels.LoadFollow)
}

func (s *system) RefreshAt(x, old ops.Vector) error {
	f := s.following
	if err := s.Unleak(); f == nil || err != nil {
		return err
	}
	k, ok := s.kernelsToFollow()
	if !ok {
		return s.err
	}
	clear(f.counts)
	Send(&s.Space, f.outside, f.counts)
	s.clearFaces()
	c, ambient := &s.compact, s.mesh.Stack.Ambient
	flowing, cavities := s.flowing()
	Launch(&s.Space, &k.Follow, s.Grid(s.nx, kernels.FollowThreads, s.ny, s.nz), kernels.FollowFollowArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Dx: c.dx, Dy: c.dy, Dz: c.dz, Contact: c.contact,
		Uniform: c.uniform,
		Slot:    c.slot, Index: c.index, Laws: f.laws, Planes: f.planes, Ambient: ambient, X: F64(x), Old: F64(old),
		Dt:       s.dt,
		Cavities: cavities, Flowing: flowing, Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at, Capacity: s.capacity.address(),
		Outside: f.outside, First: int32(s.first), End: int32(s.end),
	})
	s.followCavities(k, x, old)
	s.onFaces(func(on facing) {
		grid := s.Grid(on.na, kernels.FollowThreads, on.nb, 1)
		Launch(&s.Space, &k.FollowFace, grid, kernels.FollowFollowFaceArgs{
			Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Dx: c.dx, Dy: c.dy, Dz: c.dz, Contact: c.contact,
			Uniform: c.uniform,
			Slot:    c.slot, Index: c.index, Closed: c.closed, ClosedLine: c.closedLine, Laws: f.laws, Ambient: ambient,
			X: F64(x), Face: int32(on.face), Na: int32(on.na),
			Resistances: c.resistances, Rise: on.rise, Flux: on.flux, Ground: s.ground.data, GroundSlot: s.ground.onDev,
			Inflow: s.inflow.data, InflowSlot: s.inflow.onDev,
		})
	})
	s.letIn()
	return s.err
}

func (s *system) OutOfRange() []int64 {
	f := s.following
	if f == nil {
		return nil
	}
	Receive(&s.Space, f.counts, f.outside)
	counts := make([]int64, len(f.counts))
	for m, n := range f.counts {
		counts[m] = int64(n)
	}
	return counts
}

// clearFaces sets the contributions of faces to zero.
func (s *system) clearFaces() {
	if s.leaking != nil {
		s.leaking.in = false
	}
	for _, p := range []cudriver.DevicePtr{s.ground.data.Address(), s.inflow.data.Address()} {
		if b, ok := s.buffers[p]; ok && s.err == nil {
			s.Note(s.Driver.MemsetD32Async(b.at, 0, b.bytes/4, s.Stream))
		}
	}
}

// followedFaceHeat launches the reduction of what leaves through a face with the conductances at the temperatures of x.
func (s *system) followedFaceHeat(grid [3]uint32, on facing, x ops.Vector) {
	k, ok := s.kernelsToFollow()
	if !ok {
		return
	}
	c := &s.compact
	Launch(&s.Space, &k.FollowFaceHeat, grid, kernels.FollowFollowFaceHeatArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Dx: c.dx, Dy: c.dy, Dz: c.dz, Contact: c.contact,
		Uniform: c.uniform,
		Slot:    c.slot, Index: c.index, Closed: c.closed, ClosedLine: c.closedLine, Laws: s.following.laws,
		Ambient: s.mesh.Stack.Ambient, Face: int32(on.face), Na: int32(on.na), Nb: int32(on.nb),
		Resistances: c.resistances, Rise: on.rise, Flux: on.flux, X: F64(x), Partial: s.partial, Scalars: s.scalarsDev,
		Ticket: s.ticket,
		First:  int32(s.first), End: int32(s.end),
	})
}

// leaking is the data on the device of a system with leakage: the planes of ground and inflow without it.
type leaking struct {
	planes  cudriver.Ptr[kernels.FollowLeakPlane]
	terms   cudriver.Ptr[kernels.FollowLeakTerm]
	sheets  cudriver.Ptr[float64]
	laws    cudriver.Ptr[kernels.FollowLaws]
	without cudriver.Ptr[float32]
	driven  cudriver.Ptr[float64]
	in      bool // the leakage is in
}

// uploadLeakage sends the temperature dependence of the power.
func (s *system) uploadLeakage() {
	of := s.mesh.Leakage
	if of == nil {
		return
	}
	n := int64(len(of.Planes))
	l := &leaking{without: Alloc[float32](&s.Space, n*s.sheet), driven: Alloc[float64](&s.Space, n*s.sheet),
		sheets: Alloc[float64](&s.Space, int64(len(of.Sheets))*s.sheet)}
	for i, sheet := range of.Sheets {
		Send(&s.Space, l.sheets.Add(int64(i)*s.sheet), sheet)
	}
	l.planes = Upload(&s.Space, converted(of.Planes, func(p mesh.LeakagePlane) kernels.FollowLeakPlane {
		return kernels.FollowLeakPlane{Share: p.Share, Plane: int64(p.Plane), First: int64(p.First),
			Count: int64(p.Count)}
	}))
	l.terms = Upload(&s.Space, converted(of.Terms, func(t mesh.LeakageTerm) kernels.FollowLeakTerm {
		return kernels.FollowLeakTerm(t)
	}))
	l.laws = Upload(&s.Space, []kernels.FollowLaws{s.uploadCurves(of.Laws)})
	s.leaking = l
}

// Leak puts the leakage into the operator and into driven sources, linear around the state x and times a scale. Outside
// the range of a law the derivative is zero, or with ends that at the end.
func (s *system) Leak(x ops.Vector, scale float64, ends bool) error {
	if l := s.leaking; l != nil {
		s.leak(F64(x), scale, ends, !l.in)
		l.in = true
	}
	return s.err
}

func (s *system) Unleak() error {
	if l := s.leaking; l != nil && l.in {
		s.leak(cudriver.Ptr[float64]{}, 0, false, false)
		l.in = false
	}
	return s.err
}

func (s *system) leak(x cudriver.Ptr[float64], scale float64, ends, save bool) {
	k, ok := s.kernelsToFollow()
	if !ok {
		return
	}
	l := s.leaking
	Launch(&s.Space, &k.Leak, s.Grid(int(s.sheet), kernels.FollowThreads, len(s.mesh.Leakage.Planes), 1),
		kernels.FollowLeakArgs{
			Sheet: int32(s.sheet), Planes: l.planes, Terms: l.terms, Sheets: l.sheets, Laws: l.laws,
			Ambient: s.mesh.Stack.Ambient, X: x, Scale: scale,
			Ends: Flag(ends), Save: Flag(save), Without: l.without, Driven: l.driven, Ground: s.ground.data,
			GroundSlot: s.ground.onDev,
			Inflow:     s.inflow.data, InflowSlot: s.inflow.onDev,
		})
}
