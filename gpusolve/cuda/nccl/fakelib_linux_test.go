//go:build linux && (amd64 || arm64)

package nccl

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// fakeLibrary stands in for libnccl: C function pointers that are Go functions here, with the signatures of nccl.h.
type fakeLibrary struct {
	got     map[string][]uint64
	result  map[string]uintptr
	id      ID // as it arrived
	symbols map[string]uintptr
}

var theFake = sync.OnceValue(newFakeLibrary)

func fake(t *testing.T) (*fakeLibrary, *Library) {
	t.Helper()
	f := theFake()
	clear(f.got)
	clear(f.result)
	l, err := bind("libfake.so", f.lookup)
	if err != nil {
		t.Fatal(err)
	}
	return f, l
}

func (f *fakeLibrary) lookup(name string) (uintptr, error) {
	if p := f.symbols[name]; p != 0 {
		return p, nil
	}
	return 0, errors.New("undefined symbol")
}

func (f *fakeLibrary) ret(name string, args ...uint64) uintptr {
	f.got[name] = args
	return f.result[name]
}

var invalid, last = []byte("invalid argument\x00"), []byte("peer 7 is gone\n\x00")

func newFakeLibrary() *fakeLibrary {
	f := &fakeLibrary{got: map[string][]uint64{}, result: map[string]uintptr{}, symbols: map[string]uintptr{}}
	for name, fn := range map[string]any{
		"ncclGetVersion": func(v *int32) uintptr { *v = 22809; return f.ret("ncclGetVersion") },
		"ncclGetUniqueId": func(id *ID) uintptr {
			for i := range id {
				id[i] = byte(3 * i)
			}
			return f.ret("ncclGetUniqueId")
		},
		"ncclCommInitRankScalable": func(comm *uint64, ranks, rank, ids int32, id *ID, config uint64) uintptr {
			*comm, f.id = 0xc0ffee, *id
			return f.ret("ncclCommInitRankScalable", uint64(ranks), uint64(rank), uint64(ids), config)
		},
		"ncclCommDestroy": func(comm uint64) uintptr { return f.ret("ncclCommDestroy", comm) },
		"ncclCommAbort":   func(comm uint64) uintptr { return f.ret("ncclCommAbort", comm) },
		"ncclCommGetAsyncError": func(comm uint64, state *int32) uintptr {
			*state = int32(f.result["state"])
			return f.ret("ncclCommGetAsyncError", comm)
		},
		"ncclGroupStart": func() uintptr { return f.ret("ncclGroupStart") },
		"ncclGroupEnd":   func() uintptr { return f.ret("ncclGroupEnd") },
		"ncclSend": func(p, n uint64, kind, peer int32, comm, s uint64) uintptr {
			return f.ret("ncclSend", p, n, uint64(kind), uint64(peer), comm, s)
		},
		"ncclRecv": func(p, n uint64, kind, peer int32, comm, s uint64) uintptr {
			return f.ret("ncclRecv", p, n, uint64(kind), uint64(peer), comm, s)
		},
		"ncclAllGather": func(from, to, n uint64, kind int32, comm, s uint64) uintptr {
			return f.ret("ncclAllGather", from, to, n, uint64(kind), comm, s)
		},
		"ncclGetErrorString": func(int32) uintptr { return uintptr(unsafe.Pointer(&invalid[0])) },
		"ncclGetLastError":   func(comm uint64) uintptr { return uintptr(unsafe.Pointer(&last[0])) },
	} {
		f.symbols[name] = purego.NewCallback(fn)
	}
	return f
}

// want checks the arguments of the last call of a function.
func (f *fakeLibrary) want(t *testing.T, name string, args ...uint64) {
	t.Helper()
	if got, ok := f.got[name]; !ok || !slices.Equal(got, args) {
		t.Errorf("%s got %#x (called: %v), want %#x", name, got, ok, args)
	}
}
