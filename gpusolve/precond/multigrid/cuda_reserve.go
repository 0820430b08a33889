package multigrid

import "thermsim/gpusolve/cuda"

// storeAlign is what each piece of a store is rounded up to.
const storeAlign = cuda.StoreAlign

// Reserve takes the memory of a whole hierarchy in one piece. What it does not foresee is asked for apart.
func (s *gpuOperations) Reserve(plan Plan) {
	f := &gpuLevel{gpuGrid: newGrid(s.NX, s.NY, s.NZ)}
	total := 2 * f.fieldBytes() // pivots and x
	if lineClass(s.NZ) == anyLength {
		total += f.fieldBytes()
	}
	fields := int64(4 + 3) // couplings and pivots; b, z and x
	if !s.Capacity.IsNil() {
		fields++
	}
	for _, c := range plan.Coarsenings {
		l := &gpuLevel{gpuGrid: newGrid(c.X.Coarse(f.nx), c.Y.Coarse(f.ny), f.nz)}
		tables := 4 * (3*int64(f.nx+f.ny) + int64(l.nx+l.ny+2))
		total += fields*l.fieldBytes() + cuda.Pieces(4*int64(s.GroundPlanes)*l.sheet, tables, 4*int64(f.nz))
		total += c.directions() * cuda.Pieces(4*plan.weighted()*f.sheet)
		f = l
	}
	s.Space.Reserve(total)
}

// fieldBytes is what a vector of the level takes of a store.
func (l *gpuLevel) fieldBytes() int64 {
	return cuda.Pieces(cuda.VectorBytes[float32](l.cells, int64(l.nx)))
}
