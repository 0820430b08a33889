// Package reduction says what a temperature field is reduced to where it lives: statistics of regions, temperatures at
// points, the hottest cell of each bin of the ground plan, and planes in whole quanta. It holds what executors are
// asked for, and the plain Go that defines every result, bit for bit. Executors and reports meet here; it knows
// neither.
package reduction

import (
	"fmt"
	"math"
	"slices"

	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

// Rect is a rectangle of cells of a plane: cell (I + a, J + b) weighs X[a] Y[b] Z.
type Rect struct {
	Plane, I, J int
	X, Y        []float64
	Z           float64
}

// Regions are what statistics of a field are taken of. Executors recognise them by their address and keep what they
// make of them, so they are made once for a run and not changed.
type Regions struct {
	NX, NY, NZ int
	// Groups are sets of rectangles with planes in ascending order. Of each group there is an Extent.
	Groups [][]Rect
	// Points are weighted sums of temperatures, their terms in ascending order of planes.
	Points []mesh.Sample
	// BinsX x BinsY bins share the ground plan, none where they are 0. Of each there is a Peak over all planes.
	BinsX, BinsY int
	// PlanePeaks asks for a Peak of every plane.
	PlanePeaks bool

	planes []int     // that are read, ascending
	work   [][]piece // of every plane
	terms  [][]term  // of every plane
}

// piece is a rectangle's place among the groups.
type piece struct{ group, rect int }

// term is a term's place among the points.
type term struct{ point, term int }

// New checks regions of a grid. Rectangles and terms outside of it, and planes out of order, are errors.
func New(r Regions) (*Regions, error) {
	r.work, r.terms = make([][]piece, r.NZ), make([][]term, r.NZ)
	for g, group := range r.Groups {
		for n := range group {
			if err := r.check(group, n); err != nil {
				return nil, fmt.Errorf("group %d: %w", g, err)
			}
			r.work[group[n].Plane] = append(r.work[group[n].Plane], piece{g, n})
		}
	}
	for p, s := range r.Points {
		for n, t := range s.Terms {
			if t.Plane < 0 || t.Plane >= r.NZ || t.Cell < 0 || t.Cell >= r.NX*r.NY || n > 0 &&
				t.Plane < s.Terms[n-1].Plane {
				return nil,
					fmt.Errorf("point %d: cell %d of plane %d is outside the grid of %d x %d x %d, or out of order", p,
						t.Cell, t.Plane, r.NX, r.NY, r.NZ)
			}
			r.terms[t.Plane] = append(r.terms[t.Plane], term{p, n})
		}
	}
	if r.BinsX < 0 || r.BinsY < 0 || r.BinsX > r.NX || r.BinsY > r.NY || (r.BinsX == 0) != (r.BinsY == 0) {
		return nil, fmt.Errorf("%d x %d bins of %d x %d cells", r.BinsX, r.BinsY, r.NX, r.NY)
	}
	for k := range r.NZ {
		if r.BinsX > 0 || r.PlanePeaks || len(r.work[k])+len(r.terms[k]) > 0 {
			r.planes = append(r.planes, k)
		}
	}
	return &r, nil
}

func (r *Regions) check(group []Rect, n int) error {
	t := &group[n]
	if t.Plane < 0 || t.Plane >= r.NZ || t.I < 0 || t.J < 0 || len(t.X) == 0 || len(t.Y) == 0 || t.I+len(t.X) > r.NX ||
		t.J+len(t.Y) > r.NY {
		return fmt.Errorf("%d x %d cells from (%d, %d) of plane %d are not a rectangle of the grid of %d x %d x %d",
			len(t.X), len(t.Y), t.I, t.J, t.Plane, r.NX, r.NY, r.NZ)
	}
	if n > 0 && t.Plane < group[n-1].Plane {
		return fmt.Errorf("plane %d comes after plane %d", t.Plane, group[n-1].Plane)
	}
	return nil
}

// InOrder is a sample with its terms in ascending order of planes, those of a plane as they were.
func InOrder(s mesh.Sample) mesh.Sample {
	s.Terms = slices.Clone(s.Terms)
	slices.SortStableFunc(s.Terms, func(a, b mesh.Term) int { return a.Plane - b.Plane })
	return s
}

// Planes are those that the statistics depend on, ascending.
func (r *Regions) Planes() []int { return r.planes }

// BinRange is the half-open range of cells in bin b, where n cells share bins bins: those i with i*bins/n = b.
func BinRange(b, bins, n int) (from, to int) {
	return (b*n + bins - 1) / bins, ((b+1)*n + bins - 1) / bins
}

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

// Reducer is a System that reduces the planes of its vectors where they are, so that numbers are moved and not planes.
// offset is added to every value.
type Reducer interface {
	// NewReduction readies the device for regions. It is nil where the device has no memory left for it: planes can
	// still be read.
	NewReduction(r *Regions) (Reduction, error)
	// Quantise puts the counts of all planes into counts, one plane after the other. It says false, and has done
	// nothing, where the device has no memory left for it.
	Quantise(x ops.Vector, offset float64, q Quanta, counts []int32) (done bool)
}

// Reduction takes the statistics of regions. It lives as long as the system.
type Reduction interface {
	// Of takes those of an FP64 vector; after a failure they mean nothing.
	Of(x ops.Vector, offset float64) *Values
}

// Deferring is a Reduction that can leave numbers where they are until those of several vectors are read together.
type Deferring interface {
	Reduction
	// Series has room for the statistics of places vectors. It is nil where the device has no memory left for it.
	Series(places int) (Series, error)
}

// Series are the statistics of several vectors, which may change as soon as theirs were taken.
type Series interface {
	// Leave takes those of a vector into a slot, from 0.
	Leave(slot int, x ops.Vector, offset float64)
	// Read waits for the first n slots; after a failure they mean nothing.
	Read(n int) []*Values
}
