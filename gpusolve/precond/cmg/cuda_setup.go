package cmg

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// DeviceRows is where launches and waits take longer than the host's work.
func (s gpuOperations) DeviceRows() int { return 20000 }

// setup is the module of set-up kernels with the space that launches them.
type setup struct {
	*Kernels
	s gpuOperations
}

func (s gpuOperations) setup() (setup, error) {
	k, err := cuda.Module(s.Device, "cmg", LoadKernels)
	return setup{k, s}, err
}

// starts sets each of n values of start, 32 bits, or wide, 64 bits, to the sum of those before it, and the one after
// the last to the sum of all.
func (k setup) starts(n int64, values, start cudriver.Ptr[int32], wide cudriver.Ptr[int64]) {
	grid := k.s.each(n)
	w := cuda.NewTemporary(k.s.Space)
	defer w.Discard()
	sums := cuda.Take[int64](w, int64(grid[0]))
	if k.s.Ready() {
		k.s.Note(k.SumParts(k.s.Stream, grid, KernelsSumPartsArgs{N: n, Values: values, Sums: sums}))
		k.s.Note(k.StartParts(k.s.Stream, [3]uint32{1, 1, 1},
			KernelsStartPartsArgs{Blocks: int32(grid[0]), Sums: sums}))
		k.s.Note(k.StartValues(k.s.Stream, grid, KernelsStartValuesArgs{N: n, Values: values, Sums: sums, Start: start,
			Wide: wide}))
	}
}

// ReadMatrix reads the matrix as a graph.
func (s gpuOperations) ReadMatrix(r ops.Rows) (deviceGraph, bool, error) {
	k, err := s.setup()
	if err != nil {
		return nil, false, err
	}
	n := int64(r.Len())
	g := &gpuGraph{s: s, n: n, entries: r.Entries() - n}
	if g.entries <= 0 {
		return nil, false, s.Err()
	}
	g.ptr, g.to, g.weight = cuda.Alloc[int64](s.Space, g.n+1), cuda.Alloc[int32](s.Space, g.entries),
		cuda.Alloc[float32](s.Space, g.entries)
	g.ground, g.diagonal = cuda.Alloc[float64](s.Space, g.n), cuda.Alloc[float64](s.Space, g.n)
	w := cuda.NewTemporary(s.Space)
	defer w.Discard()
	fault := cuda.Take[int32](w, 1)
	rowPtr, col, val := r.(*cuda.Rows).Arrays()
	if s.Ready() {
		s.Note(k.ReadRows(s.Stream, s.each(g.n+1), KernelsReadRowsArgs{
			N: g.n, RowPtr: rowPtr, Col: col, Val: val, Ptr: g.ptr, To: g.to, Weight: g.weight, Ground: g.ground,
			Diagonal: g.diagonal, Fault: fault,
		}))
	}
	if cuda.ReceiveOne(s.Space, fault) != 0 || s.Err() != nil {
		g.Release()
		return nil, false, s.Err()
	}
	return g, true, nil
}
