package krylov

import "thermsim/gpusolve/precond"

// PCGMemory is what NewPCG takes in bytes. The processor and matrices keep r and A p in FP64 beside an FP32 copy of r;
// a mesh's system on a GPU keeps both in FP32, and the direction in two buffers.
func PCGMemory(s precond.Shape) int64 {
	if s.GPU && s.Assembled {
		return s.Vector(4 * 5)
	}
	return s.Vector(2*8 + 3*4)
}

// BiCGSTABMemory is what NewBiCGSTAB takes.
func BiCGSTABMemory(s precond.Shape) int64 { return s.Vector(7*8 + 3*4) }
