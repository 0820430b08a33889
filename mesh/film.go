package mesh

import (
	"math"

	"thermsim/stack"
)

// film is h and dh/dT at a temperature of the surface; beyond the range of a curve it changes no more.
func (l *Laws) film(f *FaceLaw, kelvin float64) (h, slope float64) {
	h = f.Constant
	for _, curve := range [2]int32{f.Convection, f.Radiation} {
		if curve < 0 {
			continue
		}
		c := &l.Curves[curve]
		t := c.hold(kelvin)
		p := &l.Pieces[c.First+l.piece(c, t)]
		h += p.Of(t)
		if t == kelvin {
			slope += p.Slope(t)
		}
	}
	return h, slope
}

// mostSurfaceSteps bounds the search for the temperature of a surface; halving alone ends before.
const mostSurfaceSteps = 100

// surface finds the rise v of a surface over the ambient of its face, behind half a cell of the resistance half (m2K/W)
// whose centre is u above that ambient:
//
//	(u - v) / half = h(v) v
//
// by Newton's method within 0 and u, halved where that leaves the bounds. slope is d(h v)/dv.
func (l *Laws) surface(f *FaceLaw, u, half float64) (v, h, slope float64) {
	low, high := math.Min(0, u), math.Max(0, u)
	v = u
	for range mostSurfaceSteps {
		var bend float64
		h, bend = l.film(f, f.Ambient+v)
		slope = h + float64(bend*v)
		missing := (u - v) - float64(float64(half*h)*v)
		if missing > 0 {
			low = v
		} else {
			high = v
		}
		next := v + missing/(1+float64(half*slope))
		if !(next >= low && next <= high) {
			next = (low + high) / 2
		}
		if math.Abs(next-v) <= float64(0x1p-48*math.Abs(u)) {
			break
		}
		v = next
	}
	return v, h, slope
}

// exchange is the heat per area in W/m2 that leaves a cell whose centre is u above the ambient of its face, and the
// conductance g per area in W/(m2 K) with which A holds the face: the derivative of the heat by u, as in Newton's
// method, or the heat over u where that is larger. With it b holds g u less the heat, so that b - A x has the heat
// itself at this state, whatever g is; and g is positive.
func (l *Laws) exchange(f *FaceLaw, u, half float64) (heat, g float64) {
	v, h, slope := l.surface(f, u, half)
	derivative, secant := slope/(1+float64(half*slope)), h/(1+float64(half*h))
	if !(1+float64(half*slope) > 0) || !(derivative > secant) {
		derivative = secant
	}
	return h * v, derivative
}

// FaceTerm is what face f does to cell (i, j, k) that has the properties of c and the rise x over the ambient of the
// stack: its part of the ground in FP32 as executors add it up, what it adds to b, and what leaves through it, in W.
func (m *Mesh) FaceTerm(f stack.Face, i, j, k int, c *Material, x float64) (part float32, inflow, leaves float64) {
	var heat float64 // per area
	held, part := m.heldFaceConductance(f, i, j, k, func(e stack.Face) float64 {
		law := m.faceLaw(e)
		if law == nil {
			return m.faceConductance(e, i, j, k, c)
		}
		half := m.halfOf(e, i, j, k, c)
		if half >= noWay {
			return 0
		}
		q, g := m.Laws.exchange(law, x-law.Above, half)
		if e == f {
			heat = q
		}
		return m.CellFaceArea(e, i, j, k) * g
	})
	if m.faceLaw(f) != nil {
		leaves = float64(m.CellFaceArea(f, i, j, k) * heat)
		return part, float64(held*x) - leaves, leaves
	}
	rise := m.Drive(f, i, j, k).Temperature - m.Stack.Ambient
	return part, float64(held * rise), held * (x - rise)
}

// RefreshedFaces says of each plane whether faces must be formed again where the temperature changes: it has cells of
// materials that follow the temperature, or of faces that do.
func (m *Mesh) RefreshedFaces() []bool {
	planes := m.FollowingPlanes()
	for k := range planes {
		for f := range stack.Face(stack.NumFaces) {
			planes[k] = planes[k] || m.faceLaw(f) != nil &&
				!(f == stack.Bottom && k > 0 || f == stack.Top && k+1 < m.NZ())
		}
	}
	return planes
}
