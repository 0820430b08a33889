// Package reduction says what a temperature field is reduced to where it lives: statistics of regions, temperatures at
// points, the hottest cell of each bin of the ground plan, and planes in whole quanta. It holds what executors are
// asked for, and the plain Go that defines every result, bit for bit. Executors and reports meet here; it knows
// neither.
package reduction

import (
	"fmt"
	"slices"

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

// BinRange is the half-open range of cells in bin b, where n cells share so many bins: those i with i*bins/n = b.
func BinRange(b, bins, n int) (from, to int) {
	return (b*n + bins - 1) / bins, ((b+1)*n + bins - 1) / bins
}
