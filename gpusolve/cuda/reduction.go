package cuda

import (
	"errors"
	"unsafe"

	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
)

// Reduction is regions on the device: what does not change from one field to the next, and room for what their rows and they themselves come to.
type Reduction struct {
	s       *Space
	kernels *kernels.Statistics
	regions *reduction.Regions
	rects   int
	count   int64 // rows of all rectangles
	sums    kernels.StatisticsSumRowsArgs
	gather  kernels.StatisticsGatherArgs
	hottest kernels.StatisticsHottestArgs
	results cudriver.Ptr[float64] // extents, points, peaks
	host    []float64             // what results were when they were read
}

var (
	_ reduction.Reducer   = (*PlaneReducer)(nil)
	_ reduction.Reduction = (*Reduction)(nil)
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

// NewReduction sends regions to the device. Of the fields that they are taken of, plane k begins at value at[k]; those that the regions do not read may be
// anywhere. It is nil where the device has no memory left.
func NewReduction(s *Space, r *reduction.Regions, at []int64) (*Reduction, error) {
	k, err := Module(s.Device, "statistics", kernels.LoadStatistics)
	if err != nil {
		return nil, err
	}
	m := &Reduction{s: s, kernels: k, regions: r}
	p := newPlan(r, at)
	m.rects, m.count = len(p.rects), p.rows
	doubles := len(r.Groups)*extentDoubles + len(r.Points) + r.BinsX*r.BinsY*peakDoubles
	fixed, err := tryAlloc[byte](s, p.bytes())
	rows, err2 := tryAlloc[kernels.StatisticsRow](s, m.count)
	results, err3 := tryAlloc[float64](s, int64(doubles))
	if err := errors.Join(err, err2, err3); err != nil {
		s.Discard(fixed, rows, results)
		if errors.Is(err, cudriver.ErrOutOfMemory) {
			return nil, nil
		}
		return nil, err
	}
	m.results, m.host = results, make([]float64, doubles)
	m.place(p, fixed, rows)
	return m, s.err
}

// place sends the plan and says where everything is.
func (m *Reduction) place(p *plan, fixed cudriver.Ptr[byte], rows cudriver.Ptr[kernels.StatisticsRow]) {
	r := m.regions
	b := NewPacker(fixed, p.bytes())
	rects, weights := Pack(&b, p.rects), Pack(&b, p.weights)
	constants, cells, shares, at := Pack(&b, p.constants), Pack(&b, p.cells), Pack(&b, p.shares), Pack(&b, p.at)
	first, firstTerm := Pack(&b, p.first), Pack(&b, p.firstTerm)
	Send(m.s, fixed, b.bytes)
	points := m.results.Add(int64(len(r.Groups) * extentDoubles))
	m.sums = kernels.StatisticsSumRowsArgs{Count: m.count, Nx: int32(r.NX), Rects: int32(m.rects), List: rects, Weights: weights, Rows: rows}
	m.gather = kernels.StatisticsGatherArgs{
		Groups: int32(len(r.Groups)), First: first, List: rects, Weights: weights, Rows: rows, Count: int32(len(r.Points)), FirstTerm: firstTerm, Constants: constants,
		Cells: cells, Shares: shares, Extents: cudriver.At[kernels.StatisticsExtent](m.results.Address()), Points: points,
	}
	m.hottest = kernels.StatisticsHottestArgs{
		Nx: int32(r.NX), Ny: int32(r.NY), Planes: int32(r.NZ), At: at, BinsX: int32(r.BinsX), BinsY: int32(r.BinsY),
		Peaks: cudriver.At[kernels.StatisticsPeak](points.Add(int64(len(r.Points))).Address()),
	}
}

// Of takes the statistics of a vector.
func (m *Reduction) Of(x ops.Vector, offset float64) *reduction.Values { return m.On(F64(x), offset) }

// On takes the statistics of planes at an address, with two launches, one more for bins, and a read of the numbers alone.
func (m *Reduction) On(planes cudriver.Ptr[float64], offset float64) *reduction.Values {
	s, r := m.s, m.regions
	if s.Ready() && m.count > 0 {
		m.sums.X, m.sums.Offset = planes, offset
		s.Note(m.kernels.SumRows(s.Stream, perThread(m.count), m.sums))
	}
	if n := len(r.Groups) + len(r.Points); n > 0 && s.err == nil {
		m.gather.X, m.gather.Offset = planes, offset
		s.Note(m.kernels.Gather(s.Stream, perThread(int64(n)), m.gather))
	}
	if n := r.BinsX * r.BinsY; n > 0 && s.err == nil {
		m.hottest.X, m.hottest.Offset = planes, offset
		s.Note(m.kernels.Hottest(s.Stream, perThread(int64(n)), m.hottest))
	}
	ReceivePinned(s, m.host, m.results)
	return m.values()
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

// values puts the numbers that were read into Go's form.
func (m *Reduction) values() *reduction.Values {
	v := m.regions.NewValues()
	if m.s.err != nil || len(m.host) == 0 {
		return v
	}
	at := unsafe.Pointer(&m.host[0])
	for n, e := range unsafe.Slice((*kernels.StatisticsExtent)(at), len(v.Extents)) {
		v.Extents[n] = reduction.Extent{Sum: e.Sum, Weight: e.Weight, Min: e.Least, Max: e.Greatest, Rect: e.Rect, Cell: e.Cell, NonFinite: e.Missing}
	}
	rest := m.host[len(v.Extents)*extentDoubles:]
	copy(v.Points, rest)
	if len(v.Peaks) == 0 {
		return v
	}
	for n, p := range unsafe.Slice((*kernels.StatisticsPeak)(unsafe.Pointer(&rest[len(v.Points)])), len(v.Peaks)) {
		v.Peaks[n] = reduction.Peak{Max: p.Greatest, Plane: p.Plane, Cell: p.Cell}
	}
	return v
}
