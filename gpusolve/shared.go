package gpusolve

import (
	"fmt"
	"time"

	"thermsim/gpusolve/ops"
)

// SharedDevice is a device for several solves, one after the other: Options.Executor of each. It stays open until Release.
type SharedDevice struct {
	ops.Device
	Info DeviceInfo
	Open time.Duration // how long opening it took
}

// OpenDevice opens a device by its name: auto (a GPU where there is one), cpu, gpu or gpu:N.
func OpenDevice(name string) (*SharedDevice, error) {
	start := time.Now()
	o := Options{Device: name}
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
