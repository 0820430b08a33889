package mesh

import (
	"math"
	"reflect"
	"slices"

	"thermsim/stack"
)

// Leakage is temperature-dependent power, in flat arrays like those of Laws, which evaluate its curves.
type Leakage struct {
	Laws *Laws // with curves alone
	// Planes are those with leakage, bottom to top, each with terms First to First + Count.
	Planes []LeakagePlane
	Terms  []LeakageTerm
	// Sheets hold W per cell column at which the law is 1, x fastest. Planes of one layer share theirs.
	Sheets [][]float64

	curves []*stack.Curve // what the curves of Laws are of
}

// LeakagePlane is a plane of the mesh. Share of a layer's leakage falls into it.
type LeakagePlane struct {
	Share               float64
	Plane, First, Count int
}

// LeakageTerm is a sheet that is scaled by a curve.
type LeakageTerm struct{ Curve, Sheet int32 }

// At is the leakage power in W of a cell at a temperature, and its derivative in W/K. Outside a law's range the value
// at its end applies; the derivative there is zero, or with ends the one at the end.
func (l *Leakage) At(p *LeakagePlane, cell int, kelvin float64, ends bool) (watts, slope float64) {
	for n := p.First; n < p.First+p.Count; n++ {
		t := &l.Terms[n]
		q := p.Share * l.Sheets[t.Sheet][cell]
		if q == 0 {
			continue
		}
		f, df := l.Laws.withSlope(t.Curve, kelvin, ends)
		watts += float64(q * f)
		slope += float64(q * df)
	}
	return watts, slope
}

// Leaks reports whether a cell has leakage.
func (l *Leakage) Leaks(p *LeakagePlane, cell int) bool {
	for _, t := range l.Terms[p.First : p.First+p.Count] {
		if l.Sheets[t.Sheet][cell] != 0 {
			return true
		}
	}
	return false
}

// withSlope is a curve's value, constant beyond the ends of the range, and its derivative.
func (l *Laws) withSlope(curve int32, t float64, ends bool) (value, slope float64) {
	c := &l.Curves[curve]
	held := c.hold(t)
	p := &l.Pieces[c.First+l.piece(c, held)]
	if held != t && !ends {
		return p.Of(held), 0
	}
	return p.Of(held), p.Slope(held)
}

// Of evaluates a law of the stack, as solvers do.
func (l *Leakage) Of(law *stack.Curve) func(kelvin float64) float64 {
	n := slices.IndexFunc(l.curves, func(c *stack.Curve) bool { return c == law || reflect.DeepEqual(c, law) })
	return func(kelvin float64) float64 { return l.Laws.of(int32(n), kelvin) }
}

// LeakageState is the leakage in a temperature field: the power in W, and the number of leaking cells outside the range
// of their law.
type LeakageState struct {
	Watts   float64
	Outside int64
}

// State adds up the leakage at the temperatures in K of the leaking planes, which plane reads in their order, nx cells
// per row. Rows are summed in parallel and then added in order, so that the bits do not depend on the number of cores.
func (l *Leakage) State(nx int, plane func(n int) []float64) (s LeakageState) {
	for n := range l.Planes {
		kelvin := plane(n)
		rows := make([]LeakageState, len(kelvin)/nx)
		inParallel(len(rows), func(j int) { rows[j] = l.row(&l.Planes[n], j*nx, kelvin[j*nx:(j+1)*nx]) })
		for _, r := range rows {
			s.Watts += r.Watts
			s.Outside += r.Outside
		}
	}
	return s
}

// row is State of a row of cells from one on.
func (l *Leakage) row(p *LeakagePlane, first int, kelvin []float64) (s LeakageState) {
	for i, t := range kelvin {
		watts, _ := l.At(p, first+i, t, false)
		s.Watts += watts
		if l.outsideAt(p, first+i, t) {
			s.Outside++
		}
	}
	return s
}

func (l *Leakage) outsideAt(p *LeakagePlane, cell int, kelvin float64) bool {
	for n := p.First; n < p.First+p.Count; n++ {
		c := &l.Laws.Curves[l.Terms[n].Curve]
		if l.Sheets[l.Terms[n].Sheet][cell] != 0 && !(kelvin >= c.Low && kelvin <= c.High) {
			return true
		}
	}
	return false
}

// Range is the temperature range in K in which all laws are valid.
func (l *Leakage) Range() (from, to float64) {
	to = math.Inf(1)
	for i := range l.Laws.Curves {
		from, to = math.Max(from, l.Laws.Curves[i].Low), math.Min(to, l.Laws.Curves[i].High)
	}
	return from, to
}
