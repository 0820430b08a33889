package cudriver

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"
	"unsafe"
)

// WaitVariable is how long a wait for a GPU may take: a time such as 90s or 10m, or Endless.
const WaitVariable = "THERMSIM_GPU_WAIT"

// Endless in WaitVariable has waits last as long as they take.
const Endless = "off"

// DefaultWait is what WaitVariable is taken to be where it is not set. The longest of thermsim's launches take seconds,
// on a GPU that others use as well some times that.
const DefaultWait = 300 * time.Second

// WaitLimit is that of WaitVariable; 0 without a limit.
func WaitLimit() (time.Duration, error) {
	text := os.Getenv(WaitVariable)
	switch text {
	case "":
		return DefaultWait, nil
	case Endless:
		return 0, nil
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		return 0, fmt.Errorf("%s=%s: give a time such as 90s or 10m, or %s", WaitVariable, text, Endless)
	}
	return limit, nil
}

// Waits ask the driver again and again for so long, as its own waits do, and then sleep in between for a part of the
// time that they have taken already, so that long launches take no processor.
const (
	asking      = 20 * time.Millisecond
	sleepPart   = 256
	longestRest = 10 * time.Millisecond
)

// watched is a driver whose waits end after a limit. From then on every call that could wait for the device fails at
// once with what the wait said: what the device has been given may never end.
type watched struct {
	Driver
	limit time.Duration
	hung  atomic.Pointer[Error]
}

// Watched has the waits of a driver, each for itself, end with an error after a limit; 0 leaves the driver as it is.
func Watched(d Driver, limit time.Duration) Driver {
	if limit <= 0 {
		return d
	}
	return &watched{Driver: d, limit: limit}
}

func (w *watched) Unwrap() Driver { return w.Driver }

// wait asks until the device is done.
func (w *watched) wait(call string, done func() (bool, error)) error {
	if err := w.err(); err != nil {
		return err
	}
	begun := time.Now()
	for {
		is, err := done()
		if err != nil {
			return err
		}
		if is {
			return nil
		}
		took := time.Since(begun)
		if took > w.limit {
			w.hung.CompareAndSwap(nil,
				&Error{Call: call, Result: Timeout, Detail: fmt.Sprintf("more than %v, the limit of %s", w.limit,
					WaitVariable)})
			return w.err()
		}
		if took > asking {
			time.Sleep(min(took/sleepPart, longestRest))
		}
	}
}

func (w *watched) err() error {
	if e := w.hung.Load(); e != nil {
		return e
	}
	return nil
}

func (w *watched) StreamSynchronize(s Stream) error {
	return w.wait("cuStreamSynchronize", func() (bool, error) { return w.Driver.StreamQuery(s) })
}

func (w *watched) EventSynchronize(e Event) error {
	return w.wait("cuEventSynchronize", func() (bool, error) { return w.Driver.EventQuery(e) })
}

// unless makes a call that may wait, or that hands the device more work, unless the device has been given up.
func (w *watched) unless(do func() error) error {
	if err := w.err(); err != nil {
		return err
	}
	return do()
}

func (w *watched) DevicePrimaryCtxRelease(d Device) error {
	return w.unless(func() error { return w.Driver.DevicePrimaryCtxRelease(d) })
}

func (w *watched) CtxSynchronize() error { return w.unless(w.Driver.CtxSynchronize) }

func (w *watched) MemAlloc(bytes int64) (DevicePtr, error) {
	if err := w.err(); err != nil {
		return 0, err
	}
	return w.Driver.MemAlloc(bytes)
}

func (w *watched) MemFree(p DevicePtr) error {
	return w.unless(func() error { return w.Driver.MemFree(p) })
}

func (w *watched) MemAllocHost(bytes int64) (unsafe.Pointer, error) {
	if err := w.err(); err != nil {
		return nil, err
	}
	return w.Driver.MemAllocHost(bytes)
}

func (w *watched) MemFreeHost(p unsafe.Pointer) error {
	return w.unless(func() error { return w.Driver.MemFreeHost(p) })
}

func (w *watched) MemcpyHtoDAsync(dst DevicePtr, src unsafe.Pointer, bytes int64, s Stream) error {
	if err := w.err(); err != nil {
		return err
	}
	return w.Driver.MemcpyHtoDAsync(dst, src, bytes, s)
}

func (w *watched) MemcpyDtoHAsync(dst unsafe.Pointer, src DevicePtr, bytes int64, s Stream) error {
	if err := w.err(); err != nil {
		return err
	}
	return w.Driver.MemcpyDtoHAsync(dst, src, bytes, s)
}

func (w *watched) ModuleLoadData(ptx []byte) (Module, error) {
	if err := w.err(); err != nil {
		return 0, err
	}
	return w.Driver.ModuleLoadData(ptx)
}

func (w *watched) ModuleUnload(m Module) error {
	return w.unless(func() error { return w.Driver.ModuleUnload(m) })
}

// LaunchKernel is the hot call: it allocates nothing.
func (w *watched) LaunchKernel(f Function, grid, block [3]uint32, sharedBytes uint32, s Stream,
	params []unsafe.Pointer) error {
	if err := w.err(); err != nil {
		return err
	}
	return w.Driver.LaunchKernel(f, grid, block, sharedBytes, s, params)
}

func (w *watched) StreamDestroy(s Stream) error {
	return w.unless(func() error { return w.Driver.StreamDestroy(s) })
}

func (w *watched) GraphLaunch(g GraphExec, s Stream) error {
	if err := w.err(); err != nil {
		return err
	}
	return w.Driver.GraphLaunch(g, s)
}

func (w *watched) GraphExecDestroy(g GraphExec) error {
	return w.unless(func() error { return w.Driver.GraphExecDestroy(g) })
}

func (w *watched) EventDestroy(e Event) error {
	return w.unless(func() error { return w.Driver.EventDestroy(e) })
}
