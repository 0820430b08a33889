package cudriver

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"unsafe"
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

// Close frees all buffers, also those still in use, and the pinned memory. It tries each even when others fail, and
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
		errs = append(errs, m.Free(p))
	}
	return errors.Join(errs...)
}

// Alloc takes device memory. Its content is undefined until written.
func (m *Memory) Alloc(bytes int64) (DevicePtr, error) {
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

// Free gives memory back; after Close it does nothing. A block stays in the account when the driver did not take it
// back.
func (m *Memory) Free(p DevicePtr) error {
	if _, ok := m.blocks[p]; !ok {
		return nil
	}
	if m.pool != nil {
		m.pool.keep(p, m.blocks[p])
	} else if err := m.d.MemFree(p); err != nil {
		return err
	}
	m.live -= m.blocks[p]
	delete(m.blocks, p)
	return nil
}

// Pool keeps device memory and pinned buffers that were given back, for those who ask for the same next: the driver
// takes a tenth of a millisecond and more for each, and waits for all streams of the context where memory is freed. Its
// accounts use one stream, one after the other, so that what was given back is no longer in use by the time that it is
// used again. It belongs to one context and is used on that context's thread.
type Pool struct {
	d      Driver
	blocks map[int64][]DevicePtr // by size in bytes
	bytes  int64
	slots  [][2]slot
}

// NewPool makes an empty pool for the context current on this thread.
func NewPool(d Driver) *Pool { return &Pool{d: d, blocks: map[int64][]DevicePtr{}} }

// NewMemory makes an empty account that takes from the pool and gives back to it.
func (p *Pool) NewMemory() *Memory {
	m := NewMemory(p.d)
	m.pool = p
	if last := len(p.slots) - 1; last >= 0 {
		m.slots, p.slots = p.slots[last], p.slots[:last]
	}
	return m
}

// Bytes is the unused device memory that the pool keeps.
func (p *Pool) Bytes() int64 { return p.bytes }

func (p *Pool) take(bytes int64) (DevicePtr, bool) {
	if p == nil || len(p.blocks[bytes]) == 0 {
		return 0, false
	}
	list := p.blocks[bytes]
	last := len(list) - 1
	p.blocks[bytes], p.bytes = list[:last], p.bytes-bytes
	return list[last], true
}

func (p *Pool) keep(at DevicePtr, bytes int64) {
	p.blocks[bytes] = append(p.blocks[bytes], at)
	p.bytes += bytes
}

// Trim gives the memory to the driver, and says whether there was any.
func (p *Pool) Trim() (some bool, err error) {
	if p == nil {
		return false, nil
	}
	for _, size := range slices.Sorted(maps.Keys(p.blocks)) {
		for _, at := range p.blocks[size] {
			some = true
			err = errors.Join(err, p.d.MemFree(at))
		}
	}
	clear(p.blocks)
	p.bytes = 0
	return some, err
}

// Close gives everything back. It tries each even when others fail, and returns what failed.
func (p *Pool) Close() error {
	_, err := p.Trim()
	m := &Memory{d: p.d}
	for _, pair := range p.slots {
		for i := range pair {
			err = errors.Join(err, m.closeSlot(&pair[i]))
		}
	}
	p.slots = nil
	return err
}

// slot is a pinned buffer and the event after its last copy. The bus moves pinned memory at full rate and by itself, so
// while one slot is on its way the other is filled or emptied.
type slot struct {
	host unsafe.Pointer
	size int64
	done Event
	busy bool // done has been recorded and not waited for
}

// smallestSlot spares the many short transfers (scalars, planes of statistics) the pinning of a whole chunk.
const smallestSlot = 64 << 10

// Upload copies bytes to an address in device memory, in the order of the stream. from may change as soon as Upload
// returns. Not while the stream is captured.
func (m *Memory) Upload(s Stream, to DevicePtr, from []byte) error {
	for len(from) > 0 {
		n := min(int64(len(from)), m.chunk)
		sl, err := m.take(n)
		if err != nil {
			return err
		}
		copy(unsafe.Slice((*byte)(sl.host), n), from[:n])
		if err := m.d.MemcpyHtoDAsync(to, sl.host, n, s); err != nil {
			return err
		}
		if err := m.mark(sl, s); err != nil {
			return err
		}
		from, to = from[n:], to+DevicePtr(n)
	}
	return nil
}

// Download fills bytes from an address in device memory, in the order of the stream, and returns when they are there.
// Not while the stream is captured.
func (m *Memory) Download(s Stream, to []byte, from DevicePtr) error {
	issue := func(off int64) (*slot, error) {
		n := min(int64(len(to))-off, m.chunk)
		sl, err := m.take(n)
		if err != nil {
			return nil, err
		}
		if err := m.d.MemcpyDtoHAsync(sl.host, from+DevicePtr(off), n, s); err != nil {
			return nil, err
		}
		return sl, m.mark(sl, s)
	}
	var ahead *slot
	for off := int64(0); off < int64(len(to)); off += m.chunk {
		sl := ahead
		var err error
		if sl == nil {
			if sl, err = issue(off); err != nil {
				return err
			}
		}
		if ahead = nil; off+m.chunk < int64(len(to)) {
			if ahead, err = issue(off + m.chunk); err != nil {
				return err
			}
		}
		if err := m.wait(sl); err != nil {
			return err
		}
		part := to[off:min(off+m.chunk, int64(len(to)))]
		copy(part, unsafe.Slice((*byte)(sl.host), len(part)))
	}
	return nil
}

// take gives a slot of at least n bytes that no copy uses any more, in turn.
func (m *Memory) take(n int64) (*slot, error) {
	sl := &m.slots[m.next]
	m.next ^= 1
	if err := m.wait(sl); err != nil {
		return nil, err
	}
	if sl.done == 0 {
		var err error
		if sl.done, err = m.d.EventCreate(); err != nil {
			return nil, err
		}
	}
	if sl.size >= n {
		return sl, nil
	}
	if err := m.unpin(sl); err != nil {
		return nil, err
	}
	size := min(max(int64(1)<<bits.Len64(uint64(n-1)), smallestSlot), m.chunk)
	host, err := m.d.MemAllocHost(size)
	if err != nil {
		return nil, err
	}
	sl.host, sl.size = host, size
	return sl, nil
}

// mark records the slot's event behind the copy just issued. If that fails it waits for the copy, so that the slot is
// never reused too soon.
func (m *Memory) mark(sl *slot, s Stream) error {
	if err := m.d.EventRecord(sl.done, s); err != nil {
		return errors.Join(err, m.d.StreamSynchronize(s))
	}
	sl.busy = true
	return nil
}

func (m *Memory) wait(sl *slot) error {
	if !sl.busy {
		return nil
	}
	if err := m.d.EventSynchronize(sl.done); err != nil {
		return err
	}
	sl.busy = false
	return nil
}

func (m *Memory) unpin(sl *slot) error {
	if sl.host == nil {
		return nil
	}
	if err := m.d.MemFreeHost(sl.host); err != nil {
		return err
	}
	sl.host, sl.size = nil, 0
	return nil
}

// closeSlots gives both buffers back, to the pool where there is one.
func (m *Memory) closeSlots() error {
	if m.pool != nil {
		if err := errors.Join(m.wait(&m.slots[0]), m.wait(&m.slots[1])); err == nil {
			if m.slots != [2]slot{} {
				m.pool.slots = append(m.pool.slots, m.slots)
			}
			m.slots = [2]slot{}
			return nil
		}
	}
	return errors.Join(m.closeSlot(&m.slots[0]), m.closeSlot(&m.slots[1]))
}

// closeSlot gives everything back that the driver takes, also when the wait fails: after a failed kernel every call
// does.
func (m *Memory) closeSlot(sl *slot) error {
	errs := []error{m.wait(sl), m.unpin(sl)}
	if sl.done != 0 {
		err := m.d.EventDestroy(sl.done)
		if err == nil {
			sl.done, sl.busy = 0, false
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
