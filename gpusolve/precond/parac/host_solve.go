package parac

import "thermsim/gpusolve/host"

// forwardTask solves G y = r for the unknowns of a level. The result stays in the order of the factor.
type forwardTask struct {
	f    *levelFactor
	y, r []float32
	base int
}

func (t *forwardTask) Run(lo, hi, _ int) {
	f := t.f
	for at := t.base + lo; at < t.base+hi; at++ {
		sum := t.r[f.order[at]]
		for i := f.begin[at]; i < f.begin[at+1]; i++ {
			sum += f.weight[i] * t.y[f.col[i]]
		}
		t.y[at] = sum
	}
}

// backwardTask solves D G^T x = y for the unknowns of a level, in place, and copies x to the rows' order.
type backwardTask struct {
	f    *levelFactor
	y, z []float32
	base int
}

func (t *backwardTask) Run(lo, hi, _ int) {
	f := t.f
	for at := t.base + lo; at < t.base+hi; at++ {
		sum := t.y[at] * f.inverse[at]
		for i := f.first[at]; i < f.first[at+1]; i++ {
			sum += f.share[i] * t.y[f.row[i]]
		}
		t.y[at] = sum
		t.z[f.order[at]] = sum
	}
}

// solve sets z = (G D G^T)^-1 r, level by level on all workers; y is scratch.
func (f *levelFactor) solve(s *host.Space, z, r, y []float32) {
	perRow := 2 + len(f.row)/max(1, len(f.order))
	for l := range len(f.levels) - 1 {
		n := int(f.levels[l+1] - f.levels[l])
		f.forward = forwardTask{f, y, r, int(f.levels[l])}
		s.Run(&f.forward, n, n*perRow)
	}
	for l := len(f.levels) - 2; l >= 0; l-- {
		n := int(f.levels[l+1] - f.levels[l])
		f.back = backwardTask{f, y, z, int(f.levels[l])}
		s.Run(&f.back, n, n*perRow)
	}
}
