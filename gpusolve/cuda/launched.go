package cuda

import "thermsim/gpusolve/cuda/cudriver"

// Launch runs a kernel, unless the device has failed before, and keeps its failure.
func Launch[A any](s *Space, kernel func(cudriver.Stream, [3]uint32, A) error, grid [3]uint32, args A) {
	if s.Ready() {
		s.Note(kernel(s.Stream, grid, args))
	}
}

// LaunchShared is Launch with so many bytes of dynamic shared memory.
func LaunchShared[A any](s *Space, kernel func(cudriver.Stream, [3]uint32, uint32, A) error, grid [3]uint32,
	shared uint32, args A) {
	if s.Ready() {
		s.Note(kernel(s.Stream, grid, shared, args))
	}
}

// Loaded is Module for operations: a failure is kept, after which nothing is launched.
func Loaded[M unloader](s *Space, name string, load func(cudriver.Driver) (M, error)) M {
	m, err := Module(s.Device, name, load)
	s.Note(err)
	return m
}

// Over is the grid of kernels with so many values a block, and one block for all that are left.
func Over(n int64, perBlock int) [3]uint32 { return [3]uint32{Blocks(int(n), perBlock), 1, 1} }
