package multigrid

import (
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
)

// cooledLevel is one grid of the hierarchy of a stack with coolant on the device; cooled.h tells what belongs to it.
// ground holds capacities too on all levels but the finest.
type cooledLevel struct {
	nx, ny, nz   int
	sheet, cells int64

	cooledCouplings
	cooledFlows

	columns *Cooledlines
	from    *cooledLevel // the finer one, nil of the finest
	next    cooledTransfer
}

// cooledCouplings are the conductances of a level, and what elimination along its columns leaves of them.
type cooledCouplings struct {
	gx, gy, gz, e, inverse cudriver.Ptr[float32]
	ground, capacity, far  cudriver.Ptr[float32]
	groundSlot, farSlot    cudriver.Ptr[int32]
	grounded               []bool // planes with a slot in ground
	farOf                  []int32
}

// cooledFlows are the coolant of a level and the lines that are solved along it.
type cooledFlows struct {
	streams []cooledStream
	flows   cudriver.Ptr[Flow]
	flowing cudriver.Ptr[int32] // by plane, -1 of solids
	widest  int                 // number of lines of a cavity
	longest int                 // number of cells of a line

	all      lineSet
	coloured [3]lineSet // of which some have the colour: coolant, even and odd lines of walls
	colours  map[cudriver.Ptr[int32]][]int32
}

// lineSet are lines on the device.
type lineSet struct {
	data  cudriver.Ptr[CooledLines]
	count int
}

// cooledStream is the coolant of a cavity on a level, on the host: its plane, and what each line carries.
type cooledStream struct {
	plane, axis int
	backward    bool
	heat        []float32
	wet         []bool // lines with coolant
	whole       bool   // walls have a plane of their own, below
	onDevice    cudriver.Ptr[float32]
}

// cooledTransfer leads to the next coarser level; cooled.cu tells of its planes.
type cooledTransfer struct {
	Coarsening
	x, y                     gpuDirection
	low, split, origin, kind cudriver.Ptr[int32]
	planes                   cooledPlanes
}

// cooledPlanes are those of a coarse level.
type cooledPlanes struct {
	low, split   []int32 // by plane of the finer level
	origin, kind []int32 // by plane of the coarse one
	fresh        []int32 // flows of planes that are split
}

// Shape of the level in cells.
func (l *cooledLevel) Shape() (nx, ny, nz int) { return l.nx, l.ny, l.nz }

func newCooledLevel(nx, ny, nz int) *cooledLevel {
	sheet := int64(nx) * int64(ny)
	return &cooledLevel{nx: nx, ny: ny, nz: nz, sheet: sheet, cells: sheet * int64(nz)}
}

// newField makes a vector of what belongs to a level itself.
func (s *gpuCooled) newField(l *cooledLevel) cudriver.Ptr[float32] {
	return cuda.F32(cuda.NewVector[float32](s.Space, l.cells, int64(l.nx)))
}

// Finest is the level of the system.
func (s *gpuCooled) Finest() (Level, error) {
	l := newCooledLevel(s.NX, s.NY, s.NZ)
	l.gx, l.gy, l.gz, l.ground, l.capacity = s.GX, s.GY, s.GZ, s.Ground, s.Capacity
	l.groundSlot, l.far, l.farSlot, l.farOf = s.GroundSlot, s.Far, s.FarSlot, s.Slots
	l.grounded = make([]bool, l.nz)
	for k, slot := range s.GroundSlots {
		l.grounded[k] = slot >= 0 || !l.capacity.IsNil()
	}
	for _, v := range s.Of {
		l.streams = append(l.streams, cooledStream{
			plane: v.Fluid, axis: v.Along, backward: v.Backward, heat: make([]float32, len(v.Heat)), wet: v.Lines,
			whole: v.Wall != v.Fluid,
		})
	}
	s.room = s.newField(l)
	s.finish(l)
	return l, s.Err()
}

// finish takes the memory of what every level has and computes it.
func (s *gpuCooled) finish(l *cooledLevel) {
	l.e, l.inverse, l.columns = s.newField(l), s.newField(l), s.columnsOf(l.nz)
	flowing := minus(l.nz)
	var flows []Flow
	var all []CooledLines
	for n := range l.streams {
		v := &l.streams[n]
		flowing[v.plane] = int32(n)
		v.onDevice = cuda.AllocRaw[float32](s.Space, int64(len(v.heat)))
		l.widest = max(l.widest, len(v.heat))
		flows = append(flows, s.flow(l, v))
		all = append(all, s.linesIn(l, v, v.plane))
		if v.whole {
			all = append(all, s.linesIn(l, v, v.plane-1))
		}
	}
	l.flows, l.flowing = cuda.Upload(s.Space, flows), cuda.Upload(s.Space, flowing)
	l.all = lineSet{cuda.Upload(s.Space, all), len(all)}
	for colour := range l.coloured {
		own := slices.DeleteFunc(slices.Clone(all), func(t CooledLines) bool {
			return !slices.Contains(l.colours[t.Colour], int32(colour))
		})
		l.coloured[colour] = lineSet{cuda.Upload(s.Space, own), len(own)}
	}
	s.compute(l)
}

// minus are n numbers of -1.
func minus(n int) []int32 {
	v := make([]int32, n)
	for i := range v {
		v[i] = -1
	}
	return v
}

// flow is the coolant of a cavity as kernels see it.
func (s *gpuCooled) flow(l *cooledLevel, v *cooledStream) Flow {
	wet := make([]int32, len(v.wet))
	for line, holds := range v.wet {
		if holds {
			wet[line] = 1
		}
	}
	length, step, _ := v.geometry(l)
	return Flow{Step: step, Plane: int32(v.plane), Axis: int32(v.axis), Length: length, Heat: v.onDevice,
		Wet: cuda.Upload(s.Space, wet)}
}

// geometry of a cavity's lines: their cells, the step downstream, and that from line to line.
func (v *cooledStream) geometry(l *cooledLevel) (length int32, step, across int64) {
	length, step, across = int32(l.ny), int64(l.nx), 1
	if v.axis == 0 {
		length, step, across = int32(l.nx), 1, int64(l.nx)
	}
	if v.backward {
		step = -step
	}
	return length, step, across
}

// linesIn are the lines of a cavity's plane: of coolant, and of walls of the colours that even and odd lines have.
func (s *gpuCooled) linesIn(l *cooledLevel, v *cooledStream, plane int) CooledLines {
	t := CooledLines{Plane: int32(plane), Lines: int32(len(v.heat)), Axis: int32(v.axis)}
	t.Length, t.Step, t.Across = v.geometry(l)
	l.longest = max(l.longest, int(t.Length))
	if v.whole {
		t.Lone = 1
	}
	if v.backward {
		t.First = int64(t.Length-1) * -t.Step
	}
	colour := minus(len(v.heat))
	for line, wet := range v.wet {
		switch {
		case plane == v.plane && wet:
			colour[line] = 0
		case plane != v.plane || !v.whole:
			colour[line] = 1 + int32(line%2)
		}
	}
	if plane == v.plane {
		t.Heat = v.onDevice
	}
	t.Colour = cuda.Upload(s.Space, colour)
	if l.colours == nil {
		l.colours = map[cudriver.Ptr[int32]][]int32{}
	}
	l.colours[t.Colour] = colour
	t.Inverse, t.Rest = cuda.Alloc[float32](s.Space, l.sheet), cuda.Alloc[float32](s.Space, l.sheet)
	return t
}

// Coarsen builds the next level and the transfer between.
func (s *gpuCooled) Coarsen(fine Level, c Coarsening) (Level, error) {
	f := fine.(*cooledLevel)
	t := &f.next
	t.Coarsening = c
	dir := &gpuOperations{Conductances: s.Conductances}
	t.x, t.y = dir.directions(c, f.nx, f.ny)
	t.planes = f.splitPlanes()
	p := &t.planes
	t.low, t.split = cuda.Upload(s.Space, p.low), cuda.Upload(s.Space, p.split)
	t.origin, t.kind = cuda.Upload(s.Space, p.origin), cuda.Upload(s.Space, p.kind)

	l := newCooledLevel(c.X.Coarse(f.nx), c.Y.Coarse(f.ny), len(p.origin))
	l.from = f
	l.gx, l.gy, l.gz = s.newField(l), s.newField(l), s.newField(l)
	far := make([]bool, l.nz)
	l.grounded = make([]bool, l.nz)
	for K, k := range p.origin {
		l.grounded[K] = f.grounded[k]
		far[K] = p.kind[K] == 0 && f.farOf[k] >= 0
	}
	for _, n := range p.fresh {
		walls := p.low[f.streams[n].plane]
		far[walls-1], far[walls] = true, true
	}
	l.ground, l.groundSlot, _ = s.planesOf(l, l.grounded)
	l.far, l.farSlot, l.farOf = s.planesOf(l, far)
	for _, v := range f.streams {
		across := c.X
		if v.axis == 0 {
			across = c.Y
		}
		plane := int(p.low[v.plane])
		if !v.whole {
			plane++
		}
		n := across.Coarse(len(v.heat))
		w := cooledStream{plane: plane, axis: v.axis, backward: v.backward, heat: make([]float32, n),
			wet: make([]bool, n), whole: true}
		for line, wet := range v.wet {
			at := across.parentOf(line)
			w.wet[at] = w.wet[at] || wet
		}
		l.streams = append(l.streams, w)
	}
	s.finish(l)
	return l, s.Err()
}

// splitPlanes numbers the planes of the next level.
func (l *cooledLevel) splitPlanes() cooledPlanes {
	p := cooledPlanes{low: make([]int32, l.nz), split: minus(l.nz)}
	for n, v := range l.streams {
		if !v.whole {
			p.split[v.plane] = int32(n)
			p.fresh = append(p.fresh, int32(n))
		}
	}
	for k := range l.nz {
		p.low[k] = int32(len(p.origin))
		if p.split[k] < 0 {
			p.origin, p.kind = append(p.origin, int32(k)), append(p.kind, 0)
		} else {
			p.origin, p.kind = append(p.origin, int32(k), int32(k)), append(p.kind, 1, 2)
		}
	}
	return p
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
	return cuda.Alloc[float32](s.Space, int64(count)*l.sheet), cuda.Upload(s.Space, slots), slots
}

// RefreshLevel computes a level again.
func (s *gpuCooled) RefreshLevel(l Level) error {
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
	s.Note(s.kernels.FactorColumns(s.Stream, s.eachColumn(l), CooledFactorColumnsArgs{
		Nx: int32(l.nx), Ny: int32(l.ny), Nz: int32(l.nz), Gx: l.gx, Gy: l.gy, Gz: l.gz, Ground: l.ground,
		GroundSlot: l.groundSlot,
		Capacity:   l.capacity, Far: l.far, FarSlot: l.farSlot, Flows: l.flows, Flowing: l.flowing, E: l.e,
		Inverse: l.inverse,
	}))
	s.Note(s.kernels.FactorLines(s.Stream, s.Grid(l.widest, CooledThreads, l.all.count, 1), CooledFactorLinesArgs{
		Nx: int32(l.nx), Ny: int32(l.ny), Most: int32(l.widest), Gx: l.gx, Gy: l.gy, Gz: l.gz, Ground: l.ground,
		GroundSlot: l.groundSlot,
		Capacity:   l.capacity, Far: l.far, FarSlot: l.farSlot, All: l.all.data,
	}))
}

// parentOf is the coarse cell of a fine one.
func (p Pairing) parentOf(i int) int {
	if p.Parent == nil {
		return i
	}
	return int(p.Parent[i])
}

// carry sends what each line carries: on coarse levels the sum of the lines that it stands for.
func (s *gpuCooled) carry(l *cooledLevel) {
	for n := range l.streams {
		v := &l.streams[n]
		if l.from == nil {
			for line, heat := range s.Of[n].Heat {
				v.heat[line] = float32(heat)
			}
		} else {
			clear(v.heat)
			across := l.from.next.X
			if v.axis == 0 {
				across = l.from.next.Y
			}
			for line, heat := range l.from.streams[n].heat {
				v.heat[across.parentOf(line)] += heat
			}
		}
		cuda.Send(s.Space, v.onDevice, v.heat)
	}
}

// coarsen makes the couplings of a level.
func (s *gpuCooled) coarsen(f, l *cooledLevel) {
	t := &f.next
	s.Note(s.kernels.CoarsenCooled(s.Stream, s.Grid(l.nx, CooledThreads, l.ny, f.nz), CooledCoarsenCooledArgs{
		Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), Gx: f.gx, Gy: f.gy, Gz: f.gz, Ground: f.ground,
		GroundSlot: f.groundSlot,
		Capacity:   f.capacity, Far: f.far, FarSlot: f.farSlot, Flows: f.flows, Split: t.split, Low: t.low,
		Cx: int32(l.nx), Cy: int32(l.ny),
		FirstX: t.x.first, FirstY: t.y.first, Cgx: l.gx, Cgy: l.gy, Cgz: l.gz, Cground: l.ground,
		CgroundSlot: l.groundSlot, Cfar: l.far,
		CfarSlot: l.farSlot,
	}))
	for _, n := range t.planes.fresh {
		s.Note(s.kernels.CompleteCooled(s.Stream, s.Grid(l.nx, CooledThreads, l.ny, 1), CooledCompleteCooledArgs{
			Cx: int32(l.nx), Cy: int32(l.ny), Flow: n, Flows: l.flows, CfarSlot: l.farSlot, Cgz: l.gz, Cfar: l.far,
		}))
	}
}
