package multigrid

import "thermsim/gpusolve/cuda"

// storeAlign is what each piece of a store is rounded up to.
const storeAlign = cuda.StoreAlign

// Reserve takes the memory of a whole hierarchy in one piece. What it does not foresee is asked for apart.
func (s *gpuOperations) Reserve(plan Plan) {
	weighted := int64(0)
	for _, w := range plan.Weighted {
		if w {
			weighted++
		}
	}
	f := newGPULevel(s.NX, s.NY, s.NZ)
	total := 2 * f.fieldBytes() // pivots and x
	if lineClass(s.NZ) == anyLength {
		total += f.fieldBytes()
	}
	fields := int64(4 + 3) // couplings and pivots; b, z and x
	if !s.Capacity.IsNil() {
		fields++
	}
	for _, c := range plan.Coarsenings {
		l := newGPULevel(c.X.Coarse(f.nx), c.Y.Coarse(f.ny), f.nz)
		tables := 4 * (3*int64(f.nx+f.ny) + int64(l.nx+l.ny+2))
		total += fields*l.fieldBytes() + cuda.Pieces(4*int64(s.GroundPlanes)*l.sheet, tables, 4*int64(f.nz))
		for _, p := range []Pairing{c.X, c.Y} {
			if p.Parent != nil {
				total += cuda.Pieces(4 * weighted * f.sheet)
			}
		}
		f = l
	}
	s.Space.Reserve(total)
}

// fieldBytes is what a vector of the level takes of a store.
func (l *gpuLevel) fieldBytes() int64 {
	return cuda.Pieces(cuda.VectorBytes[float32](l.cells, int64(l.nx)))
}
