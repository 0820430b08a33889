package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
	"thermsim/stack"
)

// system is A on the finest grid. Couplings are FP32 in padded arrays: gx[c] couples c and c+1, gy[c] c and c+nx, gz[c]
// c and c+nx*ny, 0 where there is no such neighbour. ground and capacity have one slice per plane, nil where all
// entries are zero.
type system struct {
	Space
	PlaneReducer
	mesh *mesh.Mesh
	dt   float64

	nx, ny, nz int
	sheet      int // cells per plane

	gx, gy, gz *vec32
	ground     [][]float32 // W/K to the temperatures of the faces
	capacity   [][]float32 // C/dt, W/K

	inflow [][]float64 // W from boundary temperatures and fluxes per plane, nil where none

	partial []float64 // perRow sums for each row

	following *following // nil where no material follows the temperature
	leaking   *leaking   // nil where no power does
	cooling   *cooling   // nil where no coolant flows
	share     *share     // nil where no ranks share the grid

	// The operations' arguments, kept here so that dispatching them allocates nothing.
	assembleOp     assembleTask
	residualOp     residualTask
	dotOp          dotTask
	directionOp    directionTask
	applyOp        applyTask
	multiplyOp     multiplyTask
	updateOp       updateTask
	mapOp          mapTask
	continuationOp continuationTask
	combineOp      combineTask
}

var (
	_ ops.System = (*system)(nil)
	_ ops.Forms  = (*system)(nil)
)

func newSystem(d *Device, m *mesh.Mesh, dt float64) *system {
	s := &system{mesh: m, dt: dt, nx: m.NX(), ny: m.NY(), nz: m.NZ()}
	s.sheet = s.nx * s.ny
	s.Space = newSpace(d, s.sheet*s.nz, s.nx)
	s.PlaneReducer = NewPlaneReducer(&s.Space, s.nx, s.ny, s.nz, func(x ops.Vector) []float64 {
		return x.(*vec64).values()
	})
	s.gx, s.gy, s.gz = s.new32(), s.new32(), s.new32()
	s.partial = make([]float64, perRow*s.ny)
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

// rows runs a task over the rows of the finest grid.
func (s *system) rows(t Task) { s.Run(t, s.ny, s.cells) }

// onFace calls f for every cell on a face.
func (s *system) onFace(face stack.Face, f func(i, j, k int)) {
	switch face {
	case stack.Bottom, stack.Top:
		k := 0
		if face == stack.Top {
			k = s.nz - 1
		}
		for j := range s.ny {
			for i := range s.nx {
				f(i, j, k)
			}
		}
	case stack.West, stack.East:
		i := 0
		if face == stack.East {
			i = s.nx - 1
		}
		for k := range s.nz {
			for j := range s.ny {
				f(i, j, k)
			}
		}
	default:
		j := 0
		if face == stack.North {
			j = s.ny - 1
		}
		for k := range s.nz {
			for i := range s.nx {
				f(i, j, k)
			}
		}
	}
}
