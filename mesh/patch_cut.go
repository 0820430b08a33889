package mesh

import (
	"math"
	"slices"
	"sort"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// deepest is the number of times that a cell is halved if circles or polygons cross other patches in it.
const deepest = 10

// cutter computes the visible parts of patches in the cells between the coordinates a and b.
type cutter struct {
	patches []stack.Patch
	a, b    []float64
	covers  []patchCover // the last one is on top
}

// patchCover is a rectangle or a shape of a patch.
type patchCover struct {
	patch int32
	rect  bool
	box   geometry.Box // the rectangle
	shape geometry.Shape
}

func newCutter(patches []stack.Patch, a, b []float64) *cutter {
	c := &cutter{patches: patches, a: a, b: b}
	for n := range patches {
		p := &patches[n]
		for _, r := range p.Rects {
			c.covers = append(c.covers, patchCover{int32(n), true, r.Box(), r.Box().Polygon()})
		}
		if p.Shape != nil {
			c.covers = append(c.covers, patchCover{int32(n), false, p.Shape.Bounds(), p.Shape})
		}
	}
	return c
}

// lay computes the owners and the parts of a face.
func (c *cutter) lay(p *PatchedFace) {
	p.owner, p.parts = make([]int32, p.NA*p.NB), map[int][]piece{}
	for n := range p.owner {
		p.owner[n] = unpatched
	}
	cut := map[int][]int{}
	for v := range c.covers {
		cover := &c.covers[v]
		geometry.CellAreas(cover.shape, c.a, c.b, func(i, j int, area float64) {
			n := j*p.NA + i
			switch share := area / ((c.a[i+1] - c.a[i]) * (c.b[j+1] - c.b[j])); {
			case share < sliver:
			case share > 1-sliver:
				p.owner[n] = cover.patch
				delete(cut, n)
			default:
				cut[n] = append(cut[n], v)
			}
		})
	}
	for n, owner := range p.owner {
		over, isCut := cut[n]
		if !isCut && (owner == unpatched || c.patches[owner].Map == nil) {
			continue
		}
		box := geometry.Box{X0: c.a[n%p.NA], X1: c.a[n%p.NA+1], Y0: c.b[n/p.NA], Y1: c.b[n/p.NA+1]}
		slices.Reverse(over)
		v := &view{cutter: c, over: over, base: owner, whole: (box.X1 - box.X0) * (box.Y1 - box.Y0)}
		v.divide(box, deepest)
		p.parts[n] = v.parts
	}
}

// view is the visible patches in one cell.
type view struct {
	*cutter
	over  []int // covers that cut the cell, topmost first
	base  int32 // the patch below them
	whole float64
	parts []piece
}

// divide adds the visible parts in a box within the cell. It splits the box at the edges of rectangles, and halves it
// if several shapes cut it.
func (v *view) divide(r geometry.Box, depth int) {
	type partial struct {
		patch int32
		area  float64
	}
	area, base := (r.X1-r.X0)*(r.Y1-r.Y0), v.base
	var shapes []partial
	for _, n := range v.over {
		cover := &v.covers[n]
		if cover.rect {
			if one, other, cut := splitAt(r, cover.box); cut {
				v.divide(one, depth)
				v.divide(other, depth)
				return
			}
		}
		switch inside := math.Min(area, geometry.Within(cover.shape, r)); {
		case inside <= sliver*area:
			continue
		case inside < (1-sliver)*area:
			shapes = append(shapes, partial{cover.patch, inside})
			continue
		}
		base = cover.patch
		break
	}
	if len(shapes) > 1 && depth > 0 {
		one, other := halves(r)
		v.divide(one, depth-1)
		v.divide(other, depth-1)
		return
	}
	for _, s := range shapes {
		take := math.Min(s.area, area)
		v.add(s.patch, r, take)
		area -= take
	}
	if area > 0 {
		v.add(base, r, area)
	}
}

// splitAt splits a box at an edge of a rectangle that crosses it.
func splitAt(r, edge geometry.Box) (one, other geometry.Box, cut bool) {
	if edge.X1 <= r.X0 || edge.X0 >= r.X1 || edge.Y1 <= r.Y0 || edge.Y0 >= r.Y1 {
		return r, r, false
	}
	one, other = r, r
	for _, x := range []float64{edge.X0, edge.X1} {
		if slack := sliver * (r.X1 - r.X0); x > r.X0+slack && x < r.X1-slack {
			one.X1, other.X0 = x, x
			return one, other, true
		}
	}
	for _, y := range []float64{edge.Y0, edge.Y1} {
		if slack := sliver * (r.Y1 - r.Y0); y > r.Y0+slack && y < r.Y1-slack {
			one.Y1, other.Y0 = y, y
			return one, other, true
		}
	}
	return r, r, false
}

// halves splits a box across its longer side.
func halves(r geometry.Box) (one, other geometry.Box) {
	one, other = r, r
	if r.X1-r.X0 >= r.Y1-r.Y0 {
		one.X1 = (r.X0 + r.X1) / 2
		other.X0 = one.X1
	} else {
		one.Y1 = (r.Y0 + r.Y1) / 2
		other.Y0 = one.Y1
	}
	return one, other
}

// add adds the area in m2 of a box in which a patch is visible.
func (v *view) add(patch int32, r geometry.Box, area float64) {
	if patch == unpatched || v.patches[patch].Map == nil {
		v.note(piece{patch: patch, share: area / v.whole})
		return
	}
	at, m := v.patches[patch].Rects[0], v.patches[patch].Map
	part := area / ((r.X1 - r.X0) * (r.Y1 - r.Y0)) / v.whole
	dx, dy := at.Width/float64(m.NX), at.Height/float64(m.NY)
	i0, i1 := tiles(r.X0-at.X, r.X1-at.X, dx, m.NX)
	j0, j1 := tiles(r.Y0-at.Y, r.Y1-at.Y, dy, m.NY)
	for j := j0; j < j1; j++ {
		low, high := overlapOf(r.Y0-at.Y, r.Y1-at.Y, dy, j, m.NY)
		for i := i0; i < i1; i++ {
			west, east := overlapOf(r.X0-at.X, r.X1-at.X, dx, i, m.NX)
			if share := (east - west) * (high - low) * part; share > 0 {
				v.note(piece{patch, share, m.Values[j*m.NX+i]})
			}
		}
	}
}

// tiles is the half-open range of tiles of a size that an interval touches.
func tiles(from, to, size float64, n int) (first, end int) {
	first = sort.Search(n-1, func(i int) bool { return float64(i+1)*size > from })
	end = first + 1 + sort.Search(n-first-1, func(i int) bool { return float64(first+1+i)*size >= to })
	return first, end
}

// overlapOf is the part of an interval in tile i; the first and last tiles extend beyond their edges to absorb
// rounding.
func overlapOf(from, to, size float64, i, n int) (low, high float64) {
	if i > 0 {
		from = math.Max(from, float64(i)*size)
	}
	if i < n-1 {
		to = math.Min(to, float64(i+1)*size)
	}
	return from, to
}

// note adds a part, or enlarges the one of the same patch and coefficient.
func (v *view) note(p piece) {
	for n := range v.parts {
		if q := &v.parts[n]; q.patch == p.patch && q.h == p.h {
			q.share += p.share
			return
		}
	}
	v.parts = append(v.parts, p)
}
