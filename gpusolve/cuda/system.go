package cuda

import (
	"unsafe"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
	"thermsim/stack"
)

// system is A on the finest grid of the GPU.
type system struct {
	space
	mesh       *mesh.Mesh
	dt         float64
	nx, ny, nz int
	sheet      int64 // cells per plane

	compact    compact
	gx, gy, gz *vector
	capacity   *vector // C/dt; nil in a steady system
	ground     slots   // FP32 planes
	inflow     slots   // FP64 planes
	power      slots   // FP64 planes
	canvas     canvas  // what is on them
	share      cu.DevicePtr
	longColumn *vector // scratch of columns beyond the longest class

	heading ops.Vector   // the search direction, once there is one
	spare   *vector      // its other buffer
	side    cu.DevicePtr // 1 while the direction is in spare

	finest *level
}

var (
	_ ops.System   = (*system)(nil)
	_ ops.Krylov   = (*system)(nil)
	_ ops.Diagonal = (*system)(nil)
	_ ops.Lines    = (*system)(nil)
	_ ops.Recorder = (*system)(nil)
	_ ops.Bottom   = (*system)(nil)
	_ ops.Forms    = (*system)(nil)
	_ ops.Applier  = (*system)(nil)
)

// slots are planes that only some z have: of[k] is the number of plane k's slot, -1 where it has none.
type slots struct {
	of    []int32
	onDev cu.DevicePtr // of, on the device
	data  cu.DevicePtr
	count int
}

func newSystem(d *Device, m *mesh.Mesh, dt float64) *system {
	s := &system{mesh: m, dt: dt, nx: m.NX(), ny: m.NY(), nz: m.NZ()}
	s.sheet = int64(s.nx) * int64(s.ny)
	s.space = newSpace(d, s.sheet*int64(s.nz), int64(s.nx))
	return s
}

// Mesh is what the system was assembled from.
func (s *system) Mesh() *mesh.Mesh { return s.mesh }

// Plane copies plane k of x.
func (s *system) Plane(k int, x ops.Vector, dst []float64) {
	s.receive(unsafe.Pointer(&dst[0]), ptr(x)+cu.DevicePtr(int64(k)*s.sheet*8), s.sheet*8)
}

// current is where the values of v are: the search direction changes between two buffers.
func (s *system) current(v ops.Vector) ops.Vector {
	if s.heading != nil && v == s.heading && s.inSpare() {
		return s.spare
	}
	return v
}

// Read copies a whole vector to the host.
func (s *system) Read(v ops.Vector, dst []float64) { s.space.Read(s.current(v), dst) }

// Write copies src into v, rounding as v does.
func (s *system) Write(v ops.Vector, src []float64) { s.space.Write(s.current(v), src) }

// inSpare asks the device where the search direction is.
func (s *system) inSpare() bool {
	var side int32
	s.receive(unsafe.Pointer(&side), s.side, 4)
	return side != 0
}

// faceResistance is that of a face in m2K/W, -1 where no temperature drives it.
func (s *system) faceResistance(f stack.Face) float64 {
	if r, driven := s.mesh.FaceResistance(f); driven {
		return r
	}
	return -1
}

// onFaces calls f for every face that exchanges heat, with the arguments of the kernels for faces.
func (s *system) onFaces(f func(face stack.Face, na, nb int, resistance, rise, flux float64)) {
	for face := range stack.Face(stack.NumFaces) {
		b := s.mesh.Stack.Boundary[face]
		r := s.faceResistance(face)
		if r < 0 && (b.Kind != stack.HeatFlux || b.Flux == 0) {
			continue
		}
		na, nb := s.nx, s.ny
		switch face {
		case stack.West, stack.East:
			na, nb = s.ny, s.nz
		case stack.South, stack.North:
			na, nb = s.nx, s.nz
		}
		f(face, na, nb, r, b.Temperature-s.mesh.Stack.Ambient, b.Flux)
	}
}
