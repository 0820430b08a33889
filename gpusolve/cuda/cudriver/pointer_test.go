package cudriver

import (
	"reflect"
	"testing"
	"unsafe"
)

func TestPtr(t *testing.T) {
	type pair [2]float64
	p := At[float64](1 << 40)
	for _, c := range []struct{ got, want DevicePtr }{
		{p.Add(3).Address(), 1<<40 + 24},
		{p.Add(3).Add(-4).Address(), 1<<40 - 8},
		{At[Half](100).Add(1 << 33).Address(), 100 + 1<<34},
		{At[pair](0).Add(2).Address(), 32},
		{Ptr[int32]{}.Address(), 0},
	} {
		if c.got != c.want {
			t.Errorf("%#x, want %#x", uint64(c.got), uint64(c.want))
		}
	}
	if p.IsNil() || !(Ptr[pair]{}).IsNil() {
		t.Error("only the zero value is nil")
	}
	// The driver reads a parameter's 8 bytes as the address.
	if unsafe.Sizeof(p) != 8 || *(*uint64)(unsafe.Pointer(&p)) != 1<<40 {
		t.Errorf("%d bytes that are not the address", unsafe.Sizeof(p))
	}
	if reflect.TypeFor[Ptr[float32]]().AssignableTo(reflect.TypeFor[Ptr[float64]]()) {
		t.Error("an array of one type passes for another")
	}
}

func TestBufferPointsAtItsElements(t *testing.T) {
	d := newMemDriver()
	m := NewMemory(d)
	b, err := Alloc[float32](m, 3)
	if err != nil {
		t.Fatal(err)
	}
	var at Ptr[float32] = b.Ptr.Add(2)
	if at.Address() != b.Ptr.Address()+8 {
		t.Errorf("element 2 is %d bytes on, want 8", at.Address()-b.Ptr.Address())
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
