package cuda

import "errors"

// CopyBandwidth is the rate in bytes per second at which the GPU reads and writes when it copies its own memory, best of several.
func (d *Device) CopyBandwidth() (rate float64, err error) {
	defer d.Bind()()
	bytes := int64(2 << 30)
	if free, _, err := d.drv.MemGetInfo(); err == nil {
		bytes = min(bytes, free/4)
	}
	give := func(e error) { err = errors.Join(err, e) }
	from, err := d.drv.MemAlloc(bytes)
	if err != nil {
		return 0, err
	}
	defer func() { give(d.drv.MemFree(from)) }()
	to, err := d.drv.MemAlloc(bytes)
	if err != nil {
		return 0, err
	}
	defer func() { give(d.drv.MemFree(to)) }()
	start, err := d.drv.EventCreate()
	if err != nil {
		return 0, err
	}
	defer func() { give(d.drv.EventDestroy(start)) }()
	end, err := d.drv.EventCreate()
	if err != nil {
		return 0, err
	}
	defer func() { give(d.drv.EventDestroy(end)) }()
	for range 5 {
		err := errors.Join(d.drv.EventRecord(start, d.stream), d.drv.MemcpyDtoDAsync(to, from, bytes, d.stream), d.drv.EventRecord(end, d.stream), d.drv.EventSynchronize(end))
		if err != nil {
			return 0, err
		}
		ms, err := d.drv.EventElapsedTime(start, end)
		if err != nil {
			return 0, err
		}
		rate = max(rate, 2*float64(bytes)/(float64(ms)*1e-3))
	}
	return rate, nil
}
