package eda

import (
	"fmt"
	"math"

	"thermsim/interop/importer"
	"thermsim/powermap"
	"thermsim/stack"
)

// Map is power on a grid of NX by NY equal tiles over the bounds of the die, in W per tile, row by row from the south,
// each from the west.
type Map struct {
	NX, NY int
	Bounds Box
	Watts  []float64
}

// Total is the power of the map in W.
func (m *Map) Total() float64 {
	var total powermap.Sum
	for _, w := range m.Watts {
		total.Add(w)
	}
	return total.Value()
}

// binner sums rectangles of power in tiles. Sums are compensated, so that a million cells in one tile are exact.
type binner struct {
	m      *Map
	lost   []float64
	sx, sy float64 // tiles per um
	ex, ey float64 // rounding of a coordinate, in tiles
	x, y   []float64
}

func newBinner(nx, ny int, b Box) *binner {
	const epsilon = 0x1p-52
	s := &binner{m: &Map{nx, ny, b, make([]float64, nx*ny)}, lost: make([]float64, nx*ny)}
	s.sx, s.sy = float64(nx)/(b.X1-b.X0), float64(ny)/(b.Y1-b.Y0)
	s.ex = 8 * epsilon * max(math.Abs(b.X0), math.Abs(b.X1)) * s.sx
	s.ey = 8 * epsilon * max(math.Abs(b.Y0), math.Abs(b.Y1)) * s.sy
	return s
}

// add spreads watts evenly over a box within the bounds.
func (s *binner) add(b Box, watts float64) {
	var i0, j0 int
	i0, s.x = shares((b.X0-s.m.Bounds.X0)*s.sx, (b.X1-s.m.Bounds.X0)*s.sx, s.ex, s.m.NX, s.x[:0])
	j0, s.y = shares((b.Y0-s.m.Bounds.Y0)*s.sy, (b.Y1-s.m.Bounds.Y0)*s.sy, s.ey, s.m.NY, s.y[:0])
	for j, fy := range s.y {
		row := (j0+j)*s.m.NX + i0
		for i, fx := range s.x {
			k := row + i
			one := powermap.Sum{Total: s.m.Watts[k], Lost: s.lost[k]}
			one.Add(watts * fx * fy)
			s.m.Watts[k], s.lost[k] = one.Total, one.Lost
		}
	}
}

// shares divides the interval [u, v], in tiles, among the tiles it covers: the first of them and the part of the
// interval in each. Ends within tiny of an edge are on it.
func shares(u, v, tiny float64, n int, buf []float64) (first int, parts []float64) {
	u, v = snap(u, tiny), snap(v, tiny)
	u, v = min(max(u, 0), float64(n)), min(max(v, 0), float64(n))
	i0 := min(int(u), n-1)
	i1 := min(int(math.Ceil(v))-1, n-1)
	if i1 <= i0 {
		return i0, append(buf, 1)
	}
	length := v - u
	parts = append(buf, (float64(i0+1)-u)/length)
	for i := i0 + 1; i < i1; i++ {
		parts = append(parts, 1/length)
	}
	return i0, append(parts, (v-float64(i1))/length)
}

func snap(u, tiny float64) float64 {
	if r := math.Round(u); math.Abs(u-r) <= tiny {
		return r
	}
	return u
}

func (s *binner) finish() *Map {
	for k, lost := range s.lost {
		s.m.Watts[k] += lost
	}
	return s.m
}

// bin adds all power to the map and checks the total.
func (m *reading) bin(q Request, r *Result) error {
	s := newBinner(q.NX, q.NY, r.Bounds)
	die := newDie(r.Die)
	var clipped tally
	outside := 0.0
	for i := range m.cells.list {
		in := &m.cells.list[i]
		if !in.placed || in.watts == 0 {
			continue
		}
		if out := die.spread(s, in.box(), in.watts); out > 0 {
			clipped.add(i)
			outside += out * in.watts
		}
	}
	if r.StrayW != 0 {
		die.spreadAll(s, r.StrayW)
	}
	r.Map = s.finish()
	if r.Clipped = clipped.n; clipped.n > 0 {
		m.Note(importer.Warning, m.cells.pos(clipped.first), "beyond the die: %s with power, the first is %q; the "+
			"%.6g W outside are assigned to the part of the instance inside, or to the nearest edge",
			importer.Plural(clipped.n, "instance"), m.cells.shown(clipped.first), outside)
	}
	return m.checkMap(r)
}

// checkMap compares the map with the power that was read.
func (m *reading) checkMap(r *Result) error {
	all := m.magnitude.Value()
	for k, w := range r.Map.Watts {
		switch {
		case w >= 0:
		case w >= -1e-13*all: // rounding where positive and negative watts cancel
			r.Map.Watts[k] = 0
		default:
			return &stack.Error{Pos: stack.Pos{File: m.origin}, Remedy: "use a coarser grid, or correct the cells " +
				"with less than 0 W", Msg: fmt.Sprintf("the tile in column %d from the west and row %d from the south "+
				"has %.6g W; expected at least 0 W", k%r.Map.NX+1, k/r.Map.NX+1, w)}
		}
	}
	if got, want := r.Map.Total(), r.Watts; !(math.Abs(got-want) <= 1e-12*all) {
		return fmt.Errorf("internal error: the map has %.17g W, but %.17g W were read", got, want)
	}
	return nil
}
