package cuda

import (
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// Conductances are what a mesh's operator is made of, in W/K, for methods with kernels that work on couplings;
// kernels/device.h tells how they lie. Plane k of Ground is in slot GroundSlot[k] of GroundPlanes, -1 where it is zero.
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
