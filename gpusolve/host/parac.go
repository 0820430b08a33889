package host

import (
	"fmt"
	"time"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/sparse/ordering"
)

var _ ops.Cholesky = (*Space)(nil)

// cholesky is a factor of a space.
type cholesky struct {
	*factor
	s *Space
	y []float32 // scratch of the solves
	// Right side and result of a double cover, else nil.
	source, result *vec32
	bytes          int64
	report         ops.CholeskyReport
}

// EliminateRandomly builds a factor on all cores.
func (s *Space) EliminateRandomly(a ops.Rows, how ops.Elimination) (ops.CholeskyFactor, error) {
	start := time.Now()
	m := a.Download()
	if how.Cover {
		m = m.DoubleCover()
	}
	if how.Order == ops.AnyOrder {
		how.Order = ops.MinimumDegree
	}
	order := orderRows(m, how)
	for room := headroom; ; room += 10 {
		e, err := newElimination(m, order, how.Seed, room, s.Workers())
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ops.ErrUnsuitable, err)
		}
		e.run()
		if e.overflow.Load() {
			if room > 40 {
				return nil, fmt.Errorf("%w: grounds grow beyond 2^%d times the diagonal", ops.ErrUnsuitable, room)
			}
			continue
		}
		built := time.Now()
		c := &cholesky{factor: e.factor(), s: s, y: make([]float32, m.N())}
		if how.Cover {
			c.source, c.result = newVec32(m.N(), 0), newVec32(m.N(), 0)
		}
		c.bytes = c.Bytes()
		s.Account(c.bytes)
		c.report = ops.CholeskyReport{
			Order: how.Order, Entries: int64(len(c.row)), Fill: 2 * float64(len(c.row)+m.N()) / float64(max(1, m.Entries())), Depth: len(c.levels) - 1, Tree: c.height,
			Retries: (room - headroom) / 10, Factor: built.Sub(start).Seconds(), Sort: time.Since(built).Seconds(),
		}
		return c, nil
	}
}

// orderRows lists the rows in the order of elimination.
func orderRows(a *sparse.CSR, how ops.Elimination) []int32 {
	switch how.Order {
	case ops.MinimumDegree:
		return ordering.MinimumDegree(a.RowPtr, a.Col)
	case ops.ByEntries:
		return ordering.ByEntries(a.RowPtr, how.Seed)
	}
	return ordering.Random(a.N(), how.Seed)
}

// SolveCholesky sets z = (G D G^T)^-1 r.
func (s *Space) SolveCholesky(f ops.CholeskyFactor, z, r ops.Vector) {
	c := f.(*cholesky)
	if c.source != nil {
		s.Cover(c.source, r)
		c.solve(s.dev.pool, c.result.values(), c.source.values(), c.y)
		s.Fold(z, c.result)
		return
	}
	c.solve(s.dev.pool, z.(*vec32).values(), r.(*vec32).values(), c.y)
}

// Report describes the factor.
func (c *cholesky) Report() ops.CholeskyReport { return c.report }

// Release forgets the factor.
func (c *cholesky) Release() {
	c.s.Account(-c.bytes)
	c.bytes, c.factor, c.y, c.source, c.result = 0, nil, nil, nil, nil
}

// Bytes is the memory of the factor with its scratch.
func (c *cholesky) Bytes() int64 {
	n := c.factor.bytes() + 4*int64(len(c.y))
	if c.source != nil {
		n += c.source.Bytes() + c.result.Bytes()
	}
	return n
}

// Download refers to the factor itself, which must not be changed.
func (c *cholesky) Download() *ops.CholeskyEntries {
	e := &ops.CholeskyEntries{Row: c.order, First: c.first, At: c.row, Share: c.share, Begin: c.begin, Col: c.col, Weight: c.weight, Pivot: c.pivot}
	e.Level = make([]int32, len(c.order))
	for l := range len(c.levels) - 1 {
		for at := c.levels[l]; at < c.levels[l+1]; at++ {
			e.Level[at] = int32(l)
		}
	}
	return e
}
