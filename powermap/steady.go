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
		l.drawRows(0, l.grid.NY(), l.drawn.watts)
	})
	return l.drawn.watts
}

// Rows fills dst with rows [lo, hi) of Watts, without storing a plane.
func (l *LayerMap) Rows(lo, hi int, dst []float64) {
	nx := l.grid.NX()
	if l.hasMaps() {
		copy(dst, l.Watts()[lo*nx:hi*nx])
		return
	}
	clear(dst[:(hi-lo)*nx])
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

// mapped is the steady power on the grid: the sum of the shares of footprints, and of the cells of maps.
func (l *LayerMap) mapped() float64 {
	var total sum
	if l.hasMaps() {
		for _, w := range l.Watts() {
			total.add(w)
		}
		return total.value()
	}
	for k := range l.sources {
		s := &l.sources[k]
		for n := range s.footprints {
			total.add(s.watts(n, s.steady) * s.footprints[n].total())
		}
	}
	return total.value()
}
