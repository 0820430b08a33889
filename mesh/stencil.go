package mesh

import (
	"math"

	"thermsim/stack"
)

// Stencil is the temperature at a point of a plane of cells, in K: a constant and a weighted sum over four cells
// j*nx+i, some with weight 0.
type Stencil struct {
	Constant float64
	Cell     [4]int
	Weight   [4]float64
}

// InPlane is the temperature at (x, y), in m, at half the height of plane k.
//
// The point lies in a quarter of a cell, between the center, a side in x, a side in y and their common corner. Each of
// the four has a temperature, and the quarter is bilinear between them. Those on the sides are given in point.go. The
// temperature of the corner is the mean of two values. One follows from the temperatures along the side in y, weighted
// by the conductances of the halves of all four adjacent cells; the other likewise along the side in x. They are equal
// if a material fills whole rows or columns. All quarters that share a side or a corner agree on its temperature, so
// the temperature is continuous in the plane. If all four cells are alike, it is bilinear between their centers.
//
// Lateral conduction uses the conductivities of the plane. If an edge between two materials ends at an interface of
// layers, the planes below and above may therefore disagree away from the centers of their cells.
func (m *Mesh) InPlane(k int, x, y float64) Stencil {
	q, u, v := m.quarter(k, x, y)
	var b blend
	b.w[0][0] = (1 - u) * (1 - v)
	if u > 0 {
		b.add(q.side(0, 0), u*(1-v))
	}
	if v > 0 {
		b.add(q.side(1, 0), (1-u)*v)
	}
	switch {
	case u == 0 || v == 0:
	case q.alike():
		b.add(q.product(), u*v)
	default:
		b.add(q.corner(0), u*v/2)
		b.add(q.corner(1), u*v/2)
	}
	in := Stencil{Constant: b.constant}
	for i := range 2 {
		for j := range 2 {
			in.Cell[2*i+j] = q.at[1][min(j, q.n[1]-1)]*m.NX() + q.at[0][min(i, q.n[0]-1)]
			in.Weight[2*i+j] = b.w[i][j]
		}
	}
	return in
}

// blend is a temperature as a weighted sum over the cells around a corner, of which [0][0] contains the point.
type blend struct {
	w        [2][2]float64
	constant float64
}

func (b *blend) add(o blend, factor float64) {
	for i := range b.w {
		for j := range b.w[i] {
			b.w[i][j] += factor * o.w[i][j]
		}
	}
	b.constant += factor * o.constant
}

// quarter is a quarter of a cell, and the cells around its outer corner.
type quarter struct {
	m  *Mesh
	k  int
	f  [2]stack.Face // towards the corner, along x and y
	at [2][2]int     // columns i and rows j of the cell and the next one.
	n  [2]int        // their number
}

var opposite = [...]stack.Face{stack.Top, stack.Bottom, stack.East, stack.West, stack.North, stack.South}

// quarter finds the quarter of a cell that contains a point, and the position from the center to the corner, from 0 to
// 1 along both axes.
func (m *Mesh) quarter(k int, x, y float64) (q quarter, u, v float64) {
	q = quarter{m: m, k: k}
	var to [2]float64
	for axis, faces := range [2][]float64{m.X, m.Y} {
		i, at := locate(faces, [2]float64{x, y}[axis])
		q.f[axis] = [...]stack.Face{stack.West, stack.South}[axis]
		next := i - 1
		if at > 0 {
			q.f[axis], next = opposite[q.f[axis]], i+1
		}
		q.at[axis], q.n[axis], to[axis] = [2]int{i, next}, 2, math.Abs(at)
		if next < 0 || next > len(faces)-2 {
			q.n[axis] = 1
		}
	}
	return q, to[0], to[1]
}

// half is the resistance in m2K/W between the center of the n-th cell along an axis and the shared side, in row o of
// the other axis.
func (q *quarter) half(axis, n, o int) float64 {
	f := q.f[axis]
	if n == 1 {
		f = opposite[f]
	}
	if axis == 0 {
		return q.m.halfResistance(f, q.at[0][n], q.at[1][o], q.k)
	}
	return q.m.halfResistance(f, q.at[0][o], q.at[1][n], q.k)
}

// side is the temperature on the side across an axis, in row o of the other axis.
func (q *quarter) side(axis, o int) (b blend) {
	weight := func(n int) *float64 {
		if axis == 0 {
			return &b.w[n][o]
		}
		return &b.w[o][n]
	}
	r := q.half(axis, 0, o)
	if q.n[axis] == 1 {
		cell := [2]int{q.at[0][0], q.at[1][0]}
		cell[1-axis] = q.at[1-axis][o]
		*weight(0), b.constant = q.m.surface(q.f[axis], r, cell[0], cell[1], q.k)
		return b
	}
	next := q.half(axis, 1, o)
	*weight(0), *weight(1) = next/(r+next), r/(r+next)
	return b
}

// alike reports whether all four cells exist and have the same material.
func (q *quarter) alike() bool {
	if q.n != [2]int{2, 2} {
		return false
	}
	p := &q.m.Planes[q.k]
	if p.Index == nil {
		return true
	}
	low, high := p.Index[q.at[1][0]], p.Index[q.at[1][1]]
	own := low[q.at[0][0]]
	return low[q.at[0][1]] == own && high[q.at[0][0]] == own && high[q.at[0][1]] == own
}

// product is the temperature of the corner between equal cells, with the product of the weights of the sides.
func (q *quarter) product() (b blend) {
	x, y := q.side(0, 0), q.side(1, 0)
	for i := range b.w {
		for j := range b.w[i] {
			b.w[i][j] = x.w[i][0] * y.w[0][j]
		}
	}
	return b
}

// corner is the temperature at the common corner, interpolated along an axis between the sides across the other one.
func (q *quarter) corner(axis int) (b blend) {
	across := 1 - axis
	var conductance [2]float64 // of the half cells at the corner, per height
	width := 0.0
	for o := range q.n[across] {
		d := q.m.DX
		if across == 1 {
			d = q.m.DY
		}
		half := d(q.at[across][o]) / 2
		width += half
		for n := range q.n[axis] {
			conductance[n] += half / q.half(axis, n, o)
		}
	}
	if q.n[axis] == 1 {
		own, constant := q.m.surface(q.f[axis], width/conductance[0], q.at[0][0], q.at[1][0], q.k)
		b.add(q.side(across, 0), own)
		b.constant += constant
		return b
	}
	sum := conductance[0] + conductance[1]
	b.add(q.side(across, 0), conductance[0]/sum)
	b.add(q.side(across, 1), conductance[1]/sum)
	return b
}
