package main

import (
	"errors"
	"runtime"

	"thermsim/gpusolve/cu"
)

// copyBandwidth is the rate in TB/s at which the device reads and writes when it copies its own memory, best of several.
func copyBandwidth(d cu.Driver, dev cu.Device) (rate float64, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, err := d.DevicePrimaryCtxRetain(dev); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.DevicePrimaryCtxRelease(dev)) }()
	const bytes = 2 << 30
	a, err := d.MemAlloc(bytes)
	if err != nil {
		return 0, err
	}
	defer d.MemFree(a)
	b, err := d.MemAlloc(bytes)
	if err != nil {
		return 0, err
	}
	defer d.MemFree(b)
	start, err := d.EventCreate()
	if err != nil {
		return 0, err
	}
	end, err := d.EventCreate()
	if err != nil {
		return 0, err
	}
	for range 5 {
		err := errors.Join(d.EventRecord(start, 0), d.MemcpyDtoDAsync(b, a, bytes, 0), d.EventRecord(end, 0), d.EventSynchronize(end))
		if err != nil {
			return 0, err
		}
		ms, err := d.EventElapsedTime(start, end)
		if err != nil {
			return 0, err
		}
		rate = max(rate, 2*bytes/(float64(ms)*1e-3)/1e12)
	}
	return rate, errors.Join(d.EventDestroy(start), d.EventDestroy(end))
}
