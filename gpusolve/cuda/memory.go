package cuda

import (
	"unsafe"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/ops"
)

// vector is a field with pads of nx values on either side; at is the address of the first cell.
type vector[T number] struct {
	at  cu.Ptr[T]
	n   int64
	pad int64 // values
}

// number is what vectors are made of.
type number interface {
	float32 | float64 | cu.Half
}

func (v *vector[T]) Len() int     { return int(v.n) }
func (v *vector[T]) Bytes() int64 { return (v.n + 2*v.pad) * sizeOf[T]() }

// address of the first cell; nowhere for no vector.
func (v *vector[T]) address() cu.Ptr[T] {
	if v == nil {
		return cu.Ptr[T]{}
	}
	return v.at
}

// f64, f32 and f16 are the addresses of vectors in these precisions, nowhere for none. Another precision is a fault of the caller.
func f64(v ops.Vector) cu.Ptr[float64] { return ptr[float64](v) }
func f32(v ops.Vector) cu.Ptr[float32] { return ptr[float32](v) }
func f16(v ops.Vector) cu.Ptr[cu.Half] { return ptr[cu.Half](v) }

func ptr[T number](v ops.Vector) cu.Ptr[T] {
	if v == nil {
		return cu.Ptr[T]{}
	}
	return v.(*vector[T]).address()
}

// newVector keeps the first cell aligned to 16 bytes.
func newVector[T number](s *space, n, pad int64) *vector[T] {
	pad = (pad + 3) &^ 3
	return &vector[T]{at: alloc[T](s, n+2*pad).Add(pad), n: n, pad: pad}
}

func sizeOf[T any]() int64 {
	var one T
	return int64(unsafe.Sizeof(one))
}

// alloc takes zeroed device memory for n values, none after a failure.
func alloc[T any](s *space, n int64) cu.Ptr[T] {
	bytes := n * sizeOf[T]()
	if s.err != nil || bytes == 0 {
		return cu.Ptr[T]{}
	}
	bytes = (bytes + 15) &^ 15
	b, err := cu.Alloc[uint32](s.memory, int(bytes/4))
	if err != nil {
		s.note(err)
		return cu.Ptr[T]{}
	}
	at := b.Ptr.Address()
	s.buffers[at] = b
	s.live += bytes
	s.note(b.Zero(s.stream))
	return cu.At[T](at)
}

// free gives back memory of alloc before the system goes.
func (s *space) free(memory ...cu.Pointer) {
	for _, p := range memory {
		b, ok := s.buffers[p.Address()]
		if !ok {
			continue
		}
		s.live -= b.Bytes()
		delete(s.buffers, p.Address())
		s.wait()
		s.note(b.Free())
	}
}

// upload copies a slice to new device memory.
func upload[T any](s *space, v []T) cu.Ptr[T] {
	p := alloc[T](s, int64(len(v)))
	sendSlice(s, p, v)
	return p
}

// sendSlice copies from pageable memory and waits, so that the memory may be changed at once.
func sendSlice[T any](s *space, dst cu.Ptr[T], v []T) {
	if s.err != nil || len(v) == 0 {
		return
	}
	s.note(s.drv.MemcpyHtoDAsync(dst.Address(), unsafe.Pointer(&v[0]), int64(len(v))*sizeOf[T](), s.stream))
	s.wait()
}

// receiveSlice fills a slice and waits.
func receiveSlice[T any](s *space, dst []T, src cu.Ptr[T]) {
	if s.err != nil || len(dst) == 0 {
		return
	}
	s.note(s.drv.MemcpyDtoHAsync(unsafe.Pointer(&dst[0]), src.Address(), int64(len(dst))*sizeOf[T](), s.stream))
	s.wait()
}
