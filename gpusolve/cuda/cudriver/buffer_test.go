package cudriver

import (
	"fmt"
	"math"
	"unsafe"
)

// Element is a type that kernels can hold in memory as Go does.
type Element interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// Buffer is an array of T in device memory. Its content is undefined until written.
type Buffer[T Element] struct {
	Ptr Ptr[T] // nowhere when freed or empty
	m   *Memory
	n   int
}

// Alloc takes memory for n elements. n = 0 gives an empty buffer without a call.
func Alloc[T Element](m *Memory, n int) (*Buffer[T], error) {
	b := &Buffer[T]{m: m, n: n}
	if n < 0 || int64(n) > (math.MaxInt64-3)/elementSize[T]() {
		return nil, &Error{Call: "cuMemAlloc", Result: InvalidValue, Detail: fmt.Sprintf("%d elements", n)}
	}
	if n == 0 {
		return b, nil
	}
	p, err := m.Alloc(b.padded())
	if err != nil {
		return nil, err
	}
	b.Ptr = At[T](p)
	return b, nil
}

// Free gives the memory back. Freeing twice, a nil buffer or after Memory.Close does nothing.
func (b *Buffer[T]) Free() error {
	if b == nil || b.Ptr.IsNil() {
		return nil
	}
	if _, ok := b.m.blocks[b.Ptr.Address()]; ok {
		if err := b.m.Free(b.Ptr.Address()); err != nil {
			return err
		}
	}
	b.Ptr, b.n = Ptr[T]{}, 0
	return nil
}

func (b *Buffer[T]) Bytes() int64 { return int64(b.n) * elementSize[T]() }

// padded is the size that was allocated: whole words, so that Zero can reach the last element.
func (b *Buffer[T]) padded() int64 { return (b.Bytes() + 3) &^ 3 }

// Zero sets all elements to 0, in the order of the stream.
func (b *Buffer[T]) Zero(s Stream) error {
	if b.n == 0 {
		return nil
	}
	return b.m.d.MemsetD32Async(b.Ptr.Address(), 0, b.padded()/4, s)
}

// Upload copies src to b[at:], in the order of the stream. src may change as soon as Upload returns. Not while the
// stream is captured.
func (b *Buffer[T]) Upload(s Stream, at int, src []T) error {
	if err := b.within("Upload", at, len(src)); err != nil {
		return err
	}
	return b.m.Upload(s, b.Ptr.Add(int64(at)).Address(), asBytes(src))
}

// Download copies b[at:] to dst, in the order of the stream, and returns when dst is filled. Not while the stream is
// captured.
func (b *Buffer[T]) Download(s Stream, at int, dst []T) error {
	if err := b.within("Download", at, len(dst)); err != nil {
		return err
	}
	return b.m.Download(s, asBytes(dst), b.Ptr.Add(int64(at)).Address())
}

func (b *Buffer[T]) within(call string, at, n int) error {
	if at < 0 || at > b.n || n > b.n-at {
		return fmt.Errorf("%s: elements %d to %d of a buffer of %d", call, at, at+n, b.n)
	}
	return nil
}

func (b *Buffer[T]) Len() int { return b.n }

func asBytes[T Element](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), int64(len(x))*elementSize[T]())
}

func elementSize[T Element]() int64 {
	var x T
	return int64(unsafe.Sizeof(x))
}
