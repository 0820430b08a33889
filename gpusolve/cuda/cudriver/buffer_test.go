package cudriver

import (
	"fmt"
	"unsafe"
)

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
