package cuda

import (
	"thermsim/gpusolve/cuda/cudriver"
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
	following  *following // nil where no material follows the temperature
	leaking    *leaking   // nil where no power does
	cooling    *cooling   // nil where no coolant flows
}

var (
	_ ops.System = (*system)(nil)
	_ ops.Forms  = (*system)(nil)
)

// slots are planes that only some z have: of[k] is the number of plane k's slot, -1 where it has none.
type slots[T number] struct {
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

// Mesh is what the system was assembled from.
func (s *system) Mesh() *mesh.Mesh { return s.mesh }

// TimeStep is dt.
func (s *system) TimeStep() float64 { return s.dt }

// Symmetric is true where heat flows by differences of temperature alone, and no coolant carries it.
func (s *system) Symmetric() bool { return s.cooling == nil }

// Plane copies plane k of x.
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
		na, nb := s.nx, s.ny
		switch face {
		case stack.West, stack.East:
			na, nb = s.ny, s.nz
		case stack.South, stack.North:
			na, nb = s.nx, s.nz
		}
		f(facing{face, na, nb, b.Temperature - s.mesh.Stack.Ambient, b.Flux})
	}
}

// Assemble discretises the mesh on the GPU.
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
