package host

import "thermsim/gpusolve/ops"

// continuationTask goes over the differences of states in time row by row: it measures the last one where measure is
// set, and else continues x.
type continuationTask struct {
	s       *grid
	x, old  []float64
	past    [4][]float32 // nil where none are kept
	weights [4]float64
	measure bool
}

// Differences returns the inner products of d0 = x - old with itself and the differences before it.
func (s *grid) Differences(x, old ops.Vector, past [4]ops.Vector) (products [5]float64) {
	s.goOver(x, old, past, continuationTask{measure: true})
	sums := s.sums(len(products))
	for n := range products {
		products[n] = sums.of(n)
	}
	return products
}

// Extrapolate continues x by a sum of differences with weights, and makes the states before those of the next step.
func (s *grid) Extrapolate(x, old ops.Vector, past [4]ops.Vector, weights [4]float64) {
	s.goOver(x, old, past, continuationTask{weights: weights})
}

func (s *grid) goOver(x, old ops.Vector, past [4]ops.Vector, t continuationTask) {
	t.s, t.x, t.old = s, x.(*vec64).values(), old.(*vec64).values()
	for n := range past {
		if past[n] != nil {
			t.past[n] = past[n].(*vec32).values()
		}
	}
	s.continuationOp = t
	s.rows(&s.continuationOp)
	s.continuationOp = continuationTask{}
}

func (t *continuationTask) Run(lo, hi, _ int) {
	n := t.s.nx
	for j := lo; j < hi; j++ {
		var sums [5]float64
		for k := range t.s.nz {
			c := k*t.s.sheet + j*n
			var d [4][]float32
			for m := range d {
				if t.past[m] != nil {
					d[m] = t.past[m][c : c+n]
				}
			}
			if t.measure {
				measure(&sums, t.x[c:c+n], t.old[c:c+n], &d)
			} else {
				t.continued(t.x[c:c+n], t.old[c:c+n], &d)
			}
		}
		if t.measure {
			copy(t.s.partial[perRow*j:], sums[:])
		}
	}
}

// measure adds a row to the products.
func measure(sums *[5]float64, x, old []float64, d *[4][]float32) {
	var s [5]float64
	old, d1, d2, d3, d4 := old[:len(x)], d[0][:len(x)], d[1][:len(x)], d[2][:len(x)], d[3][:len(x)]
	for i, v := range x {
		d0 := float64(float32(v - old[i]))
		s[0] += d0 * d0
		s[1] += d0 * float64(d1[i])
		s[2] += d0 * float64(d2[i])
		s[3] += d0 * float64(d3[i])
		s[4] += d0 * float64(d4[i])
	}
	for m := range s {
		sums[m] += s[m]
	}
}

// continued moves a row on. The last of the former differences gives its place to the newest.
func (t *continuationTask) continued(x, old []float64, d *[4][]float32) {
	w := t.weights
	old = old[:len(x)]
	for i, v := range x {
		d0 := v - old[i]
		next := v
		if w[0] != 0 {
			next += w[0] * d0
		}
		for m := 1; m < len(w); m++ {
			if w[m] != 0 {
				next += w[m] * float64(d[m-1][i])
			}
		}
		x[i], old[i] = next, v
		if d[3] != nil {
			d[3][i] = float32(d0)
		}
	}
}
