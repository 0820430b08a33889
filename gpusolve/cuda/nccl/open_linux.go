//go:build linux && (amd64 || arm64)

package nccl

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

func open(file string) (*Library, error) {
	runtime.LockOSThread() // dlerror belongs to the thread
	defer runtime.UnlockOSThread()
	handle, err := purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("%w: %v; install NCCL %v or newer, or name its file with %s", ErrAbsent, err, since,
			PathVariable)
	}
	return bind(file, func(name string) (uintptr, error) { return purego.Dlsym(handle, name) })
}

// entry is one function of the library.
type entry struct {
	name string
	addr uintptr
}

// call runs the function. The pointers among args must be converted to uintptr in the call itself: the directive keeps
// what they point to alive.
//
//go:uintptrescapes
func (e entry) call(args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(e.addr, args...)
	return r
}

// text is that of a function that returns a C string.
func (e entry) text(arg uintptr) string {
	r, _, _ := purego.SyscallN(e.addr, arg)
	if r == 0 {
		return ""
	}
	p := *(*unsafe.Pointer)(unsafe.Pointer(&r)) // C memory, which the collector leaves alone
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}

// bind looks up every function before any is called.
func bind(file string, lookup func(symbol string) (uintptr, error)) (*Library, error) {
	var c calls
	for _, s := range []struct {
		to   *entry
		name string
	}{
		{&c.getVersion, "ncclGetVersion"},
		{&c.getUniqueID, "ncclGetUniqueId"},
		{&c.initRank, "ncclCommInitRankScalable"},
		{&c.commDestroy, "ncclCommDestroy"},
		{&c.commAbort, "ncclCommAbort"},
		{&c.asyncError, "ncclCommGetAsyncError"},
		{&c.groupStart, "ncclGroupStart"},
		{&c.groupEnd, "ncclGroupEnd"},
		{&c.send, "ncclSend"},
		{&c.receive, "ncclRecv"},
		{&c.allGather, "ncclAllGather"},
		{&c.errorString, "ncclGetErrorString"},
		{&c.lastError, "ncclGetLastError"},
	} {
		addr, err := lookup(s.name)
		if err != nil || addr == 0 {
			return nil, fmt.Errorf("%w: %s has no %s; thermsim needs NCCL %v or newer", ErrAbsent, file, s.name, since)
		}
		*s.to = entry{s.name, addr}
	}
	return bound(file, c)
}
