package ddilu

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
)

// hostParts is a factor of a matrix by rows.
type hostParts struct {
	*PartFactors
	s     *host.Space
	bytes int64
	solve partTask
}

// loadParts refers to the factor, which must stay as it is.
func (s onHost) loadParts(p *PartFactors) (Factor, error) {
	words := len(p.First) + len(p.Row) + len(p.UpperOrder) + len(p.Inverse)
	f := &hostParts{PartFactors: p, s: s.Space, bytes: 4 * int64(words)}
	for _, t := range []*Triangle{&p.Lower, &p.Upper} {
		f.bytes += 8*int64(len(t.RowPtr)+len(t.Col)) + 4*int64(len(t.First)+len(t.Level))
	}
	s.Account(f.bytes)
	return f, nil
}

// Bytes of the factor.
func (f *hostParts) Bytes() int64 { return f.bytes }

// Release forgets the factor.
func (f *hostParts) Release() {
	f.s.Account(-f.bytes)
	f.bytes = 0
}

// Solve sets z = M^-1 r, several parts at a time.
func (f *hostParts) Solve(z, r ops.Vector) {
	f.solve = partTask{f, host.Singles(z), host.Singles(r)}
	f.s.Run(&f.solve, len(f.First)-1, f.s.Cells())
	f.solve = partTask{}
}

type partTask struct {
	f    *hostParts
	z, r []float32
}

func (t *partTask) Run(lo, hi, worker int) {
	f := t.f
	for p := lo; p < hi; p++ {
		first, end := f.First[p], f.First[p+1]
		v := f.s.Scratch(worker).Floats(int(end - first))
		for c := first; c < end; c++ {
			v[c-first] = less(&f.Lower, c, t.r[f.Row[c]], v)
		}
		for c := first; c < end; c++ {
			v[c-first] *= f.Inverse[c]
		}
		for _, own := range f.UpperOrder[first:end] {
			v[own] = less(&f.Upper, first+own, v[own], v)
		}
		for c := first; c < end; c++ {
			t.z[f.Row[c]] = v[c-first]
		}
	}
}

// less is value - the products of row c of a triangle with v.
func less(t *Triangle, c int32, value float32, v []float32) float32 {
	for at := t.RowPtr[c]; at < t.RowPtr[c+1]; at++ {
		value -= t.Val[at] * v[t.Col[at]]
	}
	return value
}
