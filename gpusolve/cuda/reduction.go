package cuda

import (
	"errors"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
)

// Reduction is regions on the device: what does not change from one field to the next, and room for what their rows and
// they themselves come to.
type Reduction struct {
	s       *Space
	kernels *kernels.Statistics
	regions *reduction.Regions
	rects   int
	count   int64 // rows of all rectangles
	sums    kernels.StatisticsSumRowsArgs
	gather  kernels.StatisticsGatherArgs
	hottest kernels.StatisticsHottestArgs
	search  kernels.StatisticsSearchPlanesArgs
	doubles int    // of extents, points, peaks of bins, peaks of planes
	alone   series // what a single vector comes to
}

var (
	_ reduction.Reducer   = (*PlaneReducer)(nil)
	_ reduction.Reduction = (*Reduction)(nil)
	_ reduction.Deferring = (*Reduction)(nil)
)

// PlaneReducer reduces vectors of nz planes of nx x ny values, one behind the other.
type PlaneReducer struct {
	space      *Space
	nx, ny, nz int
	sheet      int64
	counting   counting
}

// NewPlaneReducer takes its memory of a space.
func NewPlaneReducer(s *Space, nx, ny, nz int) PlaneReducer {
	return PlaneReducer{space: s, nx: nx, ny: ny, nz: nz, sheet: int64(nx) * int64(ny)}
}

// NewReduction readies the device for regions of the planes.
func (p *PlaneReducer) NewReduction(r *reduction.Regions) (reduction.Reduction, error) {
	at := make([]int64, p.nz)
	for k := range at {
		at[k] = int64(k) * p.sheet
	}
	made, err := NewReduction(p.space, r, at)
	if made == nil {
		return nil, err
	}
	return made, err
}

// NewReduction sends regions to the device. Of the fields that they are taken of, plane k begins at value at[k]; those
// that the regions do not read may be anywhere. It is nil where the device has no memory left.
func NewReduction(s *Space, r *reduction.Regions, at []int64) (*Reduction, error) {
	k, err := Module(s.Device, "statistics", kernels.LoadStatistics)
	if err != nil {
		return nil, err
	}
	m := &Reduction{s: s, kernels: k, regions: r}
	p := newPlan(r, at)
	m.rects, m.count = len(p.rects), p.rows
	planes, parts := m.searched()
	m.doubles = len(r.Groups)*extentDoubles + len(r.Points) + (r.BinsX*r.BinsY+planes)*peakDoubles
	fixed, err := tryAlloc[byte](s, p.bytes())
	rows, err2 := tryAlloc[kernels.StatisticsRow](s, m.count)
	found, err3 := tryAlloc[kernels.StatisticsPeak](s, int64(planes*parts))
	results, err4 := tryAlloc[float64](s, int64(m.doubles))
	if err := errors.Join(err, err2, err3, err4); err != nil {
		s.Discard(fixed, rows, found, results)
		if errors.Is(err, cudriver.ErrOutOfMemory) {
			return nil, nil
		}
		return nil, err
	}
	m.alone = series{m, results, make([]float64, m.doubles)}
	m.upload(p, fixed, rows, found)
	return m, s.err
}

// searched is the number of planes whose peaks are asked for, and in how many parts each of them is searched.
func (m *Reduction) searched() (planes, parts int) {
	if !m.regions.PlanePeaks {
		return 0, 0
	}
	const cellsEach, most = 16 * kernels.StatisticsSearch, 64
	return m.regions.NZ, max(1, min(most, m.regions.NX*m.regions.NY/cellsEach))
}

// upload sends the plan and records the addresses of everything except the results.
func (m *Reduction) upload(p *plan, fixed cudriver.Ptr[byte], rows cudriver.Ptr[kernels.StatisticsRow],
	found cudriver.Ptr[kernels.StatisticsPeak]) {
	r := m.regions
	b := NewPacker(fixed, p.bytes())
	rects, weights := Pack(&b, p.rects), Pack(&b, p.weights)
	constants, cells, shares, at := Pack(&b, p.constants), Pack(&b, p.cells), Pack(&b, p.shares), Pack(&b, p.at)
	first, firstTerm := Pack(&b, p.first), Pack(&b, p.firstTerm)
	Send(m.s, fixed, b.bytes)
	planes, parts := m.searched()
	m.sums = kernels.StatisticsSumRowsArgs{Count: m.count, Nx: int32(r.NX), Rects: int32(m.rects), List: rects,
		Weights: weights, Rows: rows}
	m.gather = kernels.StatisticsGatherArgs{
		Groups: int32(len(r.Groups)), First: first, List: rects, Weights: weights, Rows: rows,
		Count: int32(len(r.Points)), FirstTerm: firstTerm, Constants: constants,
		Cells: cells, Shares: shares, Planes: int32(planes), Parts: int32(parts), Found: found,
	}
	m.hottest = kernels.StatisticsHottestArgs{Nx: int32(r.NX), Ny: int32(r.NY), Planes: int32(r.NZ), At: at,
		BinsX: int32(r.BinsX), BinsY: int32(r.BinsY)}
	m.search = kernels.StatisticsSearchPlanesArgs{Cells: int32(r.NX * r.NY), Parts: int32(parts), At: at, Found: found}
}

func (m *Reduction) Of(x ops.Vector, offset float64) *reduction.Values { return m.On(F64(x), offset) }

// On takes the statistics of planes at an address, with a few launches and a read of the numbers alone.
func (m *Reduction) On(planes cudriver.Ptr[float64], offset float64) *reduction.Values {
	m.launch(planes, offset, m.alone.at)
	return m.alone.read(1)[0]
}

// launch leaves the statistics of planes at an address: two launches, one more for bins, and one for the planes' peaks.
func (m *Reduction) launch(planes cudriver.Ptr[float64], offset float64, results cudriver.Ptr[float64]) {
	s, r := m.s, m.regions
	points := results.Add(int64(len(r.Groups) * extentDoubles))
	bins := points.Add(int64(len(r.Points)))
	if s.Ready() && m.count > 0 {
		m.sums.X, m.sums.Offset = planes, offset
		Launch(s, &m.kernels.SumRows, perThread(m.count), m.sums)
	}
	if n := uint32(m.search.Parts) * uint32(m.gather.Planes); n > 0 && s.err == nil {
		m.search.X, m.search.Offset = planes, offset
		Launch(s, &m.kernels.SearchPlanes, [3]uint32{n, 1, 1}, m.search)
	}
	if n := uint32(len(r.Groups)) + perThread(int64(len(r.Points) + int(m.gather.Planes)))[0]; n > 0 && s.err == nil {
		m.gather.X, m.gather.Offset = planes, offset
		m.gather.Extents, m.gather.Points = cudriver.At[kernels.StatisticsExtent](results.Address()), points
		m.gather.Tops = cudriver.At[kernels.StatisticsPeak](bins.Add(int64(r.BinsX * r.BinsY * peakDoubles)).Address())
		Launch(s, &m.kernels.Gather, [3]uint32{n, 1, 1}, m.gather)
	}
	if n := r.BinsX * r.BinsY; n > 0 && s.err == nil {
		m.hottest.X, m.hottest.Offset = planes, offset
		m.hottest.Peaks = cudriver.At[kernels.StatisticsPeak](bins.Address())
		Launch(s, &m.kernels.Hottest, perThread(int64(n)), m.hottest)
	}
}

// perThread is the grid of kernels with a thread for each of n results.
func perThread(n int64) [3]uint32 {
	return [3]uint32{uint32((n + kernels.StatisticsThreads - 1) / kernels.StatisticsThreads), 1, 1}
}

// Doubles that the kernels' structs take.
const (
	extentDoubles = int(unsafe.Sizeof(kernels.StatisticsExtent{}) / 8)
	peakDoubles   = int(unsafe.Sizeof(kernels.StatisticsPeak{}) / 8)
)

// plan is regions as the kernels take them. Weights that several rectangles share stand there once.
type plan struct {
	rects     []kernels.StatisticsRect
	first     []int32 // rectangle of each group
	rows      int64
	weights   []float64
	constants []float64
	firstTerm []int32 // of each point
	cells     []int64
	shares    []float64
	at        []int64 // of each plane

	known map[span]int64 // where weights stand already
}

// span is a slice by its place in memory.
type span struct {
	from *float64
	n    int
}

func newPlan(r *reduction.Regions, at []int64) *plan {
	p := &plan{first: []int32{0}, firstTerm: []int32{0}, at: at, known: map[span]int64{}}
	for _, group := range r.Groups {
		for n := range group {
			t := &group[n]
			p.rects = append(p.rects, kernels.StatisticsRect{
				At: at[t.Plane] + int64(t.J)*int64(r.NX) + int64(t.I), Row: p.rows, X: p.weigh(t.X), Y: p.weigh(t.Y),
				Z:  t.Z,
				Nx: int32(len(t.X)), Ny: int32(len(t.Y)),
			})
			p.rows += int64(len(t.Y))
		}
		p.first = append(p.first, int32(len(p.rects)))
	}
	for _, s := range r.Points {
		for _, t := range s.Terms {
			p.cells = append(p.cells, at[t.Plane]+int64(t.Cell))
			p.shares = append(p.shares, t.Weight)
		}
		p.constants = append(p.constants, s.Constant)
		p.firstTerm = append(p.firstTerm, int32(len(p.cells)))
	}
	return p
}

// weigh says where weights stand.
func (p *plan) weigh(w []float64) int64 {
	key := span{unsafe.SliceData(w), len(w)}
	at, ok := p.known[key]
	if !ok {
		at = int64(len(p.weights))
		p.weights = append(p.weights, w...)
		p.known[key] = at
	}
	return at
}

func (p *plan) bytes() int64 {
	return BytesOf(p.rects) + BytesOf(p.weights) + BytesOf(p.constants) + BytesOf(p.cells) + BytesOf(p.shares) +
		BytesOf(p.at) + BytesOf(p.first) + BytesOf(p.firstTerm)
}

// series is room for what several vectors come to, one behind the other.
type series struct {
	of   *Reduction
	at   cudriver.Ptr[float64] // begins an allocation
	host []float64             // what was read
}

// Series reserves memory for the statistics of several vectors. It is nil where the device has no memory left.
func (m *Reduction) Series(places int) (reduction.Series, error) {
	at, err := tryAlloc[float64](m.s, int64(places*m.doubles))
	if errors.Is(err, cudriver.ErrOutOfMemory) {
		return nil, nil
	}
	return &series{m, at, make([]float64, places*m.doubles)}, err
}

// Leave takes the statistics of a vector into a slot.
func (v *series) Leave(slot int, x ops.Vector, offset float64) {
	v.of.launch(F64(x), offset, v.at.Add(int64(slot*v.of.doubles)))
}

func (v *series) Read(n int) []*reduction.Values { return v.read(n) }

func (v *series) read(n int) []*reduction.Values {
	doubles := v.of.doubles
	ReceivePinned(v.of.s, v.host[:n*doubles], v.at)
	all := make([]*reduction.Values, n)
	for p := range all {
		all[p] = v.of.values(v.host[p*doubles : (p+1)*doubles])
	}
	return all
}

// values puts numbers of the device into Go's form.
func (m *Reduction) values(from []float64) *reduction.Values {
	v := m.regions.NewValues()
	if m.s.err != nil || len(from) == 0 {
		return v
	}
	for n, e := range unsafe.Slice((*kernels.StatisticsExtent)(unsafe.Pointer(&from[0])), len(v.Extents)) {
		v.Extents[n] = reduction.Extent{Sum: e.Sum, Weight: e.Weight, Min: e.Least, Max: e.Greatest, Rect: e.Rect,
			Cell: e.Cell, NonFinite: e.Missing}
	}
	from = from[len(v.Extents)*extentDoubles:]
	from = from[copy(v.Points, from):]
	from = peaksFrom(v.Peaks, from)
	peaksFrom(v.PlanePeaks, from)
	return v
}

// peaksFrom fills peaks and says what is behind them.
func peaksFrom(peaks []reduction.Peak, from []float64) []float64 {
	if len(peaks) == 0 {
		return from
	}
	for n, p := range unsafe.Slice((*kernels.StatisticsPeak)(unsafe.Pointer(&from[0])), len(peaks)) {
		peaks[n] = reduction.Peak{Max: p.Greatest, Plane: p.Plane, Cell: p.Cell}
	}
	return from[len(peaks)*peakDoubles:]
}

var _ reduction.Binning = (*PlaneReducer)(nil)

// Maxima shows planes in bins, with one launch. What it takes of the device's memory it gives back.
func (p *PlaneReducer) Maxima(x ops.Vector, offset float64, m *reduction.Maxima, dst []float64) bool {
	s := p.space
	k, err := Module(s.Device, "statistics", kernels.LoadStatistics)
	s.Note(err)
	if !s.Ready() || m.Count() == 0 {
		return true // and means nothing
	}
	lists := [][]int32{m.X.First, m.X.Last, m.Y.First, m.Y.Last}
	bytes := int64(0)
	for _, l := range lists {
		bytes += BytesOf(l)
	}
	places, err := tryAlloc[byte](s, bytes)
	out, err2 := tryAlloc[float64](s, int64(m.Count()))
	defer s.Discard(places, out)
	if err := errors.Join(err, err2); err != nil {
		if errors.Is(err, cudriver.ErrOutOfMemory) {
			return false
		}
		s.Note(err)
		return true
	}
	b := NewPacker(places, bytes)
	firstX, lastX := Pack(&b, lists[0]), Pack(&b, lists[1])
	firstY, lastY := Pack(&b, lists[2]), Pack(&b, lists[3])
	Send(s, places, b.bytes)
	Launch(s, &k.Maxima, perThread(int64(m.Count())), kernels.StatisticsMaximaArgs{
		Count: int64(m.Count()), Width: int32(len(m.X.First)), Nx: int32(p.nx), Sheet: p.sheet,
		Planes: int32(m.Planes[1] - m.Planes[0]),
		X:      F64(x).Add(int64(m.Planes[0]) * p.sheet), Offset: offset, FirstX: firstX, LastX: lastX, FirstY: firstY,
		LastY: lastY, Out: out,
	})
	ReceivePinned(s, dst, out)
	return true
}

// countBytes bounds what counts take on the device: more planes go through in parts.
const countBytes = 16 << 20

// counting is memory for the counts of some planes.
type counting struct {
	at   cudriver.Ptr[int32]
	size int64
}

// Quantise counts the planes of x. The room for counts is kept for the next time.
func (p *PlaneReducer) Quantise(x ops.Vector, offset float64, q reduction.Quanta, counts []int32) bool {
	s := p.space
	k, err := Module(s.Device, "statistics", kernels.LoadStatistics)
	s.Note(err)
	shown := int64(q.Side(p.nx)) * int64(q.Side(p.ny))
	part := min(int64(p.nz), max(1, countBytes/4/shown))
	if !s.Ready() {
		return true // and means nothing
	}
	if !p.growCounts(part * shown) {
		return false
	}
	for from := int64(0); from < int64(p.nz) && s.err == nil; from += part {
		n := min(part, int64(p.nz)-from) * shown
		Launch(s, &k.Quantise, perThread(n), kernels.StatisticsQuantiseArgs{
			Count: n, Nx: int32(p.nx), Ny: int32(p.ny), Factor: int32(q.Factor), X: F64(x).Add(from * p.sheet),
			Offset: offset, Base: q.Base, Quantum: q.Quantum,
			Counts: p.counting.at,
		})
		ReceivePinned(s, counts[from*shown:from*shown+n], p.counting.at)
	}
	return true
}

// growCounts makes space for n counts, unless there is no memory left.
func (p *PlaneReducer) growCounts(n int64) bool {
	s := p.space
	if p.counting.size >= n {
		return true
	}
	s.Discard(p.counting.at)
	p.counting = counting{}
	at, err := tryAlloc[int32](s, n)
	if errors.Is(err, cudriver.ErrOutOfMemory) {
		return false
	}
	s.Note(err)
	p.counting = counting{at, n}
	return true
}
