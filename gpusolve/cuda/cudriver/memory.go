package cudriver

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Memory hands out device memory and counts it, and owns the pinned buffers through which Upload and Download go. It
// belongs to one context and is used on that context's thread.
type Memory struct {
	d          Driver
	pool       *Pool // nil where memory goes back to the driver
	blocks     map[DevicePtr]int64
	live, peak int64
	slots      [2]slot
	next       int   // slot to take next
	chunk      int64 // bytes of a slot at most
}

// stagingChunk is large enough to reach the bus's full rate and small enough to pin in a few milliseconds.
const stagingChunk = 8 << 20

// NewMemory makes an empty account for the context current on this thread.
func NewMemory(d Driver) *Memory {
	return &Memory{d: d, blocks: map[DevicePtr]int64{}, chunk: stagingChunk}
}

// Live is the device memory allocated now, in bytes.
func (m *Memory) Live() int64 { return m.live }

// Peak is the most device memory that was allocated at one time, in bytes.
func (m *Memory) Peak() int64 { return m.peak }

// Close frees all buffers, also those nobody freed, and the pinned memory. It tries each even when others fail, and
// returns what failed. Call it before the context is released; it may be called again, and then tries what failed.
func (m *Memory) Close() error {
	var errs []error
	errs = append(errs, m.closeSlots())
	ptrs := make([]DevicePtr, 0, len(m.blocks))
	for p := range m.blocks {
		ptrs = append(ptrs, p)
	}
	slices.Sort(ptrs) // the same order of calls on every run
	for _, p := range ptrs {
		errs = append(errs, m.free(p))
	}
	return errors.Join(errs...)
}

func (m *Memory) alloc(bytes int64) (DevicePtr, error) {
	p, kept := m.pool.take(bytes)
	var err error
	if !kept {
		p, err = m.d.MemAlloc(bytes)
	}
	if errors.Is(err, ErrOutOfMemory) {
		if some, failed := m.pool.Trim(); some && failed == nil {
			p, err = m.d.MemAlloc(bytes)
		}
	}
	if errors.Is(err, ErrOutOfMemory) {
		if free, total, e := m.d.MemGetInfo(); e == nil {
			return 0, fmt.Errorf("%.2f GB asked for, %.2f GB of %.2f GB free on the device, %.2f GB in use by "+
				"this run: %w",
				float64(bytes)/1e9, float64(free)/1e9, float64(total)/1e9, float64(m.live)/1e9, err)
		}
	}
	if err != nil {
		return 0, err
	}
	m.blocks[p] = bytes
	m.live += bytes
	m.peak = max(m.peak, m.live)
	return p, nil
}

// free keeps a block in the account when the driver did not take it back.
func (m *Memory) free(p DevicePtr) error {
	if m.pool != nil {
		m.pool.keep(p, m.blocks[p])
	} else if err := m.d.MemFree(p); err != nil {
		return err
	}
	m.live -= m.blocks[p]
	delete(m.blocks, p)
	return nil
}

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
	p, err := m.alloc(b.padded())
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
		if err := b.m.free(b.Ptr.Address()); err != nil {
			return err
		}
	}
	b.Ptr, b.n = Ptr[T]{}, 0
	return nil
}

// Len is the number of elements.
func (b *Buffer[T]) Len() int { return b.n }

// Bytes is the size of the content.
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
