package fourier

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
)

// gpuReduction takes planes for the vectors that they are.
type gpuReduction struct{ reduction.Reduction }

// Of takes the statistics of planes.
func (r gpuReduction) Of(p ops.Vector, offset float64) *reduction.Values {
	return r.Reduction.Of(p.(*gpuPlanes).Vector, offset)
}

// gpuSeries does the same for statistics that are read later.
type gpuSeries struct{ reduction.Series }

// Leave takes the statistics of planes into a place.
func (s gpuSeries) Leave(place int, p ops.Vector, offset float64) {
	s.Series.Leave(place, p.(*gpuPlanes).Vector, offset)
}

// Series has room for the statistics of so many states.
func (r gpuReduction) Series(places int) (reduction.Series, error) {
	made, err := r.Reduction.(reduction.Deferring).Series(places)
	if made == nil {
		return nil, err
	}
	return gpuSeries{made}, err
}

// NewReduction readies the device for regions.
func (g *gpuOperations) NewReduction(r *reduction.Regions) (reduction.Reduction, error) {
	made, err := g.reducer.NewReduction(r)
	if made == nil {
		return nil, err
	}
	return gpuReduction{made}, err
}

// Quantise counts planes.
func (g *gpuOperations) Quantise(p ops.Vector, offset float64, q reduction.Quanta, counts []int32) bool {
	return g.reducer.Quantise(p.(*gpuPlanes).Vector, offset, q, counts)
}

// Maxima shows planes in bins.
func (g *gpuOperations) Maxima(p ops.Vector, offset float64, m *reduction.Maxima, dst []float64) bool {
	return g.reducer.Maxima(p.(*gpuPlanes).Vector, offset, m, dst)
}
