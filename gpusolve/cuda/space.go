package cuda

import (
	"math"
	"slices"
	"unsafe"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/ops"
)

// space holds what every linear system on the GPU has, whether it comes from a mesh or as a matrix: vectors of one length, memory, reductions,
// recorded launches and the first failure. Methods that build on the entries of a matrix have their operations here.
type space struct {
	*Device
	cells int64
	pad   int64 // values on either side of a vector

	// stepped is what the last smoothing step of the finest level wrote and from which right side, while its blocks' sums are in partial: Dot
	// of the two needs no further pass.
	stepped struct {
		dst, b ops.Vector
		blocks int32
	}

	partial, scalarsDev cu.Ptr[float64]
	ticket              cu.Ptr[uint32]
	maxBlocks           int
	memory              *cu.Memory
	buffers             map[cu.DevicePtr]*cu.Buffer[uint32] // all of the system's memory, by address
	scope               *scope                              // what is made now belongs to it; nil outside of scopes
	graphs              []cu.GraphExec
	err                 error
}

func newSpace(d *Device, cells, pad int64) space {
	return space{Device: d, cells: cells, pad: pad, memory: cu.NewMemory(d.drv), buffers: map[cu.DevicePtr]*cu.Buffer[uint32]{}}
}

// note keeps the first failure.
func (s *space) note(err error) {
	if s.err == nil {
		s.err = err
	}
}

// ready begins an operation: false after a failure. What the last smoothing step left behind is spent with it.
func (s *space) ready() bool {
	s.stepped.dst = nil
	return s.err == nil
}

// Err is the first failure of the device, nil while all is well.
func (s *space) Err() error {
	if s.err == nil {
		s.err = s.unbound
	}
	return s.err
}

// reductions takes the memory of sums: what norms and statistics come to, and so many partial sums.
func (s *space) reductions(partials int64) {
	s.partial = alloc[float64](s, partials)
	s.scalarsDev = alloc[float64](s, scalarCount)
	s.ticket = alloc[uint32](s, 4)
}

func (s *space) wait() {
	if s.err == nil {
		s.note(s.drv.StreamSynchronize(s.stream))
	}
}

// New32 makes an FP32 vector over the cells.
func (s *space) New32() (ops.Vector, error) { return newVector[float32](s, s.cells, s.pad), s.err }

// New64 makes an FP64 vector over the cells.
func (s *space) New64() (ops.Vector, error) { return newVector[float64](s, s.cells, s.pad), s.err }

// NewWork makes an FP32 vector: half the traffic, and the true residual in FP64 has the last word.
func (s *space) NewWork() (ops.Vector, error) { return s.New32() }

// Single is w.
func (s *space) Single(w ops.Vector) (ops.Vector, error) { return w, s.err }

// Free gives back the system's memory.
func (s *space) Free() {
	defer s.Bind()()
	_ = s.drv.StreamSynchronize(s.stream)
	for _, g := range s.graphs {
		_ = s.drv.GraphExecDestroy(g)
	}
	s.live -= s.memory.Live()
	// After a lost context nothing can be freed any more, and the driver has taken it back already.
	_ = s.memory.Close()
	clear(s.buffers)
	s.graphs = nil
}

// Read copies a whole vector to the host.
func (s *space) Read(v ops.Vector, dst []float64) {
	if d, ok := v.(*vector[float64]); ok {
		receiveSlice(s, dst[:d.n], current(s, d).at)
		return
	}
	d := v.(*vector[float32])
	single := make([]float32, d.n)
	receiveSlice(s, single, current(s, d).at)
	for i, x := range single {
		dst[i] = float64(x)
	}
}

// Write copies src into v, rounding as v does.
func (s *space) Write(v ops.Vector, src []float64) {
	s.stepped.dst = nil
	if d, ok := v.(*vector[float64]); ok {
		sendSlice(s, current(s, d).at, src[:d.n])
		return
	}
	d := v.(*vector[float32])
	single := make([]float32, d.n)
	for i, x := range src {
		single[i] = float32(x)
	}
	sendSlice(s, current(s, d).at, single)
}

// readScalars waits for the device.
func (s *space) readScalars() []float64 { return s.scalarsAt(s.scalarsDev) }

func (s *space) scalarsAt(p cu.Ptr[float64]) []float64 {
	v := unsafe.Slice((*float64)(s.Device.scalars), scalarCount)
	receiveSlice(s, v, p)
	if s.err != nil {
		for i := range v {
			v[i] = math.NaN()
		}
	}
	return v
}

// Record captures the launches that body makes; replay repeats them at the cost of one launch.
func (s *space) Record(body func()) (replay, forget func(), err error) {
	if s.err != nil {
		return nil, nil, s.err
	}
	if err := s.drv.StreamBeginCapture(s.stream); err != nil {
		s.note(err)
		return nil, nil, err
	}
	body()
	g, err := s.drv.StreamEndCapture(s.stream)
	s.note(err)
	if s.err != nil {
		return nil, nil, s.err
	}
	exec, err := s.drv.GraphInstantiate(g)
	s.note(err)
	s.note(s.drv.GraphDestroy(g))
	if s.err != nil {
		return nil, nil, s.err
	}
	s.graphs = append(s.graphs, exec)
	replay = func() {
		if s.err == nil {
			s.note(s.drv.GraphLaunch(exec, s.stream))
		}
	}
	forget = func() {
		if n := slices.Index(s.graphs, exec); n >= 0 {
			s.wait()
			s.graphs = slices.Delete(s.graphs, n, n+1)
			s.note(s.drv.GraphExecDestroy(exec))
		}
	}
	return replay, forget, nil
}
