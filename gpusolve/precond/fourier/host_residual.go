package fourier

import (
	"math"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// residualTask computes b + C/dt old - (A + C/dt) x in plane k row by row, from differences of neighbours.
type residualTask struct {
	*hostOperations
	alongX, alongY spacing
	x              []float64   // the rows that are held, in space
	old            []float64   // plane k in space; nil in a steady state
	drawn          [][]float64 // the own rows of the sources' planes
	k              int
}

func (t *residualTask) Run(lo, hi, worker int) {
	b := t.s.Scratch(worker).Doubles(t.NX)
	first, _ := t.own()
	for j := first + lo; j < first+hi; j++ {
		t.heat(b, j)
		s, depth := t.starOf(j), t.alongY.widths[j]
		p := t.partials[4*j : 4*j+4]
		rr, bb, ff, top := p[0], p[1], p[2], p[3]
		for i, q := range b {
			out, size := s.leave(i)
			r := q - out
			if t.old != nil {
				c, old := t.Capacity[t.k]*s.widths[i]*depth, t.old[(j-t.from)*t.NX+i]
				r -= c * (s.x[i] - old)
				q += c * old
				size += c * math.Abs(s.x[i])
			}
			f := size + math.Abs(q)
			rr, bb, ff = rr+r*r, bb+q*q, ff+f*f
			top = max(top, math.Abs(r)/(s.widths[i]*depth)) // NaN stays
		}
		p[0], p[1], p[2], p[3] = rr, bb, ff, top
	}
}

// heat is the loads' part of the right-hand side in row j.
func (t *residualTask) heat(b []float64, j int) {
	clear(b)
	first, _ := t.own()
	for _, m := range t.terms[t.k] {
		for i, v := range t.drawn[m.source][(j-first)*t.NX : (j-first+1)*t.NX] {
			b[i] += m.share * v
		}
	}
}

// spacing are what the conductances of an axis depend on.
type spacing struct {
	widths    []float64
	between   []float64 // couplings of cells i-1 and i, 1 at the ends, where no heat flows along the row
	low, high float64   // to the ends
}

func (a axis) spacing() spacing {
	c := a.couplings()
	l := spacing{a.weights(), c, c[0], c[a.n]}
	c[0], c[a.n] = 1, 1
	return l
}

// star is a row with the rows around it. Where there is none the row itself takes its place, so that no heat flows
// there.
type star struct {
	*spacing                      // along the row
	x, south, north, below, above []float64
	// gy, gBelow and gAbove are those of a cell of mean width.
	gx, gy, toSouth, toNorth, gBelow, gAbove float64
	ground, low, high                        float64 // to the ground, from every cell of mean width and from the ends
}

func (t *residualTask) starOf(j int) *star {
	y := &t.alongY
	depth := y.widths[j]
	s := &star{spacing: &t.alongX, gx: t.GX[t.k] * depth, gy: t.GY[t.k], toSouth: y.between[j], toNorth: y.between[j+1],
		gBelow: t.GZ[t.k] * depth, gAbove: t.GZ[t.k+1] * depth}
	c := t.k*t.space + (j-t.from)*t.NX
	s.x = t.x[c : c+t.NX]
	s.low, s.high = s.gx*t.alongX.low, s.gx*t.alongX.high
	beside := func(exists bool, offset int, toGround float64) []float64 {
		if !exists {
			s.ground += toGround
			return s.x
		}
		return t.x[c+offset : c+offset+t.NX]
	}
	s.south = beside(j > 0, -t.NX, y.low*s.gy)
	s.north = beside(j < t.NY-1, t.NX, y.high*s.gy)
	s.below = beside(t.k > 0, -t.space, s.gBelow)
	s.above = beside(t.k < t.NZ-1, t.space, s.gAbove)
	return s
}

// leave is what leaves cell i, and the size of the terms that rounding refers to.
func (s *star) leave(i int) (flow, size float64) {
	x, width := s.x[i], s.widths[i]
	ground := width * s.ground
	west, east := x, x
	if i > 0 {
		west = s.x[i-1]
	} else {
		ground += s.low
	}
	if i+1 < len(s.x) {
		east = s.x[i+1]
	} else {
		ground += s.high
	}
	south, north, below, above := s.south[i], s.north[i], s.below[i], s.above[i]
	toWest, toEast, gy := s.between[i], s.between[i+1], width*s.gy
	flow = s.gx*(toWest*(x-west)+toEast*(x-east)) + gy*(s.toSouth*(x-south)+s.toNorth*(x-north)) +
		width*(s.gBelow*(x-below)+s.gAbove*(x-above)) + ground*x
	size = s.gx*(toWest*math.Abs(west)+toEast*math.Abs(east)) +
		gy*(s.toSouth*math.Abs(south)+s.toNorth*math.Abs(north)) +
		width*(s.gBelow*math.Abs(below)+s.gAbove*math.Abs(above)) + ground*math.Abs(x)
	return flow, size
}

// Sum weighs the modes of a plane with the sums of the weights times the basis functions.
func (e *hostOperations) Sum(m Modes, k int, wx, wy []float64) float64 {
	x, y := e.axes()
	fx, fy := weigh(e.alongX[0], x, wx)[e.waves[e.rank]:e.waves[e.rank+1]], weigh(e.alongY[0], y, wy)
	last := len(fx)
	for last > 0 && fx[last-1] == 0 {
		last--
	}
	v := m.(hostModes)[k*e.sheet : (k+1)*e.sheet]
	sums := make([]float64, e.NY)
	e.s.Run(rowTask(func(lo, hi, _ int) {
		for j := lo; j < hi; j++ {
			if fy[j] == 0 {
				continue
			}
			sum := 0.0
			for i, f := range fx[:last] {
				sum += f * v[j*e.width+i]
			}
			sums[j] = fy[j] * sum
		}
	}), e.NY, e.NY*last)
	sum := 0.0
	for _, s := range sums {
		sum += s
	}
	sums = []float64{sum}
	e.total(sums)
	return sums[0]
}

// weigh sums weights times each basis function. Equal weights of equal cells meet the constant function alone.
func weigh(t rowTransform, a axis, weights []float64) []float64 {
	n := a.n
	f := make([]float64, n)
	if a.ends == Adiabatic && !a.graded() && equal(weights) {
		f[0] = float64(n) * weights[0]
		return f
	}
	copy(f, weights)
	t.heat(f, 1, n)
	if a.graded() {
		return f
	}
	for k := range f {
		f[k] *= float64(n) / 2
	}
	switch a.ends {
	case Adiabatic:
		f[0] *= 2
	case Held:
		f[n-1] *= 2
	}
	return f
}

func equal(v []float64) bool {
	for _, w := range v {
		if w != v[0] {
			return false
		}
	}
	return true
}

// Residual draws the right-hand side in space and takes the differences of the planes.
func (e *hostOperations) Residual(x, old Modes, p ops.Vector) Norms {
	ax, ay := e.axes()
	t := &residualTask{hostOperations: e, alongX: ax.spacing(), alongY: ay.spacing(),
		drawn: make([][]float64, len(e.sources))}
	if p != nil {
		t.x = host.Doubles(p)
	} else {
		t.x = make([]float64, e.space*e.NZ)
		e.inverse(t.x, x.(hostModes))
	}
	for n, s := range e.sources {
		t.drawn[n] = e.draw(s)
	}
	if old != nil {
		t.old = make([]float64, e.space)
	}
	clear(e.partials)
	first, end := e.own()
	for k := range e.NZ {
		if t.k = k; old != nil {
			e.inverse(t.old, old.(hostModes)[k*e.sheet:(k+1)*e.sheet])
		}
		e.s.Run(t, end-first, (end-first)*e.NX)
	}
	e.joinPartials()
	var rr, bb, ff, top float64
	for j := range e.NY {
		s := e.partials[4*j : 4*j+4]
		rr, bb, ff, top = rr+s[0], bb+s[1], ff+s[2], math.Max(top, s[3])
	}
	return Norms{ops.Norms{Residual: math.Sqrt(rr), Source: math.Sqrt(bb), Floor: 0x1p-53 * math.Sqrt(ff)}, top}
}

// draw is a source in the own rows.
func (e *hostOperations) draw(s *hostSource) []float64 {
	first, end := e.own()
	if plane, factor := s.Multiple(); plane != nil && factor == 1 {
		return plane[first*e.NX : end*e.NX]
	}
	return e.drawOwn(s, make([]float64, (end-first)*e.NX))
}
