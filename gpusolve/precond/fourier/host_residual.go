package fourier

import "math"

// residualTask computes b + C/dt old - (A + C/dt) x row by row, from differences of neighbours.
type residualTask struct {
	*processor
	x, old hostModes   // in space
	drawn  [][]float64 // the sources' planes
}

func (t *residualTask) Run(lo, hi, worker int) {
	w := t.s.Scratch(worker).Doubles(3 * t.NX)
	flow, size, b := w[:t.NX], w[t.NX:2*t.NX], w[2*t.NX:]
	for j := lo; j < hi; j++ {
		var rr, bb, ff, top float64
		for k := range t.NZ {
			t.heat(b, j, k)
			t.leave(flow, size, j, k)
			for i, q := range flow {
				r := b[i] - q
				if t.old != nil {
					c := t.Capacity[k]
					x, old := t.x[k*t.sheet+j*t.NX+i], t.old[k*t.sheet+j*t.NX+i]
					r -= c * (x - old)
					b[i] += c * old
					size[i] += c * math.Abs(x)
				}
				f := size[i] + math.Abs(b[i])
				rr, bb, ff = rr+r*r, bb+b[i]*b[i], ff+f*f
				top = max(top, math.Abs(r)) // NaN stays
			}
		}
		p := t.partials[4*j : 4*j+4]
		p[0], p[1], p[2], p[3] = rr, bb, ff, top
	}
}

// heat is the loads' part of the right side in row j of plane k.
func (t *residualTask) heat(b []float64, j, k int) {
	clear(b)
	for _, m := range t.terms[k] {
		for i, v := range t.drawn[m.source][j*t.NX : (j+1)*t.NX] {
			b[i] += m.share * v
		}
	}
}

// leave fills flow with A x of row j of plane k, and size with |A| |x| up to a factor of 2.
func (t *residualTask) leave(flow, size []float64, j, k int) {
	clear(flow)
	clear(size)
	c := k*t.sheet + j*t.NX
	x := t.x[c : c+t.NX]
	gx := t.GX[k]
	for i := 1; i < len(x); i++ {
		q := gx * (x[i] - x[i-1])
		flow[i] += q
		flow[i-1] -= q
		size[i] += gx * math.Abs(x[i-1])
		size[i-1] += gx * math.Abs(x[i])
	}
	low, high := t.X.held()
	toGround(flow[:1], size[:1], x[:1], 2*gx*low)
	toGround(flow[len(x)-1:], size[len(x)-1:], x[len(x)-1:], 2*gx*high)
	low, high = t.Y.held()
	t.along(flow, size, x, neighbour{t.GY[k], 2 * low, j > 0, c - t.NX})
	t.along(flow, size, x, neighbour{t.GY[k], 2 * high, j < t.NY-1, c + t.NX})
	t.along(flow, size, x, neighbour{t.GZ[k], 1, k > 0, c - t.sheet})
	t.along(flow, size, x, neighbour{t.GZ[k+1], 1, k < t.NZ-1, c + t.sheet})
}

// held is 1 for ends at a temperature.
func (e Ends) held() (low, high float64) {
	if e == Held || e == HeldLow {
		low = 1
	}
	if e == Held || e == HeldHigh {
		high = 1
	}
	return low, high
}

// neighbour is a row beside another: g leads to the cells from c where it exists, and g times outside to the ground where it does not.
type neighbour struct {
	g, outside float64
	exists     bool
	c          int
}

func (t *residualTask) along(flow, size, x []float64, n neighbour) {
	if !n.exists {
		toGround(flow, size, x, n.g*n.outside)
		return
	}
	for i, y := range t.x[n.c : n.c+len(x)] {
		flow[i] += n.g * (x[i] - y)
		size[i] += n.g * math.Abs(y)
	}
}

func toGround(flow, size, x []float64, g float64) {
	for i, v := range x {
		flow[i] += g * v
		size[i] += g * math.Abs(v)
	}
}
