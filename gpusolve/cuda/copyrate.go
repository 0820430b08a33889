package cuda

import "errors"

// CopyBandwidth is the rate in bytes per second at which the GPU reads and writes when it copies its own memory, best
// of several.
func (d *Device) CopyBandwidth() (rate float64, err error) {
	defer d.Bind()()
	bytes := int64(2 << 30)
	if free, _, err := d.Driver.MemGetInfo(); err == nil {
		bytes = min(bytes, free/4)
	}
	give := func(e error) { err = errors.Join(err, e) }
	from, err := d.Driver.MemAlloc(bytes)
	if err != nil {
		return 0, err
	}
	defer func() { give(d.Driver.MemFree(from)) }()
	to, err := d.Driver.MemAlloc(bytes)
	if err != nil {
		return 0, err
	}
	defer func() { give(d.Driver.MemFree(to)) }()
	start, err := d.Driver.EventCreate()
	if err != nil {
		return 0, err
	}
	defer func() { give(d.Driver.EventDestroy(start)) }()
	end, err := d.Driver.EventCreate()
	if err != nil {
		return 0, err
	}
	defer func() { give(d.Driver.EventDestroy(end)) }()
	for range 5 {
		err := errors.Join(d.Driver.EventRecord(start, d.Stream), d.Driver.MemcpyDtoDAsync(to, from, bytes, d.Stream),
			d.Driver.EventRecord(end, d.Stream), d.Driver.EventSynchronize(end))
		if err != nil {
			return 0, err
		}
		ms, err := d.Driver.EventElapsedTime(start, end)
		if err != nil {
			return 0, err
		}
		rate = max(rate, 2*float64(bytes)/(float64(ms)*1e-3))
	}
	return rate, nil
}
