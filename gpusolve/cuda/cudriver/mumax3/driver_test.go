package mumax3

import (
	"errors"
	"testing"

	"github.com/mumax/3/cuda/cu"

	"thermsim/gpusolve/cuda/cudriver"
)

// A panic of a binding is an error with the driver's result; one of anything else is an error too.
func TestPanicsAreErrors(t *testing.T) {
	err := try("cuMemAlloc", func() { panic(cu.ERROR_OUT_OF_MEMORY) })
	var e *cudriver.Error
	if !errors.As(err, &e) || e.Call != "cuMemAlloc" || !errors.Is(err, cudriver.ErrOutOfMemory) {
		t.Errorf("%v", err)
	}
	if err := try("cuInit", func() { panic("else") }); err == nil || err.Error() != "cuInit: else" {
		t.Errorf("%v", err)
	}
	if v, err := get("cuDeviceGetCount", func() int { return 3 }); v != 3 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
}

// Sizes below zero do not reach the bindings.
func TestSizes(t *testing.T) {
	d := Over(nil)
	_, e1 := d.MemAlloc(-1)
	_, e2 := d.MemAllocHost(-1)
	for _, err := range []error{e1, e2, d.MemcpyHtoDAsync(0, nil, -1, 0), d.MemcpyDtoHAsync(nil, 0, -1, 0),
		d.MemcpyDtoDAsync(0, 0, -1, 0), d.MemsetD32Async(0, 0, -1, 0)} {
		var e *cudriver.Error
		if !errors.As(err, &e) || e.Result != cudriver.InvalidValue {
			t.Errorf("%v", err)
		}
	}
}
