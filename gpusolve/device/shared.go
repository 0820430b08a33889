package device

import (
	"fmt"
	"time"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/solution"
)

// Shared is a device for several solves, one after the other: Options.Executor of each. It stays open until
// Release.
type Shared struct {
	ops.Device
	Info solution.DeviceInfo
	Open time.Duration // how long opening it took
}

// Open opens a device by its name: auto (a GPU where there is one), cpu, gpu or gpu:N.
func Open(name string) (*Shared, error) { return OpenWith(Options{Device: name}) }

// OpenWith opens the device that options name.
func OpenWith(o Options) (*Shared, error) {
	start := time.Now()
	if o.Auto() {
		d, info := o.firstGPU(Demand{}, "the first one")
		return &Shared{d, info, time.Since(start)}, nil
	}
	d, info, err := o.Open(Demand{})
	if err != nil {
		return nil, err
	}
	return &Shared{d, info, time.Since(start)}, nil
}

// Close does nothing, so that the solves leave the device to the next.
func (s *Shared) Close() error { return nil }

// KeepMemory has the memory of a solve on a GPU stay with the device, for solves like it to follow.
func (s *Shared) KeepMemory() {
	if k, ok := s.Device.(interface{ KeepMemory() }); ok {
		k.KeepMemory()
	}
}

// FreeMemory is the memory of a GPU in bytes that nobody uses, 0 of other devices.
func (s *Shared) FreeMemory() (int64, error) {
	on, ok := s.Device.(Limited)
	if !ok {
		return 0, nil
	}
	free, _, err := MemoryOf(on)
	return free, err
}

// Unwrap is the device itself.
func (s *Shared) Unwrap() ops.Device { return s.Device }

// Release closes the device.
func (s *Shared) Release() error { return s.Device.Close() }

// CopyBandwidth is the rate in bytes per second at which the device reads and writes when it copies its own memory.
func (s *Shared) CopyBandwidth() (float64, error) {
	if c, ok := s.Device.(interface{ CopyBandwidth() (float64, error) }); ok {
		return c.CopyBandwidth()
	}
	return 0, fmt.Errorf("%s does not tell how fast it copies", s.Device.Name())
}
