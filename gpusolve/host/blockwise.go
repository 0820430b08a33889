package host

import "math"

// Blockwise runs f on blocks of values and adds up what it returns, the second part by its maximum.
func (s *Space) Blockwise(f func(lo, hi, worker int) (sum, top float64)) (sum, top float64) {
	blocks := (s.cells + blockRows - 1) / blockRows
	if s.parts == nil {
		s.parts = make([][2]float64, blocks)
	}
	parts := s.parts
	s.Run(blockTask(func(b, worker int) {
		parts[b][0], parts[b][1] = f(b*blockRows, min((b+1)*blockRows, s.cells), worker)
	}), blocks, s.cells)
	for _, p := range parts {
		sum += p[0]
		top = math.Max(top, p[1])
	}
	return sum, top
}

// blockTask is a loop body over blocks.
type blockTask func(block, worker int)

func (t blockTask) Run(lo, hi, worker int) {
	for b := lo; b < hi; b++ {
		t(b, worker)
	}
}
