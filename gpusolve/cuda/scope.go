package cuda

import (
	"errors"
	"maps"
	"slices"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

type buffer = cudriver.Buffer[uint32]

// scope lists memory that is given back at once, by address.
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

// Scope notes what body allocates.
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

// Remake lets body use the scope's buffers again, each for a request of its own size, in the order of the stream. Where
// body asks the driver for more while spare buffers are left, these are given back first as far as it takes not to
// exceed what the set-up took.
func (o *scope) Remake(body func() error) error {
	s := o.s
	o.arrays.Renew()
	o.spare, o.before, o.reserved = map[int64][]*buffer{}, s.live, store{}
	for _, at := range slices.Sorted(maps.Keys(o.buffers)) {
		o.before -= o.buffers[at].Bytes()
		delete(s.buffers, at)
		o.spares(at)
	}
	defer func() {
		o.trim(0)
		o.spare = nil
	}()
	return o.run(body)
}

// Close gives the memory back.
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
		o.buffers[b.Ptr.Address()] = b
		return b, nil
	}
	o.trim(o.before + o.most - bytes)
	b, err := s.take(bytes)
	if errors.Is(err, cudriver.ErrOutOfMemory) && o.trim(0) {
		b, err = s.take(bytes)
	}
	if err == nil {
		o.buffers[b.Ptr.Address()] = b
		o.most = max(o.most, s.live-o.before)
	}
	return b, err
}

// spares keeps the buffer at an address for another use, while its scope is remade. What is not spared leaves the
// scope's list all the same.
func (o *scope) spares(at cudriver.DevicePtr) bool {
	if o == nil {
		return false
	}
	b, own := o.buffers[at]
	delete(o.buffers, at)
	if !own || o.spare == nil {
		return false
	}
	o.spare[b.Bytes()] = append(o.spare[b.Bytes()], b)
	return true
}

// trim gives spare buffers back until the device holds no more than so many bytes, and says whether there were any: the
// smallest that is enough, else the largest.
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

// pop takes a spare buffer out; nil where there is none of that size.
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

// take asks the driver.
func (s *Space) take(bytes int64) (*buffer, error) {
	b, err := cudriver.Alloc[uint32](s.memory, int(bytes/4))
	if err == nil {
		s.live += bytes
		s.peak = max(s.peak, s.live)
	}
	return b, err
}

// giveBack frees a buffer when the device is done with it.
func (s *Space) giveBack(b *buffer) {
	s.live -= b.Bytes()
	if s.Wait(); s.err != nil {
		_ = s.Driver.StreamSynchronize(s.Stream) // what was asked for before the failure may use it
	}
	s.Note(b.Free())
}
