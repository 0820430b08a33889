package ilu

import (
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

// levelTask goes through a grid's rows (j,k) in the order of their dependencies: rows of one level, j + k for the star
// and j + 2k for the diamond, are independent of each other and shared among the workers. Within a row, cells come one
// after the other.
type levelTask struct {
	order, nx, ny, nz int
	body              func(k, j int)
	level, first      int // of the rows being run, and the first k
}

func (t *levelTask) Run(lo, hi, _ int) {
	for n := lo; n < hi; n++ {
		k := t.first + n
		t.body(k, t.level-(1+t.order)*k)
	}
}

// sweep calls body for all rows, upwards or downwards.
func (t *levelTask) sweep(s *host.Space, down bool) {
	step := 1 + t.order
	last := t.ny - 1 + step*(t.nz-1)
	for n := range last + 1 {
		t.level = n
		if down {
			t.level = last - n
		}
		t.first = max(0, (t.level-t.ny+step)/step) // so that j < ny
		if rows := min(t.nz-1, t.level/step) - t.first + 1; rows > 0 {
			s.Run(t, rows, rows*t.nx)
		}
	}
}

// hostFactor is L, U and 1/D in FP64.
type hostFactor struct {
	s *host.Space
	*Entries
	how   Options
	bytes int64
}

// hostOperations are those of an operator on the processor.
type hostOperations struct{ *host.Space }

func onHost(s ops.Operator) (operations, bool, error) {
	on, ok := host.SpaceOf(s)
	return hostOperations{on}, ok, nil
}

// factorise computes a factor on the processor.
func (o hostOperations) factorise(a ops.Diagonals, how Options) (Factor, error) {
	s := o.Space
	d := a.Download()
	misfit := func(c int, reason MisfitReason) error {
		return &Misfit{I: c % d.NX, J: c / d.NX % d.NY, K: c / (d.NX * d.NY), Reason: reason}
	}
	n := d.N()
	lowerX, lowerY, lowerZ := d.Lower()
	crosses := func(band []float64, c int) bool { return c < len(band) && band[c] != 0 }
	for c := range n {
		if c%d.NX == d.NX-1 && (crosses(d.X, c) || crosses(lowerX, c)) || c/d.NX%d.NY == d.NY-1 &&
			(crosses(d.Y, c) || crosses(lowerY, c)) {
			return nil, misfit(c, WrapsAround)
		}
	}
	f := &hostFactor{s: s, how: how,
		Entries: &Entries{NX: d.NX, NY: d.NY, NZ: d.NZ, Inverse: reuse.Make[float64](s.Arrays(), n)}}
	e := &elimination{Entries: f.Entries, main: d.Main, scale: 1 + how.Shift, symmetric: d.Symmetric()}
	f.Lower = e.side(s, how.Order, lowerX, lowerY, lowerZ)
	f.Upper = f.Lower
	f.bytes = 8 * int64(n) * int64(len(f.Lower)+1)
	if !e.symmetric {
		f.Upper = e.side(s, how.Order, d.X, d.Y, d.Z)
		f.bytes += 8 * int64(n) * int64(len(f.Upper))
	}
	s.Account(f.bytes)
	w := &levelTask{order: how.Order, nx: d.NX, ny: d.NY, nz: d.NZ, body: e.star}
	if how.Order == 1 {
		w.body = e.diamond
	}
	w.sweep(s, false)
	for c, v := range f.Inverse {
		if v == 0 {
			f.Release()
			return nil, misfit(c, badPivot(e.symmetric))
		}
	}
	return f, nil
}

// Download is the factor itself.
func (f *hostFactor) Download() *Entries { return f.Entries }

// Release forgets the factor.
func (f *hostFactor) Release() {
	f.s.Account(-f.bytes)
	f.bytes, f.Entries = 0, nil
}
