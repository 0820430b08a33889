package cuda

import (
	"errors"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
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
	buffers             map[cudriver.DevicePtr]*buffer // all of the system's memory, by address
	reserved            store
	scope               *scope // what is made now belongs to it; nil outside of scopes
	graphs              []cudriver.GraphExec
	pins                pins // host memory that copies use until the next wait
	err                 error
}

func newSpace(d *Device, cells, pad int64) Space {
	return Space{Device: d, cells: cells, pad: pad, memory: d.newMemory(),
		buffers: map[cudriver.DevicePtr]*buffer{}}
}

// SpaceOf is the GPU's part of an operator or workspace, for methods with their own kernels. ok is false for what lives
// elsewhere.
func SpaceOf(a ops.Space) (s *Space, ok bool) {
	on, ok := a.(interface{ gpuSpace() *Space })
	if !ok {
		return nil, false
	}
	return on.gpuSpace(), true
}

func (s *Space) gpuSpace() *Space { return s }

func (s *Space) Cells() int64 { return s.cells }

// Pad is the least number of values that vectors have on either side.
func (s *Space) Pad() int64 { return s.pad }

// Note records an error, if it is the first.
func (s *Space) Note(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Ready begins an operation: false after a failure. It discards what LeaveDot has recorded.
func (s *Space) Ready() bool {
	s.stepped.dst = nil
	return s.err == nil
}

// DotThreads is the least number of threads in the blocks, each of columns of a row of a mesh, whose sums LeaveDot
// speaks of: memory is reserved for that many blocks.
const DotThreads = 128

// Partial is the memory of the blocks' sums of a reduction.
func (s *Space) Partial() cudriver.Ptr[float64] { return s.partial }

// LeaveDot records that the kernel that computed z has stored its blocks' sums of z.b in Partial, followed by their
// largest |z|. Dot of the two then needs no further pass. The next operation discards the record.
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

// reductions takes the memory of sums: the results of norms and statistics, and the partial sums.
func (s *Space) reductions(partials int64) {
	s.partial = Alloc[float64](s, partials)
	s.scalarsDev = Alloc[float64](s, scalarCount)
	s.ticket = Alloc[uint32](s, 4)
}

func (s *Space) Wait() {
	if s.err == nil {
		s.Note(s.Driver.StreamSynchronize(s.Stream))
	}
	if s.err == nil {
		s.pins.Unpin()
	}
}

func (s *Space) New32() (ops.Vector, error) { return NewVector[float32](s, s.cells, s.pad), s.err }

func (s *Space) New64() (ops.Vector, error) { return NewVector[float64](s, s.cells, s.pad), s.err }

// NewWork makes an FP32 vector: half the traffic, and the true residual in FP64 has the last word.
func (s *Space) NewWork() (ops.Vector, error) { return s.New32() }

func (s *Space) Single(w ops.Vector) (ops.Vector, error) { return w, s.err }

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

// readStatistics waits for the device and returns the results of reductions outside of iterations.
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
			_ = s.Driver.GraphDestroy(g) // a launch has failed, which is the error to report
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

// buffer is a piece of device memory.
type buffer struct {
	at    cudriver.DevicePtr
	bytes int64
}

// scope lists memory that is released together, by address.
type scope struct {
	s       *Space
	buffers map[cudriver.DevicePtr]*buffer
	arrays  *reuse.List // of the host
	// spare are buffers to be used again, by size, while the scope is remade; nil at other times. They still count as
	// taken.
	spare    map[int64][]*buffer
	reserved store // of Reserve
	// most is how much more than before the scope the device held at most while body ran, before what the device held
	// without it.
	most, before int64
}

func (s *Space) Scope(body func() error) (ops.Scope, error) {
	own := &scope{s: s, buffers: map[cudriver.DevicePtr]*buffer{}, arrays: new(reuse.List), before: s.live}
	return own, own.run(body)
}

func (o *scope) run(body func() error) error {
	outer := o.s.scope
	o.s.scope = o
	defer func() { o.s.scope = outer }()
	return body()
}

// Remake lets body use the scope's buffers again, each for a request of the same size, in the order of the stream.
// Where body asks the driver for more while spare buffers are left, these are given back first as far as needed to stay
// within the memory of the first setup.
func (o *scope) Remake(body func() error) error {
	s := o.s
	o.arrays.Renew()
	o.spare, o.before, o.reserved = map[int64][]*buffer{}, s.live, store{}
	for _, at := range slices.Sorted(maps.Keys(o.buffers)) {
		o.before -= o.buffers[at].bytes
		delete(s.buffers, at)
		o.spares(at)
	}
	defer func() {
		o.trim(0)
		o.spare = nil
	}()
	return o.run(body)
}

func (o *scope) Close() {
	for _, at := range slices.Sorted(maps.Keys(o.buffers)) {
		if b := o.buffers[at]; o.s.buffers[at] == b { // the space has not gone before
			delete(o.s.buffers, at)
			o.s.giveBack(b)
		}
	}
	clear(o.buffers)
}

// take finds a spare buffer, or asks the driver for one. A nil scope is that of memory which is given back piece by
// piece.
func (o *scope) take(s *Space, bytes int64) (*buffer, error) {
	if o == nil {
		return s.take(bytes)
	}
	if b := o.pop(bytes); b != nil {
		o.buffers[b.at] = b
		return b, nil
	}
	o.trim(o.before + o.most - bytes)
	b, err := s.take(bytes)
	if errors.Is(err, cudriver.ErrOutOfMemory) && o.trim(0) {
		b, err = s.take(bytes)
	}
	if err == nil {
		o.buffers[b.at] = b
		o.most = max(o.most, s.live-o.before)
	}
	return b, err
}

// spares keeps the buffer at an address for another use, while its scope is remade. The buffer leaves the scope's list
// in any case.
func (o *scope) spares(at cudriver.DevicePtr) bool {
	if o == nil {
		return false
	}
	b, own := o.buffers[at]
	delete(o.buffers, at)
	if !own || o.spare == nil {
		return false
	}
	o.spare[b.bytes] = append(o.spare[b.bytes], b)
	return true
}

// trim releases spare buffers until the device holds no more than limit bytes, first the smallest that is sufficient,
// else the largest. It returns whether there were any.
func (o *scope) trim(limit int64) (some bool) {
	for o.s.live > limit {
		sizes := slices.Sorted(maps.Keys(o.spare))
		if len(sizes) == 0 {
			break
		}
		n, _ := slices.BinarySearch(sizes, o.s.live-limit)
		o.s.giveBack(o.pop(sizes[min(n, len(sizes)-1)]))
		some = true
	}
	return some
}

// pop removes a spare buffer; nil where there is none of that size.
func (o *scope) pop(size int64) *buffer {
	list := o.spare[size]
	if len(list) == 0 {
		return nil
	}
	last := len(list) - 1
	if o.spare[size] = list[:last]; last == 0 {
		delete(o.spare, size)
	}
	return list[last]
}

// Arrays is where methods make their arrays on the host; a scope that is remade finds them again.
func (s *Space) Arrays() *reuse.List {
	if s.scope == nil {
		return nil
	}
	return s.scope.arrays
}

func (s *Space) take(bytes int64) (*buffer, error) {
	at, err := s.memory.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	s.live += bytes
	s.peak = max(s.peak, s.live)
	return &buffer{at, bytes}, nil
}

// giveBack frees a buffer when the device is done with it.
func (s *Space) giveBack(b *buffer) {
	s.live -= b.bytes
	if s.Wait(); s.err != nil {
		_ = s.Driver.StreamSynchronize(s.Stream) // what was asked for before the failure may use it
	}
	s.Note(s.memory.Free(b.at))
}

// pins hold the Go memory that the driver was given for copies in the order of a stream, so that it neither moves nor
// goes before they are done. Pinned memory of the driver is not Go's, and is left alone.
type pins struct{ runtime.Pinner }

// lost are the pins of devices that have failed, and may still write to the memory.
var lost struct {
	sync.Mutex
	pins []*runtime.Pinner
}

// abandon keeps everything pinned for the rest of the process.
func (p *pins) abandon() {
	held := p.Pinner
	p.Pinner = runtime.Pinner{}
	lost.Lock()
	lost.pins = append(lost.pins, &held)
	lost.Unlock()
}

// Time is how long the operations of body take on the device, between two events.
func (s *Space) Time(body func()) (seconds float64, err error) {
	if s.err != nil {
		return 0, s.err
	}
	start, err := s.Driver.EventCreate()
	s.Note(err)
	end, err := s.Driver.EventCreate()
	s.Note(err)
	s.Note(s.Driver.EventRecord(start, s.Stream))
	body()
	s.Note(s.Driver.EventRecord(end, s.Stream))
	s.Note(s.Driver.EventSynchronize(end))
	if s.err != nil {
		return 0, s.err
	}
	ms, err := s.Driver.EventElapsedTime(start, end)
	s.Note(err)
	s.Note(s.Driver.EventDestroy(start))
	s.Note(s.Driver.EventDestroy(end))
	return float64(ms) * 1e-3, s.err
}
