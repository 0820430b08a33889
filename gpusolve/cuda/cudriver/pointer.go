package cudriver

import "unsafe"

// Ptr is the address of values of T in device memory. The zero value points nowhere: kernels see a null pointer.
type Ptr[T any] struct{ at DevicePtr }

// Pointer is a Ptr to values of any type.
type Pointer interface {
	Address() DevicePtr
}

// At says what is at an address.
func At[T any](p DevicePtr) Ptr[T] { return Ptr[T]{p} }

// Address is the address without the type.
func (p Ptr[T]) Address() DevicePtr { return p.at }

// IsNil says whether p points nowhere.
func (p Ptr[T]) IsNil() bool { return p.at == 0 }

// Add points n values further on, or back where n is negative.
func (p Ptr[T]) Add(n int64) Ptr[T] {
	var one T
	return Ptr[T]{p.at + DevicePtr(n*int64(unsafe.Sizeof(one)))}
}

// Half is the bits of an FP16 number.
type Half uint16
