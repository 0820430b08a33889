package cuda

import (
	"slices"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// vector is a field with pads of nx values on either side; at is the address of the first cell.
type vector[T Number] struct {
	at  cudriver.Ptr[T]
	n   int64
	pad int64 // values

	// Of a search direction: its other buffer, and a number that is 1 while the values are there.
	twin *vector[T]
	side cudriver.Ptr[int32]
}

// Number is what vectors are made of.
type Number interface {
	float32 | float64 | cudriver.Half
}

func (v *vector[T]) Len() int     { return int(v.n) }
func (v *vector[T]) Bytes() int64 { return (v.n + 2*v.pad) * sizeOf[T]() }

// address of the first cell; nowhere for no vector.
func (v *vector[T]) address() cudriver.Ptr[T] {
	if v == nil {
		return cudriver.Ptr[T]{}
	}
	return v.at
}

// F64 and F32 are the addresses of vectors in these precisions.
func F64(v ops.Vector) cudriver.Ptr[float64] { return Address[float64](v) }

func F32(v ops.Vector) cudriver.Ptr[float32] { return Address[float32](v) }

// Address of a vector in a precision, null for nil. Another precision is a programming error.
func Address[T Number](v ops.Vector) cudriver.Ptr[T] {
	if v == nil {
		return cudriver.Ptr[T]{}
	}
	return v.(*vector[T]).address()
}

// ValueBytes is the size of a vector's numbers: 8, 4 or 2.
func ValueBytes(v ops.Vector) int {
	switch v.(type) {
	case *vector[float64]:
		return 8
	case *vector[float32]:
		return 4
	}
	return 2
}

// NewVector begins the first cell at a line of 128 bytes or more: kernels that run over all values then touch whole
// lines, which took a fifth of the time of the update of conjugate gradients where nx is odd.
func NewVector[T Number](s *Space, n, pad int64) *vector[T] {
	pad = lines(pad)
	return &vector[T]{at: Alloc[T](s, n+2*pad).Add(pad), n: n, pad: pad}
}

// NewRawVector is a vector without a pad, written before it is read.
func NewRawVector[T Number](s *Space, n int64) ops.Vector {
	return &vector[T]{at: AllocRaw[T](s, n), n: n}
}

// Field32 is a vector of n FP32 values that are there already.
func Field32(at cudriver.Ptr[float32], n int64) ops.Vector { return &vector[float32]{at: at, n: n} }

func sizeOf[T any]() int64 {
	var one T
	return int64(unsafe.Sizeof(one))
}

// Alloc allocates zeroed device memory for n values, none after a failure.
func Alloc[T any](s *Space, n int64) cudriver.Ptr[T] {
	p, err := tryAlloc[T](s, n)
	s.Note(err)
	return p
}

// AllocRaw is Alloc for memory that is written before it is read.
func AllocRaw[T any](s *Space, n int64) cudriver.Ptr[T] {
	at, _, err := s.obtain(n * sizeOf[T]())
	s.Note(err)
	return cudriver.At[T](at)
}

// AllocApart is AllocRaw beside what is stocked, for memory that is discarded again.
func AllocApart[T any](s *Space, n int64) cudriver.Ptr[T] {
	r := s.store()
	kept := *r
	*r = store{}
	defer func() { *r = kept }()
	return AllocRaw[T](s, n)
}

// tryAlloc is Alloc for optional memory: if none is left, that is not a failure of the system.
func tryAlloc[T any](s *Space, n int64) (cudriver.Ptr[T], error) {
	at, bytes, err := s.obtain(n * sizeOf[T]())
	if bytes > 0 && err == nil && !s.cleared(at) {
		s.Note(s.Driver.MemsetD32Async(at, 0, bytes/4, s.Stream))
	}
	return cudriver.At[T](at), err
}

// obtain takes reserved memory, or allocates it. It rounds the size up to 16 bytes.
func (s *Space) obtain(bytes int64) (at cudriver.DevicePtr, got int64, err error) {
	if s.err != nil || bytes == 0 {
		return 0, 0, nil
	}
	bytes = (bytes + 15) &^ 15
	if at, ok := s.store().take(bytes); ok {
		return at, bytes, nil
	}
	b, err := s.scope.take(s, bytes)
	if err != nil {
		return 0, 0, err
	}
	at = b.at
	s.buffers[at] = b
	return at, bytes, nil
}

// store is memory that was allocated in one piece, and is handed out from its beginning. It is released only with the
// space.
type store struct {
	next, end cudriver.DevicePtr
	zeroed    cudriver.DevicePtr // from here on; the end of memory where it is not
}

// StoreAlign is what each piece of a store is rounded up to.
const StoreAlign = 256

func (r *store) take(bytes int64) (cudriver.DevicePtr, bool) {
	bytes = (bytes + StoreAlign - 1) &^ (StoreAlign - 1)
	if r.next+cudriver.DevicePtr(bytes) > r.end {
		return 0, false
	}
	at := r.next
	r.next += cudriver.DevicePtr(bytes)
	return at, true
}

// store is what allocations are handed out of.
func (s *Space) store() *store {
	if s.scope != nil {
		return &s.scope.reserved
	}
	return &s.reserved
}

// cleared says that memory was zeroed with all of its store.
func (s *Space) cleared(at cudriver.DevicePtr) bool {
	r := s.store()
	return at >= r.zeroed && at < r.end
}

// Pieces is the memory that allocations of the given sizes take of a store.
func Pieces(bytes ...int64) (total int64) {
	for _, b := range bytes {
		total += (b + StoreAlign - 1) &^ (StoreAlign - 1)
	}
	return total
}

// lines is a pad rounded up to lines of 128 bytes of FP32 values.
func lines(pad int64) int64 { return (pad + 31) &^ 31 }

func VectorBytes[T Number](n, pad int64) int64 { return (n + 2*lines(pad)) * sizeOf[T]() }

// Reserve takes the memory of the scope's next allocations in one piece, and zeroes it at once: for setups of many
// small parts, each of which would cost two calls of the driver. Without enough memory nothing is reserved.
func (s *Space) Reserve(bytes int64) {
	if s.err != nil || s.scope == nil || bytes == 0 {
		return
	}
	at, bytes, err := s.obtain(bytes)
	if err != nil {
		return // the parts report what is missing
	}
	s.Note(s.Driver.MemsetD32Async(at, 0, bytes/4, s.Stream))
	s.scope.reserved = store{next: at, end: at + cudriver.DevicePtr(bytes), zeroed: at}
}

// stock reserves memory for the next allocations: one request takes the driver less time than many.
func (s *Space) stock(bytes int64) {
	b, err := s.take((bytes + 15) &^ 15)
	s.Note(err)
	if err == nil {
		end := b.at + cudriver.DevicePtr(b.bytes)
		s.reserved = store{b.at, end, end}
	}
}

// Discard releases memory of Alloc before the system is freed.
func (s *Space) Discard(memory ...cudriver.Pointer) {
	for _, p := range memory {
		b, ok := s.buffers[p.Address()]
		if !ok {
			continue
		}
		delete(s.buffers, p.Address())
		if !s.scope.spares(p.Address()) {
			s.giveBack(b)
		}
	}
}

func (s *Space) Release(vectors ...ops.Vector) {
	for _, v := range vectors {
		switch v := v.(type) {
		case *vector[float32]:
			release(s, v)
		case *vector[float64]:
			release(s, v)
		case *vector[cudriver.Half]:
			release(s, v)
		}
	}
}

func release[T Number](s *Space, v *vector[T]) {
	if v == nil || v.at.Address() == 0 {
		return
	}
	s.Discard(v.at.Add(-v.pad), v.side)
	release(s, v.twin)
	*v = vector[T]{}
}

// current is where the values of v are: a search direction changes between two buffers.
func current[T Number](s *Space, v *vector[T]) *vector[T] {
	if v.twin == nil {
		return v
	}
	var side [1]int32
	Receive(s, side[:], v.side)
	if side[0] != 0 {
		return v.twin
	}
	return v
}

// Upload copies a slice to new device memory.
func Upload[T any](s *Space, v []T) cudriver.Ptr[T] {
	p := AllocRaw[T](s, int64(len(v)))
	Send(s, p, v)
	return p
}

// Send copies from pageable memory and waits, so that the memory may be changed at once.
func Send[T any](s *Space, dst cudriver.Ptr[T], v []T) {
	if s.err != nil || len(v) == 0 {
		return
	}
	s.Wait() // a copy of pageable memory may wait without a limit
	SendLater(s, dst, v)
	s.Wait()
}

// SendLater is Send without the waits: v must stay as it is until the next one.
func SendLater[T any](s *Space, dst cudriver.Ptr[T], v []T) {
	if s.err == nil && len(v) > 0 {
		s.pins.Pin(&v[0])
		s.Note(s.Driver.MemcpyHtoDAsync(dst.Address(), unsafe.Pointer(&v[0]), int64(len(v))*sizeOf[T](), s.Stream))
	}
}

// SendPinned is Send through pinned memory, without a wait: v may be changed at once.
func SendPinned[T any](s *Space, dst cudriver.Ptr[T], v []T) {
	if s.err == nil && len(v) > 0 {
		s.Note(s.memory.Upload(s.Stream, dst.Address(), bytesOf(v)))
	}
}

// ReceivePinned is Receive through pinned memory, which the bus moves at its full rate: for what is read over and over.
func ReceivePinned[T any](s *Space, dst []T, src cudriver.Ptr[T]) {
	if s.err == nil && len(dst) > 0 {
		s.Note(s.memory.Download(s.Stream, bytesOf(dst), src.Address()))
	}
}

func bytesOf[T any](v []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), int64(len(v))*sizeOf[T]())
}

// Receive fills a slice and waits.
func Receive[T any](s *Space, dst []T, src cudriver.Ptr[T]) {
	s.Wait() // as in Send
	receive(s, dst, src)
}

// receive is Receive into memory that need not be pageable.
func receive[T any](s *Space, dst []T, src cudriver.Ptr[T]) {
	if s.err != nil || len(dst) == 0 {
		return
	}
	s.pins.Pin(&dst[0])
	s.Note(s.Driver.MemcpyDtoHAsync(unsafe.Pointer(&dst[0]), src.Address(), int64(len(dst))*sizeOf[T](), s.Stream))
	s.Wait()
}

// BytesOf is the memory that the values of a slice take.
func BytesOf[T any](v []T) int64 { return int64(len(v)) * sizeOf[T]() }

// Packer gathers slices that go to the device in one piece.
type Packer struct {
	base  cudriver.Ptr[byte]
	bytes []byte
}

// NewPacker gathers total bytes for memory at base.
func NewPacker(base cudriver.Ptr[byte], total int64) Packer {
	return Packer{base, make([]byte, 0, total)}
}

// Pack appends a slice; the result is where it will be on the device.
func Pack[T any](p *Packer, v []T) cudriver.Ptr[T] {
	at := cudriver.At[T](p.base.Add(int64(len(p.bytes))).Address())
	if len(v) > 0 {
		p.bytes = append(p.bytes, unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), BytesOf(v))...)
	}
	return at
}

// SendPacked sends what was gathered.
func SendPacked(s *Space, p *Packer) { Send(s, p.base, p.bytes) }

func (p *Packer) Bytes() []byte { return p.bytes }

// Temporary is device memory for the time of an operation.
type Temporary struct {
	s   *Space
	all []cudriver.Pointer
}

func NewTemporary(s *Space) *Temporary { return &Temporary{s: s} }

// Take is Alloc for the time of an operation.
func Take[T any](t *Temporary, n int64) cudriver.Ptr[T] {
	p := Alloc[T](t.s, n)
	t.all = append(t.all, p)
	return p
}

func (t *Temporary) Discard() { t.s.Discard(t.all...) }

// ReceiveOne copies one value to the host and waits.
func ReceiveOne[T any](s *Space, p cudriver.Ptr[T]) T {
	var v [1]T
	Receive(s, v[:], p)
	return v[0]
}

// Keep leaves memory to the caller.
func (t *Temporary) Keep(kept ...cudriver.Pointer) {
	t.all = slices.DeleteFunc(t.all, func(p cudriver.Pointer) bool { return slices.Contains(kept, p) })
}
