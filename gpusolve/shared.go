package gpusolve

import (
	"fmt"
	"time"

	"thermsim/gpusolve/ops"
)

// SharedDevice is a device for several solves, one after the other: Options.Executor of each. It stays open until
// Release.
type SharedDevice struct {
	ops.Device
	Info DeviceInfo
	Open time.Duration // how long opening it took
}

// OpenDevice opens a device by its name: auto (a GPU where there is one), cpu, gpu or gpu:N.
func OpenDevice(name string) (*SharedDevice, error) { return OpenWith(deviceOptions{Device: name}) }

// OpenWith opens the device that options name.
func OpenWith(o deviceOptions) (*SharedDevice, error) {
	start := time.Now()
	if o.auto() {
		d, info := o.firstGPU(demand{}, "the first one")
		return &SharedDevice{d, info, time.Since(start)}, nil
	}
	d, info, err := o.openFor(demand{})
	if err != nil {
		return nil, err
	}
	return &SharedDevice{d, info, time.Since(start)}, nil
}

// Close does nothing, so that the solves leave the device to the next.
func (s *SharedDevice) Close() error { return nil }

// KeepMemory has the memory of a solve on a GPU stay with the device, for solves like it to follow.
func (s *SharedDevice) KeepMemory() {
	if k, ok := s.Device.(interface{ KeepMemory() }); ok {
		k.KeepMemory()
	}
}

// FreeMemory is the memory of a GPU in bytes that nobody uses, 0 of other devices.
func (s *SharedDevice) FreeMemory() (int64, error) {
	on, ok := s.Device.(limited)
	if !ok {
		return 0, nil
	}
	free, _, err := memoryOf(on)
	return free, err
}

// Unwrap is the device itself.
func (s *SharedDevice) Unwrap() ops.Device { return s.Device }

// Release closes the device.
func (s *SharedDevice) Release() error { return s.Device.Close() }

// CopyBandwidth is the rate in bytes per second at which the device reads and writes when it copies its own memory.
func (s *SharedDevice) CopyBandwidth() (float64, error) {
	if c, ok := s.Device.(interface{ CopyBandwidth() (float64, error) }); ok {
		return c.CopyBandwidth()
	}
	return 0, fmt.Errorf("%s does not tell how fast it copies", s.Device.Name())
}
