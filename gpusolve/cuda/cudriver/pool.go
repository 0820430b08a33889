package cudriver

import (
	"errors"
	"maps"
	"slices"
)

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

// Bytes is the device memory that the pool keeps and nobody uses.
func (p *Pool) Bytes() int64 { return p.bytes }

// take finds memory of a size.
func (p *Pool) take(bytes int64) (DevicePtr, bool) {
	if p == nil || len(p.blocks[bytes]) == 0 {
		return 0, false
	}
	list := p.blocks[bytes]
	last := len(list) - 1
	p.blocks[bytes], p.bytes = list[:last], p.bytes-bytes
	return list[last], true
}

// keep takes memory back.
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
