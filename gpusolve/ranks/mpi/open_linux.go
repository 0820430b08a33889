//go:build linux && (amd64 || arm64)

package mpi

import (
	"bytes"
	"fmt"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
)

// open loads a library. Its functions are visible to the plug-ins that it loads itself.
func open(file string) (*library, error) {
	runtime.LockOSThread() // dlerror belongs to the thread
	defer runtime.UnlockOSThread()
	keepSignals() // before the library is loaded, which may take them at once
	handle, err := purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, err
	}
	return bind(file, func(symbol string) (uintptr, error) { return purego.Dlsym(handle, symbol) })
}

// keepSignals asks MPI libraries to leave the signals to Go, whose runtime handles faults. The environment of C is
// separate from Go's. Variables that the user set stay.
func keepSignals() {
	setenv, err := purego.Dlsym(purego.RTLD_DEFAULT, "setenv")
	if err != nil {
		return // then faults are reported by the library
	}
	for _, v := range [][2]string{{"OMPI_MCA_opal_signal", ""}, {"UCX_HANDLE_ERRORS", "none"},
		{"UCX_ERROR_SIGNALS", ""}} {
		variable, value := append([]byte(v[0]), 0), append([]byte(v[1]), 0)
		entry{addr: setenv}.invoke(uintptr(unsafe.Pointer(&variable[0])), uintptr(unsafe.Pointer(&value[0])), 0)
	}
}

// entry is one function of the library.
type entry struct {
	lib  *library
	name string
	addr uintptr
}

// invoke calls the function. The pointers among args must be converted to uintptr in the call itself: the directive
// keeps what they point to alive.
//
//go:uintptrescapes
func (e entry) invoke(args ...uintptr) int32 {
	r, _, _ := purego.SyscallN(e.addr, args...)
	return int32(r)
}

// call is invoke that returns the library's error.
//
//go:uintptrescapes
func (e entry) call(args ...uintptr) error {
	r, _, _ := purego.SyscallN(e.addr, args...)
	if int32(r) == 0 {
		return nil
	}
	return fmt.Errorf("%s failed: %s", e.name, e.lib.text(e.lib.errorString, r))
}

// text is what a function writes into a buffer. The first argument is passed if it is not 0.
func (l *library) text(e entry, argument uintptr) string {
	b, n := make([]byte, 8192), new(int32)
	if argument != 0 {
		e.invoke(argument, uintptr(unsafe.Pointer(&b[0])), uintptr(unsafe.Pointer(n)))
	} else {
		e.invoke(uintptr(unsafe.Pointer(&b[0])), uintptr(unsafe.Pointer(n)))
	}
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}

// initialize starts MPI on this thread. It returns the rank, the number of ranks and the thread level.
func (l *library) initialize() (rank, size, level int, err error) {
	var numbers [3]int32
	if err = l.initThread.call(0, 0, uintptr(l.serialized), uintptr(unsafe.Pointer(&numbers[0]))); err != nil {
		return
	}
	if err = l.commSetErrhandler.call(l.world, l.errorsReturn); err != nil {
		return
	}
	if err = l.commRank.call(l.world, uintptr(unsafe.Pointer(&numbers[1]))); err != nil {
		return
	}
	err = l.commSize.call(l.world, uintptr(unsafe.Pointer(&numbers[2])))
	return int(numbers[1]), int(numbers[2]), int(numbers[0]), err
}

// start begins a transfer.
func (l *library) start(t *transfer, tag int) error {
	e := l.isend
	if t.receives {
		e = l.irecv
	}
	return e.call(uintptr(unsafe.Pointer(unsafe.SliceData(t.data))), uintptr(len(t.data)), l.bytes, uintptr(t.peer),
		uintptr(tag), l.world, uintptr(unsafe.Pointer(&t.request)))
}

// finished reports whether a transfer is done, and notes how many bytes were received.
func (l *library) finished(t *transfer) (bool, error) {
	r := &l.results
	r.flag, r.count = 0, 0
	err := l.test.call(uintptr(unsafe.Pointer(&t.request)), uintptr(unsafe.Pointer(&r.flag)),
		uintptr(unsafe.Pointer(&r.status)))
	if err != nil || r.flag == 0 {
		return false, err
	}
	if t.receives {
		err = l.count()
	}
	t.got = int(r.count)
	return true, err
}

// waiting reports whether a message from a rank has come, and its length.
func (l *library) waiting(from, tag int) (length int, ok bool, err error) {
	r := &l.results
	r.flag = 0
	err = l.iprobe.call(uintptr(from), uintptr(tag), l.world, uintptr(unsafe.Pointer(&r.flag)),
		uintptr(unsafe.Pointer(&r.status)))
	if err != nil || r.flag == 0 {
		return 0, false, err
	}
	err = l.count()
	return int(r.count), true, err
}

// count reads the number of bytes from the status.
func (l *library) count() error {
	r := &l.results
	return l.getCount.call(uintptr(unsafe.Pointer(&r.status)), l.bytes, uintptr(unsafe.Pointer(&r.count)))
}

// nap sleeps for some 70 us. time.Sleep of Go sleeps for 1 ms or more.
func nap() {
	t := syscall.NsecToTimespec(int64(20 * time.Microsecond))
	_ = syscall.Nanosleep(&t, nil) // a signal may end it
}
