package multigrid

import (
	"fmt"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// gpuCooled are the operations of a system on a GPU that coolant flows through.
type gpuCooled struct {
	noBottom
	*cuda.Cooling
	kernels *Cooled
	room    cudriver.Ptr[float32] // a vector of the finest level, for residuals and long columns
}

func cooledOnGPU(a ops.System) (Operations, bool, error) {
	c, ok := cuda.CoolingOf(a)
	if !ok {
		return nil, false, nil
	}
	s := &gpuCooled{Cooling: c}
	var err error
	s.kernels, err = cuda.Module(c.Device, "cooled", LoadCooled)
	s.Note(err)
	return s, true, nil
}

// WarmCooled loads the kernels for a stack with coolant, so that setup need not.
func WarmCooled(d *cuda.Device, m *mesh.Mesh) error {
	defer d.Bind()()
	if _, err := cuda.Module(d, "cooled", LoadCooled); err != nil {
		return err
	}
	for _, nz := range []int{m.NZ(), m.NZ() + channels(m)} {
		if _, err := columnsFor(d, nz); err != nil {
			return err
		}
	}
	return nil
}

// columnsFor are the kernels for columns of nz cells.
func columnsFor(d *cuda.Device, nz int) (*Cooledlines, error) {
	class := classFor(CooledlinesClasses(), nz)
	return cuda.Module(d, fmt.Sprintf("cooledlines_%d", class), func(d cudriver.Driver) (*Cooledlines, error) {
		return LoadCooledlines(d, class)
	})
}

// columnsOf loads the kernels for columns of nz cells.
func (s *gpuCooled) columnsOf(nz int) *Cooledlines {
	k, err := columnsFor(s.Device, nz)
	s.Note(err)
	return k
}

// eachColumn is the grid of kernels with a thread for each column, each that of those with one for each cell.
func (s *gpuCooled) eachColumn(l *cooledLevel) [3]uint32 { return s.Grid(l.nx, CooledThreads, l.ny, 1) }
func (s *gpuCooled) each(l *cooledLevel) [3]uint32       { return s.Grid(l.nx, CooledThreads, l.ny, l.nz) }

func (s *gpuCooled) NewVector(l Level) (ops.Vector, error) {
	return l.(*cooledLevel).vector(s.Space), s.Err()
}

func (s *gpuCooled) Start(l Level, x, b ops.Vector, c float32) {
	if !s.Ready() {
		return
	}
	lv := l.(*cooledLevel)
	s.Note(lv.columns.StartCooled(s.Stream, s.eachColumn(lv), CooledlinesStartCooledArgs{
		Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), E: lv.e, Inverse: lv.inverse, Far: lv.far,
		FarSlot: lv.farSlot, B: cuda.F32(b), X: cuda.F32(x), Scale: c, Scratch: s.room,
	}))
}

func (s *gpuCooled) Step(l Level, dst, x, prev, b ops.Vector, w Relaxation) {
	if !s.Ready() {
		return
	}
	lv := l.(*cooledLevel)
	s.Note(lv.columns.StepCooled(s.Stream, s.eachColumn(lv), CooledlinesStepCooledArgs{
		Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), Gx: lv.gx, Gy: lv.gy, E: lv.e, Inverse: lv.inverse,
		Far: lv.far, FarSlot: lv.farSlot, Flows: lv.flows, Flowing: lv.flowing, B: cuda.F32(b), X: cuda.F32(x),
		Prev: cuda.F32(prev), Dst: cuda.F32(dst), A: w.A, Scale: w.C, Scratch: s.room,
	}))
}

func (s *gpuCooled) Streams(l Level, x, b ops.Vector) {
	lv := l.(*cooledLevel)
	for colour, lines := range lv.coloured {
		if lines.count == 0 || !s.Ready() {
			continue
		}
		most := lv.widest
		if colour > 0 { // every second line
			most = (most + 1) / 2
		}
		s.solveLines(lv, CooledStreamsShortArgs{
			Nx: int32(lv.nx), Ny: int32(lv.ny), Most: int32(most), Colour: int32(colour), Gx: lv.gx, Gy: lv.gy,
			Gz: lv.gz, Far: lv.far, FarSlot: lv.farSlot, All: lines.data, B: cuda.F32(b), X: cuda.F32(x),
		}, lines.count)
	}
}

// solveLines takes the kernel for lines as long as the longest.
func (s *gpuCooled) solveLines(l *cooledLevel, a CooledStreamsShortArgs, count int) {
	grid := s.Grid(int(a.Most), CooledAbreast, count, 1)
	switch cells := (l.longest + CooledSegments - 1) / CooledSegments; {
	case cells <= CooledShort:
		s.Note(s.kernels.StreamsShort(s.Stream, grid, a))
	case cells <= CooledMedium:
		s.Note(s.kernels.StreamsMedium(s.Stream, grid, a))
	case cells <= CooledLong:
		s.Note(s.kernels.StreamsLong(s.Stream, grid, a))
	default:
		s.Note(s.kernels.StreamsOfAnyLength(s.Stream, grid, a))
	}
}

func (s *gpuCooled) Restrict(fine, coarse Level, bc, b, x ops.Vector) {
	if !s.Ready() {
		return
	}
	f, c := fine.(*cooledLevel), coarse.(*cooledLevel)
	s.Note(s.kernels.ResidualCooled(s.Stream, s.eachColumn(f), CooledResidualCooledArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Gx: f.gx, Gy: f.gy, Gz: f.gz, Ground: f.ground,
		GroundSlot: f.groundSlot, Capacity: f.capacity, Far: f.far, FarSlot: f.farSlot, Flows: f.flows,
		Flowing: f.flowing, B: cuda.F32(b), X: cuda.F32(x), R: s.room,
	}))
	t := &f.next
	s.Note(s.kernels.GatherCooled(s.Stream, s.each(c), CooledGatherCooledArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Cx: int32(c.nx), Cy: int32(c.ny), FirstX: t.x.first, ParentX: t.x.parent,
		BeyondX: t.x.beyond, FarX: t.x.far, FirstY: t.y.first, ParentY: t.y.parent, BeyondY: t.y.beyond, FarY: t.y.far,
		Origin: t.origin, Kind: t.kind, Flows: f.flows, Split: t.split, Cflows: c.flows, Cflowing: c.flowing, R: s.room,
		Bc: cuda.F32(bc),
	}))
}

// RestrictStart is Restrict: there is no gain in less.
func (s *gpuCooled) RestrictStart(fine, coarse Level, bc, b, x ops.Vector, _ float32) {
	s.Restrict(fine, coarse, bc, b, x)
}

func (s *gpuCooled) Prolong(fine, coarse Level, x, xc ops.Vector) {
	if !s.Ready() {
		return
	}
	f, c := fine.(*cooledLevel), coarse.(*cooledLevel)
	t := &f.next
	s.Note(s.kernels.ProlongCooled(s.Stream, s.each(f), CooledProlongCooledArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Cx: int32(c.nx), Cy: int32(c.ny), ParentX: t.x.parent, BeyondX: t.x.beyond,
		FarX: t.x.far, ParentY: t.y.parent, BeyondY: t.y.beyond, FarY: t.y.far, Flows: f.flows, Split: t.split,
		Low: t.low, Cflows: c.flows, Cflowing: c.flowing, Xc: cuda.F32(xc), X: cuda.F32(x),
	}))
}
