package cuda

import (
	"math"
	"slices"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// Space holds what every linear system on the GPU has, whether it comes from a mesh or as a matrix: vectors of one
// length, memory, reductions, recorded launches and the first failure. Methods launch their kernels on its Stream
// between Ready and Note.
type Space struct {
	*Device
	cells int64
	pad   int64 // values on either side of a vector

	// stepped are the vectors of LeaveDot, while their blocks' sums are in partial.
	stepped struct {
		dst, b ops.Vector
		blocks int32
	}

	partial, scalarsDev cudriver.Ptr[float64]
	ticket              cudriver.Ptr[uint32]
	maxBlocks           int
	memory              *cudriver.Memory
	buffers             map[cudriver.DevicePtr]*cudriver.Buffer[uint32] // all of the system's memory, by address
	reserved            store
	scope               *scope // what is made now belongs to it; nil outside of scopes
	graphs              []cudriver.GraphExec
	pins                pins // host memory that copies use until the next wait
	err                 error
}

func newSpace(d *Device, cells, pad int64) Space {
	return Space{Device: d, cells: cells, pad: pad, memory: d.newMemory(),
		buffers: map[cudriver.DevicePtr]*cudriver.Buffer[uint32]{}}
}

// SpaceOf is the GPU's part of an operator or workspace, for methods with kernels of their own. ok is false for what
// lives elsewhere.
func SpaceOf(a ops.Space) (s *Space, ok bool) {
	on, ok := a.(interface{ gpuSpace() *Space })
	if !ok {
		return nil, false
	}
	return on.gpuSpace(), true
}

func (s *Space) gpuSpace() *Space { return s }

// Cells is the length of a vector.
func (s *Space) Cells() int64 { return s.cells }

// Pad is the least number of values that vectors have on either side.
func (s *Space) Pad() int64 { return s.pad }

// Note keeps the first failure.
func (s *Space) Note(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Ready begins an operation: false after a failure. What LeaveDot left behind is spent with it.
func (s *Space) Ready() bool {
	s.stepped.dst = nil
	return s.err == nil
}

// DotThreads is the least number of threads in the blocks, each of columns of a row of a mesh, whose sums LeaveDot
// speaks of: there is room for so many.
const DotThreads = 128

// Partial is the memory of the blocks' sums of a reduction.
func (s *Space) Partial() cudriver.Ptr[float64] { return s.partial }

// LeaveDot says that the kernel that computed z has left its blocks' sums of z.b in Partial and their largest |z|
// behind these, for Dot of the two to need no further pass. The next operation spends it.
func (s *Space) LeaveDot(z, b ops.Vector, blocks int32) {
	s.stepped.dst, s.stepped.b, s.stepped.blocks = z, b, blocks
}

// Err is the first failure of the device, nil while all is well.
func (s *Space) Err() error {
	if s.err == nil {
		s.err = s.unbound
	}
	return s.err
}

// reductions takes the memory of sums: what norms and statistics come to, and so many partial sums.
func (s *Space) reductions(partials int64) {
	s.partial = Alloc[float64](s, partials)
	s.scalarsDev = Alloc[float64](s, scalarCount)
	s.ticket = Alloc[uint32](s, 4)
}

// Wait until the device is done.
func (s *Space) Wait() {
	if s.err == nil {
		s.Note(s.Driver.StreamSynchronize(s.Stream))
	}
	if s.err == nil {
		s.pins.Unpin()
	}
}

// New32 makes an FP32 vector over the cells.
func (s *Space) New32() (ops.Vector, error) { return NewVector[float32](s, s.cells, s.pad), s.err }

// New64 makes an FP64 vector over the cells.
func (s *Space) New64() (ops.Vector, error) { return NewVector[float64](s, s.cells, s.pad), s.err }

// NewWork makes an FP32 vector: half the traffic, and the true residual in FP64 has the last word.
func (s *Space) NewWork() (ops.Vector, error) { return s.New32() }

// Single is w.
func (s *Space) Single(w ops.Vector) (ops.Vector, error) { return w, s.err }

// Free gives back the system's memory.
func (s *Space) Free() {
	defer s.Bind()()
	if err := s.Driver.StreamSynchronize(s.Stream); err != nil {
		s.pins.abandon()
	}
	s.pins.Unpin()
	for _, g := range s.graphs {
		_ = s.Driver.GraphExecDestroy(g)
	}
	s.live -= s.memory.Live()
	// After a lost context nothing can be freed any more, and the driver has taken it back already.
	_ = s.memory.Close()
	clear(s.buffers)
	s.graphs = nil
}

// Read copies a whole vector to the host.
func (s *Space) Read(v ops.Vector, dst []float64) {
	if d, ok := v.(*vector[float64]); ok {
		Receive(s, dst[:d.n], current(s, d).at)
		return
	}
	d := v.(*vector[float32])
	single := make([]float32, d.n)
	Receive(s, single, current(s, d).at)
	for i, x := range single {
		dst[i] = float64(x)
	}
}

// Write copies src into v, rounding as v does.
func (s *Space) Write(v ops.Vector, src []float64) {
	s.stepped.dst = nil
	if d, ok := v.(*vector[float64]); ok {
		Send(s, current(s, d).at, src[:d.n])
		return
	}
	d := v.(*vector[float32])
	single := make([]float32, d.n)
	for i, x := range src {
		single[i] = float32(x)
	}
	Send(s, current(s, d).at, single)
}

// readStatistics waits for the device and gives what reductions outside of iterations came to.
func (s *Space) readStatistics() []float64 { return s.scalarsAt(s.scalarsDev) }

func (s *Space) scalarsAt(p cudriver.Ptr[float64]) []float64 {
	v := unsafe.Slice((*float64)(s.Device.scalars), scalarCount)
	receive(s, v, p)
	if s.err != nil {
		for i := range v {
			v[i] = math.NaN()
		}
	}
	return v
}

// Record captures the launches that body makes; replay repeats them at the cost of one launch.
func (s *Space) Record(body func()) (replay, forget func(), err error) {
	if s.err != nil {
		return nil, nil, s.err
	}
	if err := s.Driver.StreamBeginCapture(s.Stream); err != nil {
		s.Note(err)
		return nil, nil, err
	}
	body()
	g, err := s.Driver.StreamEndCapture(s.Stream)
	s.Note(err)
	if s.err != nil {
		if err == nil {
			_ = s.Driver.GraphDestroy(g) // a launch has failed, which is the error to tell
		}
		return nil, nil, s.err
	}
	exec, err := s.Driver.GraphInstantiate(g)
	s.Note(err)
	if err == nil {
		s.graphs = append(s.graphs, exec)
	}
	s.Note(s.Driver.GraphDestroy(g))
	if s.err != nil {
		return nil, nil, s.err
	}
	replay = func() {
		if s.err == nil {
			s.Note(s.Driver.GraphLaunch(exec, s.Stream))
		}
	}
	forget = func() {
		if n := slices.Index(s.graphs, exec); n >= 0 {
			s.Wait()
			s.graphs = slices.Delete(s.graphs, n, n+1)
			s.Note(s.Driver.GraphExecDestroy(exec))
		}
	}
	return replay, forget, nil
}
