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
	m.place(p, fixed, rows, found)
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

// place sends the plan and says where everything is but the results.
func (m *Reduction) place(p *plan, fixed cudriver.Ptr[byte], rows cudriver.Ptr[kernels.StatisticsRow],
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

// Of takes the statistics of a vector.
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
		s.Note(m.kernels.SumRows(s.Stream, perThread(m.count), m.sums))
	}
	if n := uint32(m.search.Parts) * uint32(m.gather.Planes); n > 0 && s.err == nil {
		m.search.X, m.search.Offset = planes, offset
		s.Note(m.kernels.SearchPlanes(s.Stream, [3]uint32{n, 1, 1}, m.search))
	}
	if n := uint32(len(r.Groups)) + perThread(int64(len(r.Points) + int(m.gather.Planes)))[0]; n > 0 && s.err == nil {
		m.gather.X, m.gather.Offset = planes, offset
		m.gather.Extents, m.gather.Points = cudriver.At[kernels.StatisticsExtent](results.Address()), points
		m.gather.Tops = cudriver.At[kernels.StatisticsPeak](bins.Add(int64(r.BinsX * r.BinsY * peakDoubles)).Address())
		s.Note(m.kernels.Gather(s.Stream, [3]uint32{n, 1, 1}, m.gather))
	}
	if n := r.BinsX * r.BinsY; n > 0 && s.err == nil {
		m.hottest.X, m.hottest.Offset = planes, offset
		m.hottest.Peaks = cudriver.At[kernels.StatisticsPeak](bins.Address())
		s.Note(m.kernels.Hottest(s.Stream, perThread(int64(n)), m.hottest))
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
