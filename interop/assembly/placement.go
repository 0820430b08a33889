package assembly

import (
	"math"
	"strings"
)

// box is an axis-aligned box by two corners, in um.
type box struct{ lo, hi [3]float64 }

func (b *box) extent(axis int) float64 { return b.hi[axis] - b.lo[axis] }

// nowhere is the box around nothing.
func nowhere() box {
	inf := math.Inf(1)
	return box{lo: [3]float64{inf, inf, inf}, hi: [3]float64{-inf, -inf, -inf}}
}

// include makes a box larger.
func (b *box) include(c box) {
	for i := range 3 {
		b.lo[i], b.hi[i] = min(b.lo[i], c.lo[i]), max(b.hi[i], c.hi[i])
	}
}

// common is the intersection along x and y, which may be empty, with the heights of the first.
func (b *box) common(c *box) box {
	out := *b
	for axis := range 2 {
		out.lo[axis], out.hi[axis] = max(b.lo[axis], c.lo[axis]), min(b.hi[axis], c.hi[axis])
	}
	return out
}

// wide reports whether the box has an area.
func (b *box) wide() bool { return b.extent(0) > near && b.extent(1) > near }

// near is the distance in um below which coordinates are equal, a fifth of the usual database unit.
const near = 1e-4

// placement maps the coordinates of a part to those of the assembly: turned and mirrored about the axes, then moved.
type placement struct {
	turn    [2][2]float64 // of x and y
	mirrorZ bool
	at      [3]float64 // um
}

// turns are the elements of orientations.
var turns = map[string][2][2]float64{
	"R0": {{1, 0}, {0, 1}}, "R90": {{0, -1}, {1, 0}}, "R180": {{-1, 0}, {0, -1}}, "R270": {{0, 1}, {-1, 0}},
	"MX": {{1, 0}, {0, -1}}, "MY": {{-1, 0}, {0, 1}}, "MZ": {{1, 0}, {0, 1}},
}

// oriented reads an orientation: elements such as MZ, MY and R90 in the order in which they apply.
func oriented(text string) (p placement, ok bool) {
	p.turn = turns["R0"]
	for word := range strings.SplitSeq(text, "_") {
		t, known := turns[word]
		if !known {
			return p, false
		}
		p.turn = product(t, p.turn)
		p.mirrorZ = p.mirrorZ != (word == "MZ")
	}
	return p, true
}

func product(a, b [2][2]float64) (c [2][2]float64) {
	for i := range 2 {
		for j := range 2 {
			c[i][j] = a[i][0]*b[0][j] + a[i][1]*b[1][j]
		}
	}
	return c
}

func (p *placement) point(v [3]float64) [3]float64 {
	z := v[2]
	if p.mirrorZ {
		z = -z
	}
	return [3]float64{p.at[0] + p.turn[0][0]*v[0] + p.turn[0][1]*v[1], p.at[1] + p.turn[1][0]*v[0] + p.turn[1][1]*v[1],
		p.at[2] + z}
}

func (p *placement) box(b box) (out box) {
	u, v := p.point(b.lo), p.point(b.hi)
	for i := range 3 {
		out.lo[i], out.hi[i] = min(u[i], v[i]), max(u[i], v[i])
	}
	return out
}

// moved is the placement with the lower south-west corner of a part of that size at a point.
func (p placement) moved(size, corner [3]float64) placement {
	p.at = [3]float64{}
	b := p.box(box{hi: size})
	for i := range 3 {
		p.at[i] = corner[i] - b.lo[i]
	}
	return p
}

// within is the placement in the assembly of a part that is placed in another, which is placed by p.
func (p *placement) within(q placement) placement {
	return placement{turn: product(p.turn, q.turn), mirrorZ: p.mirrorZ != q.mirrorZ, at: p.point(q.at)}
}

// keys are those of a [[layer.die]]: mirrored, then turned counter-clockwise. A flip exchanges west and east as well,
// which a mirror in z does not.
func (p *placement) keys() (mirror bool, rotate int, flip bool) {
	t := p.turn
	mirrored := t[0][0]*t[1][1]-t[0][1]*t[1][0] < 0
	if mirrored {
		t = product(t, turns["MY"])
	}
	switch {
	case t[1][0] > 0:
		rotate = 90
	case t[0][0] < 0:
		rotate = 180
	case t[1][0] < 0:
		rotate = 270
	}
	return mirrored != p.mirrorZ, rotate, p.mirrorZ
}
