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

	partial, scalarsDev, ticket cu.DevicePtr
	maxBlocks                   int
	memory                      *cu.Memory
	buffers                     map[cu.DevicePtr]*cu.Buffer[uint32] // all of the system's memory, by address
	scope                       *scope                              // what is made now belongs to it; nil outside of scopes
	graphs                      []cu.GraphExec
	err                         error
}

func newSpace(d *Device, cells, pad int64) space {
	return space{Device: d, cells: cells, pad: pad, memory: cu.NewMemory(d.drv), buffers: map[cu.DevicePtr]*cu.Buffer[uint32]{}}
}

// vector is a field with pads of nx values on either side; at is the address of the first cell.
type vector struct {
	at   cu.DevicePtr
	n    int64
	elem int64 // bytes per value
	pad  int64 // values

	// Of a search direction: its other buffer, and the address of a number that is 1 while the values are there.
	twin *vector
	side cu.DevicePtr
}

func (v *vector) Len() int     { return int(v.n) }
func (v *vector) Bytes() int64 { return (v.n + 2*v.pad) * v.elem }

// ptr is the address of a vector, 0 for none.
func ptr(v ops.Vector) cu.DevicePtr {
	if v == nil {
		return 0
	}
	return v.(*vector).address()
}

func (v *vector) address() cu.DevicePtr {
	if v == nil {
		return 0
	}
	return v.at
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

// alloc takes zeroed device memory, 0 after a failure.
func (s *space) alloc(bytes int64) cu.DevicePtr {
	if s.err != nil || bytes == 0 {
		return 0
	}
	bytes = (bytes + 15) &^ 15
	b, err := cu.Alloc[uint32](s.memory, int(bytes/4))
	if err != nil {
		s.note(err)
		return 0
	}
	s.buffers[b.Ptr] = b
	if s.scope != nil {
		s.scope.buffers[b.Ptr] = b
	}
	s.live += bytes
	s.note(b.Zero(s.stream))
	return b.Ptr
}

// free gives back memory of alloc before the system goes.
func (s *space) free(p cu.DevicePtr) {
	b, ok := s.buffers[p]
	if !ok {
		return
	}
	s.live -= b.Bytes()
	delete(s.buffers, p)
	s.wait()
	s.note(b.Free())
}

// scope lists memory that is given back at once, by address.
type scope struct {
	buffers map[cu.DevicePtr]*cu.Buffer[uint32]
}

// Scope notes what body allocates.
func (s *space) Scope(body func() error) (closeAll func(), err error) {
	outer, own := s.scope, &scope{map[cu.DevicePtr]*cu.Buffer[uint32]{}}
	s.scope = own
	defer func() { s.scope = outer }()
	return func() {
		for p, b := range own.buffers {
			if s.buffers[p] == b { // not given back before, and its address taken by another
				s.free(p)
			}
		}
		clear(own.buffers)
	}, body()
}

// reductions takes the memory of sums: what norms and statistics come to, and so many partial sums.
func (s *space) reductions(partials int64) {
	s.partial = s.alloc(8 * partials)
	s.scalarsDev = s.alloc(scalarCount * 8)
	s.ticket = s.alloc(16)
}

// newVector keeps the first cell aligned to 16 bytes.
func (s *space) newVector(n, pad int64, elem int64) *vector {
	pad = (pad + 3) &^ 3
	p := s.alloc((n + 2*pad) * elem)
	return &vector{at: p + cu.DevicePtr(pad*elem), n: n, elem: elem, pad: pad}
}

// upload copies a slice to new device memory.
func upload[T any](s *space, v []T) cu.DevicePtr {
	if len(v) == 0 {
		return 0
	}
	bytes := int64(len(v)) * int64(unsafe.Sizeof(v[0]))
	p := s.alloc(bytes)
	s.send(p, unsafe.Pointer(&v[0]), bytes)
	return p
}

// send copies from pageable memory and waits, so that the memory may be changed at once.
func (s *space) send(dst cu.DevicePtr, src unsafe.Pointer, bytes int64) {
	if s.err != nil || bytes == 0 {
		return
	}
	s.note(s.drv.MemcpyHtoDAsync(dst, src, bytes, s.stream))
	s.wait()
}

func (s *space) receive(dst unsafe.Pointer, src cu.DevicePtr, bytes int64) {
	if s.err != nil || bytes == 0 {
		return
	}
	s.note(s.drv.MemcpyDtoHAsync(dst, src, bytes, s.stream))
	s.wait()
}

func (s *space) wait() {
	if s.err == nil {
		s.note(s.drv.StreamSynchronize(s.stream))
	}
}

// New32 makes an FP32 vector over the cells.
func (s *space) New32() (ops.Vector, error) { return s.newVector(s.cells, s.pad, 4), s.err }

// New64 makes an FP64 vector over the cells.
func (s *space) New64() (ops.Vector, error) { return s.newVector(s.cells, s.pad, 8), s.err }

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

// Release gives vectors back.
func (s *space) Release(vectors ...ops.Vector) {
	for _, v := range vectors {
		d, ok := v.(*vector)
		if !ok || d == nil || d.at == 0 {
			continue
		}
		s.free(d.at - cu.DevicePtr(d.pad*d.elem))
		if d.twin != nil {
			s.Release(d.twin)
			s.free(d.side)
		}
		*d = vector{}
	}
}

// current is where the values of v are: a search direction changes between two buffers.
func (s *space) current(v ops.Vector) *vector {
	d := v.(*vector)
	if d.twin == nil {
		return d
	}
	var side int32
	s.receive(unsafe.Pointer(&side), d.side, 4)
	if side != 0 {
		return d.twin
	}
	return d
}

// Read copies a whole vector to the host.
func (s *space) Read(v ops.Vector, dst []float64) {
	d := s.current(v)
	if d.elem == 8 {
		s.receive(unsafe.Pointer(&dst[0]), d.at, d.n*8)
		return
	}
	single := make([]float32, d.n)
	s.receive(unsafe.Pointer(&single[0]), d.at, d.n*4)
	for i, x := range single {
		dst[i] = float64(x)
	}
}

// Write copies src into v, rounding as v does.
func (s *space) Write(v ops.Vector, src []float64) {
	d := s.current(v)
	s.stepped.dst = nil
	if d.elem == 8 {
		s.send(d.at, unsafe.Pointer(&src[0]), d.n*8)
		return
	}
	single := make([]float32, d.n)
	for i, x := range src {
		single[i] = float32(x)
	}
	s.send(d.at, unsafe.Pointer(&single[0]), d.n*4)
}

// readScalars waits for the device.
func (s *space) readScalars() []float64 { return s.scalarsAt(s.scalarsDev) }

func (s *space) scalarsAt(p cu.DevicePtr) []float64 {
	s.receive(s.Device.scalars, p, scalarCount*8)
	v := unsafe.Slice((*float64)(s.Device.scalars), scalarCount)
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
