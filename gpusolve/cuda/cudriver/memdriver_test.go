package cudriver

import (
	"fmt"
	"unsafe"
)

// memDriver is a device of host memory for tests: copies happen at EventSynchronize, StreamSynchronize or
// CtxSynchronize and no earlier, so that reading a staging buffer too soon, or reusing it, gives wrong numbers. Calls
// it does not know end in a nil Driver.
type memDriver struct {
	Driver
	blocks  map[DevicePtr][]byte
	pinned  map[unsafe.Pointer][]byte
	next    DevicePtr
	pending []func()
	events  map[Event]int // how many of pending an event waits for
	total   int64
	used    int64
}

func newMemDriver() *memDriver {
	return &memDriver{blocks: map[DevicePtr][]byte{}, pinned: map[unsafe.Pointer][]byte{}, next: 1 << 40,
		events: map[Event]int{}, total: 1 << 20}
}

func (d *memDriver) Init() error                              { return nil }
func (d *memDriver) MemGetInfo() (free, total int64, _ error) { return d.total - d.used, d.total, nil }

func (d *memDriver) MemAlloc(n int64) (DevicePtr, error) {
	if n <= 0 {
		return 0, &Error{Call: "cuMemAlloc", Result: InvalidValue}
	}
	if d.used+n > d.total {
		return 0, &Error{Call: "cuMemAlloc", Result: OutOfMemory}
	}
	d.used += n
	p := d.next
	d.next += DevicePtr(n+255) &^ 255
	d.blocks[p] = make([]byte, n)
	return p, nil
}

func (d *memDriver) MemFree(p DevicePtr) error {
	b, ok := d.blocks[p]
	if !ok {
		return &Error{Call: "cuMemFree", Result: InvalidValue}
	}
	d.used -= int64(len(b))
	delete(d.blocks, p)
	return nil
}

func (d *memDriver) MemAllocHost(n int64) (unsafe.Pointer, error) {
	b := make([]byte, n)
	p := unsafe.Pointer(&b[0])
	d.pinned[p] = b
	return p, nil
}

func (d *memDriver) MemFreeHost(p unsafe.Pointer) error {
	if _, ok := d.pinned[p]; !ok {
		return &Error{Call: "cuMemFreeHost", Result: InvalidValue}
	}
	delete(d.pinned, p)
	return nil
}

// at is the n bytes at a device address.
func (d *memDriver) at(p DevicePtr, n int64) []byte {
	for base, b := range d.blocks {
		if p >= base && p+DevicePtr(n) <= base+DevicePtr(len(b)) {
			return b[p-base:][:n]
		}
	}
	panic(fmt.Sprintf("no device memory at %#x, %d bytes", p, n))
}

func (d *memDriver) MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, n int64, _ Stream) error {
	to, from := d.at(dst, n), d.pinned[src][:n]
	d.pending = append(d.pending, func() { copy(to, from) })
	return nil
}

func (d *memDriver) MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, n int64, _ Stream) error {
	to, from := d.pinned[dst][:n], d.at(src, n)
	d.pending = append(d.pending, func() { copy(to, from) })
	return nil
}

func (d *memDriver) MemsetD32Async(dst DevicePtr, value uint32, n int64, _ Stream) error {
	to := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(d.at(dst, 4*n)))), n)
	d.pending = append(d.pending, func() {
		for i := range to {
			to[i] = value
		}
	})
	return nil
}

// settle does the first n pending operations.
func (d *memDriver) settle(n int) {
	for i, op := range d.pending[:n] {
		if op != nil {
			op()
			d.pending[i] = nil
		}
	}
}

func (d *memDriver) CtxSynchronize() error          { d.settle(len(d.pending)); return nil }
func (d *memDriver) StreamSynchronize(Stream) error { return d.CtxSynchronize() }
func (d *memDriver) EventSynchronize(e Event) error { d.settle(d.events[e]); return nil }
func (d *memDriver) EventRecord(e Event, _ Stream) error {
	d.events[e] = len(d.pending)
	return nil
}

func (d *memDriver) EventCreate() (Event, error) {
	e := Event(len(d.events) + 1)
	d.events[e] = 0
	return e, nil
}

func (d *memDriver) EventDestroy(e Event) error {
	if _, ok := d.events[e]; !ok {
		return &Error{Call: "cuEventDestroy", Result: InvalidHandle}
	}
	delete(d.events, e)
	return nil
}
