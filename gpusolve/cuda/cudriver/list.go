package cudriver

import "fmt"

// Info is what can be told about a device without a context on it.
type Info struct {
	Ordinal      int // number in the driver's order, after CUDA_VISIBLE_DEVICES
	Device       Device
	Name         string
	Major, Minor int // compute capability
	// bytes; what is free only a context can tell (MemGetInfo), and that takes a quarter of a second and 0.5 GB
	TotalMemory     int64
	Multiprocessors int
	L2Cache         int // bytes
	DriverVersion   int // highest CUDA version of the driver, 1000 major + 10 minor
}

// ComputeCapability is the capability as in "9.0".
func (i Info) ComputeCapability() string { return fmt.Sprintf("%d.%d", i.Major, i.Minor) }

// CUDAVersion is the driver's CUDA version as in "12.4".
func (i Info) CUDAVersion() string {
	return fmt.Sprintf("%d.%d", i.DriverVersion/1000, i.DriverVersion%1000/10)
}

// List initialises the driver and describes its devices. It needs no context and may run on any thread. Without devices
// the error is ErrNoDevice.
func List(d Driver) ([]Info, error) {
	if err := d.Init(); err != nil {
		return nil, err
	}
	version, err := d.DriverGetVersion()
	if err != nil {
		return nil, err
	}
	n, err := d.DeviceGetCount()
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, &Error{Call: "cuDeviceGetCount", Result: NoDevice}
	}
	list := make([]Info, n)
	for i := range list {
		if list[i], err = describe(d, i); err != nil {
			return nil, fmt.Errorf("device %d: %w", i, err)
		}
		list[i].DriverVersion = version
	}
	return list, nil
}

func describe(d Driver, ordinal int) (Info, error) {
	info := Info{Ordinal: ordinal}
	var err error
	if info.Device, err = d.DeviceGet(ordinal); err != nil {
		return info, err
	}
	if info.Name, err = d.DeviceGetName(info.Device); err != nil {
		return info, err
	}
	if info.TotalMemory, err = d.DeviceTotalMem(info.Device); err != nil {
		return info, err
	}
	for _, a := range []struct {
		to *int
		a  DeviceAttribute
	}{
		{&info.Major, ComputeCapabilityMajor},
		{&info.Minor, ComputeCapabilityMinor},
		{&info.Multiprocessors, MultiprocessorCount},
		{&info.L2Cache, L2CacheSize},
	} {
		if *a.to, err = d.DeviceGetAttribute(a.a, info.Device); err != nil {
			return info, err
		}
	}
	return info, nil
}
