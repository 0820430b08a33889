package verify

import (
	"math"
	"testing"
)

// An independent finite-volume program for the stack of ATSim3D, written from its description without code of thermsim:
// harmonic means between cell centers, vias mixed by their area, conjugate gradients with vertical lines as
// preconditioner, fixed-point iteration over conductivity and leakage. Lengths are in m, powers in W.

// tsvLayers are those of the stack from the bottom, each of two planes.
var tsvLayers = []struct {
	thickness, k             float64
	silicon, heated, crossed bool // crossed by vias
}{
	{2e-6, 1.381, false, false, false}, {12e-6, 400, false, false, false},
	{0.5e-6, 153, true, true, true}, {50e-6, 153, true, false, true}, {20e-6, 4, false, false, true},
	{2e-6, 1.381, false, false, true}, {12e-6, 400, false, false, false},
	{0.5e-6, 153, true, true, false}, {80e-6, 153, true, false, false},
}

// tsvPower and tsvLeakage are those of the 3 x 3 blocks of either tier, without a block in the middle.
var (
	tsvPower   = [9]float64{0.73, 0.8, 0.94, 1.2, 0, 0.9, 0.7, 0.82, 0.73}
	tsvLeakage = [9]float64{0.13, 0.16, 0.27, 0.3, 0, 0.15, 0.17, 0.2, 0.13}
)

// tsvStack is the system of equations for n x n cells: conductances to the next cell along x, y and z, the diagonal and
// the right-hand side.
type tsvStack struct {
	n, plane, cells int
	vias            []float64 // share of the cells of a plane
	next            [3][]float64
	diagonal, right []float64
}

const tsvSide, tsvAmbient = 1.8e-3, 313.15

func newTSVStack(n int) *tsvStack {
	s := &tsvStack{n: n, plane: n * n, cells: n * n * 2 * len(tsvLayers), vias: make([]float64, n*n)}
	const points = 16 // of a cell, along x and y
	at := func(cell, point int) float64 {
		return (float64(cell) + (float64(point)+0.5)/points) * tsvSide / float64(n)
	}
	for c := range s.vias {
		for p := range points * points {
			x, y := at(c%n, p%points), at(c/n, p/points)
			for v := range 16 {
				if math.Hypot(x-0.8e-3-50e-6*float64(v%4), y-0.8e-3-50e-6*float64(v/4)) < 15e-6 {
					s.vias[c] += 1.0 / points / points
				}
			}
		}
	}
	return s
}

// assemble sets up the equations with the properties at temperatures.
func (s *tsvStack) assemble(kelvin []float64, ofTemperature, leaking bool) {
	k := make([]float64, s.cells)
	s.diagonal, s.right = make([]float64, s.cells), make([]float64, s.cells)
	for c := range k {
		l, at := &tsvLayers[c/s.plane/2], c%s.plane
		k[c] = l.k
		if l.silicon && ofTemperature {
			k[c] *= math.Pow(300/kelvin[c], 1.5)
		}
		if l.crossed {
			k[c] += s.vias[at] * (160 - k[c])
		}
		if l.heated {
			block := at/s.n*3/s.n*3 + at%s.n*3/s.n
			leakage := tsvLeakage[block]
			if leaking {
				leakage *= math.Exp(0.015 * (kelvin[c] - 358.15))
			}
			s.right[c] = (tsvPower[block] + leakage) / float64(2*s.plane/9)
		}
	}
	size := tsvSide / float64(s.n)
	half := func(c int) float64 { return tsvLayers[c/s.plane/2].thickness / 4 }
	for axis, stride := range []int{1, s.n, s.plane} {
		s.next[axis] = make([]float64, s.cells)
		for c := range s.cells {
			switch last := []int{c % s.n, c / s.n % s.n, -1}[axis]; {
			case last == s.n-1:
				continue
			case axis < 2:
				s.next[axis][c] = 2 * half(c) * 2 / (1/k[c] + 1/k[c+stride])
			case c+stride < s.cells:
				s.next[axis][c] = size * size / (half(c)/k[c] + half(c+stride)/k[c+stride])
			default: // the cooled face
				g := size * size / (half(c)/k[c] + 1e-5)
				s.diagonal[c] += g
				s.right[c] += g * tsvAmbient
				continue
			}
			s.diagonal[c] += s.next[axis][c]
			s.diagonal[c+stride] += s.next[axis][c]
		}
	}
}

// times sets out to the matrix times x.
func (s *tsvStack) times(out, x []float64) {
	for c := range out {
		out[c] = s.diagonal[c] * x[c]
	}
	for axis, stride := range []int{1, s.n, s.plane} {
		for c, g := range s.next[axis] {
			if g > 0 {
				out[c] -= g * x[c+stride]
				out[c+stride] -= g * x[c]
			}
		}
	}
}

// lines solves the vertical lines of cells: z = r, without the conductances along x and y beside the diagonal.
func (s *tsvStack) lines(z, r []float64) {
	up := make([]float64, s.cells)
	for c := range r {
		pivot, value := s.diagonal[c], r[c]
		if c >= s.plane {
			g := s.next[2][c-s.plane]
			pivot -= g * up[c-s.plane]
			value += g * z[c-s.plane]
		}
		up[c], z[c] = s.next[2][c]/pivot, value/pivot
	}
	for c := s.cells - s.plane - 1; c >= 0; c-- {
		z[c] += up[c] * z[c+s.plane]
	}
}

// solve improves the temperatures by conjugate gradients.
func (s *tsvStack) solve(kelvin []float64) {
	r, z, p, q := make([]float64, s.cells), make([]float64, s.cells), make([]float64, s.cells), make([]float64, s.cells)
	dot := func(a, b []float64) (sum float64) {
		for c := range a {
			sum += a[c] * b[c]
		}
		return sum
	}
	s.times(r, kelvin)
	for c := range r {
		r[c] = s.right[c] - r[c]
	}
	s.lines(z, r)
	copy(p, z)
	for energy := dot(r, z); energy > 1e-11; {
		s.times(q, p)
		step := energy / dot(p, q)
		for c := range p {
			kelvin[c] += step * p[c]
			r[c] -= step * q[c]
		}
		s.lines(z, r)
		before := energy
		energy = dot(r, z)
		for c := range p {
			p[c] = z[c] + energy/before*p[c]
		}
	}
}

// independentPeak is the maximum of a variant on n x n cells.
func independentPeak(t *testing.T, n int, ofTemperature, leaking bool) (peak float64) {
	t.Helper()
	s := newTSVStack(n)
	kelvin := make([]float64, s.cells)
	for c := range kelvin {
		kelvin[c] = 390
	}
	for range 30 {
		before := peak
		s.assemble(kelvin, ofTemperature, leaking)
		s.solve(kelvin)
		peak = 0
		for _, v := range kelvin {
			peak = max(peak, v)
		}
		if math.Abs(peak-before) < 1e-4 {
			return peak
		}
	}
	t.Fatal("the iteration does not converge")
	return 0
}
