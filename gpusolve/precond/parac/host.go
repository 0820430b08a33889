package parac

import (
	"fmt"
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
	*levelFactor
	s *host.Space
	y []float32 // scratch of the solves
	// Right side and result of a double cover, else nil.
	source, result ops.Vector
	accounted      int64 // bytes beside these
	by             *elimOrder
	about          Report
}

// eliminate builds a factor on all cores.
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
	for room := headroom; ; room += 10 {
		e, err := newHostElimination(h.s.Arrays(), m, by.rows, how.seed, room, h.s.Workers())
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errUnsuitable, err)
		}
		e.run()
		if e.overflow.Load() {
			if room > 40 {
				return nil, fmt.Errorf("%w: grounds grow beyond 2^%d times the diagonal", errUnsuitable, room)
			}
			continue
		}
		built := time.Now()
		f := &hostFactor{levelFactor: e.factor(), s: h.s, y: reuse.Make[float32](h.s.Arrays(), m.N()), by: by}
		f.accounted = f.levelFactor.size() + 4*int64(len(f.y)+len(by.rows))
		h.s.Account(f.accounted)
		if how.cover {
			f.source, f.result = h.s.NewSingles(m.N(), 0), h.s.NewSingles(m.N(), 0)
		}
		f.about = Report{
			Order: how.order, Entries: int64(len(f.row)), Fill: 2 * float64(len(f.row)+m.N()) /
				float64(max(1, m.Entries())), Depth: len(f.levels) - 1, Tree: f.height,
			Retries: (room - headroom) / 10, Factor: built.Sub(start).Seconds(), Ordering: ordered.Seconds(),
			Sort:    time.Since(built).Seconds(),
			Longest: f.longest(),
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

// eliminated tells the order of the elimination.
func (f *hostFactor) eliminated() *elimOrder { return f.by }

// solve sets z = (G D G^T)^-1 r.
func (f *hostFactor) solve(z, r ops.Vector) {
	if f.source != nil {
		f.s.Cover(f.source, r)
		f.levelFactor.solve(f.s, host.Singles(f.result), host.Singles(f.source), f.y)
		f.s.Fold(z, f.result)
		return
	}
	f.levelFactor.solve(f.s, host.Singles(z), host.Singles(r), f.y)
}

// report describes the factor.
func (f *hostFactor) report() Report { return f.about }

// release forgets the factor.
func (f *hostFactor) release() {
	f.s.Account(-f.accounted)
	f.s.Release(f.source, f.result)
	*f = hostFactor{s: f.s, about: f.about}
}

// download refers to the factor itself, which must not be changed.
func (f *hostFactor) download() *entries {
	e := &entries{row: f.order, first: f.first, at: f.row, share: f.share, begin: f.begin, col: f.col, weight: f.weight,
		pivot: f.pivot}
	e.level = make([]int32, len(f.order))
	for l := range len(f.levels) - 1 {
		for at := f.levels[l]; at < f.levels[l+1]; at++ {
			e.level[at] = int32(l)
		}
	}
	return e
}
