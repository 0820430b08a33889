package host

import "thermsim/gpusolve/ops"

// continuationTask goes over the differences of states in time row by row: it measures the last one where measure is set, and else continues x.
type continuationTask struct {
	s             *system
	x, old, older []float64
	past          [3][]float32
	weights       [4]float64
	measure       bool
}

// Differences returns the inner products of d0 = x - old with itself and the differences before it.
func (s *system) Differences(x, old, older ops.Vector, past [3]ops.Vector) (products [5]float64) {
	s.goOver(x, old, older, past, continuationTask{measure: true})
	sums := s.sums(len(products))
	for n := range products {
		products[n] = sums.of(n)
	}
	return products
}

// Extrapolate continues x by a sum of differences with weights, and makes the states before those of the next step.
func (s *system) Extrapolate(x, old, older ops.Vector, past [3]ops.Vector, weights [4]float64) {
	s.goOver(x, old, older, past, continuationTask{weights: weights})
}

func (s *system) goOver(x, old, older ops.Vector, past [3]ops.Vector, t continuationTask) {
	t.s, t.x, t.old = s, x.(*vec64).values(), old.(*vec64).values()
	if older != nil {
		t.older = older.(*vec64).values()
		for n := range past {
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
			x, old := t.x[c:c+n], t.old[c:c+n]
			switch {
			case t.older == nil:
				for i, v := range x {
					x[i] = v + t.weights[0]*(v-old[i])
					old[i] = v
				}
			case t.measure:
				sums = measured(sums, x, old, t.older[c:c+n], t.past[0][c:c+n], t.past[1][c:c+n], t.past[2][c:c+n])
			default:
				t.continued(x, old, t.older[c:c+n], t.past[0][c:c+n], t.past[1][c:c+n], t.past[2][c:c+n])
			}
		}
		if t.measure {
			copy(t.s.partial[perRow*j:], sums[:])
		}
	}
}

// measured adds a row to the products.
func measured(sums [5]float64, x, old, older []float64, d2, d3, d4 []float32) [5]float64 {
	old, older, d2, d3, d4 = old[:len(x)], older[:len(x)], d2[:len(x)], d3[:len(x)], d4[:len(x)]
	for i, v := range x {
		d0, d1 := float64(float32(v-old[i])), float64(float32(old[i]-older[i]))
		sums[0] += d0 * d0
		sums[1] += d0 * d1
		sums[2] += d0 * float64(d2[i])
		sums[3] += d0 * float64(d3[i])
		sums[4] += d0 * float64(d4[i])
	}
	return sums
}

// continued moves a row on. The last of the former differences gives its place to the newest that the states do not tell any more. What has no weight may be no number.
func (t *continuationTask) continued(x, old, older []float64, d2, d3, d4 []float32) {
	old, older, d2, d3, d4 = old[:len(x)], older[:len(x)], d2[:len(x)], d3[:len(x)], d4[:len(x)]
	w := &t.weights
	for i, v := range x {
		before := old[i]
		d1 := before - older[i]
		next := v + w[0]*(v-before)
		if w[1] != 0 {
			next += w[1] * d1
		}
		if w[2] != 0 {
			next += w[2] * float64(d2[i])
		}
		if w[3] != 0 {
			next += w[3] * float64(d3[i])
		}
		x[i], older[i], old[i], d4[i] = next, before, v, float32(d1)
	}
}
