package reduction

import (
	"math"

	"thermsim/mesh"
)

// Values are the statistics of regions.
type Values struct {
	Extents    []Extent  // of the groups
	Points     []float64 // K
	Peaks      []Peak    // of the bins, x fastest
	PlanePeaks []Peak    // of the planes, where they are asked for
}

// Extent gathers the temperatures of the finite cells of a group.
type Extent struct {
	Sum, Weight float64 // sums of weight times temperature, and of weights
	Min, Max    float64 // K; +Inf and -Inf without a cell
	// Rect is the group's rectangle with the first cell at the maximum, Cell that cell in it: row times width plus
	// column.
	Rect, Cell int32
	NonFinite  int64 // cells that were left out
}

// Peak is the first of the hottest cells of a bin or a plane: Max is -Inf where none is finite.
type Peak struct {
	Max         float64
	Plane, Cell int32
}

// NewExtent has no cells yet.
func NewExtent() Extent { return Extent{Min: math.Inf(1), Max: math.Inf(-1)} }

// NewValues are those before the first plane.
func (r *Regions) NewValues() *Values {
	v := &Values{Extents: make([]Extent, len(r.Groups)), Points: make([]float64, len(r.Points)),
		Peaks: make([]Peak, r.BinsX*r.BinsY)}
	if r.PlanePeaks {
		v.PlanePeaks = make([]Peak, r.NZ)
	}
	for n := range v.Extents {
		v.Extents[n] = NewExtent()
	}
	for n := range v.Points {
		v.Points[n] = r.Points[n].Constant
	}
	for n := range v.Peaks {
		v.Peaks[n].Max = math.Inf(-1)
	}
	for n := range v.PlanePeaks {
		v.PlanePeaks[n].Max = math.Inf(-1)
	}
	return v
}

// Merge adds cells that come later, weighed by z: of equal maxima the first wins.
func (e *Extent) Merge(o *Extent, z float64) {
	if o.Max > e.Max {
		e.Max, e.Rect, e.Cell = o.Max, o.Rect, o.Cell
	}
	if o.Min < e.Min {
		e.Min = o.Min
	}
	e.Sum += float64(o.Sum * z)
	e.Weight += float64(o.Weight * z)
	e.NonFinite += o.NonFinite
}

// Hottest is the highest temperature of all planes in K, NaN where one of them has no finite one, or where planes were
// not asked for.
func (v *Values) Hottest() float64 {
	top := math.NaN()
	for n, p := range v.PlanePeaks {
		if math.IsInf(p.Max, -1) {
			return math.NaN()
		}
		if n == 0 || p.Max > top {
			top = p.Max
		}
	}
	return top
}

// Result is minimum, mean and maximum, NaN where no cell is finite.
func (e *Extent) Result() (lo, mean, hi float64) {
	if e.Weight == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return e.Min, e.Sum / e.Weight, e.Max
}

// At is the cell of the maximum of a group.
func (e *Extent) At(group []Rect) (i, j, k int) {
	t := &group[e.Rect]
	return t.I + int(e.Cell)%len(t.X), t.J + int(e.Cell)/len(t.X), t.Plane
}

// corner is where a row of a rectangle begins: its first cell.
type corner struct{ rect, cell int }

// add takes in a row of cells from its corner on: its own sums first, then with the weight of the row. offset is added
// to every value.
func (e *Extent) add(row, weights []float64, offset float64, from corner, y, z float64) {
	sum, weight := 0.0, 0.0
	for i, v := range row {
		v += offset
		if v-v != 0 {
			e.NonFinite++
			continue
		}
		sum += float64(v * weights[i])
		weight += weights[i]
		if v > e.Max {
			e.Max, e.Rect, e.Cell = v, int32(from.rect), int32(from.cell+i)
		}
		if v < e.Min {
			e.Min = v
		}
	}
	e.Sum += float64(float64(sum*y) * z)
	e.Weight += float64(float64(weight*y) * z)
}

// addTerm takes in a term of a point.
func addTerm(value *float64, t *mesh.Term, kelvin float64) { *value += float64(t.Weight * kelvin) }
