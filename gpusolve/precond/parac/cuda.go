package parac

import (
	"fmt"
	"math/bits"
	"time"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// gpuOperations are those on a GPU.
type gpuOperations struct{ s *cuda.Space }

func onGPU(a ops.Operator) (operations, bool, error) {
	s, ok := cuda.SpaceOf(a)
	return gpuOperations{s}, ok, nil
}

// modules are the kernels of the method.
type modules struct {
	sort   *Sort
	parac  *Kernels
	levels *Levels
}

func loadModules(d *cuda.Device) (m modules, err error) {
	if m.sort, err = cuda.Module(d, "parac.sort", LoadSort); err != nil {
		return m, err
	}
	if m.parac, err = cuda.Module(d, "parac", LoadKernels); err != nil {
		return m, err
	}
	m.levels, err = cuda.Module(d, "parac.levels", LoadLevels)
	return m, err
}

// Waits inside kernels are bounded, in polls of some 0.3 us or more: in an elimination by the time that its last,
// sequential part may take, in a solve by a few seconds. A longer one means that something is broken.
const eliminatePatience, solvePatience = 1 << 28, 1 << 23

// cudaElimination is the making of a factor: what it reads, and memory that goes when it is done.
type cudaElimination struct {
	*cuda.Space
	modules
	rowsRead
	how choices
	// ordered is how long the processor took for the order.
	ordered time.Duration
	n       int64
	width   int32
	// Memory of the whole, and that of one attempt with the sizes below.
	memory, attempt *cuda.Temporary

	order, place cudriver.Ptr[uint32] // rows in the order of elimination, and the other way
	vertices     cudriver.Ptr[Vertex]
	control      cudriver.Ptr[uint64]
	first        cudriver.Ptr[int64] // columns in output, by place
	count        cudriver.Ptr[uint32]
	pivot        cudriver.Ptr[float64]
	output       cudriver.Ptr[uint64]
	guesses
}

// rowsRead is the matrix.
type rowsRead struct {
	a      *cuda.Rows
	rowPtr cudriver.Ptr[int64] // of a, like col and val
	col    cudriver.Ptr[int32]
	val    cudriver.Ptr[float64]
}

// guesses are sizes that are not known before the elimination, and how far grounds may grow.
type guesses struct {
	stride             uint32
	outputs, scratches int64
	headroom           int32
}

// eliminate builds a factor on the GPU.
func (x gpuOperations) eliminate(a ops.Rows, how choices) (factor, error) {
	m, err := loadModules(x.s.Device)
	if err != nil {
		return nil, err
	}
	if how.order == AnyOrder {
		how.order = ByEntries
	}
	if how.room == 0 {
		how.room = 1
	}
	r := a.(*cuda.Rows)
	if how.cover {
		r = cuda.UploadRows(x.s, r.Download().DoubleCover())
		defer r.Release()
	}
	e := &cudaElimination{Space: x.s, modules: m, memory: cuda.NewTemporary(x.s), attempt: cuda.NewTemporary(x.s),
		rowsRead: rowsRead{a: r}, how: how, n: int64(r.Len()), guesses: guesses{headroom: headroom}}
	if e.n >= 1<<31 {
		return nil, fmt.Errorf("%w, of fewer than 2^31 rows", errUnsuitable)
	}
	e.rowPtr, e.col, e.val = r.Arrays()
	e.width = int32(max(1, bits.Len64(uint64(e.n-1))))
	defer e.memory.Discard()
	defer func() { e.attempt.Discard() }()
	return e.make()
}

// make orders, eliminates with as much memory as it takes, and sorts.
func (e *cudaElimination) make() (factor, error) {
	start := time.Now()
	e.sortRows()
	e.guess()
	retries := 0
	for ; ; retries++ {
		again, err := e.eliminate()
		if err != nil {
			return nil, err
		}
		if !again {
			break
		}
		e.attempt.Discard()
		e.attempt = cuda.NewTemporary(e.Space)
	}
	built := time.Now()
	f := e.factor()
	e.Wait()
	if err := e.Err(); err != nil {
		return nil, err
	}
	f.about.Order, f.about.Ordering, f.about.Retries = e.how.order, e.ordered.Seconds(), retries
	f.about.Fill = 2 * float64(f.about.Entries+e.n) / float64(max(1, e.a.Entries()))
	f.about.Factor, f.about.Sort = built.Sub(start).Seconds(), time.Since(built).Seconds()
	return f, nil
}
