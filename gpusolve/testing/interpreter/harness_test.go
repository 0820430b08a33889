package interpreter_test

import (
	_ "embed"
	"errors"
	"flag"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/interpreter"
)

// The kernels of the tests: clang-19 makes the PTX, which is committed so that tests need no compiler.
//
//go:generate clang-19 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 --cuda-feature=+ptx63 -O3 -std=c++17 -Wall -Wextra -S testdata/compute.cu -o testdata/compute.ptx
//go:generate clang-19 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 --cuda-feature=+ptx63 -O3 -std=c++17 -Wall -Wextra -S testdata/faults.cu -o testdata/faults.ptx
var (
	//go:embed testdata/compute.ptx
	computePTX string
	//go:embed testdata/faults.ptx
	faultsPTX string
)

var gpu = flag.Bool("gpu", false, "run the kernels whose results are checked on the first GPU instead of the "+
	"interpreter")

// bench is a device with a module, and what a test allocates on it.
type bench struct {
	testing.TB
	d   cudriver.Driver
	mod cudriver.Module
}

func newBench(t testing.TB, d cudriver.Driver, text string) *bench {
	t.Helper()
	b := &bench{TB: t, d: d}
	runtime.LockOSThread() // a GPU's context is current on a thread
	t.Cleanup(runtime.UnlockOSThread)
	b.must(d.Init())
	dev, err := d.DeviceGet(0)
	b.must(err)
	ctx, err := d.DevicePrimaryCtxRetain(dev)
	b.must(err)
	b.must(d.CtxSetCurrent(ctx))
	b.mod, err = d.ModuleLoadData([]byte(text + "\x00"))
	b.must(err)
	return b
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// alloc gives memory nothing has written.
func (b *bench) alloc(bytes int64) cudriver.DevicePtr {
	b.Helper()
	p, err := b.d.MemAlloc(bytes)
	b.must(err)
	return p
}

func upload[T any](b *bench, v []T) cudriver.DevicePtr {
	b.Helper()
	n := int64(len(v)) * int64(unsafe.Sizeof(v[0]))
	p := b.alloc(n)
	b.must(b.d.MemcpyHtoDAsync(p, unsafe.Pointer(&v[0]), n, 0))
	b.must(b.d.CtxSynchronize())
	return p
}

func zeros[T any](b *bench, n int) cudriver.DevicePtr { b.Helper(); return upload(b, make([]T, n)) }

func download[T any](b *bench, p cudriver.DevicePtr, n int) []T {
	b.Helper()
	v := make([]T, n)
	b.must(b.d.MemcpyDtoHAsync(unsafe.Pointer(&v[0]), p, int64(n)*int64(unsafe.Sizeof(v[0])), 0))
	b.must(b.d.CtxSynchronize())
	return v
}

// pointers takes the addresses of parameters.
func pointers(args ...any) []unsafe.Pointer {
	out := make([]unsafe.Pointer, len(args))
	for i, a := range args {
		switch v := a.(type) {
		case int32:
			out[i] = unsafe.Pointer(&v)
		case int64:
			out[i] = unsafe.Pointer(&v)
		case float32:
			out[i] = unsafe.Pointer(&v)
		case cudriver.DevicePtr:
			out[i] = unsafe.Pointer(&v)
		case parameters:
			out[i] = unsafe.Pointer(&v)
		default:
			panic("parameter of an unknown type")
		}
	}
	return out
}

type parameters struct {
	scale  [3]float64
	n      int32
	offset float32
}

func (b *bench) launch(kernel string, blocks, threads int, args ...any) error {
	b.Helper()
	return b.launchShared(kernel, blocks, threads, 0, args...)
}

func (b *bench) launchShared(kernel string, blocks, threads, shared int, args ...any) error {
	b.Helper()
	f, err := b.d.ModuleGetFunction(b.mod, kernel)
	b.must(err)
	if err := b.d.LaunchKernel(f, [3]uint32{uint32(blocks), 1, 1}, [3]uint32{uint32(threads), 1, 1}, uint32(shared), 0,
		pointers(args...)); err != nil {
		return err
	}
	return b.d.CtxSynchronize()
}

// interpreted is an interpreter with the kernels that do right.
func interpreted(t testing.TB) *bench {
	t.Helper()
	return newBench(t, interpreter.New(interpreter.Options{}), computePTX)
}

// compute is the same, or a GPU if the tests are told so.
func compute(t testing.TB) *bench {
	t.Helper()
	if !*gpu {
		return interpreted(t)
	}
	d, err := cudriver.Open()
	if err != nil {
		t.Fatal(err)
	}
	return newBench(t, d, computePTX)
}

func faults(t testing.TB, o interpreter.Options) *bench {
	t.Helper()
	return newBench(t, interpreter.New(o), faultsPTX)
}

// wantFault checks that an error is a kernel's fault with the result and all of the words in its report.
func wantFault(t testing.TB, err error, result cudriver.Result, words ...string) {
	t.Helper()
	var e *cudriver.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %v, want a fault about %q", err, words)
	}
	if e.Result != result {
		t.Errorf("result is %v, want %v", e.Result, result)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the report lacks %q:\n%v", w, err)
		}
	}
}
