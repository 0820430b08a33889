package cuda

import (
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels/launch"
)

// Launch runs a kernel, unless the device has failed before, and keeps its failure.
func Launch[A any](s *Space, kernel *launch.Kernel[A], grid [3]uint32, args A) {
	if s.Ready() {
		s.Note(kernel.Launch(s.Stream, grid, args))
	}
}

// LaunchShared is Launch with a number of bytes of dynamic shared memory.
func LaunchShared[A any](s *Space, kernel *launch.DynamicKernel[A], grid [3]uint32, shared uint32, args A) {
	if s.Ready() {
		s.Note(kernel.Launch(s.Stream, grid, shared, args))
	}
}

// Loaded is Module for operations: a failure is kept, after which nothing is launched.
func Loaded[M any](s *Space, name string, load func(cudriver.Driver) (*M, error)) *M {
	m, err := Module(s.Device, name, load)
	if err != nil {
		s.Note(err)
		return new(M)
	}
	return m
}

// Over is the grid of kernels with perBlock values per block; the last block takes the rest.
func Over(n int64, perBlock int) [3]uint32 { return [3]uint32{Blocks(int(n), perBlock), 1, 1} }

// Flag is a truth value as kernels take it.
func Flag(is bool) int32 {
	if is {
		return 1
	}
	return 0
}
