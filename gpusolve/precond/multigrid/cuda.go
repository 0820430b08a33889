package multigrid

import (
	"fmt"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// gpuOperations are those of a system on a GPU.
type gpuOperations struct {
	*cuda.Conductances
	hierarchy  *Hierarchy
	transfer   *Transfer
	weights    *Weigh
	lines      *Lines
	longColumn cudriver.Ptr[float32] // scratch of columns beyond the longest class
}

// Step leaves sums of blocks of so many columns for the dot product that follows; the executor has room for blocks of
// cuda.DotThreads.
const _ = uint(LinesThreads - cuda.DotThreads)

func onGPU(a ops.System) (Operations, bool, error) {
	c, ok := cuda.ConductancesOf(a)
	if !ok {
		return nil, false, nil
	}
	s := &gpuOperations{Conductances: c}
	s.Note(s.load(c.Device, c.NZ))
	return s, true, nil
}

// load brings the kernels for columns of nz cells.
func (s *gpuOperations) load(d *cuda.Device, nz int) (err error) {
	if s.hierarchy, err = cuda.Module(d, "hierarchy", LoadHierarchy); err != nil {
		return err
	}
	if s.transfer, err = cuda.Module(d, "transfer", LoadTransfer); err != nil {
		return err
	}
	if s.weights, err = cuda.Module(d, "weigh", LoadWeigh); err != nil {
		return err
	}
	class := lineClass(nz)
	s.lines, err = cuda.Module(d, fmt.Sprintf("lines_%d", class), func(d cudriver.Driver) (*Lines, error) {
		return LoadLines(d, class)
	})
	return err
}

// Warm loads the kernels for columns of nz cells, so that set-up need not.
func Warm(d *cuda.Device, nz int) error {
	defer d.Bind()()
	return new(gpuOperations).load(d, nz)
}

// anyLength is the class of columns of every length: slower, and the only one that needs scratch memory.
const anyLength = 0

// lineClass is the smallest class of kernels for columns of nz cells, anyLength above the greatest.
func lineClass(nz int) int { return classFor(LinesClasses(), nz) }

func classFor(classes []int, nz int) int {
	for _, class := range classes {
		if class != anyLength && class >= nz {
			return class
		}
	}
	return anyLength
}

func (s *gpuOperations) columnGrid(l *gpuLevel) [3]uint32 {
	return s.Grid(l.nx, LinesThreads, l.ny, 1)
}

// Start sets x = c T^-1 b.
func (s *gpuOperations) Start(l Level, x, b ops.Vector, c float32) {
	if !s.Ready() {
		return
	}
	lv := l.(*gpuLevel)
	s.Note(s.lines.Start(s.Stream, s.columnGrid(lv), LinesStartArgs{
		Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), Gz: lv.gz, Inverse: lv.inverse, B: cuda.F32(b),
		X: cuda.F32(x), Scale: c,
	}))
}

// Step sets dst = x + a (x - prev) + c T^-1 (b - A x).
func (s *gpuOperations) Step(l Level, dst, x, prev, b ops.Vector, w Relaxation) {
	if !s.Ready() {
		return
	}
	lv := l.(*gpuLevel)
	if lv.finest && lv.ny <= s.MostRows() {
		g := s.columnGrid(lv)
		s.Note(s.lines.StepDot(s.Stream, g, LinesStepDotArgs{
			Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), Gx: lv.gx, Gy: lv.gy, Gz: lv.gz, Inverse: lv.inverse,
			B: cuda.F32(b), X: cuda.F32(x), Prev: cuda.F32(prev), Dst: cuda.F32(dst), A: w.A, Scale: w.C,
			Scratch: s.longColumn,
			Partial: s.Partial(),
		}))
		s.LeaveDot(dst, b, int32(g[0]*g[1]))
		return
	}
	s.Note(s.lines.Step(s.Stream, s.columnGrid(lv), LinesStepArgs{
		Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), Gx: lv.gx, Gy: lv.gy, Gz: lv.gz, Inverse: lv.inverse,
		B: cuda.F32(b), X: cuda.F32(x), Prev: cuda.F32(prev), Dst: cuda.F32(dst), A: w.A, Scale: w.C,
		Scratch: s.longColumn,
	}))
}

// Streams is for stacks with coolant.
func (s *gpuOperations) Streams(Level, ops.Vector, ops.Vector) {}
