// Package fourier solves stacks of homogeneous layers directly. The method applies where every plane has one lateral
// conductivity along x and one along y, and the sides are adiabatic or at a fixed temperature. There, products of
// cosines or sines diagonalise the operator laterally: each pair of wave numbers is a separate column, a tridiagonal
// system along z. Along a graded axis computed eigenvectors take the place of cosines. The result is the exact solution
// of the discrete equations, in FP64, without iteration.
package fourier

import (
	"math"
	"slices"
)

// Ends says what holds the two ends of an axis, and with that which discrete cosine transform (DCT) or discrete sine
// transform (DST) diagonalises the differences along it. Cells are numbered from the low end. A held end is at the
// stack's ambient, half a cell from the first cell's centre; other temperatures enter the right-hand side.
type Ends int

// The ends, with the basis functions of cell i = 0..n-1 and wave number k = 0..n-1, and the eigenvalues of the
// differences with unit conductance between neighbours and 2 to a held end.
const (
	Adiabatic Ends = 0                  // both: DCT-II, cos(pi k (i+1/2) / n), 2 - 2 cos(pi k / n)
	HeldLow   Ends = 1                  // the low one: DST-IV, sin(pi (k+1/2) (i+1/2) / n), 2 - 2 cos(pi (k+1/2) / n)
	HeldHigh  Ends = 2                  // the high one: DCT-IV, cos(pi (k+1/2) (i+1/2) / n), 2 - 2 cos(pi (k+1/2) / n)
	Held           = HeldLow | HeldHigh // both: DST-II, sin(pi (k+1) (i+1/2) / n), 2 - 2 cos(pi (k+1) / n)
)

// Layered is an operator that the transforms diagonalise. Conductances are in W/K. On grids of equal cells all are
// numbers of FP32, as the executors of other methods hold them, so that all methods solve the same equations.
//
// The column of a pair of wave numbers has no lateral neighbours. The conductance s[k] = GX[k] lx + GY[k] ly +
// Capacity[k] leads from its cell in plane k to the ground. The eigenvalues are written as 4 sin^2 of half the angle.
// GZ[0] and GZ[NZ] belong to the s of the outer planes. It is eliminated without a difference, so that a face with
// little conductance next to thin layers costs no digits.
//
//	S[0] = s[0],  S[k] = s[k] + g S[k-1] / (g + S[k-1]),  d[k] = b[k] + d[k-1] g / (g + S[k-1])
//
// Here g is GZ[k]. The solution follows from the top.
//
//	x[NZ-1] = d[NZ-1] / S[NZ-1],  x[k] = (d[k] + GZ[k+1] x[k+1]) / (S[k] + GZ[k+1])
type Layered struct {
	NX, NY, NZ int
	X, Y       Ends
	// Widths are those of the cells along x and along y over their mean; nil where all are equal. The conductances and
	// capacities are those of a mean cell, of which the others have their share by width, depth and distance.
	Widths [2][]float64
	// Films are the conductances to the ends of the axes behind a film, over that between mean cells; 0 for other ends.
	// They count as held, and their axes as graded.
	Films [2][2]float64
	// GX and GY are the conductances between neighbouring cells of a plane, NZ values. To a held end it is twice that.
	GX, GY []float64
	// GZ[k] is the conductance between the cells of planes k-1 and k. GZ[0] and GZ[NZ] lead from the outer cells to
	// what holds the bottom and the top, 0 where they are adiabatic.
	GZ []float64
	// Capacity is that of a plane's cell over the time step, C/dt in W/K, NZ values; nil in a steady state.
	Capacity []float64

	bases [2]memo
}

// eigenvalues of the differences along an axis of n cells, with unit conductances.
func (e Ends) eigenvalues(n int) []float64 {
	first := [...]float64{Adiabatic: 0, Held: 1, HeldLow: 0.5, HeldHigh: 0.5}[e]
	values := make([]float64, n)
	for k := range values {
		sin := math.Sin(math.Pi / 2 * (float64(k) + first) / float64(n))
		values[k] = 4 * sin * sin
	}
	return values
}

// held is 1 for ends at a temperature.
func (e Ends) held() (low, high float64) { return float64(e & 1), float64(e >> 1) }

// fourth says that the axis takes a transform of the fourth kind: one end is held.
func (e Ends) fourth() bool { return e == HeldLow || e == HeldHigh }

// sines says that the basis functions are sines.
func (e Ends) sines() bool { return e&HeldLow != 0 }

// ground is what leads from a cell of plane k to the ground whatever the wave numbers.
func (l *Layered) ground(k int) float64 {
	g := 0.0
	if l.Capacity != nil {
		g = l.Capacity[k]
	}
	if k == 0 {
		g += l.GZ[0]
	}
	if k == l.NZ-1 {
		g += l.GZ[l.NZ]
	}
	return g
}

// Gain bounds the largest error in K of a solution whose residual is at most 1 W in every mean cell, and in proportion
// to their areas in others: the maximum norm of the inverse. A is an M-matrix, so it is the largest value of the state
// that this heat leads to, and ground that is left out only makes it larger. Left out are the held sides, or all but
// those along one axis; the least of the bounds counts.
func (l *Layered) Gain() float64 {
	x, y := l.axes()
	return min(l.columnGain(), axisGain(x, l.GX), axisGain(y, l.GY))
}

// columnGain solves the column of a laterally uniform state.
func (l *Layered) columnGain() float64 {
	toGround, heat := make([]float64, l.NZ), make([]float64, l.NZ)
	for k := range l.NZ {
		toGround[k], heat[k] = l.ground(k), 1
	}
	return chainGain(toGround, heat, l.GZ)
}

// chainGain is the largest value of a chain of cells, of which g[k] couples cells k-1 and k. It takes the place of
// conductances and heat.
func chainGain(toGround, heat, g []float64) float64 {
	for k := 1; k < len(heat); k++ {
		f := g[k] / (g[k] + toGround[k-1])
		toGround[k] += f * toGround[k-1]
		heat[k] += f * heat[k-1]
	}
	top := len(heat) - 1
	if toGround[top] == 0 {
		return math.Inf(1)
	}
	x := heat[top] / toGround[top]
	largest := x
	for k := top - 1; k >= 0; k-- {
		x = (heat[k] + g[k+1]*x) / (toGround[k] + g[k+1])
		largest = max(largest, x)
	}
	return largest
}

// axisGain is that of rows of cells, of which the ends lead to the ground.
func axisGain(a axis, g []float64) float64 {
	least := math.Inf(1)
	for _, v := range g {
		least = min(least, v)
	}
	if a.graded() {
		c, toGround := a.couplings(), make([]float64, a.n)
		toGround[0] += c[0]
		toGround[a.n-1] += c[a.n]
		return chainGain(toGround, slices.Clone(a.widths), c) / least
	}
	cells := float64(a.n)
	switch a.ends {
	case Held:
		return (cells*cells + 1) / 8 / least
	case HeldLow, HeldHigh:
		return cells * cells / 2 / least
	}
	return math.Inf(1)
}
