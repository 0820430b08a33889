package fourier

import (
	"math"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// Sum weighs the modes of a plane with the sums of the weights times the basis functions.
func (e *hostOperations) Sum(m Modes, k int, wx, wy []float64) float64 {
	fx, fy := weigh(e.alongX[0], e.X, wx)[e.waves[e.rank]:e.waves[e.rank+1]], weigh(e.alongY[0], e.Y, wy)
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

// weigh sums weights times each basis function. Equal weights meet the constant function alone.
func weigh(l *line, ends Ends, weights []float64) []float64 {
	n := len(weights)
	f := make([]float64, n)
	if ends == Adiabatic && equal(weights) {
		f[0] = float64(n) * weights[0]
		return f
	}
	copy(f, weights)
	l.forward(f, nil)
	for k := range f {
		f[k] *= float64(n) / 2
	}
	switch ends {
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

// Residual draws the right side in space and takes the differences of the planes.
func (e *hostOperations) Residual(x, old Modes, p ops.Vector) Norms {
	t := &residualTask{hostOperations: e, drawn: make([][]float64, len(e.sources))}
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
