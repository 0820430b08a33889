package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// Conductances are what a mesh's operator is made of, in W/K, for methods that work on couplings: GX[c] couples cells c
// and c+1, GY[c] c and c+NX, GZ[c] c and c+NX NY, 0 where there is no such neighbour, with NX zeros before the first
// cell and behind the last. Ground and Capacity hold a slice per plane, nil where all of it is zero. They belong to the
// operator: a refresh changes their values and nothing else may.
type Conductances struct {
	*Space
	NX, NY, NZ       int
	GX, GY, GZ       []float32
	Ground, Capacity [][]float32

	system *system
	zero   []float32 // a row
}

// ConductancesOf are those of a mesh's system on the processor. ok is false for what lives elsewhere or came as a
// matrix.
func ConductancesOf(a ops.Space) (c *Conductances, ok bool) {
	s, ok := a.(*system)
	if !ok {
		return nil, false
	}
	return &Conductances{&s.Space, s.nx, s.ny, s.nz, s.gx.buf, s.gy.buf, s.gz.buf, s.ground, s.capacity, s,
		make([]float32, s.nx)}, true
}

// Diagonal fills dst with row j of plane k of the operator's main diagonal, summed in FP64.
func (c *Conductances) Diagonal(dst []float64, k, j int) {
	st, _ := c.system.row(k, j, c.zero)
	for i := range dst {
		dst[i] = st.diagonal(i)
	}
}

// Cooling is what coolant adds to the operator of a mesh, for methods that work on couplings: far couples planes k and
// k+2, nil where there is none, and the cavities carry heat. ok is false where no coolant flows.
func (c *Conductances) Cooling() (far [][]float32, cavities []*mesh.Cavity, ok bool) {
	if c.system.cooling == nil {
		return nil, nil, false
	}
	return c.system.cooling.far, c.system.cooling.of, true
}
