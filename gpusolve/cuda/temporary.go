package cuda

import (
	"slices"

	"thermsim/gpusolve/cuda/cudriver"
)

// Temporary is device memory for the time of an operation.
type Temporary struct {
	s   *Space
	all []cudriver.Pointer
}

// NewTemporary holds nothing yet.
func NewTemporary(s *Space) *Temporary { return &Temporary{s: s} }

// Take is Alloc for the time of an operation.
func Take[T any](t *Temporary, n int64) cudriver.Ptr[T] {
	p := Alloc[T](t.s, n)
	t.all = append(t.all, p)
	return p
}

// Discard gives all of it back.
func (t *Temporary) Discard() { t.s.Discard(t.all...) }

// ReceiveOne copies one value to the host and waits.
func ReceiveOne[T any](s *Space, p cudriver.Ptr[T]) T {
	var v [1]T
	Receive(s, v[:], p)
	return v[0]
}

// Keep leaves memory to the caller for good.
func (t *Temporary) Keep(kept ...cudriver.Pointer) {
	t.all = slices.DeleteFunc(t.all, func(p cudriver.Pointer) bool { return slices.Contains(kept, p) })
}
