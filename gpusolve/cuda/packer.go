package cuda

import (
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
)

// BytesOf is the memory that the values of a slice take.
func BytesOf[T any](v []T) int64 { return int64(len(v)) * sizeOf[T]() }

// Packer gathers slices that go to the device in one piece.
type Packer struct {
	base  cudriver.Ptr[byte]
	bytes []byte
}

// NewPacker gathers so many bytes for memory at base.
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

// Bytes are what was gathered.
func (p *Packer) Bytes() []byte { return p.bytes }
