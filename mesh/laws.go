package mesh

import (
	"math"

	"thermsim/stack"
)

// Laws describe the temperature dependence of the palette's properties, in flat arrays that executors copy unmodified
// to a device. Every evaluation performs the same rounded operations in the same order, and therefore returns the same
// bits.
//
// An entry is a material, or the parts of a cell that edges cut: see mixed, whose formulas hold at every temperature.
type Laws struct {
	Entries   []LawEntry // of the palette, by number
	Parts     []Part
	Materials []MaterialLaw // those of the stack, then those of fills and cut cells
	Curves    []CurveLaw
	Pieces    []stack.Piece
	Buckets   []int32 // the piece, counted from the curve's first, in which a bucket begins
	Faces     [stack.NumFaces]FaceLaw
}

// LawEntry is a material. If Areas is not 0, it is the parts from First on: those of stripes along x, of stripes along
// y, and areas, one for each material.
type LawEntry struct{ Material, First, AlongX, AlongY, Areas int32 }

// parts are those of an entry.
func (l *Laws) parts(e LawEntry) []Part { return l.Parts[e.First : e.First+e.AlongX+e.AlongY+e.Areas] }

// materials calls f with each material of an entry.
func (l *Laws) materials(e LawEntry, f func(material int32)) {
	if e.Areas == 0 {
		f(e.Material)
		return
	}
	for _, p := range l.parts(e)[e.AlongX+e.AlongY:] {
		f(p.Material)
	}
}

// The material properties that can be temperature-dependent.
const (
	LawKX = iota
	LawKY
	LawKZ
	LawC
	lawProperties
)

// MaterialLaw holds the index of each property's curve, or -1 and the constant.
type MaterialLaw struct {
	Curve    [lawProperties]int32
	Constant [lawProperties]float64
}

// CurveLaw is a run of pieces from Low to High (K), found through equal buckets: Scale is their number over High - Low.
type CurveLaw struct {
	Low, High, Scale              float64
	First, Count, Bucket, Buckets int32
}

// TemperatureDependent reports for each palette entry whether any of its properties is temperature-dependent.
func (l *Laws) TemperatureDependent() []bool {
	all := make([]bool, len(l.Entries))
	for id := range all {
		all[id] = l.dependent(uint32(id))
	}
	return all
}

// dependent reports whether any property of a palette entry is temperature-dependent.
func (l *Laws) dependent(id uint32) (yes bool) {
	l.materials(l.Entries[id], func(m int32) {
		yes = yes || l.Materials[m].Curve != [lawProperties]int32{-1, -1, -1, -1}
	})
	return yes
}

// newLaws collects the curves of a stack's materials; nil if there are none. Materials with the same curve share it.
func newLaws(s *stack.Stack) *Laws {
	if !s.TemperatureDependent() {
		return nil
	}
	l := &Laws{}
	known := map[*stack.Curve]int32{}
	for i := range s.Materials {
		m := &s.Materials[i]
		law := MaterialLaw{Constant: [lawProperties]float64{m.K[0], m.K[1], m.K[2], m.C}}
		for p, c := range [lawProperties]*stack.Curve{m.KCurve[0], m.KCurve[1], m.KCurve[2], m.CCurve} {
			law.Curve[p] = -1
			if c == nil {
				continue
			}
			n, ok := known[c]
			if !ok {
				n = l.addCurve(c)
				known[c] = n
			}
			law.Curve[p] = n
		}
		l.Materials = append(l.Materials, law)
		l.Entries = append(l.Entries, LawEntry{Material: int32(i)})
	}
	for f := range l.Faces {
		l.Faces[f] = l.faceLaw(&s.Boundary[f], s.Ambient)
	}
	return l
}

func (l *Laws) addCurve(c *stack.Curve) int32 {
	pieces := c.Pieces()
	buckets := len(pieces)
	if c.Law == stack.TableLaw {
		buckets *= 4 // rows are unevenly spaced
	}
	law := CurveLaw{Low: c.Range[0], High: c.Range[1], Scale: float64(buckets) / (c.Range[1] - c.Range[0]),
		First: int32(len(l.Pieces)), Count: int32(len(pieces)), Bucket: int32(len(l.Buckets)), Buckets: int32(buckets)}
	p := 0
	for b := range buckets {
		begin := law.Low + float64(b)/law.Scale
		for p+1 < len(pieces) && pieces[p+1].From <= begin {
			p++
		}
		l.Buckets = append(l.Buckets, int32(p))
	}
	l.Pieces = append(l.Pieces, pieces...)
	l.Curves = append(l.Curves, law)
	return int32(len(l.Curves) - 1)
}

// hold is the nearest temperature within the range, the lower end for NaN.
func (c *CurveLaw) hold(t float64) float64 {
	if !(t > c.Low) {
		return c.Low
	}
	return math.Min(t, c.High)
}

// piece is the index of the piece that contains a temperature within the range.
func (l *Laws) piece(c *CurveLaw, t float64) int32 {
	b := min(int32((t-c.Low)*c.Scale), c.Buckets-1)
	p := l.Buckets[c.Bucket+b]
	for p+1 < c.Count && l.Pieces[c.First+p+1].From <= t {
		p++
	}
	return p
}

// of is a curve's value at t, constant beyond the ends of the range.
func (l *Laws) of(curve int32, t float64) float64 {
	c := &l.Curves[curve]
	t = c.hold(t)
	return l.Pieces[c.First+l.piece(c, t)].Of(t)
}

// mean is the mean of a curve between two temperatures, (H(t1) - H(t0)) / (t1 - t0) with H its integral: Simpson's
// rule, which is exact for a cubic, in each piece on the way, weighted by the part of the way. No difference of
// integrals is formed, so there is no cancellation when t1 is close to t0.
func (l *Laws) mean(curve int32, t0, t1 float64) float64 {
	if t0 > t1 {
		t0, t1 = t1, t0
	}
	c := &l.Curves[curve]
	low, high := c.hold(t0), c.hold(t1)
	p, last := l.piece(c, low), l.piece(c, high)
	if p == last && low == t0 && high == t1 {
		return simpson(&l.Pieces[c.First+p], t0, t1)
	}
	all := t1 - t0
	if !(all > 0) {
		return l.Pieces[c.First+p].Of(low)
	}
	sum := 0.0
	if t0 < c.Low {
		sum += float64((math.Min(c.Low, t1) - t0) / all * l.Pieces[c.First+p].Of(low))
	}
	for ; low < high; p++ {
		end := high
		if p < last {
			end = l.Pieces[c.First+p+1].From
		}
		sum += float64((end - low) / all * simpson(&l.Pieces[c.First+p], low, end))
		low = end
	}
	if t1 > c.High {
		sum += float64((t1 - math.Max(c.High, t0)) / all * l.Pieces[c.First+last].Of(high))
	}
	return sum
}

func simpson(p *stack.Piece, t0, t1 float64) float64 {
	return (p.Of(t0) + float64(4*p.Of((t0+t1)/2)) + p.Of(t1)) / 6
}

// FaceLaw is the heat transfer coefficient of a face by the temperature Ts of its surface: h(Ts) = Constant +
// Convection(Ts) + Radiation(Ts), W/(m2 K).
type FaceLaw struct {
	TemperatureDependent  bool // otherwise the boundary's constants apply
	Convection, Radiation int32
	Constant              float64
	Ambient               float64 // K
	Above                 float64 // of Ambient over that of the stack, K
}

func (l *Laws) faceLaw(b *stack.Boundary, ambient float64) FaceLaw {
	if !b.TemperatureDependent() {
		return FaceLaw{Convection: -1, Radiation: -1}
	}
	f := FaceLaw{TemperatureDependent: true, Convection: -1, Radiation: -1, Constant: b.H, Ambient: b.Temperature,
		Above: b.Temperature - ambient}
	convection, radiation := b.HCurves()
	if convection != nil {
		f.Convection = l.addCurve(convection)
	}
	if radiation != nil {
		f.Radiation = l.addCurve(radiation)
	}
	return f
}

// Part is a material in a stripe of a cell, or in the whole of it.
type Part struct {
	Material, Place int32 // Place is the number of the material among those of the cell
	// Low and High are its share of the stripe's west and east half, or south and north. Of the whole cell Low is the
	// share.
	Low, High float64
	// Across is the stripe's share of the cell's depth or width at the last part of a stripe, and 0 at those before it.
	Across float64
}
