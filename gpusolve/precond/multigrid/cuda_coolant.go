package multigrid

import (
	"fmt"
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// cooledLevel is one grid of the hierarchy of a stack with coolant on the device; cooled.h describes its parts. ground
// holds capacities too on all levels but the finest.
type cooledLevel struct {
	gpuGrid
	cooledCouplings
	cooledFlows

	columns *Cooledlines
	from    *cooledLevel // the finer one, nil of the finest
	next    cooledTransfer
}

// cooledCouplings are the conductances of a level, and what elimination along its columns leaves of them.
type cooledCouplings struct {
	e, far              cudriver.Ptr[float32]
	groundSlot, farSlot cudriver.Ptr[int32]
	grounded            []bool // planes with a slot in ground
	farOf               []int32
}

// cooledFlows are the coolant of a level and the lines that are solved along it.
type cooledFlows struct {
	streams []cooledStream
	flows   cudriver.Ptr[Flow]
	flowing cudriver.Ptr[int32] // by plane, -1 of solids
	widest  int                 // number of lines of a cavity
	longest int                 // number of cells of a line

	all      lineSet
	coloured [colours]lineSet // of which some have the colour
	colours  map[cudriver.Ptr[int32]][]int32
}

// lineSet are lines on the device.
type lineSet struct {
	data  cudriver.Ptr[CooledLines]
	count int
}

// cooledStream is the coolant of a cavity on a level.
type cooledStream struct {
	*flow
	onDevice cudriver.Ptr[float32] // heat
}

// cooledTransfer leads to the next coarser level; cooled.cu describes its planes.
type cooledTransfer struct {
	Coarsening
	x, y                     gpuDirection
	low, split, origin, kind cudriver.Ptr[int32]
	planes                   planeMap
}

func (s *gpuCooled) Finest() (Level, error) {
	l := &cooledLevel{gpuGrid: newGrid(s.NX, s.NY, s.NZ)}
	l.gx, l.gy, l.gz, l.ground, l.capacity = s.GX, s.GY, s.GZ, s.Ground, s.Capacity
	l.groundSlot, l.far, l.farSlot, l.farOf = s.GroundSlot, s.Far, s.FarSlot, s.Slots
	l.grounded = make([]bool, l.nz)
	for k, slot := range s.GroundSlots {
		l.grounded[k] = slot >= 0 || !l.capacity.IsNil()
	}
	for _, v := range s.Of {
		f := finestFlow(v)
		l.streams = append(l.streams, cooledStream{flow: &f})
	}
	s.room = l.field(s.Space)
	s.finish(l)
	return l, s.Err()
}

// sendLater is an Upload without waits for the device, which would cost more than all kernels of a setup. v must stay
// as it is.
func sendLater[T any](s *cuda.Space, v []T) cudriver.Ptr[T] {
	p := cuda.AllocRaw[T](s, int64(len(v)))
	cuda.SendLater(s, p, v)
	return p
}

// finish takes the memory of what every level has and computes it.
func (s *gpuCooled) finish(l *cooledLevel) {
	l.e, l.inverse, l.columns = l.field(s.Space), l.field(s.Space), s.columnsOf(l.nz)
	flowing := minus(l.nz)
	var flows []Flow
	var all []CooledLines
	for n := range l.streams {
		v := &l.streams[n]
		flowing[v.plane] = int32(n)
		v.onDevice = cuda.AllocRaw[float32](s.Space, int64(len(v.heat)))
		l.widest = max(l.widest, len(v.heat))
		flows = append(flows, s.flow(l, v))
		for _, plane := range v.planes() {
			all = append(all, s.linesIn(l, v, plane))
		}
	}
	l.flows, l.flowing = sendLater(s.Space, flows), sendLater(s.Space, flowing)
	l.all = lineSet{sendLater(s.Space, all), len(all)}
	for colour := range l.coloured {
		own := slices.DeleteFunc(slices.Clone(all), func(t CooledLines) bool {
			return !slices.Contains(l.colours[t.Colour], int32(colour))
		})
		l.coloured[colour] = lineSet{sendLater(s.Space, own), len(own)}
	}
	s.compute(l)
}

// flow is the coolant of a cavity as kernels see it.
func (s *gpuCooled) flow(l *cooledLevel, v *cooledStream) Flow {
	wet := make([]int32, len(v.wet))
	for line, holds := range v.wet {
		if holds {
			wet[line] = 1
		}
	}
	length, step, _, _ := v.of.Course(l.nx, l.ny)
	return Flow{Step: int64(step), Plane: int32(v.plane), Axis: int32(v.of.Along), Length: int32(length),
		Heat: v.onDevice, Wet: sendLater(s.Space, wet)}
}

// linesIn are the lines of a cavity's plane: of coolant, and of walls of the colours that even and odd lines have.
func (s *gpuCooled) linesIn(l *cooledLevel, v *cooledStream, plane int) CooledLines {
	length, step, across, first := v.of.Course(l.nx, l.ny)
	t := CooledLines{Plane: int32(plane), Lines: int32(len(v.heat)), Axis: int32(v.of.Along), Length: int32(length),
		Step: int64(step), Across: int64(across), First: int64(first)}
	l.longest = max(l.longest, length)
	if !v.split {
		t.Lone = 1
	}
	colour := v.colours(plane)
	if plane == v.plane {
		t.Heat = v.onDevice
	}
	t.Colour = sendLater(s.Space, colour)
	if l.colours == nil {
		l.colours = map[cudriver.Ptr[int32]][]int32{}
	}
	l.colours[t.Colour] = colour
	t.Inverse, t.Rest = cuda.Alloc[float32](s.Space, l.sheet), cuda.Alloc[float32](s.Space, l.sheet)
	return t
}

func (s *gpuCooled) Coarsen(fine Level, c Coarsening) (Level, error) {
	f := fine.(*cooledLevel)
	t := &f.next
	t.Coarsening = c
	t.x, t.y = directions(s.Space, c, f.nx, f.ny)
	t.planes = newPlaneMap(f.nz, f.flowList())
	p := &t.planes
	t.low, t.split = sendLater(s.Space, p.low), sendLater(s.Space, p.split)
	t.origin, t.kind = sendLater(s.Space, p.origin), sendLater(s.Space, p.kind)

	l := &cooledLevel{gpuGrid: newGrid(c.X.Coarse(f.nx), c.Y.Coarse(f.ny), len(p.origin))}
	l.from = f
	l.gx, l.gy, l.gz = l.field(s.Space), l.field(s.Space), l.field(s.Space)
	far := make([]bool, l.nz)
	l.grounded = make([]bool, l.nz)
	for K, k := range p.origin {
		l.grounded[K] = f.grounded[k]
		far[K] = p.kind[K] == 0 && f.farOf[k] >= 0
	}
	for k, n := range p.split {
		if n >= 0 {
			far[p.low[k]-1], far[p.low[k]] = true, true
		}
	}
	l.ground, l.groundSlot, _ = s.planesOf(l, l.grounded)
	l.far, l.farSlot, l.farOf = s.planesOf(l, far)
	for _, v := range f.streams {
		w := v.coarse(c, p)
		l.streams = append(l.streams, cooledStream{flow: &w})
	}
	s.finish(l)
	return l, s.Err()
}

// flowList are the flows of a level.
func (l *cooledLevel) flowList() (list []*flow) {
	for _, v := range l.streams {
		list = append(list, v.flow)
	}
	return list
}

// planesOf takes memory for the wanted planes.
func (s *gpuCooled) planesOf(l *cooledLevel, want []bool) (data cudriver.Ptr[float32], onDevice cudriver.Ptr[int32],
	slots []int32) {
	slots, count := minus(l.nz), 0
	for k, w := range want {
		if w {
			slots[k] = int32(count)
			count++
		}
	}
	return cuda.Alloc[float32](s.Space, int64(count)*l.sheet), sendLater(s.Space, slots), slots
}

func (s *gpuCooled) RefreshLevel(l Level) error {
	s.Wait() // for what was sent of the flows, which changes
	if s.Ready() {
		s.compute(l.(*cooledLevel))
	}
	return s.Err()
}

// compute fills a level from the finer one, and factors its columns and lines.
func (s *gpuCooled) compute(l *cooledLevel) {
	s.carry(l)
	if l.from != nil && s.Err() == nil {
		s.coarsen(l.from, l)
	}
	if s.Err() != nil {
		return
	}
	cuda.Launch(s.Space, &s.kernels.FactorColumns, s.eachColumn(l), CooledFactorColumnsArgs{
		Nx: int32(l.nx), Ny: int32(l.ny), Nz: int32(l.nz), Gx: l.gx, Gy: l.gy, Gz: l.gz, Ground: l.ground,
		GroundSlot: l.groundSlot, Capacity: l.capacity, Far: l.far, FarSlot: l.farSlot, Flows: l.flows,
		Flowing: l.flowing, E: l.e, Inverse: l.inverse,
	})
	grid := s.Grid(l.widest, CooledThreads, l.all.count, 1)
	cuda.Launch(s.Space, &s.kernels.FactorLines, grid, CooledFactorLinesArgs{
		Nx: int32(l.nx), Ny: int32(l.ny), Most: int32(l.widest), Gx: l.gx, Gy: l.gy, Gz: l.gz, Ground: l.ground,
		GroundSlot: l.groundSlot, Capacity: l.capacity, Far: l.far, FarSlot: l.farSlot, All: l.all.data,
	})
}

// carry sends what each line carries.
func (s *gpuCooled) carry(l *cooledLevel) {
	for n, v := range l.streams {
		if l.from == nil {
			v.carry(nil, Coarsening{})
		} else {
			v.carry(l.from.streams[n].flow, l.from.next.Coarsening)
		}
		cuda.SendLater(s.Space, v.onDevice, v.heat)
	}
}

// coarsen makes the couplings of a level.
func (s *gpuCooled) coarsen(f, l *cooledLevel) {
	t := &f.next
	cuda.Launch(s.Space, &s.kernels.CoarsenCooled, s.Grid(l.nx, CooledThreads, l.ny, f.nz), CooledCoarsenCooledArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Gx: f.gx, Gy: f.gy, Gz: f.gz, Ground: f.ground,
		GroundSlot: f.groundSlot, Capacity: f.capacity, Far: f.far, FarSlot: f.farSlot, Flows: f.flows, Split: t.split,
		Low: t.low, Cx: int32(l.nx), Cy: int32(l.ny), FirstX: t.x.first, FirstY: t.y.first, Cgx: l.gx, Cgy: l.gy,
		Cgz: l.gz, Cground: l.ground, CgroundSlot: l.groundSlot, Cfar: l.far, CfarSlot: l.farSlot,
	})
	for n, v := range f.streams {
		if !v.split {
			continue
		}
		cuda.Launch(s.Space, &s.kernels.CompleteCooled, s.Grid(l.nx, CooledThreads, l.ny, 1), CooledCompleteCooledArgs{
			Cx: int32(l.nx), Cy: int32(l.ny), Flow: int32(n), Flows: l.flows, CfarSlot: l.farSlot, Cgz: l.gz,
			Cfar: l.far,
		})
	}
}

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

// inPlanes is the grid of kernels with a thread for each planes of a column: all of them where there are columns enough
// to fill the device, and otherwise one.
func (s *gpuCooled) inPlanes(l *cooledLevel) (each int32, grid [3]uint32) {
	if l.sheet < fewColumns {
		return 1, s.each(l)
	}
	return int32(l.nz), s.eachColumn(l)
}

// fewColumns occupy less than half of the threads of a GPU. With less than a quarter of them, steps take a kernel that
// reads ahead.
var fewColumns int64 = 1 << 17

func (s *gpuCooled) NewVector(l Level) (ops.Vector, error) {
	return l.(*cooledLevel).vector(s.Space), s.Err()
}

func (s *gpuCooled) Start(l Level, x, b ops.Vector, c float32) {
	if !s.Ready() {
		return
	}
	lv := l.(*cooledLevel)
	cuda.Launch(s.Space, &lv.columns.StartCooled, s.eachColumn(lv), CooledlinesStartCooledArgs{
		Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), E: lv.e, Inverse: lv.inverse, Far: lv.far,
		FarSlot: lv.farSlot, B: cuda.F32(b), X: cuda.F32(x), Scale: c, Scratch: s.room,
	})
}

func (s *gpuCooled) Step(l Level, dst, x, prev, b ops.Vector, w Relaxation) {
	if !s.Ready() {
		return
	}
	lv := l.(*cooledLevel)
	args := CooledlinesStepCooledArgs{
		Nx: int32(lv.nx), Ny: int32(lv.ny), Nz: int32(lv.nz), Gx: lv.gx, Gy: lv.gy, E: lv.e, Inverse: lv.inverse,
		Far: lv.far, FarSlot: lv.farSlot, Flows: lv.flows, Flowing: lv.flowing, B: cuda.F32(b), X: cuda.F32(x),
		Prev: cuda.F32(prev), Dst: cuda.F32(dst), A: w.A, Scale: w.C, Scratch: s.room,
	}
	if lv.sheet < fewColumns/4 {
		cuda.Launch(s.Space, &s.kernels.StepFew, s.eachColumn(lv), CooledStepFewArgs(args))
		return
	}
	cuda.Launch(s.Space, &lv.columns.StepCooled, s.eachColumn(lv), args)
}

func (s *gpuCooled) Streams(l Level, x, b ops.Vector) {
	lv := l.(*cooledLevel)
	if lv.sheet < fewColumns/4 && lv.widest <= 2*CooledAbreast && lv.longest <= CooledFewest*CooledShort && s.Ready() {
		cuda.Launch(s.Space, &s.kernels.StreamsSmall, [3]uint32{1, 1, 1}, CooledStreamsSmallArgs{
			Nx: int32(lv.nx), Ny: int32(lv.ny), Most: int32(lv.widest), Count: int32(lv.all.count), Gx: lv.gx,
			Gy: lv.gy, Gz: lv.gz, Far: lv.far, FarSlot: lv.farSlot, All: lv.all.data, B: cuda.F32(b), X: cuda.F32(x),
		})
		return
	}
	for colour, lines := range lv.coloured {
		if lines.count == 0 || !s.Ready() {
			continue
		}
		most := lv.widest
		if colour > 0 { // every second line
			most = (most + 1) / 2
		}
		s.solveLines(lv, CooledStreamsArgs{
			Nx: int32(lv.nx), Ny: int32(lv.ny), Most: int32(most), Colour: int32(colour), Gx: lv.gx, Gy: lv.gy,
			Gz: lv.gz, Far: lv.far, FarSlot: lv.farSlot, All: lines.data, B: cuda.F32(b), X: cuda.F32(x),
		}, lines.count)
	}
}

// solveLines takes the kernel for lines as long as the longest.
func (s *gpuCooled) solveLines(l *cooledLevel, a CooledStreamsArgs, count int) {
	grid := s.Grid(int(a.Most), CooledAbreast, count, 1)
	switch {
	case l.longest <= CooledFew*CooledShort:
		cuda.Launch(s.Space, &s.kernels.StreamsShort, grid, a)
	case l.longest <= CooledMany*CooledMedium:
		cuda.Launch(s.Space, &s.kernels.StreamsMedium, grid, a)
	case l.longest <= CooledMany*CooledLong:
		cuda.Launch(s.Space, &s.kernels.StreamsLong, grid, a)
	default:
		cuda.Launch(s.Space, &s.kernels.StreamsOfAnyLength, grid, a)
	}
}

func (s *gpuCooled) Before(l Level, z, x, b ops.Vector, c Smoothing) Smoothed {
	return before(s, l, z, x, b, c)
}

func (s *gpuCooled) After(l Level, z, x, b ops.Vector, c Smoothing) { after(s, l, z, x, b, c) }

func (s *gpuCooled) Restrict(fine, coarse Level, bc, b ops.Vector, v Smoothed) {
	s.restrict(fine, coarse, bc, b, v.At)
}

// restrict sets bc = P^T (b - A x).
func (s *gpuCooled) restrict(fine, coarse Level, bc, b, x ops.Vector) {
	if !s.Ready() {
		return
	}
	f, c := fine.(*cooledLevel), coarse.(*cooledLevel)
	each, grid := s.inPlanes(f)
	cuda.Launch(s.Space, &s.kernels.ResidualCooled, grid, CooledResidualCooledArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Each: each, Gx: f.gx, Gy: f.gy, Gz: f.gz, Ground: f.ground,
		GroundSlot: f.groundSlot, Capacity: f.capacity, Far: f.far, FarSlot: f.farSlot, Flows: f.flows,
		Flowing: f.flowing, B: cuda.F32(b), X: cuda.F32(x), R: s.room,
	})
	t := &f.next
	cuda.Launch(s.Space, &s.kernels.GatherCooled, s.each(c), CooledGatherCooledArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Cx: int32(c.nx), Cy: int32(c.ny), FirstX: t.x.first, ParentX: t.x.parent,
		BeyondX: t.x.beyond, FarX: t.x.far, FirstY: t.y.first, ParentY: t.y.parent, BeyondY: t.y.beyond, FarY: t.y.far,
		Origin: t.origin, Kind: t.kind, Flows: f.flows, Split: t.split, Cflows: c.flows, Cflowing: c.flowing, R: s.room,
		Bc: cuda.F32(bc),
	})
}

// RestrictStart forms the whole residual: there is no gain in less.
func (s *gpuCooled) RestrictStart(fine, coarse Level, bc, b, x ops.Vector, _ float32) {
	s.restrict(fine, coarse, bc, b, x)
}

func (s *gpuCooled) Prolong(fine, coarse Level, x, xc ops.Vector) {
	if !s.Ready() {
		return
	}
	f, c := fine.(*cooledLevel), coarse.(*cooledLevel)
	t := &f.next
	each, grid := s.inPlanes(f)
	cuda.Launch(s.Space, &s.kernels.ProlongCooled, grid, CooledProlongCooledArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Each: each, Cx: int32(c.nx), Cy: int32(c.ny),
		ParentX: t.x.parent, BeyondX: t.x.beyond, FarX: t.x.far, ParentY: t.y.parent, BeyondY: t.y.beyond,
		FarY: t.y.far, Flows: f.flows, Split: t.split, Low: t.low, Cflows: c.flows, Cflowing: c.flowing,
		Xc: cuda.F32(xc), X: cuda.F32(x),
	})
}
