package multigrid

import (
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// rankOperations are those on a system whose rows several ranks share. Each has a slab of the first levels. The next
// one they hold twice, as slabs, which the last shared level is restricted to and interpolated from, and whole: there
// and below every rank works alone, on the same numbers.
//
// A cycle on a level uses up rows at the ends of a slab. With b valid in all of its rows, 3 beyond the own ones, Start
// leaves x valid in 3 and the second step of Chebyshev in 2. The residual is then valid in 1, which is as far as
// restriction reaches. Interpolation fills the own rows; with x right in 3 more, the two steps after it leave 1, as far
// as interpolation to the finer level reaches, and the direction of conjugate gradients after the finest. So two
// exchanges make a level: of b when it was restricted, of x when the correction has come.
type rankOperations struct {
	noStreams
	local SlabOperations
	sys   ops.SlabSystem
	slab  ops.Slab
	left  int // levels that are to be shared beyond the last one made
}

// sharedLevel is a level of which this rank has a slab.
type sharedLevel struct {
	slab Level
	rows ops.Partition
}

// meetingLevel is the first level that every rank has.
type meetingLevel struct {
	sharedLevel
	whole Level
	strip ops.Vector // on the slab
}

// Shape of the whole level.
func (l *sharedLevel) Shape() (nx, ny, nz int) {
	nx, _, nz = l.slab.Shape()
	return nx, l.rows.NY(), nz
}

// onRanks gives the operations on a system that ranks share.
func onRanks(s ops.System) (Operations, bool, error) {
	d, ok := s.(ops.Distributed)
	if !ok {
		return nil, false, nil
	}
	sys, slab := d.Slab()
	on, err := On(sys)
	if err != nil {
		return nil, true, err
	}
	local, ok := on.(SlabOperations)
	if !ok {
		return nil, true, errors.New("this device has no multigrid operations on slabs")
	}
	return &rankOperations{local: local, sys: sys, slab: slab, left: d.SharedLevels() - 1}, true, nil
}

// mine is the level that this rank's device works on.
func mine(l Level) Level {
	switch l := l.(type) {
	case *sharedLevel:
		return l.slab
	case *meetingLevel:
		return l.whole
	}
	return l
}

func (s *rankOperations) Finest() (Level, error) {
	slab, err := s.local.Finest()
	if err != nil {
		return nil, err
	}
	l := &sharedLevel{slab, s.slab.Rows}
	s.exchangeCoefficients(l)
	return l, s.sys.Err()
}

func (s *rankOperations) Coarsen(fine Level, c Coarsening) (Level, error) {
	f, ok := fine.(*sharedLevel)
	if !ok {
		return s.local.Coarsen(mine(fine), c)
	}
	rows := coarseRows(f.rows, c)
	c.Y = slabOf(c.Y, f.rows, rows, s.slab.Group.Rank())
	slab, err := s.local.Coarsen(f.slab, c)
	if err != nil {
		return nil, err
	}
	l := sharedLevel{slab, rows}
	if s.left--; s.left >= 0 {
		s.exchangeCoefficients(&l)
		return &l, s.sys.Err()
	}
	m := &meetingLevel{sharedLevel: l}
	if m.whole, err = s.local.Whole(slab, rows.NY()); err != nil {
		return nil, err
	}
	if m.strip, err = s.local.NewVector(slab); err != nil {
		return nil, err
	}
	s.collectCoefficients(m)
	return m, s.sys.Err()
}

func (s *rankOperations) RefreshLevel(l Level) error {
	var err error
	switch l := l.(type) {
	case *sharedLevel:
		if err = s.local.RefreshLevel(l.slab); err == nil {
			s.exchangeCoefficients(l)
		}
	case *meetingLevel:
		if err = s.local.RefreshLevel(l.slab); err == nil {
			s.collectCoefficients(l)
		}
	default:
		err = s.local.RefreshLevel(l)
	}
	return errors.Join(err, s.sys.Err())
}

// exchangeCoefficients takes what a level is made of in ghost rows from the ranks that own them: three fine rows are
// too few for three coarse ones.
func (s *rankOperations) exchangeCoefficients(l *sharedLevel) {
	var list []ops.Vector
	for _, c := range s.local.Coefficients(l.slab) {
		if c.Between {
			s.sys.Exchange(l.rows, ops.Ghosts, ops.Ghosts-1, c.Vector)
			continue
		}
		list = append(list, c.Vector)
	}
	s.sys.Exchange(l.rows, ops.Ghosts, ops.Ghosts, list...)
}

// collectCoefficients makes the whole level of all slabs.
func (s *rankOperations) collectCoefficients(l *meetingLevel) {
	whole := s.local.Coefficients(l.whole)
	for n, c := range s.local.Coefficients(l.slab) {
		s.sys.Collect(l.rows, whole[n].Vector, c.Vector)
	}
}

func (s *rankOperations) NewVector(l Level) (ops.Vector, error) { return s.local.NewVector(mine(l)) }

func (s *rankOperations) Start(l Level, x, b ops.Vector, c float32) { s.local.Start(mine(l), x, b, c) }

func (s *rankOperations) Step(l Level, dst, x, prev, b ops.Vector, w Relaxation) {
	s.local.Step(mine(l), dst, x, prev, b, w)
}

func (s *rankOperations) RestrictStart(fine, coarse Level, bc, b, x ops.Vector, omega float32) {
	s.restrict(coarse, bc, func(on Level, to ops.Vector) { s.local.RestrictStart(mine(fine), on, to, b, x, omega) })
}

func (s *rankOperations) Before(l Level, z, x, b ops.Vector, c Smoothing) Smoothed {
	return s.local.Before(mine(l), z, x, b, c)
}

func (s *rankOperations) Restrict(fine, coarse Level, bc, b ops.Vector, v Smoothed) {
	s.restrict(coarse, bc, func(on Level, to ops.Vector) { s.local.Restrict(mine(fine), on, to, b, v) })
}

func (s *rankOperations) After(l Level, z, x, b ops.Vector, c Smoothing) {
	s.local.After(mine(l), z, x, b, c)
}

// restrict has do fill the slab of the coarse level, and passes it to other ranks.
func (s *rankOperations) restrict(coarse Level, bc ops.Vector, do func(on Level, to ops.Vector)) {
	switch c := coarse.(type) {
	case *sharedLevel:
		do(c.slab, bc)
		s.sys.Exchange(c.rows, ops.Ghosts, ops.Ghosts, bc)
	case *meetingLevel:
		do(c.slab, c.strip)
		s.sys.Collect(c.rows, bc, c.strip)
	default:
		do(coarse, bc)
	}
}

func (s *rankOperations) Prolong(fine, coarse Level, x, xc ops.Vector) {
	f, shared := fine.(*sharedLevel)
	if !shared {
		s.local.Prolong(mine(fine), mine(coarse), x, xc)
		return
	}
	switch c := coarse.(type) {
	case *sharedLevel:
		s.local.Prolong(f.slab, c.slab, x, xc)
	case *meetingLevel:
		s.sys.Cut(c.rows, c.strip, xc)
		s.local.Prolong(f.slab, c.slab, x, c.strip)
	}
	s.sys.Exchange(f.rows, ops.Ghosts, ops.Ghosts, x)
}

// Bottom cycles over levels that every rank has whole.
func (s *rankOperations) Bottom(rungs []Rung, smoothing Smoothing) (cycle func(), err error) {
	own := make([]Rung, len(rungs))
	for n, r := range rungs {
		if _, shared := r.Level.(*sharedLevel); shared {
			return nil, nil
		}
		own[n] = Rung{mine(r.Level), r.B, r.Z, r.X}
	}
	return s.local.Bottom(own, smoothing)
}

func (s *rankOperations) BottomColumns() int { return s.local.BottomColumns() }

// Share divides the rows of a grid of nx x ny columns among ranks, and returns how many grids of its hierarchy they
// share. Ranks share a grid where this saves more than two exchanges cost; those take as long as a cycle on exchange
// columns. Borders lie where cells of the first grid that is not shared begin, so that all finer ones are divided there
// as well.
func (plan Plan) Share(nx, ny, ranks, exchange int) (p ops.Partition, levels int, err error) {
	p.NX = nx
	starts := [][]int{make([]int, ny)} // of each grid, the first row of the finest in each of its rows
	for j := range ny {
		starts[0][j] = j
	}
	columns := []int{nx * ny}
	best := math.Inf(1)
	for _, c := range plan.Coarsenings {
		nx = c.X.Coarse(nx)
		starts = append(starts, coarseStarts(starts[len(starts)-1], c.Y))
		columns = append(columns, nx*len(starts[len(starts)-1]))
	}
	for shared := 1; shared < len(starts); shared++ {
		borders := evenly(starts[shared], ny, ranks)
		if _, least := spread(starts[shared-1], borders); least < ops.Ghosts {
			break
		}
		cost := float64(exchange * shared)
		for l, n := range columns {
			if l < shared {
				most, _ := spread(starts[l], borders)
				cost += float64(n) * float64(most+2*ops.Ghosts) / float64(len(starts[l]))
			} else {
				cost += float64(n)
			}
		}
		if cost < best {
			best, levels, p = cost, shared, ops.Partition{NX: p.NX, Borders: borders}
		}
	}
	if levels == 0 {
		return p, 0, fmt.Errorf("%w: %d ranks cannot share a grid of %d rows (y): each needs %d rows or more that "+
			"coarser grids keep together; take fewer ranks or a finer grid",
			precond.ErrRefused, ranks, ny, ops.Ghosts)
	}
	return p, levels, nil
}

// coarseStarts are the starts of the coarse rows.
func coarseStarts(fine []int, c Pairing) []int {
	if c.Parent == nil {
		return fine
	}
	var coarse []int
	for j, at := range fine {
		if j == 0 || c.Parent[j] != c.Parent[j-1] {
			coarse = append(coarse, at)
		}
	}
	return coarse
}

// evenly places the borders at those starts that divide n rows best.
func evenly(starts []int, n, ranks int) []int {
	borders := make([]int, 1, ranks+1)
	at := 0
	for r := 1; r < ranks; r++ {
		target := float64(r) * float64(n) / float64(ranks)
		for at+1 < len(starts) && math.Abs(float64(starts[at+1])-target) <= math.Abs(float64(starts[at])-target) {
			at++
		}
		borders = append(borders, starts[at])
	}
	return append(borders, n)
}

// spread is the largest and the smallest number of starts between borders.
func spread(starts, borders []int) (most, least int) {
	least = len(starts)
	j := 0
	for _, end := range borders[1:] {
		first := j
		for j < len(starts) && starts[j] < end {
			j++
		}
		most, least = max(most, j-first), min(least, j-first)
	}
	return most, least
}

// coarseRows is the partition of the next level.
func coarseRows(fine ops.Partition, c Coarsening) ops.Partition {
	p := ops.Partition{NX: c.X.Coarse(fine.NX), Borders: fine.Borders}
	if c.Y.Parent == nil {
		return p
	}
	p.Borders = make([]int, len(fine.Borders))
	for r, j := range fine.Borders[:len(fine.Borders)-1] {
		p.Borders[r] = int(c.Y.Parent[j])
	}
	p.Borders[len(p.Borders)-1] = c.Y.Coarse(fine.NY())
	return p
}

// slabOf is the part of a pairing of rows that a rank holds. Pairs that the end of the slab divides are in ghost rows
// that no rank interpolates.
func slabOf(y Pairing, fine, coarse ops.Partition, rank int) Pairing {
	if y.Parent == nil {
		return y
	}
	from, to := fine.Held(rank)
	first, end := coarse.Held(rank)
	s := Pairing{Parent: make([]int32, to-from), Far: y.Far[from:to], Cells: end - first}
	for j := range s.Parent {
		s.Parent[j] = y.Parent[from+j] - int32(first)
	}
	return s
}
