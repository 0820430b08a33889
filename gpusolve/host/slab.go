package host

import (
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
)

var (
	_ ops.SlabDevice = (*Device)(nil)
	_ ops.SlabSystem = (*system)(nil)
)

// ExchangeColumns is that of every processor: two messages between processes take some 60 us, and a column of ten
// planes 0.17 us in every iteration on two cores.
const ExchangeColumns = 400

// ExchangeColumns is about the number of columns that a cycle works on in the time of two exchanges.
func (d *Device) ExchangeColumns() int {
	if d.LeastShared > 0 {
		return d.LeastShared
	}
	return ExchangeColumns
}

// AssembleSlab discretises the rows that a rank holds.
func (d *Device) AssembleSlab(m *mesh.Mesh, dt float64, s ops.Slab) (ops.SlabSystem, error) {
	sys := newSystem(d, m, dt)
	sys.share = newShare(s)
	if err := sys.alignGround(); err != nil {
		return nil, err
	}
	return sys, nil
}

// alignGround makes room for ground in the planes in which any rank has some.
func (s *system) alignGround() error {
	mine := make([]byte, s.nz)
	for k, g := range s.ground {
		if g != nil {
			mine[k] = 1
		}
	}
	all, err := s.share.Group.Gather(mine)
	if err != nil {
		return err
	}
	for _, of := range all {
		for k, has := range of {
			if has != 0 && s.ground[k] == nil {
				s.ground[k] = make([]float32, s.sheet)
				s.Account(int64(s.sheet) * 4)
			}
		}
	}
	return nil
}
