package powermap

import (
	"slices"
	"sync"
)

// steadyPlane is the steady power of a layer, rasterized on first use.
type steadyPlane struct {
	once  sync.Once
	watts []float64
}

// Watts is the power in W per cell column over the layer's thickness in a steady state, x fastest, nx*ny. It is
// rasterized on first use, and must not be changed.
func (l *LayerMap) Watts() []float64 {
	l.drawn.once.Do(func() {
		l.drawn.watts = make([]float64, l.cells())
		const some = 64 // rows
		var group sync.WaitGroup
		for lo := 0; lo < l.grid.NY(); lo += some {
			group.Go(func() {
				l.drawRows(lo, min(lo+some, l.grid.NY()), l.drawn.watts[lo*l.grid.NX():])
			})
		}
		group.Wait()
	})
	return l.drawn.watts
}

// Rows fills dst with rows [lo, hi) of Watts, without storing a plane.
func (l *LayerMap) Rows(lo, hi int, dst []float64) {
	clear(dst[:(hi-lo)*l.grid.NX()])
	l.drawRows(lo, hi, dst)
}

// drawRows adds rows [lo, hi) of the steady power to dst, which begins with the first of them.
func (l *LayerMap) drawRows(lo, hi int, dst []float64) {
	for k := range l.sources {
		s := &l.sources[k]
		s.draw(l.grid, s.steady, lo, hi, dst)
	}
}

// cells of a plane.
func (l *LayerMap) cells() int { return l.grid.NX() * l.grid.NY() }

// hasMaps reports whether a power map is among the sources.
func (l *LayerMap) hasMaps() bool {
	return slices.ContainsFunc(l.sources, func(s source) bool { return s.power.Map != nil })
}

// Powered is the range of cells along x and y outside which the steady power is zero; it is empty where there is none.
func (l *LayerMap) Powered() (x, y [2]int) {
	if !l.hasMaps() {
		return l.extent(func(s *source, n int) bool { return s.watts(n, s.steady) != 0 })
	}
	nx := l.grid.NX()
	x, y = [2]int{nx, 0}, [2]int{l.grid.NY(), 0}
	for n, w := range l.Watts() {
		if i, j := n%nx, n/nx; w != 0 {
			x, y = [2]int{min(x[0], i), max(x[1], i+1)}, [2]int{min(y[0], j), max(y[1], j+1)}
		}
	}
	return x, y
}

// extent is the range of cells along x and y outside which a layer has no maps, and none of the footprints that count.
func (l *LayerMap) extent(counts func(s *source, n int) bool) (x, y [2]int) {
	x, y = [2]int{l.grid.NX(), 0}, [2]int{l.grid.NY(), 0}
	grow := func(r *[2]int, from, end int) {
		if from < end {
			r[0], r[1] = min(r[0], from), max(r[1], end)
		}
	}
	for k := range l.sources {
		s := &l.sources[k]
		from, end := span(s.tiling.x)
		grow(&x, from, end)
		from, end = span(s.tiling.y)
		grow(&y, from, end)
		for n := range s.footprints {
			if f := &s.footprints[n]; counts(s, n) {
				grow(&x, f.I, f.I+len(f.X))
				grow(&y, f.J, f.J+len(f.Y))
			}
		}
	}
	return x, y
}

// mapped is the steady power on the grid: the sum of the shares of footprints, and of the cells of maps.
func (l *LayerMap) mapped() float64 {
	var total Sum
	if l.hasMaps() {
		x, y := l.extent(func(*source, int) bool { return true })
		for plane, j := l.Watts(), y[0]; j < y[1]; j++ {
			for _, w := range plane[j*l.grid.NX():][x[0]:x[1]] {
				total.Add(w)
			}
		}
		return total.Value()
	}
	for k := range l.sources {
		s := &l.sources[k]
		for n := range s.footprints {
			total.Add(s.watts(n, s.steady) * s.footprints[n].total())
		}
	}
	return total.Value()
}
