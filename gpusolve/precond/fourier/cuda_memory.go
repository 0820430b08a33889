package fourier

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/precond"
)

// leastShared is the shared memory that a block has on the GPUs with least of it, so that room for long rows is counted wherever it may be needed.
const leastShared = 64 << 10

// gpuBytes is what the executor on a GPU takes beside modes, planes and loads: plans, stacks, tiles, sums.
func gpuBytes(s precond.Shape) int64 {
	var x, y Ends
	if s.Mesh != nil {
		x, y, _ = endsOf(s.Mesh.Stack)
	}
	px, py := planFor(s.NX, leastShared), planFor(s.NY, leastShared)
	bytes := tableBytes(px, x)
	if s.NX != s.NY || x != y {
		bytes += tableBytes(py, y)
	}
	mp := s.Multiprocessors
	if mp == 0 {
		mp = manyMultiprocessors
	}
	bytes += mp * max(px.roomBytes(), py.roomBytes())
	nz := int64(s.NZ)
	bytes += 2*(8*nz*ColumnsParts+4*(nz+1)) + 8*nz + 4*nz + 8*nz
	if nz > longestClass {
		blocks := min((s.Sheet()+ColumnsThreads-1)/ColumnsThreads, blocksPerMultiprocessor*mp)
		bytes += blocks * ColumnsThreads * 8 * 2 * ((nz + ColumnsSegment - 1) / ColumnsSegment)
	}
	tile := 4 * int64((s.NX+1)/2) * int64((s.NY+1)/2)
	return bytes + int64(planesAtOnce(tile, s.NZ))*8*tile + 8*residualSums*cuda.ReductionBlocks + smallBytes
}

// manyMultiprocessors stands for a GPU that is not known yet.
const manyMultiprocessors = 132

// smallBytes is for what is rounded up to 16 bytes, and scalars.
const smallBytes = 1 << 10

// tableBytes are an axis's tables.
func tableBytes(p gpuPlan, ends Ends) int64 {
	n, m := int64(p.n), int64(p.m)
	bytes := 8*n + bytesOfComplex*(n/2+1)
	if ends.fourth() {
		bytes = 8*n + 2*bytesOfComplex*n
	}
	stride := int64(1)
	for _, r := range p.radices {
		bytes += bytesOfComplex * stride
		stride *= int64(r)
	}
	if p.convolves() {
		bytes += bytesOfComplex * (n + m)
	}
	if p.fixed == 0 {
		bytes += 4 * (m + int64(len(p.radices)))
	}
	return bytes
}

// gpuDirect is what a direct solve takes on a GPU: states and their planes, loads, weights of faces, and while the residual is taken the loads in space.
func gpuDirect(s precond.Shape, states int64) precond.Need {
	sheet := 8 * s.Sheet()
	held := 8*states*s.Unknowns + 8*s.Vector(1) + gpuBytes(s) + 3*8*cuda.ReductionBlocks
	residual := int64(0)
	if s.InTime {
		residual += sheet
	}
	if s.Mesh != nil {
		held += 2 * 8 * 6 * int64(s.NX+s.NY) // weights of the faces
		for _, d := range drawings(s) {
			held += 2*8*int64(len(d.Footprints))*int64(s.NX+s.NY) + sheet*int64(1+len(d.Planes)) + 8*int64(len(d.Footprints)+len(d.Planes)+1)
			residual += sheet * int64(1+len(d.Planes))
		}
		faces := faceLoads(s)
		held += faces * (sheet + 2*8*int64(s.NX+s.NY))
		residual += faces * sheet
	}
	return precond.Need{SetUp: held + residual, Held: held}
}

// faceLoads is the number of loads that temperatures and fluxes of faces make.
func faceLoads(s precond.Shape) int64 {
	l, err := Of(s.Mesh, 0)
	if err != nil {
		return 0
	}
	return int64(len(NewFaces(s.Mesh, l).Loads()))
}
