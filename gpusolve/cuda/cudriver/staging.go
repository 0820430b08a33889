package cudriver

import (
	"errors"
	"fmt"
	"math/bits"
	"unsafe"
)

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

// Upload copies src to b[at:], in the order of the stream. src may change as soon as Upload returns. Not while the
// stream is captured.
func (b *Buffer[T]) Upload(s Stream, at int, src []T) error {
	if err := b.within("Upload", at, len(src)); err != nil {
		return err
	}
	return b.m.Upload(s, b.Ptr.Add(int64(at)).Address(), asBytes(src))
}

// Upload copies bytes to an address in device memory, as that of Buffer does.
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

// Download copies b[at:] to dst, in the order of the stream, and returns when dst is filled. Not while the stream is
// captured.
func (b *Buffer[T]) Download(s Stream, at int, dst []T) error {
	if err := b.within("Download", at, len(dst)); err != nil {
		return err
	}
	return b.m.Download(s, asBytes(dst), b.Ptr.Add(int64(at)).Address())
}

// Download fills bytes from an address in device memory, as that of Buffer does.
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

func (b *Buffer[T]) within(call string, at, n int) error {
	if at < 0 || at > b.n || n > b.n-at {
		return fmt.Errorf("%s: elements %d to %d of a buffer of %d", call, at, at+n, b.n)
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

func elementSize[T Element]() int64 {
	var x T
	return int64(unsafe.Sizeof(x))
}

func asBytes[T Element](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), int64(len(x))*elementSize[T]())
}
