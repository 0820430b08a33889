package multigrid

import (
	"errors"

	"thermsim/gpusolve/ops"
)

// rankOperations are those on a system whose rows several ranks share. Each has a slab of the first levels. The next
// one they hold twice, as slabs, which the last shared level is restricted to and interpolated from, and whole: there
// and below every rank works alone, on the same numbers.
//
// A cycle on a level uses up rows at the ends of a slab: with b right in all of its rows, 3 beyond the own ones, Start
// leaves x right in 3, the second step of Chebyshev in 2, and so the residual in 1, which is as far as restriction
// reaches. Interpolation fills the own rows; with x right in 3 more, the two steps after it leave 1, as far as
// interpolation to the finer level reaches, and the direction of conjugate gradients after the finest. So two exchanges
// make a level: of b when it was restricted, of x when the correction has come.
type rankOperations struct {
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

// Finest is the level of the system.
func (s *rankOperations) Finest() (Level, error) {
	slab, err := s.local.Finest()
	if err != nil {
		return nil, err
	}
	l := &sharedLevel{slab, s.slab.Rows}
	s.exchangeCoefficients(l)
	return l, s.sys.Err()
}

// Coarsen builds the next level.
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

// RefreshLevel computes a level again.
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

// NewVector makes a vector on a level.
func (s *rankOperations) NewVector(l Level) (ops.Vector, error) { return s.local.NewVector(mine(l)) }

// Start sets x = c T^-1 b.
func (s *rankOperations) Start(l Level, x, b ops.Vector, c float32) { s.local.Start(mine(l), x, b, c) }

// Step sets dst = x + a (x - prev) + c T^-1 (b - A x).
func (s *rankOperations) Step(l Level, dst, x, prev, b ops.Vector, w Relaxation) {
	s.local.Step(mine(l), dst, x, prev, b, w)
}

// Streams is nothing: no coolant flows where ranks share a grid.
func (s *rankOperations) Streams(Level, ops.Vector, ops.Vector) {}

// RestrictStart sets bc = P^T (b - A x) for x = omega T^-1 b.
func (s *rankOperations) RestrictStart(fine, coarse Level, bc, b, x ops.Vector, omega float32) {
	s.restrict(coarse, bc, func(on Level, to ops.Vector) { s.local.RestrictStart(mine(fine), on, to, b, x, omega) })
}

// Restrict sets bc = P^T (b - A x).
func (s *rankOperations) Restrict(fine, coarse Level, bc, b, x ops.Vector) {
	s.restrict(coarse, bc, func(on Level, to ops.Vector) { s.local.Restrict(mine(fine), on, to, b, x) })
}

// restrict has do fill the slab of the coarse level, and tells others.
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

// Prolong sets x += P xc.
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

// BottomColumns is that of the device.
func (s *rankOperations) BottomColumns() int { return s.local.BottomColumns() }
