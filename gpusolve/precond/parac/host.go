package parac

import (
	"fmt"
	"time"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/sparse/ordering"
)

// hostExecutor is the processor.
type hostExecutor struct{ s *host.Space }

func onHost(a ops.Operator) (executor, bool) {
	s, ok := host.SpaceOf(a)
	return hostExecutor{s}, ok
}

// hostFactor is a factor of a space.
type hostFactor struct {
	*levelFactor
	s *host.Space
	y []float32 // scratch of the solves
	// Right side and result of a double cover, else nil.
	source, result ops.Vector
	accounted      int64 // bytes beside these
	about          Report
}

// eliminate builds a factor on all cores.
func (h hostExecutor) eliminate(a ops.Rows, how choices) (factor, error) {
	start := time.Now()
	m := a.Download()
	if how.cover {
		m = m.DoubleCover()
	}
	if how.order == AnyOrder {
		how.order = MinimumDegree
	}
	order := orderRows(m, how)
	for room := headroom; ; room += 10 {
		e, err := newHostElimination(m, order, how.seed, room, h.s.Workers())
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
		f := &hostFactor{levelFactor: e.factor(), s: h.s, y: make([]float32, m.N())}
		f.accounted = f.levelFactor.size() + 4*int64(len(f.y))
		h.s.Account(f.accounted)
		if how.cover {
			f.source, f.result = h.s.NewSingles(m.N(), 0), h.s.NewSingles(m.N(), 0)
		}
		f.about = Report{
			Order: how.order, Entries: int64(len(f.row)), Fill: 2 * float64(len(f.row)+m.N()) / float64(max(1, m.Entries())), Depth: len(f.levels) - 1, Tree: f.height,
			Retries: (room - headroom) / 10, Factor: built.Sub(start).Seconds(), Sort: time.Since(built).Seconds(),
		}
		return f, nil
	}
}

// orderRows lists the rows in the order of elimination.
func orderRows(a *sparse.CSR, how choices) []int32 {
	switch how.order {
	case MinimumDegree:
		return ordering.MinimumDegree(a.RowPtr, a.Col)
	case ByEntries:
		return ordering.ByEntries(a.RowPtr, how.seed)
	}
	return ordering.Random(a.N(), how.seed)
}

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
	e := &entries{row: f.order, first: f.first, at: f.row, share: f.share, begin: f.begin, col: f.col, weight: f.weight, pivot: f.pivot}
	e.level = make([]int32, len(f.order))
	for l := range len(f.levels) - 1 {
		for at := f.levels[l]; at < f.levels[l+1]; at++ {
			e.level[at] = int32(l)
		}
	}
	return e
}
