package fourier

import (
	"math"
	"runtime"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/precond"
	"thermsim/powermap"
)

// Memory is what the preconditioner takes: a state in FP64.
func Memory(s precond.Shape, _ precond.Settings) precond.Need {
	if s.GPU {
		part := largestPart(s, 1)
		bytes := 8*s.Unknowns + gpuBytes(s, &part)
		return precond.Need{SetUp: bytes, Held: bytes}
	}
	x, y := axesOfShape(s)
	bytes := 8*s.Unknowns + productBytes(x, y, runtime.GOMAXPROCS(0))
	return precond.Need{SetUp: bytes, Held: bytes}
}

// DirectMemory is what the direct solver takes: states in modes, their planes in space, and spectra of the power. While
// the residual is computed it also takes the power in space, and in a transient a plane of the previous state. Where
// several ranks share the grid, it is that of the rank that takes most.
func DirectMemory(s precond.Shape, size int) precond.Need {
	states := int64(1)
	if s.InTime {
		states = max(2, s.States)
	}
	modes, space := partCells(s, size)
	if s.GPU {
		return gpuDirect(s, states, size)
	}
	held, residual := 8*(states*modes+space)*int64(s.NZ), int64(0)
	if size > 1 { // planes between the transforms, and as messages out and in
		turned := 8 * int64(turnedAtOnce(s.NX, s.NY, s.NZ)) * max(modes, space)
		held, residual = held+turned, 2*turned
	}
	if s.InTime {
		residual += 8 * space
	}
	if s.Mesh != nil {
		for _, d := range drawings(s) {
			held += sourceBytes(s, &d, modes)
			if plane, _ := d.Multiple(); plane == nil {
				residual += 8 * space
			}
		}
		held += 48 * 8 * int64(s.NX+s.NY) // lines and tables of the transforms
	}
	x, y := axesOfShape(s)
	held += productBytes(x, y, runtime.GOMAXPROCS(0))
	return precond.Need{SetUp: held + residual, Held: held}
}

// sourceBytes are the spectra of a drawing, with modes coefficients of each plane.
func sourceBytes(s precond.Shape, d *powermap.Drawing, modes int64) int64 {
	bytes := int64(0)
	if byProducts(d, s.Sheet()) {
		bytes = 8 * (int64(len(d.Footprints))*int64(s.NX+s.NY) + int64(len(d.Planes))*modes)
	}
	if bytes == 0 || len(d.Planes) > 0 || len(d.Footprints) > fewProducts {
		bytes += 8 * modes
	}
	return bytes
}

// leastShared is the shared memory that a block has on the GPUs with least of it, so that room for long rows is counted
// wherever it may be needed.
const leastShared = 64 << 10

// gpuBytes is what the executor on a GPU takes for its part beside modes, planes and loads: plans, stacks, tiles, sums.
func gpuBytes(s precond.Shape, p *part) int64 {
	ax, ay := axesOfShape(s)
	x, y := plannedAxes(ax, ay, leastShared)
	mp := s.Multiprocessors
	if mp == 0 {
		mp = manyMultiprocessors
	}
	return fixedBytes(x, y, s.NZ, mp, p)
}

// axesOfShape are those of its mesh, or of equal cells where there is none.
func axesOfShape(s precond.Shape) (x, y axis) {
	if s.Mesh == nil {
		return axis{n: s.NX}, axis{n: s.NY}
	}
	return axesOfMesh(s.Mesh)
}

// fixedBytes is that of a grid and plans on a GPU with this many multiprocessors.
func fixedBytes(x, y plannedAxis, nz int, multiprocessors int64, p *part) int64 {
	bytes := x.tableBytes()
	if !x.like(y) {
		bytes += y.tableBytes()
	}
	bytes += multiprocessors * max(x.roomBytes(), y.roomBytes())
	planes, sheet := int64(nz), int64(p.partWidth(p.rank))*int64(y.n)
	bytes += 2*8*planes*ColumnsParts + 4*(planes+1) + 8*planes
	if nz > longestClass {
		blocks := min((sheet+ColumnsThreads-1)/ColumnsThreads, blocksPerMultiprocessor*multiprocessors)
		bytes += blocks * ColumnsThreads * 8 * 2 * ((planes + ColumnsSegment - 1) / ColumnsSegment)
	}
	tiles := 8 * int64(planesAtOnce(p.mostTiles(), nz)) * p.mostTiles()
	if !p.alone() {
		tiles *= 3 // what is received, and what is made of it
	}
	return bytes + tiles + 8*residualSums*cuda.ReductionBlocks + smallBytes
}

// manyMultiprocessors is assumed where the GPU is not known yet.
const manyMultiprocessors = 132

// smallBytes is for what pieces are rounded up to.
const smallBytes = 8 * cuda.StoreAlign

// tableBytes are those of an axis's tables.
func (p plannedAxis) tableBytes() int64 {
	n, m := int64(p.n), int64(p.m)
	if p.of.graded() {
		return 8 * (n*n + 3*n + 1)
	}
	bytes := 8*n + bytesOfComplex*(n/2+1)
	if p.weighted {
		bytes += 8 * (2*n + 1)
	}
	if p.of.ends.fourth() {
		bytes += bytesOfComplex * (2*n - n/2 - 1)
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

// gpuDirect is what a direct solve takes on a GPU: states and their planes, loads, weights of faces, and while the
// residual is taken the loads in space.
func gpuDirect(s precond.Shape, states int64, size int) precond.Need {
	modes, space := partCells(s, size)
	p := largestPart(s, size)
	sheet := 8 * max(modes, space)
	held := 8*(states*modes+space)*int64(s.NZ) + gpuBytes(s, &p) + cuda.IterationBytes
	residual := int64(0)
	held += smallBytes // of the loads' pieces
	if s.InTime {
		residual += sheet
	}
	if s.Mesh != nil {
		held += 2 * 8 * 6 * int64(s.NX+s.NY) // weights of the faces
		for _, d := range drawings(s) {
			held += 2*8*int64(len(d.Footprints))*int64(s.NX+s.NY) + sheet*int64(1+len(d.Planes)) +
				outlineBytes(&d, s.NZ)
			residual += sheet * int64(1+len(d.Planes))
		}
		faces := faceLoads(s)
		held += faces * (sheet + 3*8*int64(s.NX+s.NY) + 12*int64(s.NZ))
		residual += faces * sheet
	}
	return precond.Need{SetUp: held + residual, Held: held}
}

// outlineBytes is what is sent of a drawing: shares of its footprints, amounts, and entries.
func outlineBytes(d *powermap.Drawing, nz int) int64 {
	bytes := 12*int64(nz) + 8*int64(len(d.Planes))
	for n := range d.Footprints {
		bytes += 8*int64(len(d.Footprints[n].X)+len(d.Footprints[n].Y)) + 24
	}
	return bytes
}

// faceLoads is the number of loads that temperatures and fluxes of faces make.
func faceLoads(s precond.Shape) int64 {
	l, err := Of(s.Mesh, 0)
	if err != nil {
		return 0
	}
	return int64(len(NewFaces(s.Mesh, l).Loads()))
}

func drawings(s precond.Shape) []powermap.Drawing {
	if s.InTime {
		if drawn, err := s.Mesh.Power.Sequence().Over(0, 1); err == nil {
			return drawn
		}
	}
	return s.Mesh.Power.Steady()
}

// fewProducts is the number of footprints up to which a row of the spectrum is formed where it is needed.
const fewProducts = 2

// byProducts says whether the footprints' products are quicker than drawing the plane and transforming it: a product is
// a multiplication and an addition a mode, the transform about four for each of the binary digits of the plane's cells.
func byProducts(d *powermap.Drawing, cells int64) bool {
	return float64(len(d.Footprints)) <= 4*math.Log2(float64(cells)+1)
}
