package cudriver

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// stuck is a device that is done after so many questions, or never where they are negative. Calls that it does not know
// end in a nil Driver.
type stuck struct {
	Driver
	questions int
	fails     error
}

func (s *stuck) StreamQuery(Stream) (bool, error) {
	s.questions--
	return s.questions == 0, s.fails
}

func (s *stuck) EventQuery(Event) (bool, error) { return s.StreamQuery(0) }

// A wait that takes too long ends with a message that says what to do, and from then on no call reaches the device, of
// which none might come back.
func TestAWaitEnds(t *testing.T) {
	for name, wait := range map[string]func(Driver) error{
		"cuStreamSynchronize": func(d Driver) error { return d.StreamSynchronize(1) },
		"cuEventSynchronize":  func(d Driver) error { return d.EventSynchronize(1) },
	} {
		d := Watched(&stuck{}, 60*time.Millisecond)
		begun := time.Now()
		err := wait(d)
		if took := time.Since(begun); took < 60*time.Millisecond || took > 5*time.Second {
			t.Errorf("%s took %v", name, took)
		}
		var e *Error
		if !errors.As(err, &e) || e.Call != name || e.Result != Timeout ||
			!strings.Contains(err.Error(), "THERMSIM_GPU_WAIT") || !strings.Contains(err.Error(), "60ms") {
			t.Errorf("%s: %v", name, err)
		}
		for call, later := range map[string]func() error{
			"StreamSynchronize": func() error { return d.StreamSynchronize(1) },
			"MemAlloc":          func() error { _, err := d.MemAlloc(1); return err },
			"MemFree":           func() error { return d.MemFree(1) },
			"MemAllocHost":      func() error { _, err := d.MemAllocHost(1); return err },
			"MemFreeHost":       func() error { return d.MemFreeHost(nil) },
			"CtxSynchronize":    d.CtxSynchronize,
			"MemcpyHtoDAsync":   func() error { return d.MemcpyHtoDAsync(1, nil, 1, 1) },
			"MemcpyDtoHAsync":   func() error { return d.MemcpyDtoHAsync(nil, 1, 1, 1) },
			"ModuleLoadData":    func() error { _, err := d.ModuleLoadData(nil); return err },
			"ModuleUnload":      func() error { return d.ModuleUnload(1) },
			"LaunchKernel":      func() error { return d.LaunchKernel(1, [3]uint32{}, [3]uint32{}, 0, 1, nil) },
			"GraphLaunch":       func() error { return d.GraphLaunch(1, 1) },
			"GraphExecDestroy":  func() error { return d.GraphExecDestroy(1) },
			"StreamDestroy":     func() error { return d.StreamDestroy(1) },
			"EventDestroy":      func() error { return d.EventDestroy(1) },
			"Release":           func() error { return d.DevicePrimaryCtxRelease(1) },
		} {
			if err := later(); !errors.Is(err, e) {
				t.Errorf("%s after %s: %v", call, name, err)
			}
		}
	}
}

// Each wait counts for itself, what is done ends at once, and a failure is that of the question.
func TestWaitsThatEnd(t *testing.T) {
	s := &stuck{}
	d := Watched(s, 300*time.Millisecond)
	for range 4 {
		s.questions = 20 // some of them after rests
		if err := d.StreamSynchronize(1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.fails = &Error{Call: "cuStreamQuery", Result: IllegalAddress}
	var e *Error
	if err := d.StreamSynchronize(1); !errors.As(err, &e) || e.Call != "cuStreamQuery" || e.Result != IllegalAddress {
		t.Errorf("%v", err)
	}
	if Watched(s, 0) != Driver(s) || Beneath(d) != Driver(s) {
		t.Error("the driver beneath is another")
	}
}

func TestWaitLimit(t *testing.T) {
	for text, want := range map[string]time.Duration{"": DefaultWait, "off": 0, "90s": 90 * time.Second,
		"1h": time.Hour} {
		t.Setenv(WaitVariable, text)
		if got, err := WaitLimit(); got != want || err != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"90", "-1s", "0s", "soon"} {
		t.Setenv(WaitVariable, text)
		if _, err := WaitLimit(); err == nil || !strings.Contains(err.Error(), WaitVariable) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
