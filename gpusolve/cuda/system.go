package cuda

import (
	"math"
	"unsafe"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/ops"
	"thermsim/mesh"
	"thermsim/stack"
)

// system is A on the finest grid of the GPU.
type system struct {
	*Device
	mesh       *mesh.Mesh
	dt         float64
	nx, ny, nz int
	sheet      int64 // cells per plane
	cells      int64

	compact    compact
	gx, gy, gz *vector
	capacity   *vector // C/dt; nil in a steady system
	ground     slots   // FP32 planes
	inflow     slots   // FP64 planes
	power      slots   // FP64 planes
	canvas     canvas  // what is on them
	share      cu.DevicePtr
	longColumn *vector // scratch of columns beyond the longest class

	heading ops.Vector   // the search direction, once there is one
	spare   *vector      // its other buffer
	side    cu.DevicePtr // 1 while the direction is in spare

	// stepped is what the last smoothing step of the finest level wrote and from which right side, while its blocks' sums are in partial: Dot
	// of the two needs no further pass.
	stepped struct {
		dst, b ops.Vector
		blocks int32
	}
	finest *level

	partial, scalarsDev, ticket cu.DevicePtr
	maxBlocks                   int
	memory                      *cu.Memory
	buffers                     map[cu.DevicePtr]*cu.Buffer[uint32] // all of the system's memory, by address
	graphs                      []cu.GraphExec
	err                         error
}

var (
	_ ops.System   = (*system)(nil)
	_ ops.Krylov   = (*system)(nil)
	_ ops.Diagonal = (*system)(nil)
	_ ops.Lines    = (*system)(nil)
	_ ops.Recorder = (*system)(nil)
	_ ops.Bottom   = (*system)(nil)
)

// slots are planes that only some z have: of[k] is the number of plane k's slot, -1 where it has none.
type slots struct {
	of    []int32
	onDev cu.DevicePtr // of, on the device
	data  cu.DevicePtr
	count int
}

// vector is a field with pads of nx values on either side; at is the address of the first cell.
type vector struct {
	at   cu.DevicePtr
	n    int64
	elem int64 // bytes per value
	pad  int64 // values
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

func newSystem(d *Device, m *mesh.Mesh, dt float64) *system {
	s := &system{
		Device: d, mesh: m, dt: dt, nx: m.NX(), ny: m.NY(), nz: m.NZ(),
		memory: cu.NewMemory(d.drv), buffers: map[cu.DevicePtr]*cu.Buffer[uint32]{},
	}
	s.sheet = int64(s.nx) * int64(s.ny)
	s.cells = s.sheet * int64(s.nz)
	return s
}

// note keeps the first failure.
func (s *system) note(err error) {
	if s.err == nil {
		s.err = err
	}
}

// ready begins an operation: false after a failure. What the last smoothing step left behind is spent with it.
func (s *system) ready() bool {
	s.stepped.dst = nil
	return s.err == nil
}

// Err is the first failure of the device, nil while all is well.
func (s *system) Err() error {
	if s.err == nil {
		s.err = s.unbound
	}
	return s.err
}

// alloc takes zeroed device memory, 0 after a failure.
func (s *system) alloc(bytes int64) cu.DevicePtr {
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
	s.live += bytes
	s.note(b.Zero(s.stream))
	return b.Ptr
}

// newVector keeps the first cell aligned to 16 bytes.
func (s *system) newVector(n, pad int64, elem int64) *vector {
	pad = (pad + 3) &^ 3
	p := s.alloc((n + 2*pad) * elem)
	return &vector{at: p + cu.DevicePtr(pad*elem), n: n, elem: elem, pad: pad}
}

// upload copies a slice to new device memory.
func upload[T any](s *system, v []T) cu.DevicePtr {
	if len(v) == 0 {
		return 0
	}
	bytes := int64(len(v)) * int64(unsafe.Sizeof(v[0]))
	p := s.alloc(bytes)
	s.send(p, unsafe.Pointer(&v[0]), bytes)
	return p
}

// send copies from pageable memory and waits, so that the memory may be changed at once.
func (s *system) send(dst cu.DevicePtr, src unsafe.Pointer, bytes int64) {
	if s.err != nil || bytes == 0 {
		return
	}
	s.note(s.drv.MemcpyHtoDAsync(dst, src, bytes, s.stream))
	s.wait()
}

func (s *system) receive(dst unsafe.Pointer, src cu.DevicePtr, bytes int64) {
	if s.err != nil || bytes == 0 {
		return
	}
	s.note(s.drv.MemcpyDtoHAsync(dst, src, bytes, s.stream))
	s.wait()
}

func (s *system) wait() {
	if s.err == nil {
		s.note(s.drv.StreamSynchronize(s.stream))
	}
}

// Mesh is what the system was assembled from.
func (s *system) Mesh() *mesh.Mesh { return s.mesh }

// New32 makes an FP32 vector over the cells.
func (s *system) New32() (ops.Vector, error) { return s.newVector(s.cells, int64(s.nx), 4), s.err }

// New64 makes an FP64 vector over the cells.
func (s *system) New64() (ops.Vector, error) { return s.newVector(s.cells, int64(s.nx), 8), s.err }

// NewWork makes an FP32 vector: half the traffic, and the true residual in FP64 has the last word.
func (s *system) NewWork() (ops.Vector, error) { return s.New32() }

// Single is w.
func (s *system) Single(w ops.Vector) (ops.Vector, error) { return w, s.err }

// Free gives back the system's memory.
func (s *system) Free() {
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

// Plane copies plane k of x.
func (s *system) Plane(k int, x ops.Vector, dst []float64) {
	s.receive(unsafe.Pointer(&dst[0]), ptr(x)+cu.DevicePtr(int64(k)*s.sheet*8), s.sheet*8)
}

// Read copies a whole vector to the host.
func (s *system) Read(v ops.Vector, dst []float64) {
	d := v.(*vector)
	if v == s.heading && s.inSpare() {
		d = s.spare
	}
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
func (s *system) Write(v ops.Vector, src []float64) {
	d := v.(*vector)
	s.stepped.dst = nil
	if v == s.heading && s.inSpare() {
		d = s.spare
	}
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

// inSpare asks the device where the search direction is.
func (s *system) inSpare() bool {
	var side int32
	s.receive(unsafe.Pointer(&side), s.side, 4)
	return side != 0
}

// readScalars waits for the device.
func (s *system) readScalars() []float64 {
	s.receive(s.Device.scalars, s.scalarsDev, scalarCount*8)
	v := unsafe.Slice((*float64)(s.Device.scalars), scalarCount)
	if s.err != nil {
		for i := range v {
			v[i] = math.NaN()
		}
	}
	return v
}

// Record captures the launches that body makes; replay repeats them at the cost of one launch.
func (s *system) Record(body func()) (replay func(), err error) {
	if s.err != nil {
		return nil, s.err
	}
	if err := s.drv.StreamBeginCapture(s.stream); err != nil {
		s.note(err)
		return nil, err
	}
	body()
	g, err := s.drv.StreamEndCapture(s.stream)
	s.note(err)
	if s.err != nil {
		return nil, s.err
	}
	exec, err := s.drv.GraphInstantiate(g)
	s.note(err)
	s.note(s.drv.GraphDestroy(g))
	if s.err != nil {
		return nil, s.err
	}
	s.graphs = append(s.graphs, exec)
	return func() {
		if s.err == nil {
			s.note(s.drv.GraphLaunch(exec, s.stream))
		}
	}, nil
}

// onFaces calls f for every face that exchanges heat, with the arguments of the kernels for faces.
func (s *system) onFaces(f func(face stack.Face, na, nb int, resistance, rise, flux float64)) {
	for face := range stack.Face(stack.NumFaces) {
		b := s.mesh.Stack.Boundary[face]
		r, driven := s.mesh.FaceResistance(face)
		if !driven {
			r = -1
		}
		if !driven && (b.Kind != stack.HeatFlux || b.Flux == 0) {
			continue
		}
		na, nb := s.nx, s.ny
		switch face {
		case stack.West, stack.East:
			na, nb = s.ny, s.nz
		case stack.South, stack.North:
			na, nb = s.nx, s.nz
		}
		f(face, na, nb, r, b.Temperature-s.mesh.Stack.Ambient, b.Flux)
	}
}
