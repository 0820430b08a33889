package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// system is A on the finest grid. Couplings are FP32 in padded arrays: gx[c] couples c and c+1, gy[c] c and c+nx, gz[c]
// c and c+nx*ny, 0 where there is no such neighbour. ground and capacity have one slice per plane, nil where all
// entries are zero.
type system struct {
	grid
	mesh *mesh.Mesh
	dt   float64

	gx, gy, gz *vec32
	ground     [][]float32 // W/K to the temperatures of the faces
	capacity   [][]float32 // C/dt, W/K

	inflow [][]float64 // W from boundary temperatures and fluxes per plane, nil where none

	following *following // nil where no material follows the temperature
	leaking   *leaking   // nil where no power does
	cooling   *cooling   // nil where no coolant flows

	// The operations' arguments, kept here so that dispatching them allocates nothing.
	assembleOp assembleTask
	residualOp residualTask
	multiplyOp multiplyTask
}

var (
	_ ops.System = (*system)(nil)
	_ ops.Forms  = (*system)(nil)
)

func newSystem(d *Device, m *mesh.Mesh, dt float64) *system {
	s := &system{mesh: m, dt: dt}
	s.init(d, m.NX(), m.NY(), m.NZ())
	s.gx, s.gy, s.gz = s.new32(), s.new32(), s.new32()
	s.ground = make([][]float32, s.nz)
	s.capacity = make([][]float32, s.nz)
	s.inflow = make([][]float64, s.nz)
	s.following = newFollowing(m)
	s.cooling = newCooling(s)
	s.assemble()
	s.newLeaking()
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
	copy(dst, x.(*vec64).values()[k*s.sheet:(k+1)*s.sheet])
}

// Assemble discretises the mesh.
func (d *Device) Assemble(m *mesh.Mesh, dt float64) (ops.System, error) {
	return newSystem(d, m, dt), nil
}
