package multigrid

import "thermsim/gpusolve/host"

var _ SlabOperations = (*hostOperations)(nil)

// Whole makes a level with the planes of l and all rows.
func (s *hostOperations) Whole(l Level, rows int) (Level, error) {
	part := l.(*hostLevel)
	w := newHostLevel(s, part.nx, rows, part.nz)
	w.gx, w.gy, w.gz, w.inverse = w.new32(), w.new32(), w.new32(), w.new32()
	w.ground = make([][]float32, w.nz)
	for k, g := range part.ground {
		if g != nil {
			w.ground[k] = w.newSheet()
		}
	}
	return w, nil
}

// Coefficients are the couplings, the pivots and the ground of every plane that has some.
func (s *hostOperations) Coefficients(l Level) []Coefficient {
	v := l.(*hostLevel)
	all := []Coefficient{
		{Vector: host.SinglesOf(v.gx, v.pad)}, {Vector: host.SinglesOf(v.gy, v.pad), Between: true},
		{Vector: host.SinglesOf(v.gz, v.pad)}, {Vector: host.SinglesOf(v.inverse, v.pad)},
	}
	for _, g := range v.ground {
		if g != nil {
			all = append(all, Coefficient{Vector: host.SinglesOf(g, 0)})
		}
	}
	return all
}
