//go:build linux && (amd64 || arm64)

package cudriver

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// fakeLibrary stands in for libcuda: real C function pointers, called through the C calling convention, that are Go
// functions here. Its functions have the signatures of cuda.h. It records the arguments in `got` and answers with fixed
// values.
type fakeLibrary struct {
	got     map[string][]uint64
	result  map[string]uintptr // what a function returns; 0 without an entry
	text    map[string]string  // strings that were passed
	symbols map[string]uintptr
}

// One set of callbacks serves all tests: purego never frees them.
var theFake = sync.OnceValue(newFakeLibrary)

func fake(t *testing.T) (*fakeLibrary, *driver) {
	t.Helper()
	f := theFake()
	clear(f.got)
	clear(f.result)
	clear(f.text)
	d, err := bind("libfake.so", f.lookup)
	if err != nil {
		t.Fatal(err)
	}
	return f, d
}

func (f *fakeLibrary) lookup(name string) (uintptr, error) {
	if a, ok := f.symbols[name]; ok {
		return a, nil
	}
	return 0, fmt.Errorf("undefined symbol: %s", name)
}

// ret records the arguments and gives the result to return.
func (f *fakeLibrary) ret(name string, args ...uint64) uintptr {
	f.got[name] = slices.Clone(args)
	return f.result[name]
}

// chars reads the C string at p.
func chars(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

func newFakeLibrary() *fakeLibrary {
	f := &fakeLibrary{got: map[string][]uint64{}, result: map[string]uintptr{}, text: map[string]string{},
		symbols: map[string]uintptr{}}
	var pinned [64]byte
	for name, fn := range map[string]any{
		"cuInit":             func(flags uint32) uintptr { return f.ret("cuInit", uint64(flags)) },
		"cuDriverGetVersion": func(v *int32) uintptr { *v = 12040; return f.ret("cuDriverGetVersion") },
		"cuDeviceGetCount":   func(n *int32) uintptr { *n = 2; return f.ret("cuDeviceGetCount") },
		"cuDeviceGet": func(d *int32, ordinal int32) uintptr {
			*d = 40 + ordinal
			return f.ret("cuDeviceGet", uint64(ordinal))
		},
		"cuDeviceGetName": func(name *byte, n, d int32) uintptr {
			copy(unsafe.Slice(name, n), "Fake H200\x00")
			return f.ret("cuDeviceGetName", uint64(n), uint64(d))
		},
		"cuDeviceTotalMem_v2": func(n *uint64, d int32) uintptr {
			*n = 150e9
			return f.ret("cuDeviceTotalMem",
				uint64(d))
		},
		"cuDeviceGetAttribute": func(v *int32, a, d int32) uintptr {
			*v = 1000 + a
			return f.ret("cuDeviceGetAttribute", uint64(a), uint64(d))
		},
		"cuDeviceGetP2PAttribute": func(v *int32, a, d, other int32) uintptr {
			*v = 2000 + a
			return f.ret("cuDeviceGetP2PAttribute", uint64(a), uint64(d), uint64(other))
		},
		"cuCtxEnablePeerAccess": func(c uint64, flags uint32) uintptr {
			return f.ret("cuCtxEnablePeerAccess", c, uint64(flags))
		},
		"cuMemcpyPeerAsync": func(dst, to, src, from, n, s uint64) uintptr {
			return f.ret("cuMemcpyPeerAsync", dst, to, src, from, n, s)
		},
		"cuStreamWaitEvent": func(s, e uint64, flags uint32) uintptr {
			return f.ret("cuStreamWaitEvent", s, e, uint64(flags))
		},
		"cuDevicePrimaryCtxRetain": func(c *uintptr,
			d int32) uintptr {
			*c = 0xc0
			return f.ret("cuDevicePrimaryCtxRetain", uint64(d))
		},
		"cuDevicePrimaryCtxRelease_v2": func(d int32) uintptr { return f.ret("cuDevicePrimaryCtxRelease", uint64(d)) },
		"cuCtxSetCurrent":              func(c uintptr) uintptr { return f.ret("cuCtxSetCurrent", uint64(c)) },
		"cuCtxSynchronize":             func() uintptr { return f.ret("cuCtxSynchronize") },
		"cuMemGetInfo_v2": func(free, total *uint64) uintptr {
			*free, *total = 7e9,
				8e9
			return f.ret("cuMemGetInfo")
		},
		"cuMemAlloc_v2": func(p *uint64,
			n uint64) uintptr {
			*p = 0x7fff_0000_1000
			return f.ret("cuMemAlloc", n)
		},
		"cuMemFree_v2": func(p uint64) uintptr { return f.ret("cuMemFree", p) },
		"cuMemAllocHost_v2": func(p *unsafe.Pointer, n uint64) uintptr {
			*p = unsafe.Pointer(&pinned)
			return f.ret("cuMemAllocHost", n)
		},
		"cuMemFreeHost": func(p uint64) uintptr { return f.ret("cuMemFreeHost", p) },
		"cuMemcpyHtoDAsync_v2": func(dst, src, n, s uint64) uintptr {
			return f.ret("cuMemcpyHtoDAsync", dst, src, n, s)
		},
		"cuMemcpyDtoHAsync_v2": func(dst, src, n, s uint64) uintptr {
			return f.ret("cuMemcpyDtoHAsync", dst, src, n, s)
		},
		"cuMemcpyDtoDAsync_v2": func(dst, src, n, s uint64) uintptr {
			return f.ret("cuMemcpyDtoDAsync", dst, src, n, s)
		},
		"cuMemsetD32Async": func(dst uint64, v uint32, n, s uint64) uintptr {
			return f.ret("cuMemsetD32Async", dst, uint64(v), n, s)
		},
		"cuModuleLoadData": func(m *uintptr, ptx *byte) uintptr {
			*m, f.text["ptx"] = 0x3d, chars(ptx)
			return f.ret("cuModuleLoadData")
		},
		"cuModuleLoadDataEx": func(m *uintptr, ptx *byte, n uint32, options *[2]int32, values *struct {
			log  *[4096]byte
			size uintptr
		}) uintptr {
			copy(values.log[:], "ptxas: line 3: fatal error\n\x00")
			return f.ret("cuModuleLoadDataEx", uint64(n), uint64(options[0]), uint64(options[1]), uint64(values.size))
		},
		"cuModuleUnload": func(m uint64) uintptr { return f.ret("cuModuleUnload", m) },
		"cuModuleGetFunction": func(fn *uintptr, m uint64, name *byte) uintptr {
			*fn, f.text["kernel"] = 0xf0, chars(name)
			return f.ret("cuModuleGetFunction", m)
		},
		"cuFuncSetAttribute": func(fn uint64, a, v int32) uintptr {
			return f.ret("cuFuncSetAttribute", fn, uint64(a), uint64(v))
		},
		"cuLaunchKernel": func(fn uint64, gx, gy, gz, bx, by, bz, shared uint32, s uint64, params *[2]*uint64,
			extra uint64) uintptr {
			return f.ret("cuLaunchKernel", fn, uint64(gx), uint64(gy), uint64(gz), uint64(bx), uint64(by), uint64(bz),
				uint64(shared), s,
				*params[0], *params[1], extra)
		},
		"cuStreamCreate": func(s *uintptr, flags uint32) uintptr {
			*s = 0x51
			return f.ret("cuStreamCreate",
				uint64(flags))
		},
		"cuStreamDestroy_v2":  func(s uint64) uintptr { return f.ret("cuStreamDestroy", s) },
		"cuStreamSynchronize": func(s uint64) uintptr { return f.ret("cuStreamSynchronize", s) },
		"cuStreamQuery":       func(s uint64) uintptr { return f.ret("cuStreamQuery", s) },
		"cuStreamBeginCapture_v2": func(s uint64, mode int32) uintptr {
			return f.ret("cuStreamBeginCapture", s, uint64(mode))
		},
		"cuStreamEndCapture": func(s uint64, g *uintptr) uintptr {
			*g = 0x61
			return f.ret("cuStreamEndCapture",
				s)
		},
		"cuGraphInstantiateWithFlags": func(e *uintptr, g, flags uint64) uintptr {
			*e = 0x62
			return f.ret("cuGraphInstantiateWithFlags", g, flags)
		},
		"cuGraphLaunch":      func(e, s uint64) uintptr { return f.ret("cuGraphLaunch", e, s) },
		"cuGraphDestroy":     func(g uint64) uintptr { return f.ret("cuGraphDestroy", g) },
		"cuGraphExecDestroy": func(e uint64) uintptr { return f.ret("cuGraphExecDestroy", e) },
		"cuEventCreate": func(e *uintptr, flags uint32) uintptr {
			*e = 0xe1
			return f.ret("cuEventCreate",
				uint64(flags))
		},
		"cuEventDestroy_v2":  func(e uint64) uintptr { return f.ret("cuEventDestroy", e) },
		"cuEventRecord":      func(e, s uint64) uintptr { return f.ret("cuEventRecord", e, s) },
		"cuEventSynchronize": func(e uint64) uintptr { return f.ret("cuEventSynchronize", e) },
		"cuEventQuery":       func(e uint64) uintptr { return f.ret("cuEventQuery", e) },
		"cuEventElapsedTime": func(ms *float32, start, end uint64) uintptr {
			*ms = 1.5
			return f.ret("cuEventElapsedTime", start, end)
		},
	} {
		f.symbols[name] = purego.NewCallback(fn)
	}
	return f
}

// want checks the arguments of the last call of a function.
func (f *fakeLibrary) want(t *testing.T, name string, args ...uint64) {
	t.Helper()
	if args == nil {
		args = []uint64{}
	}
	if got, ok := f.got[name]; !ok || !slices.Equal(got, args) {
		t.Errorf("%s got %#x (called: %v), want %#x", name, got, ok, args)
	}
}
