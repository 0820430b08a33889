// Package nccl speaks to NVIDIA's NCCL, which moves data between GPUs of one or several machines, without cgo: the
// library is opened at run time, as cudriver opens the driver. Every failure is an error, never a panic.
package nccl

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"thermsim/gpusolve/cuda/cudriver"
)

// ErrAbsent is a machine without a usable NCCL.
var ErrAbsent = errors.New("no usable NCCL")

// PathVariable names the library's file where the loader does not find it.
const PathVariable = "THERMSIM_NCCL"

// Off in PathVariable does without NCCL.
const Off = "off"

// libraryName is what NCCL installs.
const libraryName = "libnccl.so.2"

// since is the version that has all calls in use: ncclCommInitRankScalable takes its id by pointer.
const since = Version(22300)

// Version is 10000 major + 100 minor + patch.
type Version int

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100) }

// ID joins the ranks of one communicator. One rank makes it, and the others get it by other means.
type ID [128]byte

// Library is the NCCL of this machine.
type Library struct {
	Version Version
	File    string // as it was opened
	calls
}

// calls are the functions of the library.
type calls struct {
	getVersion, getUniqueID, initRank, commDestroy, commAbort, asyncError, groupStart, groupEnd, send, receive,
	allGather, errorString, lastError entry
}

// Open loads the library that THERMSIM_NCCL names, else the loader's. NVLink multicast (NVLS) is turned off unless
// NCCL_NVLS_ENABLE says otherwise: thermsim's messages are small and gain nothing by it. Without a library, or with one
// older than 2.23, the error is ErrAbsent. The library stays loaded for the life of the process.
func Open() (*Library, error) {
	file := libraryName
	if named := os.Getenv(PathVariable); named != "" {
		file = named
	}
	if file == Off {
		return nil, fmt.Errorf("%w: %s=%s", ErrAbsent, PathVariable, Off)
	}
	if _, set := os.LookupEnv("NCCL_NVLS_ENABLE"); !set {
		if err := os.Setenv("NCCL_NVLS_ENABLE", "0"); err != nil {
			return nil, err
		}
	}
	keepDiary()
	l, err := open(file)
	if err != nil {
		dropDiary()
	}
	return l, err
}

// bound asks a library whose functions are known for its version.
func bound(file string, c calls) (*Library, error) {
	l := &Library{File: file, calls: c}
	var v int32
	if err := l.check(l.getVersion, 0, l.getVersion.call(uintptr(unsafe.Pointer(&v)))); err != nil {
		return nil, err
	}
	l.Version = Version(v)
	return l, nil
}

// UniqueID makes the id of a new communicator.
func (l *Library) UniqueID() (ID, error) {
	var id ID
	err := l.check(l.getUniqueID, 0, l.getUniqueID.call(uintptr(unsafe.Pointer(&id))))
	return id, err
}

// Join makes this rank one of the size ranks of the communicator of id, on the GPU whose context is current. It returns
// when all of them have called it.
func (l *Library) Join(id ID, rank, size int) (*Comm, error) {
	c := &Comm{l: l}
	ids := [1]ID{id}
	err := l.check(l.initRank, 0, l.initRank.call(uintptr(unsafe.Pointer(&c.handle)), uintptr(size), uintptr(rank),
		uintptr(len(ids)), uintptr(unsafe.Pointer(&ids)), 0))
	if err != nil {
		return nil, err
	}
	hideDiary()
	return c, nil
}

// Comm is one rank of a communicator. All but Abort belong to one thread at a time, on which the rank's context is
// current. What is asked for is done in the order of the stream.
type Comm struct {
	l      *Library
	handle uintptr
}

// bytesType is ncclInt8.
const bytesType = 0

// Group has the sends and receives that body asks for done together, so that ranks may send to one another at once.
func (c *Comm) Group(body func() error) error {
	if err := c.check(c.l.groupStart, c.l.groupStart.call()); err != nil {
		return err
	}
	err := body()
	return errors.Join(err, c.check(c.l.groupEnd, c.l.groupEnd.call()))
}

// Send sends bytes of this device's memory to another rank.
func (c *Comm) Send(from cudriver.DevicePtr, bytes int64, to int, s cudriver.Stream) error {
	return c.check(c.l.send, c.l.send.call(uintptr(from), uintptr(bytes), bytesType, uintptr(to), c.handle, uintptr(s)))
}

// Receive fills bytes of this device's memory with what another rank sends.
func (c *Comm) Receive(to cudriver.DevicePtr, bytes int64, from int, s cudriver.Stream) error {
	return c.check(c.l.receive, c.l.receive.call(uintptr(to), uintptr(bytes), bytesType, uintptr(from), c.handle,
		uintptr(s)))
}

// AllGather gives every rank the bytes of all, in the order of their ranks.
func (c *Comm) AllGather(from, to cudriver.DevicePtr, bytes int64, s cudriver.Stream) error {
	return c.check(c.l.allGather, c.l.allGather.call(uintptr(from), uintptr(to), uintptr(bytes), bytesType, c.handle,
		uintptr(s)))
}

// Err is a failure of what was asked for before, such as the loss of another rank.
func (c *Comm) Err() error {
	var state int32
	if err := c.check(c.l.asyncError, c.l.asyncError.call(c.handle, uintptr(unsafe.Pointer(&state)))); err != nil {
		return err
	}
	return c.check(entry{name: "an earlier call"}, uintptr(state))
}

// Abort ends what is under way, also where other ranks are gone. It may be called from any thread; nothing but Err may
// follow.
func (c *Comm) Abort() error { return c.l.check(c.l.commAbort, 0, c.l.commAbort.call(c.handle)) }

// Destroy gives the communicator back when its work is done.
func (c *Comm) Destroy() error { return c.l.check(c.l.commDestroy, 0, c.l.commDestroy.call(c.handle)) }

func (c *Comm) check(e entry, r uintptr) error { return c.l.check(e, c.handle, r) }

// check turns a ncclResult_t into an error, with what NCCL says of it.
func (l *Library) check(e entry, comm, result uintptr) error {
	const inProgress = 7
	r := int32(result)
	if r == 0 || r == inProgress {
		return nil
	}
	text := make([]string, 0, 2)
	for _, said := range []string{l.errorString.text(uintptr(r)), l.lastError.text(comm)} {
		if said = strings.TrimSpace(said); said != "" {
			text = append(text, said)
		}
	}
	return &Error{Call: e.name, Result: int(r), Text: strings.Join(text, ": ")}
}

// Error is a call that failed.
type Error struct {
	Call   string // as in nccl.h
	Result int    // ncclResult_t
	Text   string // what NCCL says of it
}

func (e *Error) Error() string {
	return fmt.Sprintf("NCCL: %s: %s (%d); set NCCL_DEBUG=INFO for details", e.Call, e.Text, e.Result)
}
