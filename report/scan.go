package report

import (
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// extent gathers the temperatures of a set of cells: a layer, or the whole domain.
type extent struct {
	min, max  float64
	i, j, k   int     // of the maximum
	sum, vol  float64 // integral of T dV, and V, over finite cells
	nonFinite int
}

func newExtent() extent { return extent{min: math.Inf(1), max: math.Inf(-1)} }

// merge adds o, whose cells come later: of equal maxima the first cell wins.
func (e *extent) merge(o extent) {
	if o.max > e.max {
		e.max, e.i, e.j, e.k = o.max, o.i, o.j, o.k
	}
	e.min = min(e.min, o.min)
	e.sum += o.sum
	e.vol += o.vol
	e.nonFinite += o.nonFinite
}

// result is min, mean and max; NaN where no cell is finite.
func (e *extent) result() (lo, mean, hi float64) {
	if e.vol == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return e.min, e.sum / e.vol, e.max
}

// scan is everything that one pass over the planes yields.
type scan struct {
	layers []extent
	all    extent
	peaks  *peakMap
	blocks []*blockStats
	probes []*probeStats
}

// run reads every plane of the field once, bottom to top, and holds one at a time. Rows are shared between the cores in fixed
// bands whose results are joined in order, so the figures do not depend on the number of cores.
func (s *scan) run(m *mesh.Mesh, f solution.Field) error {
	nx, ny := m.NX(), m.NY()
	s.layers = make([]extent, len(m.Stack.Layers))
	for l := range s.layers {
		s.layers[l] = newExtent()
	}
	s.all = newExtent()
	s.peaks = newPeakMap(nx, ny)
	dx := make([]float64, nx)
	for i := range dx {
		dx[i] = m.X[i+1] - m.X[i]
	}
	plane := make([]float64, nx*ny)
	bands := make([]extent, s.peaks.ny)
	for k := range m.Planes {
		if err := f.Plane(k, plane); err != nil {
			return fmt.Errorf("reading plane %d of the temperature field: %w", k, err)
		}
		layer, dz := m.Planes[k].Layer, m.Z[k+1]-m.Z[k]
		var g errgroup.Group
		g.SetLimit(runtime.GOMAXPROCS(0))
		for b := range bands {
			g.Go(func() error {
				bands[b] = s.band(m, plane, dx, k, b)
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for _, e := range bands {
			e.sum *= dz
			e.vol *= dz
			s.layers[layer].merge(e)
			s.all.merge(e)
		}
		for _, b := range s.blocks {
			if b.layer == layer {
				b.add(plane, nx, dz)
			}
		}
		for _, p := range s.probes {
			p.add(plane, k)
		}
	}
	return nil
}

// band takes in bin row b of plane k. The sums it returns are per unit height.
func (s *scan) band(m *mesh.Mesh, plane, dx []float64, k, b int) extent {
	e := newExtent()
	nx := len(dx)
	bins := s.peaks.bins[b*s.peaks.nx : (b+1)*s.peaks.nx]
	from, to := s.peaks.rows(b)
	for j := from; j < to; j++ {
		dy := m.Y[j+1] - m.Y[j]
		sum, vol := 0.0, 0.0
		for i, v := range plane[j*nx : (j+1)*nx] {
			if v-v != 0 {
				e.nonFinite++
				continue
			}
			sum += v * dx[i]
			vol += dx[i]
			if v < e.min {
				e.min = v
			}
			if v > e.max {
				e.max, e.i, e.j, e.k = v, i, j, k
			}
			if bin := &bins[s.peaks.binX[i]]; v > bin.t {
				*bin = peak{v, int32(i), int32(j), int32(k)}
			}
		}
		e.sum += sum * dy
		e.vol += vol * dy
	}
	return e
}
