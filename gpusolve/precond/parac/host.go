package parac

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/sparse/ordering"
)

// hostOperations are those on the processor.
type hostOperations struct{ s *host.Space }

func onHost(a ops.Operator) (operations, bool, error) {
	s, ok := host.SpaceOf(a)
	return hostOperations{s}, ok, nil
}

// hostFactor is a factor of a space.
type hostFactor struct {
	triangles
	s *host.Space
	// Right-hand side and result of a double cover, else nil.
	source, result ops.Vector
	by             *elimOrder
	about          Report
}

func (h hostOperations) eliminate(a ops.Rows, how choices) (factor, error) {
	start := time.Now()
	m := a.Download()
	if how.cover {
		m = m.DoubleCover()
	}
	if how.order == AnyOrder {
		how.order = MinimumDegree
	}
	began := time.Now()
	by := orderRows(m, how)
	ordered := time.Since(began)
	for exponent := headroom; ; exponent += 10 {
		e, err := newHostElimination(h.s.Arrays(), m, by.rows, how.seed, exponent, h.s.Workers())
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errUnsuitable, err)
		}
		e.double = how.double
		e.run()
		if e.overflow.Load() {
			if exponent > 40 {
				return nil, fmt.Errorf("%w: grounds grow beyond 2^%d times the diagonal", errUnsuitable, exponent)
			}
			continue
		}
		built := time.Now()
		f := &hostFactor{triangles: e.factor(), s: h.s, by: by}
		l := f.structure()
		h.s.Account(f.size())
		if how.cover {
			f.source, f.result = h.s.NewSingles(m.N(), 0), h.s.NewSingles(m.N(), 0)
		}
		f.about = Report{
			Order: how.order, Entries: int64(len(l.row)), Fill: 2 * float64(len(l.row)+m.N()) /
				float64(max(1, m.Entries())), Depth: len(l.starts) - 1, Tree: l.height,
			Retries: (exponent - headroom) / 10, Factor: built.Sub(start).Seconds(), Ordering: ordered.Seconds(),
			Sort:    time.Since(built).Seconds(),
			Longest: l.longest(),
		}
		return f, nil
	}
}

// elimOrder is the order of elimination of a matrix's rows, and a fingerprint of the pattern that it was found for.
type elimOrder struct {
	rows    []int32
	pattern uint64
}

// orderRows lists the rows in the order of elimination: the former one where the pattern is the same.
func orderRows(a *sparse.CSR, how choices) *elimOrder {
	o := &elimOrder{pattern: patternOf(a)}
	switch {
	case how.former != nil && len(how.former.rows) == a.N() && how.former.pattern == o.pattern:
		o.rows = how.former.rows
	case how.order == MinimumDegree:
		o.rows = ordering.MinimumDegree(a.RowPtr, a.Col)
	case how.order == ByEntries:
		o.rows = ordering.ByEntries(a.RowPtr, how.seed)
	default:
		o.rows = ordering.Random(a.N(), how.seed)
	}
	return o
}

// patternOf hashes where a matrix has entries.
func patternOf(a *sparse.CSR) (h uint64) {
	for _, p := range a.RowPtr {
		h = ordering.Mix(h + uint64(p))
	}
	for _, c := range a.Col {
		h = ordering.Mix(h + uint64(c))
	}
	return h
}

func (f *hostFactor) eliminated() *elimOrder { return f.by }

func (f *hostFactor) solve(z, r ops.Vector) {
	if f.source != nil {
		f.s.Cover(f.source, r)
		f.triangles.solve(f.s, host.Singles(f.result), host.Singles(f.source))
		f.s.Fold(z, f.result)
		return
	}
	f.triangles.solve(f.s, host.Singles(z), host.Singles(r))
}

func (f *hostFactor) report() Report { return f.about }

// asymmetry is what rounding may leave between an entry and its mirror image, relative to them.
const asymmetry = 1e-10

// newHostElimination checks the matrix and prepares it for a number of workers.
func newHostElimination(l *reuse.List, a *sparse.CSR, order []int32, seed uint64, headroom,
	workers int) (*hostElimination, error) {
	n := a.N()
	e := &hostElimination{a: a, order: order, arrays: l, position: reuse.Make[int32](l, n), seed: seed,
		headroom: headroom, vertices: reuse.Make[vertex](l, n), queue: reuse.Make[atomic.Int32](l, n),
		columns: reuse.Make[column](l, n), workers: make([]eliminator, workers)}
	e.chunks.Store(new([]*[chunk]pooled))
	for k, v := range order {
		e.position[v] = int32(k)
	}
	failed := make([]error, workers)
	e.each(func(w int) {
		for row := n * w / workers; row < n*(w+1)/workers && failed[w] == nil; row++ {
			failed[w] = e.start(int32(row))
		}
	})
	for _, err := range failed { // the first in the order of the rows
		if err != nil {
			return nil, err
		}
	}
	return e, nil
}

// start counts the earlier neighbours of a row's vertex and takes the excess of its diagonal as ground.
func (e *hostElimination) start(row int32) error {
	k := e.position[row]
	cols, vals := e.a.Row(int(row))
	diagonal, coupled := 0.0, 0.0
	waits := int32(0)
	for i, c := range cols {
		w := vals[i]
		switch {
		case c == row:
			diagonal = w
			continue
		case !(w <= 0):
			return fmt.Errorf("parac: the entry in row %d, column %d is %g: %w", row+1, c+1, w, errPositive)
		}
		if back := e.a.At(int(c), int(row)); math.Abs(back-w) > asymmetry*-w {
			return fmt.Errorf("parac: the matrix is not symmetric: %g in row %d, column %d, and %g in row "+
				"%d, column %d", w, row+1, c+1, back, c+1, row+1)
		}
		coupled -= w
		if w < 0 && e.position[c] < k {
			waits++
		}
	}
	excess, err := groundOf(row, diagonal, coupled, len(cols))
	if err != nil {
		return err
	}
	v := &e.vertices[k]
	v.unit = fixedUnit(diagonal, e.headroom)
	v.ground.Store(toFixed(excess, v.unit))
	v.waits.Store(waits)
	if waits == 0 {
		e.push(k)
	}
	return nil
}

// groundOf is the excess of a diagonal over its row's couplings; what rounding of the row's sum explains is no ground.
func groundOf(row int32, diagonal, coupled float64, entries int) (float64, error) {
	if b := biasedExponent(diagonal); !(diagonal >= 0) || diagonal > 0 && (b < 128 || b > 1919) || coupled > 0 &&
		diagonal == 0 {
		return 0, fmt.Errorf("parac: the diagonal of row %d is %g; it must be positive, and between 1e-270 and 1e270",
			row+1, diagonal)
	}
	excess, rounding := diagonal-coupled, float64(entries)*0x1p-52*diagonal
	if excess < -rounding {
		return 0, fmt.Errorf("parac: row %d is not diagonally dominant: its diagonal %g is below the sum %g of "+
			"its couplings", row+1, diagonal, coupled)
	}
	if excess <= rounding {
		excess = 0
	}
	return excess, nil
}
