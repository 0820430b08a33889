package fourier

import (
	"math"

	"thermsim/powermap"
)

// drawOwn draws the own rows of a source.
func (e *hostOperations) drawOwn(s *hostSource, rows []float64) []float64 {
	first, end := e.own()
	if e.alone() {
		e.perRow(e.NY, func(lo, hi int) { s.Draw(e.NX, lo, hi, rows) })
		return rows
	}
	slab := powermap.Slab{NX: e.NX, First: first, End: end}
	d := slab.Cut([]powermap.Drawing{s.Drawing})[0]
	e.perRow(end-first, func(lo, hi int) { d.Draw(e.NX, lo, hi, rows) })
	return rows
}

// joinPartials gives all ranks the sums of all rows.
func (e *hostOperations) joinPartials() {
	if e.alone() {
		return
	}
	first, end := e.own()
	all := e.numbers(e.partials[4*first : 4*end]...)
	for r, of := range all {
		copy(e.partials[4*e.rows[r]:4*e.rows[r+1]], of)
	}
	if all == nil {
		e.partials[0] = math.NaN()
	}
}
