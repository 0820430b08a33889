package cuda

import (
	"errors"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
)

// series is room for what several vectors come to, one behind the other.
type series struct {
	of   *Reduction
	at   cudriver.Ptr[float64] // begins an allocation
	host []float64             // what was read
}

// Series has room for the statistics of so many vectors. It is nil where the device has no memory left.
func (m *Reduction) Series(places int) (reduction.Series, error) {
	at, err := tryAlloc[float64](m.s, int64(places*m.doubles))
	if errors.Is(err, cudriver.ErrOutOfMemory) {
		return nil, nil
	}
	return &series{m, at, make([]float64, places*m.doubles)}, err
}

// Leave takes the statistics of a vector into a place.
func (v *series) Leave(place int, x ops.Vector, offset float64) {
	v.of.launch(F64(x), offset, v.at.Add(int64(place*v.of.doubles)))
}

// Read waits for the first n places.
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
