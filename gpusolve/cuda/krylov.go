package cuda

import (
	"errors"
	"math"
	"unsafe"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/stack"
)

// threads of the kernels that reduce.
const threads = kernels.KrylovThreads

// reductionBlocks bounds the blocks of a reduction, whose last block adds the others' sums: enough to fill any GPU several times.
const reductionBlocks = 4096

func receiveSlice[T any](s *space, dst []T, src cu.DevicePtr) {
	if len(dst) == 0 {
		return
	}
	s.receive(unsafe.Pointer(&dst[0]), src, int64(len(dst))*int64(unsafe.Sizeof(dst[0])))
}

func blocks(n, perBlock int) uint32 { return uint32((n + perBlock - 1) / perBlock) }

func sendSlice[T any](s *space, dst cu.DevicePtr, v []T) {
	if len(v) == 0 {
		return
	}
	s.send(dst, unsafe.Pointer(&v[0]), int64(len(v))*int64(unsafe.Sizeof(v[0])))
}

// flat is the grid of kernels that run over all values.
func flat(n int64) [3]uint32 {
	return [3]uint32{uint32(max(1, min((n+threads-1)/threads, reductionBlocks))), 1, 1}
}

// wide is the grid of the update: as many blocks as the GPU holds at a time, so that its six streams stay close together in memory.
func (s *system) wide(n int64) [3]uint32 {
	return [3]uint32{uint32(max(1, min((n+kernels.KrylovWide-1)/kernels.KrylovWide, int64(updateBlocks*s.multiprocessors)))), 1, 1}
}

// Blocks that a multiprocessor holds of the kernels that loop over rows or values, by their registers: one full wave of blocks wastes none.
const directionBlocks, residualBlocks, updateBlocks = 10, 9, 6

// rows is the grid of kernels that march columns, a block taking every so many rows.
func (s *system) rows(perMultiprocessor int) [3]uint32 {
	bx := blocks(s.nx, threads)
	return [3]uint32{bx, uint32(min(s.ny, max(1, min(s.maxBlocks, perMultiprocessor*s.multiprocessors)/int(bx)))), 1}
}

// Dot sets RZ, MaxZ and Beta.
func (s *space) Dot(r32, z ops.Vector, first bool) {
	fused := s.stepped.dst == z && s.stepped.b == r32
	if !s.ready() {
		return
	}
	var start int32
	if first {
		start = 1
	}
	if fused {
		s.note(s.krylov.DotOfStep(s.stream, [3]uint32{1, 1, 1}, s.stepped.blocks, start, s.partial, s.scalarsDev))
		return
	}
	s.note(s.krylov.Dot(s.stream, flat(s.cells), s.cells, start, ptr(r32), ptr(z), s.partial, s.scalarsDev, s.ticket))
}

// DirectionApply sets p = z + Beta p, q = A p, PQ and Alpha.
func (s *system) DirectionApply(p, z, q ops.Vector) {
	if !s.ready() || !s.holds(p) {
		return
	}
	s.note(s.krylov.Direction(s.stream, s.rows(directionBlocks), int32(s.nx), int32(s.ny), int32(s.nz), s.gx.at, s.gy.at, s.gz.at,
		s.ground.data, s.ground.onDev, s.capacity.address(), ptr(z), ptr(p), s.spare.at, s.side, ptr(q), s.partial, s.scalarsDev, s.ticket))
}

// Update advances x and r along p.
func (s *system) Update(x, r, _, p, _, q ops.Vector) {
	if !s.ready() || !s.holds(p) {
		return
	}
	s.note(s.krylov.Update(s.stream, s.wide(s.cells/2), s.cells, ptr(x), ptr(r), ptr(p), s.spare.at, s.side, ptr(q), s.partial, s.scalarsDev, s.ticket))
}

// errTwoDirections is a fault of the caller: the second buffer of the search direction serves one vector.
var errTwoDirections = errors.New("a system on a GPU keeps one search direction; make another system")

// holds makes p the system's search direction, which changes between p's own buffer and the spare one.
func (s *system) holds(p ops.Vector) bool {
	if s.heading == nil {
		s.heading = p
	}
	if s.heading != p {
		s.note(errTwoDirections)
	}
	return s.err == nil
}

// Scalars waits for the device and reads them; NaN after a failure.
func (s *space) Scalars() ops.Scalars {
	v := s.readScalars()
	return ops.Scalars{RZ: v[kernels.RZ], PQ: v[kernels.PQ], RR: v[kernels.RR], MaxZ: v[kernels.Maxz]}
}

// Residual computes r = b - A x and its norms. An FP64 r has r32 beside it.
func (s *system) Residual(r, r32, x, old ops.Vector) ops.Norms {
	single, double := ptr(r), cu.DevicePtr(0)
	if r.(*vector).elem == 8 {
		single, double = ptr(r32), ptr(r)
	}
	if s.ready() {
		s.note(s.residual.Residual(s.stream, s.rows(residualBlocks), int32(s.nx), int32(s.ny), int32(s.nz), s.gx.at, s.gy.at, s.gz.at,
			s.ground.data, s.ground.onDev, s.capacity.address(), s.power.data, s.power.onDev, s.share, s.inflow.data, s.inflow.onDev,
			ptr(x), ptr(old), single, double, s.partial, s.scalarsDev, s.ticket))
	}
	v := s.readScalars()
	return ops.Norms{Residual: math.Sqrt(v[kernels.RR]), Source: math.Sqrt(v[kernels.BB]), Floor: 0x1p-53 * math.Sqrt(v[kernels.Floor])}
}

// Fill sets every value of x.
func (s *space) Fill(x ops.Vector, value float64) {
	if s.ready() {
		s.note(s.residual.Fill(s.stream, flat(s.cells), s.cells, value, ptr(x)))
	}
}

// Extrapolate makes x the continuation of (older, old, x), and the two others the states before.
func (s *system) Extrapolate(x, old, older ops.Vector, quadratic bool) {
	var order int32
	if quadratic {
		order = 1
	}
	if s.ready() {
		s.note(s.residual.Extrapolate(s.stream, flat(s.cells), s.cells, ptr(x), ptr(old), ptr(older), order))
	}
}

// Max is the largest value of x.
func (s *system) Max(x ops.Vector) float64 {
	if s.ready() {
		s.note(s.residual.Maximum(s.stream, flat(s.cells), s.cells, ptr(x), s.partial, s.scalarsDev, s.ticket))
	}
	return s.readScalars()[kernels.Scratch]
}

// Stored is the heat in W that the capacities take up between old and x.
func (s *system) Stored(x, old ops.Vector) float64 {
	if s.ready() {
		s.note(s.residual.Stored(s.stream, flat(s.cells), s.cells, s.capacity.address(), ptr(x), ptr(old), s.partial, s.scalarsDev, s.ticket))
	}
	return s.readScalars()[kernels.Scratch]
}

// FaceHeat is the heat in W that leaves through each face.
func (s *system) FaceHeat(x ops.Vector) (heat [6]float64) {
	c := &s.compact
	s.onFaces(func(face stack.Face, na, nb int, _, rise, flux float64) {
		bx := blocks(na, kernels.AssembleThreads)
		if s.err == nil {
			s.note(s.assembly.FaceHeat(s.stream, [3]uint32{bx, uint32(min(nb, max(1, s.maxBlocks/int(bx)))), 1}, int32(s.nx), int32(s.ny), int32(s.nz),
				c.dx, c.dy, c.dz, c.contact, c.uniform, c.slot, c.index, c.palette, int32(face), int32(na), int32(nb), c.resistances, rise, flux,
				ptr(x), s.partial, s.scalarsDev, s.ticket))
		}
		heat[face] = s.readScalars()[kernels.Scratch]
	})
	return heat
}

// InverseDiagonal fills d with 1/diag(A).
func (s *system) InverseDiagonal(d ops.Vector) {
	if s.ready() {
		s.note(s.residual.InverseDiagonal(s.stream, [3]uint32{blocks(s.nx, threads), uint32(s.ny), 1}, int32(s.nx), int32(s.ny), int32(s.nz),
			s.gx.at, s.gy.at, s.gz.at, s.ground.data, s.ground.onDev, s.capacity.address(), ptr(d)))
	}
}

// Scale sets z = d r, or z = r where d is nil.
func (s *space) Scale(z, d, r ops.Vector) {
	if s.ready() {
		s.note(s.residual.Scale(s.stream, flat(s.cells), s.cells, ptr(d), ptr(r), ptr(z)))
	}
}
