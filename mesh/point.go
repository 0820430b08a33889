package mesh

import (
	"math"
	"sort"

	"thermsim/stack"
)

// The temperature at a point is interpolated between cells with the fluxes of the scheme. Between the center of a cell
// and each of its sides it is linear along the axis. On a side it follows from the two adjacent half cells, with their
// resistances R = d/2k and a contact R" between them.
//
//	Flux q through the side, from the cell at T to its neighbor at T':  (T - T') / (R + R" + R').
//	Temperature of the side:  T - q R = (R" + R') / (R + R" + R') T  +  R / (R + R" + R') T'.
//
// This is the value on the cell's side of a contact; without a contact the neighbor gives the same value. A face of the
// domain has the temperature T0 behind R_face (1/h, 0 or R A).
//
//	Temperature of the face:  T - (T - T0) R / (R + R_face).
//	If a flux q enters, 0 on an adiabatic face:  T + q R.
//
// Cells that the edge of a patch cuts have both terms. This is the temperature of the solid's surface: T0 itself if it
// is fixed. Heat sources act at the center of a cell, as in the scheme. If the discrete solution is exact along an
// axis, as in slabs without sources, the temperature between the centers is exact too.
//
// Along z every column of cells is independent. Laterally, up to four columns surround the point; stencil.go
// interpolates between their temperatures at its height.

// Sample is the temperature at a point in K: a constant from faces, and a weighted sum of cell temperatures.
type Sample struct {
	Constant float64
	Terms    []Term
}

// Term is the weight of cell j*nx+i of a plane.
type Term struct {
	Plane, Cell int
	Weight      float64
}

// SampleAt is the temperature at a point (m). On an interface between layers, side selects one of the two surfaces; the
// default is the lower one. A point outside the domain is moved to the nearest point of its surface.
func (m *Mesh) SampleAt(x, y, z float64, side stack.Side) Sample {
	k, up := m.height(z, side)
	in := m.InPlane(k, x, y)
	s := Sample{Constant: in.Constant}
	nx := m.NX()
	for n, w := range in.Weight {
		if w == 0 {
			continue
		}
		c := in.Cell[n]
		t := math.Abs(up)
		v := m.vertical(c%nx, c/nx, k, up > 0)
		s.Terms = append(s.Terms, Term{k, c, w * (1 - t + t*v.own)})
		if v.other != 0 && t > 0 {
			s.Terms = append(s.Terms, Term{v.plane, c, w * t * v.other})
		}
		s.Constant += w * t * v.constant
	}
	return s
}

// Warmed is the mesh for samples with material properties at the temperatures that kelvin returns for cells j*nx+i of
// planes; ok is false if a temperature is unknown. It is the mesh itself if no property is temperature-dependent.
func (m *Mesh) Warmed(kelvin func(plane, cell int) (t float64, ok bool)) *Mesh {
	if !m.TemperatureDependent() {
		return m
	}
	w := *m
	w.warm = kelvin
	return &w
}

// AtProbe is the temperature at a probe in K, from the temperatures of the cells j*nx+i of planes that SampleAt lists.
// With temperature-dependent conductivities, the weights of the cells depend on the temperature too.
func (m *Mesh) AtProbe(p *stack.Probe, kelvin map[[2]int]float64) float64 {
	s := m.Warmed(func(plane, cell int) (float64, bool) {
		t, ok := kelvin[[2]int{plane, cell}]
		return t, ok
	}).SampleAt(p.X, p.Y, p.Z, p.Side)
	sum := s.Constant
	for _, t := range s.Terms {
		sum += t.Weight * kelvin[[2]int{t.Plane, t.Cell}]
	}
	return sum
}

// sideValue is the temperature on the upper or lower side of a cell: own times that of the cell, plus other times that
// of the neighbor, plus a constant.
type sideValue struct {
	own, other, constant float64
	plane                int // beyond
}

func (m *Mesh) vertical(i, j, k int, up bool) sideValue {
	f, back, beyond, contact := stack.Bottom, stack.Top, k-1, 0.0
	if up {
		f, back, beyond = stack.Top, stack.Bottom, k+1
	}
	r := m.halfResistance(f, i, j, k)
	if m.OnFace(f, i, j, k) {
		own, constant := m.surface(f, r, i, j, k)
		return sideValue{own: own, constant: constant}
	}
	contact = m.Planes[min(k, beyond)].ContactAbove
	rest := contact + m.halfResistance(back, i, j, beyond)
	return sideValue{own: rest / (r + rest), other: r / (r + rest), plane: beyond}
}

// surface is the temperature in K on face f: own times that of cell (i, j, k), which lies behind the resistance r in
// m2K/W, plus a constant.
func (m *Mesh) surface(f stack.Face, r float64, i, j, k int) (own, constant float64) {
	d := m.Drive(f, i, j, k)
	if !d.Driven() {
		return 1, d.Flux * r
	}
	outer := d.Resistance
	if law := m.faceLaw(f); law != nil && m.warm != nil {
		if kelvin, ok := m.warm(k, j*m.NX()+i); ok {
			_, h, _ := m.Laws.surface(law, kelvin-law.Ambient, r)
			outer = 1 / h
		}
	}
	return outer / (outer + r), d.Temperature*(r/(outer+r)) + d.Flux*r
}

// height finds the plane that contains z, and the position within: -1 on its lower side, 0 in the middle, 1 on its
// upper side.
func (m *Mesh) height(z float64, side stack.Side) (k int, at float64) {
	n := m.NZ()
	slack := 1e-9 * m.Z[n]
	f := min(sort.SearchFloat64s(m.Z, z), n) // first side at or above z
	if f > 0 && z-m.Z[f-1] < m.Z[f]-z {
		f-- // the nearest
	}
	if math.Abs(z-m.Z[f]) > slack && z > 0 && z < m.Z[n] {
		return locate(m.Z, z)
	}
	if f == 0 || f < n && side == stack.Above {
		return f, -1
	}
	return f - 1, 1
}

// locate finds the cell of an axis that contains v, and the position within, from -1 to 1. Points outside the axis are
// moved to its end.
func locate(faces []float64, v float64) (i int, at float64) {
	n := len(faces) - 1
	i = min(max(0, sort.Search(n, func(i int) bool { return faces[i+1] > v })), n-1)
	lo, hi := faces[i], faces[i+1]
	return i, max(-1, min(1, (v-(lo+hi)/2)/((hi-lo)/2)))
}
